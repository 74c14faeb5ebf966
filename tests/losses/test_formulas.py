"""Value, derivative, curvature and conjugate of every loss hang together."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.losses import LOSSES, make_loss

numbers = st.floats(-50, 50)
examples = settings(max_examples=40)
# Fine enough for kinks to stand out, wide enough for growth to show; symmetric, so that it holds 0 and +-1.
GRID = np.arange(-50_000, 50_001) * 1e-4
ROUNDING = 1e-12


def _target(loss, data):
    return data.draw(st.sampled_from([-1.0, 1.0]) if loss.kind == "classification" else st.floats(-30, 30))


def _slope(loss, y, part):
    """A point of the conjugate's domain, `part` of the way from one end to the other; infinite ends lie at +-20."""
    lower, upper = max(loss.dual_lower(y), -20.0), min(loss.dual_upper(y), 20.0)
    return lower + part * (upper - lower)


def _quotients(values):
    return np.abs(np.diff(values)) / np.diff(GRID)


@examples
@given(numbers, st.floats(0, 1), st.data())
def test_fenchel_young(loss, f, part, data):
    y = _target(loss, data)
    u = _slope(loss, y, part)
    size = 1 + abs(u * f) + abs(u * y) + u * u
    assert loss.value(f, y) + loss.conjugate(u, y) - u * f >= -ROUNDING * size


@examples
@given(numbers, st.data())
def test_fenchel_young_is_an_equality_at_the_derivative(convex_loss, f, data):
    y = _target(convex_loss, data)
    u = convex_loss.derivative(f, y)
    size = 1 + abs(u * f) + abs(u * y) + u * u
    assert abs(convex_loss.value(f, y) + convex_loss.conjugate(u, y) - u * f) <= ROUNDING * size


@examples
@given(st.floats(0, 1), st.data())
def test_conjugate_is_the_supremum(loss, part, data):
    """Against the largest u f - value(f, y) of a table, which uses neither derivative nor conjugate."""
    y = _target(loss, data)
    # Towards the ends of the logistic loss's domain the f that attains the supremum runs off to infinity.
    u = _slope(loss, y, 0.01 + 0.98 * part)
    f = y + 10 * GRID
    found = (u * f - loss.value(f, y)).max()
    assert found <= loss.conjugate(u, y) + ROUNDING * (1 + abs(u * y) + u * u)
    assert loss.conjugate(u, y) <= found + 2e-3


@examples
@given(numbers, st.data())
def test_biconjugate(loss, f, data):
    """The conjugate of the conjugate is the largest closed convex function below the loss: itself, if it is one."""
    y = _target(loss, data)
    f = y + 0.2 * f  # nearer, so that the slope that attains it is within the table
    u = _slope(loss, y, np.linspace(0, 1, 40_001))
    found = (u * f - loss.conjugate(u, y)).max()
    assert found <= loss.value(f, y) + ROUNDING * (1 + abs(f) + abs(y)) * 20
    if loss.convex:
        assert loss.value(f, y) <= found + 2e-3


def test_domain_of_the_conjugate_is_the_dual_interval(loss, targets):
    for y in targets:
        lower, upper = loss.dual_lower(y), loss.dual_upper(y)
        for end, outwards in ((lower, -np.inf), (upper, np.inf)):
            if np.isinf(end):
                assert np.isfinite(loss.conjugate(np.sign(end) * 1e6, y))
            else:
                assert np.isfinite(loss.conjugate(end, y))
                assert loss.conjugate(np.nextafter(end, outwards), y) == np.inf
                # infinite it is: a slope beyond the interval has no bound
                f = np.copysign(1e9, outwards)
                u = end + np.copysign(0.1, outwards)
                assert u * f - loss.value(f, y) > 1e7
        assert np.isfinite(loss.conjugate(np.linspace(max(lower, -1e3), min(upper, 1e3), 101), y)).all()


def test_derivatives_lie_in_the_dual_interval(loss, targets):
    for y in targets:
        u = loss.derivative(y + GRID, y)
        assert (loss.dual_lower(y) <= u).all()
        assert (u <= loss.dual_upper(y)).all()


@examples
@given(numbers, numbers, st.data())
def test_convex(convex_loss, f, g, data):
    y = _target(convex_loss, data)
    at_f, at_g = convex_loss.value(f, y), convex_loss.value(g, y)
    assert convex_loss.value((f + g) / 2, y) <= (at_f + at_g) / 2 + ROUNDING * (1 + at_f + at_g)
    # and the derivative is a subgradient, at kinks too
    rise = convex_loss.derivative(f, y) * (g - f)
    assert at_f + rise <= at_g + ROUNDING * (1 + at_f + at_g + abs(rise))


@pytest.mark.parametrize("name", [name for name in LOSSES if not LOSSES[name].convex])
def test_a_loss_that_is_not_convex_breaks_the_midpoint_inequality(name):
    loss, f = make_loss(name), np.linspace(-3, 3, 13)
    middle = loss.value((f[:, np.newaxis] + f) / 2, 1.0)
    chord = (loss.value(f, 1.0)[:, np.newaxis] + loss.value(f, 1.0)) / 2
    assert (middle > chord + 0.1).any()


@pytest.mark.parametrize(("function", "change"), [("value", "derivative"), ("derivative", "curvature")])
def test_derivatives_against_differences(loss, targets, function, change):
    h = 1e-5
    for y in targets:
        f = y + np.linspace(-5, 5, 1003) + 1e-5 / 3  # not symmetric, or slopes of -1 and 1 would cancel
        left, middle, right = (getattr(loss, function)(f + k * h, y) for k in (-1, 0, 1))
        kinks = np.abs(right - 2 * middle + left) > 0.01 * h  # what comes in differs from what goes out
        assert kinks.sum() <= 4
        assert_allclose(((right - left) / (2 * h))[~kinks], getattr(loss, change)(f, y)[~kinks], atol=2 * h)


