"""Sums with a bound of their own rounding error, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import Guarantee, Status, rounded_down, rounded_up
from maxmargin.certificates._rounding import bounded_dot, bounded_squares, bounded_sum, lower, upper

NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False)


def exact(x):
    return sum((Fraction(float(v)) for v in x), Fraction(0))


@given(st.lists(NUMBERS, max_size=40))
def test_a_sum_is_within_its_bound(numbers):
    x = np.array(numbers, dtype=np.float64)
    value, error = bounded_sum(x)
    assert Fraction(lower(value, error)) <= exact(x) <= Fraction(upper(value, error))


@given(st.integers(0, 10**6), st.integers(1, 200))
@settings(max_examples=60)
def test_a_product_that_cancels_is_within_its_bound(seed, n):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n) * 10.0 ** rng.uniform(-150, 150, n)
    a, b = np.concatenate([a, a]), np.concatenate([b, -b * (1 + 1e-15)])
    value, error = bounded_dot(a, b)
    true = sum(Fraction(float(s)) * Fraction(float(t)) for s, t in zip(a, b, strict=True))
    assert Fraction(lower(value, error)) <= true <= Fraction(upper(value, error))


@given(st.integers(0, 10**6), st.integers(0, 200), st.integers(1, 4))
@settings(max_examples=60)
def test_squares_of_columns_are_within_their_bounds(seed, n, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, k)) * 10.0 ** rng.uniform(-170, 150, (n, k)) * (rng.random(k) < 0.8)
    for value, error, column in zip(*bounded_squares(A), A.T, strict=True):
        true = sum((Fraction(float(x)) ** 2 for x in column), Fraction(0))
        assert Fraction(lower(value, error)) <= true <= Fraction(upper(value, error))
        # compensated: what it adds to the value does not grow with the number of terms
        assert error <= 5 * 2.0**-53 * value + n * 2.0**-1073
        assert error == 0 or column.any()


def test_what_is_not_finite_has_no_bound():
    assert bounded_squares(np.array([[1e200, 1.0], [1.0, 1.0]]))[1][0] == np.inf
    assert bounded_sum(np.array([1.0, np.inf]))[1] == np.inf
    assert bounded_dot(np.array([1e200]), np.array([1e200]))[1] == np.inf


def test_zero_is_exact():
    assert bounded_sum(np.zeros(3)) == (0.0, 0.0)
    assert upper(0.0, 0.0) == lower(0.0, 0.0) == 0.0


@given(NUMBERS, st.integers(1, 15))
def test_printed_bounds_are_bounds(value, digits):
    assert Fraction(rounded_down(value, digits)) <= Fraction(value) <= Fraction(rounded_up(value, digits))


def test_printed_parts_are_rounded_as_what_they_are():
    """1/10 is no float: the nearest one is above it, but the part is not."""
    assert rounded_up(Fraction(1, 10), 4) == rounded_down(Fraction(1, 10), 4) == "0.1"
    assert (rounded_down(Fraction(2, 3), 4), rounded_up(Fraction(2, 3), 4)) == ("0.6666", "0.6667")
    assert rounded_up(Fraction(0), 4) == "0"


def test_figures_that_bound_something_are_printed_as_bounds():
    figures = {"margin": 0.23456789, "bound": 18.12345612, "best ncut at least": 1.9999999, "inertia": 2.4999999}
    printed = str(Guarantee("some", figures, "words.", True, Status.CONVERGED)).splitlines()
    shown = {line.rsplit(maxsplit=1)[0].strip(): line.split()[-1] for line in printed}
    assert shown["margin"] == "0.234567" and shown["bound"] == "18.1235"
    assert shown["best ncut at least"] == "1.99999" and shown["inertia"] == "2.5"


@pytest.mark.parametrize("seed", range(3))
def test_a_product_is_bounded_the_same_however_it_is_stored(seed):
    """Vectors that compiled code takes as they are, and views and read-only ones, which it does not."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 101)) * 10.0 ** rng.integers(-160, 100, (2, 101))
    strided, fixed = np.repeat(a, 2)[::2], b.copy()
    fixed.flags.writeable = False
    assert bounded_dot(a.copy(), b.copy()) == bounded_dot(strided, fixed)
    tiny = np.full(3, 1e-200)
    assert bounded_dot(tiny.copy(), tiny.copy()) == bounded_dot(np.repeat(tiny, 2)[::2], tiny)
    assert bounded_dot(tiny, tiny)[1] > 0  # products that underflow are not nothing
