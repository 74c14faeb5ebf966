"""Convexity by chords, tangents and second derivatives."""

import numpy as np
import pytest

from maxmargin.losses import LOSSES, check_convexity, make_loss


@pytest.mark.parametrize("name", list(LOSSES))
def test_what_a_loss_states_of_itself_is_found(name):
    assert check_convexity(name).convex is LOSSES[name].convex
    assert check_convexity(make_loss(name, 0.3), low=-40.0, high=3.0).convex is LOSSES[name].convex


def test_all_three_see_the_jump_of_the_zero_one_loss():
    found = check_convexity("zero_one")
    assert not found.chord.holds and not found.tangent.holds and not found.second_derivative.holds
    assert "not convex" in str(found) and "the chord" in found.chord.where


class Ramp:
    """min(1, max(0, 1 - z)): bounded, hence not convex."""

    def value(self, f, y):
        return np.clip(1 - y * f, 0.0, 1.0)

    def derivative(self, f, y):
        return np.where((y * f > 0) & (y * f < 1), -y, 0.0)


class Huber:
    def value(self, f, y):
        r = np.abs(f - y)
        return np.where(r <= 1, r**2 / 2, r - 0.5)

    def derivative(self, f, y):
        return np.clip(f - y, -1.0, 1.0)

    def curvature(self, f, y):
        return (np.abs(f - y) <= 1).astype(float)


def test_losses_of_users():
    assert not check_convexity(Ramp()).convex
    assert check_convexity(Huber()).convex
    assert check_convexity(lambda f, y: np.exp(-y * f)).convex
    sigmoid = check_convexity(lambda f, y: 1 / (1 + np.exp(y * f)))
    assert not sigmoid.convex and sigmoid.tangent is None and "no derivative is known" in str(sigmoid)


def test_a_wrong_derivative_breaks_tangents_alone_and_a_wrong_curvature_the_second_derivative():
    class Wrong(Huber):
        def derivative(self, f, y):
            return -np.clip(f - y, -1.0, 1.0)

    found = check_convexity(Wrong())
    assert found.chord.holds and found.second_derivative.holds and not found.tangent.holds

    class Bent(Huber):
        def curvature(self, f, y):
            return -super().curvature(f, y)

    found = check_convexity(Bent())
    assert found.chord.holds and found.tangent.holds and "the curvature is -1" in found.second_derivative.where


def test_the_largest_shortfall_is_that_of_the_formula():
    # of -f^2 the chord from a to b lies t(1-t)(a-b)^2 below: a quarter of 10^2 at most
    found = check_convexity(lambda f, y: -(f**2), labels=[0.0])
    assert found.chord.shortfall == pytest.approx(25.0)
    h = 10 / 200
    assert found.second_derivative.shortfall == pytest.approx(2 * h)
    # of cos, whose second derivative is -cos, the interval where it is negative is convex
    assert check_convexity(lambda f, y: np.cos(f), low=np.pi / 2, high=3 * np.pi / 2).convex
    assert not check_convexity(lambda f, y: np.cos(f), low=np.pi / 2 - 0.3, high=3 * np.pi / 2).convex


def test_what_is_no_loss_is_refused():
    with pytest.raises(ValueError, match="must be a name, a loss, or a function"):
        check_convexity(3)
    with pytest.raises(ValueError, match="with NaN"):
        check_convexity(lambda f, y: np.log(f))
    with pytest.raises(ValueError, match="gave shape"):
        check_convexity(lambda f, y: 1.0)
    for wrong in ({"low": 1.0, "high": 0.0}, {"points": 2}, {"points": True}, {"labels": []}):
        with pytest.raises(ValueError, match="must"):
            check_convexity("hinge", **wrong)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_losses_of_any_size_are_held_to_their_own(size):
    class Concave:
        value = staticmethod(lambda f, y: -size * f**2)
        derivative = staticmethod(lambda f, y: -2 * size * f)
        curvature = staticmethod(lambda f, y: np.full_like(f, -2 * size))

    for loss in (lambda f, y: -size * f**2, Concave()):
        found = check_convexity(loss)
        assert not found.convex and found.chord.shortfall == pytest.approx(25.0 * size)
    for loss in ("hinge", "logistic", "squared", "epsilon_insensitive"):
        value = make_loss(loss).value
        assert check_convexity(lambda f, y, value=value: size * value(f, y)).convex


def test_rounding_is_not_taken_for_a_bend():
    assert check_convexity(lambda f, y: (1 + 1e-12 * f**2) - 1).convex
    assert check_convexity(lambda f, y: np.log(np.exp(1e-9 * f))).convex


@pytest.mark.parametrize("slope", [1e-10, 1.0, 1e10, -1e100])
@pytest.mark.parametrize("low", [-5.0, 0.1, 1e6, 1e15])
def test_a_straight_line_is_convex_however_steep_and_far_from_zero(slope, low):
    found = check_convexity(lambda f, y: slope * (f - low), low=low, high=low + 10)
    assert found.convex, found
    assert check_convexity(lambda f, y: slope * f, low=low, high=low + 10).convex
    assert 3 <= found.points <= 201


def test_steep_losses_that_are_not_convex_are_still_told():
    found = check_convexity(lambda f, y: 1e10 * np.minimum(f, 0.0))
    assert not found.convex and not found.chord.holds and not found.second_derivative.holds
    with pytest.raises(ValueError, match="three numbers from low to high, and float64 has 2"):
        check_convexity("hinge", low=1e20, high=float(np.nextafter(1e20, 2e20)))


def test_functions_of_other_arguments_are_refused_by_words():
    class Half:
        def value(self, f, y):
            return f**2

        def derivative(self, f):
            return 2 * f

    with pytest.raises(ValueError, match=r"the loss must be a function of two arrays, .* this one takes \(f\)"):
        check_convexity(lambda f: f**2)
    with pytest.raises(ValueError, match=r"the derivative must be .* this one takes \(f\)"):
        check_convexity(Half())
    with pytest.raises(ValueError, match=r"this one takes \(f, y, C\)"):
        check_convexity(lambda f, y, C: f)
    assert check_convexity(lambda *values: values[0] ** 2).convex
