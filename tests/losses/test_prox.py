"""The proximal step of every loss: it minimises, and it obeys Moreau's identity."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.losses import make_loss

points = st.floats(-50, 50)
steps = st.floats(-3, 3).map(lambda exponent: 10.0**exponent)
examples = settings(max_examples=40)


def _target(loss, data):
    return data.draw(st.sampled_from([-1.0, 1.0]) if loss.kind == "classification" else st.floats(-30, 30))


def _dual_point(loss, v, y, step):
    """u = (v - prox) / step, within the dual interval but for rounding."""
    p = loss.prox(v, y, step)
    u = (v - p) / step
    inside = np.clip(u, loss.dual_lower(y), loss.dual_upper(y))
    assert_allclose(inside, u, rtol=1e-11, atol=1e-12 * (1 + (abs(v) + abs(y)) / step))
    return p, float(inside)


@examples
@given(points, steps, st.data())
def test_no_point_is_better(loss, v, step, data):
    y = _target(loss, data)
    p = loss.prox(v, y, step)

    def objective(f):
        return loss.value(f, y) + (f - v) ** 2 / (2 * step)

    distances = np.geomspace(1e-9, 100, 60)
    others = np.concatenate([p + distances, p - distances, v + distances, v - distances, [v, y, 0.0, 1.0, -1.0]])
    best = objective(p)
    assert best <= objective(others).min() + 1e-12 * (1 + best)


@examples
@given(points, steps, st.data())
def test_the_step_is_a_subgradient(convex_loss, v, step, data):
    loss = convex_loss
    y = _target(loss, data)
    p, u = _dual_point(loss, v, y, step)
    # u is a subgradient at p exactly if Fenchel and Young's inequality is an equality
    size = 1 + abs(u * p) + abs(u * y) + u * u
    assert abs(loss.value(p, y) + loss.conjugate(u, y) - u * p) <= 1e-10 * size


@examples
@given(points, steps, st.data())
def test_moreau(convex_loss, v, step, data):
    """v = prox of the loss + step times the prox of its conjugate, and the two envelopes sum to v^2 / (2 step)."""
    loss = convex_loss
    y = _target(loss, data)
    p, u = _dual_point(loss, v, y, step)

    def dual_objective(x):
        return loss.conjugate(x, y) + 0.5 * step * (x - v / step) ** 2

    envelopes = loss.value(p, y) + (p - v) ** 2 / (2 * step) + dual_objective(u)
    assert_allclose(envelopes, v * v / (2 * step), rtol=1e-10, atol=1e-10 * (1 + abs(u * y)))
    distances = np.geomspace(1e-6, 10, 40)
    others = np.clip(np.concatenate([u + distances, u - distances]), loss.dual_lower(y), loss.dual_upper(y))
    assert dual_objective(u) <= dual_objective(others).min() + 1e-10 * (1 + v * v / step)


@examples
@given(points, points, steps, st.data())
def test_it_is_firmly_non_expansive(convex_loss, v, other, step, data):
    loss = convex_loss
    y = _target(loss, data)
    moved = loss.prox(v, y, step) - loss.prox(other, y, step)
    assert moved**2 <= moved * (v - other) + 1e-11 * (1 + abs(v - other))


def test_no_step_no_move(loss, targets):
    v = np.linspace(-3, 3, 25)
    for y in targets:
        assert_allclose(loss.prox(v, y, 0.0), v, rtol=1e-15, atol=1e-15 * abs(y))


def test_zero_one_stays_or_jumps():
    loss = make_loss("zero_one")
    v = np.array([-3.0, -1.9, 0.0, 0.5])
    p = loss.prox(v, 1.0, 2.0)  # to jump pays within a distance of sqrt(2 step) = 2
    assert_array_equal(loss.value(p, 1.0), [1, 0, 0, 0])
    assert_allclose(p, [-3.0, 0.0, 0.0, 0.5], atol=1e-300)
    assert loss.prox(-2.0, 1.0, 2.0) == -2.0  # as dear either way: stay


@pytest.mark.parametrize("v", [-1e6, -1e4, -30.0, -0.5, 0.0, 1e-7, 2.0, 700.0, 1e4])
@pytest.mark.parametrize("step", [1e-8, 0.3, 60.0, 1e4, 1e12])
def test_logistic_prox_is_right_to_rounding(v, step):
    z = make_loss("logistic").prox(v, 1.0, step)
    with localcontext() as context:
        context.prec = 50
        p = 1 / (1 + Decimal(z).exp())
        slope = 1 + Decimal(step) * p * (1 - p)
        error = abs(Decimal(z) - Decimal(v) - Decimal(step) * p) / slope
        # as much as an ulp in the arguments moves the answer by
        unit = Decimal(2.0**-52) * max(abs(Decimal(z)), abs(Decimal(v)) / slope, Decimal(step) * p / slope)
    assert error <= 4 * unit
