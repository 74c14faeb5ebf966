"""Cover's count, against a linear programme for every labelling."""

from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from scipy.stats import norm

from maxmargin.bounds import cover_count, cover_fraction


def _separable(X, y):
    """Whether some w has y <w, x> >= 1 on every row."""
    found = linprog(np.zeros(X.shape[1]), A_ub=-y[:, np.newaxis] * X, b_ub=-np.ones(len(X)), bounds=(None, None))
    assert found.status in (0, 2), found.message  # solved, or infeasible
    return found.status == 0


def _count(X):
    # -y is separable exactly if y is: half of the labellings will do
    return 2 * sum(_separable(X, np.array([1.0, *rest])) for rest in product([-1.0, 1.0], repeat=len(X) - 1))


@pytest.mark.parametrize(("points", "dimensions"), [(1, 1), (3, 1), (3, 2), (5, 2), (4, 3), (6, 3), (5, 5), (6, 4)])
def test_every_labelling_counted(points, dimensions):
    X = np.random.default_rng(points).normal(size=(points, dimensions))
    assert _count(X) == cover_count(points, dimensions)


@pytest.mark.parametrize(("points", "coordinates"), [(4, 1), (4, 2), (6, 2)])
def test_an_intercept_is_one_more_dimension(points, coordinates):
    X = np.random.default_rng(points).normal(size=(points, coordinates))
    assert _count(np.column_stack([X, np.ones(points)])) == cover_count(points, coordinates + 1)


def test_points_not_in_general_position_have_fewer():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])  # the first two have to go together
    assert _count(X) == 4 < cover_count(3, 2) == 6


@pytest.mark.parametrize("points", [1, 2, 9, 60])
@pytest.mark.parametrize("dimensions", [1, 2, 9, 60, 200])
def test_the_formula(points, dimensions):
    assert cover_count(points, dimensions) == 2 * sum(comb(points - 1, k) for k in range(dimensions))
    assert cover_fraction(points, dimensions) == cover_count(points, dimensions) / 2**points


@pytest.mark.parametrize("dimensions", [1, 2, 50, 4999, 5001, 10**6, 10**12])
def test_half_at_twice_as_many_points(dimensions):
    assert cover_fraction(2 * dimensions, dimensions) == 0.5


@pytest.mark.parametrize("dimensions", [1, 3, 1000, 10**9])
def test_all_up_to_as_many_points_as_dimensions(dimensions):
    assert cover_fraction(dimensions, dimensions) == cover_fraction(1, dimensions) == 1.0
    assert cover_fraction(dimensions + 1, dimensions) < 1.0 or dimensions > 50  # 1 - 2^-N rounds to 1


@pytest.mark.parametrize("share", [0.4, 0.47, 0.499, 0.501, 0.53])
def test_both_ways_to_compute_agree(share):
    points = 10_001  # just beyond what is counted exactly
    dimensions = int(share * points)
    exact = cover_count(points, dimensions) / 2**points
    assert_allclose(cover_fraction(points, dimensions), exact, rtol=1e-12)


@pytest.mark.parametrize("deviations", [-6.0, -2.0, 0.5, 3.0])
def test_a_normal_tail_in_the_limit(deviations):
    points = 10**12
    dimensions = int(points / 2 + deviations * np.sqrt(points) / 2)
    assert_allclose(cover_fraction(points, dimensions), norm.cdf(deviations), rtol=1e-4)


def test_more_points_are_harder_and_more_dimensions_easier():
    table = np.array([[cover_fraction(p, n) for p in range(1, 80)] for n in range(1, 40)])
    assert (np.diff(table, axis=1) <= 0).all()
    assert (np.diff(table, axis=0) >= 0).all()


def test_far_tails_end_in_zero_not_in_an_error():
    assert cover_fraction(10**15, 3) == 0.0
    assert cover_fraction(9_000, 2) == 0.0


@pytest.mark.parametrize("function", [cover_count, cover_fraction])
def test_wrong_arguments_are_named(function):
    with pytest.raises(ValueError, match="points must be a whole number of at least 1; got 0"):
        function(0, 3)
    with pytest.raises(ValueError, match=r"dimensions must be a whole number of at least 1; got 2\.0"):
        function(3, 2.0)
    assert function(np.int64(3), np.int64(2)) == function(3, 2)