def test_lipschitz_constant(loss, targets):
    for y in targets:
        steepest = max(np.abs(loss.derivative(f, y)).max() for f in (y + GRID, y + 1e3 * GRID))
        if np.isinf(loss.lipschitz):
            assert max(steepest, _quotients(loss.value(GRID, y)).max()) > 1e3
        else:
            assert _quotients(loss.value(GRID, y)).max() <= loss.lipschitz * (1 + 1e-9)
            assert 0.999 * loss.lipschitz <= steepest <= loss.lipschitz


def test_smoothness_constant(loss, targets):
    for y in targets:
        curvature = loss.curvature(y + GRID, y).max()
        bend = _quotients(loss.derivative(y + GRID, y)).max()
        if np.isinf(loss.smoothness):
            assert max(bend, _quotients(loss.value(y + GRID, y)).max()) > 1e3
        else:
            assert bend <= loss.smoothness * (1 + 1e-9)
            assert 0.999 * loss.smoothness <= curvature <= loss.smoothness


def test_curvature_is_continuous_where_claimed(loss, targets):
    jumps = [
        max(_quotients(getattr(loss, name)(y + GRID, y)).max() for name in ("value", "derivative", "curvature"))
        for y in targets
    ]
    if loss.twice_differentiable:
        assert max(jumps) < 100
    elif loss.epsilon or not loss.facts.uses_epsilon:  # without its tube a loss can be smoother than it claims
        assert min(jumps) > 1e3


def test_pieces_are_straight_where_claimed(loss, targets):
    for y in targets:
        values = loss.value(y + GRID, y)
        continuous = _quotients(values).max() < 100
        bends = (np.abs(np.diff(values, 2)) > 1e-10).sum()
        assert loss.piecewise_linear == (continuous and bends <= 8)
        if loss.piecewise_linear:
            assert_array_equal(loss.curvature(y + GRID, y), 0.0)


def test_neither_overflow_nor_nan_at_extreme_margins(loss, targets):
    f = np.array([-1e4, -745.2, -710.0, -36.8, -0.0, 0.0, 36.8, 710.0, 745.2, 1e4])
    for y in targets:
        for name in ("value", "derivative", "curvature"):
            assert np.isfinite(getattr(loss, name)(f, y)).all(), name
        assert (loss.value(f, y) >= 0).all()
        for step in (1e-8, 1.0, 1e8):
            assert np.isfinite(loss.prox(f, y, step)).all()


def test_nan_is_not_swallowed(loss, targets):
    for y in targets:
        assert np.isnan(loss.value(np.nan, y))


def test_logistic_loss_far_out():
    logistic = make_loss("logistic")
    assert_array_equal(logistic.value([1e4, -1e4], 1.0), [0.0, 1e4])
    assert_array_equal(logistic.derivative([1e4, -1e4], -1.0), [1.0, 0.0])
    assert_allclose(logistic.value(40.0, 1.0), np.exp(-40.0), rtol=1e-14)
    assert_allclose(logistic.derivative(40.0, 1.0), -np.exp(-40.0), rtol=1e-14)
    assert_allclose(logistic.conjugate(-1e-20, 1.0), 1e-20 * (np.log(1e-20) - 1), rtol=1e-14)
    assert_array_equal(logistic.conjugate([0.0, -1.0], 1.0), 0.0)


def test_known_values():
    z = [-1.0, 0.0, 0.5, 1.0, 2.0]
    assert_array_equal(make_loss("zero_one").value(z, 1.0), [1, 1, 0, 0, 0])
    assert_array_equal(make_loss("perceptron").value(z, 1.0), [1, 0, 0, 0, 0])
    assert_array_equal(make_loss("hinge").value(z, 1.0), [2, 1, 0.5, 0, 0])
    assert_array_equal(make_loss("squared_hinge").value(z, 1.0), [4, 1, 0.25, 0, 0])
    assert_allclose(make_loss("logistic").value(z, 1.0), np.log1p(np.exp(-np.array(z))), rtol=1e-15)
    assert_array_equal(make_loss("squared").value(z, 1.0), [2, 0.5, 0.125, 0, 0.5])
    assert_array_equal(make_loss("epsilon_insensitive", 0.5).value(z, 1.0), [1.5, 0.5, 0, 0, 0.5])
    assert_array_equal(make_loss("squared_epsilon_insensitive", 0.5).value(z, 1.0), [2.25, 0.25, 0, 0, 0.25])


def test_classification_losses_are_functions_of_the_margin(margin_loss):
    loss, f = margin_loss, np.linspace(-3, 3, 61)
    assert_array_equal(loss.value(f, -1.0), loss.value(-f, 1.0))
    assert_array_equal(loss.derivative(f, -1.0), -loss.derivative(-f, 1.0))
    assert_array_equal(loss.conjugate(f, -1.0), loss.conjugate(-f, 1.0))
    assert_array_equal(loss.prox(f, -1.0, 0.8), -loss.prox(-f, 1.0, 0.8))


def test_the_perceptron_leaves_zero():
    """Rosenblatt's rule starts at w = 0, where every margin is 0 and every point counts as a mistake."""
    assert make_loss("perceptron").derivative(0.0, 1.0) == -1.0
    assert make_loss("zero_one").value(0.0, 1.0) == 1.0
