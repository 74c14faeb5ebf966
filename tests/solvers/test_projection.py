"""The projection on a box and a plane: feasible, and closest by the optimality conditions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.kernels import MatrixGram
from maxmargin.problems import BoxQP
from maxmargin.solvers import feasible, project


def assert_is_projection(beta, v, lower, upper, total):
    scale = max(1.0, np.abs(v).max(), np.abs(lower).max(), np.abs(upper).max())
    assert (beta >= lower).all()
    assert (beta <= upper).all()
    assert beta.sum() == pytest.approx(total, abs=1e-11 * scale * len(v))
    # beta = clip(v - t): v - beta is t where free, at least t at the upper bound, at most t at the lower one
    shift = v - beta
    most = shift[beta < upper].max(initial=-np.inf)
    least = shift[beta > lower].min(initial=np.inf)
    assert most <= least + 1e-11 * scale * len(v)


@given(st.data())
def test_is_closest_point(data):
    n = data.draw(st.integers(1, 12))
    number = st.floats(-1e3, 1e3)
    v = np.array(data.draw(st.lists(number, min_size=n, max_size=n)))
    ends = np.array(data.draw(st.lists(st.tuples(number, number), min_size=n, max_size=n)))
    pinned = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    lower = ends.min(axis=1)
    upper = np.where(pinned, lower, ends.max(axis=1))
    share = data.draw(st.floats(0, 1))
    total = float(lower.sum() + share * (upper.sum() - lower.sum()))
    assert_is_projection(project(v, lower, upper, total), v, lower, upper, total)


@given(st.integers(0, 10**6), st.floats(-6, 9))
def test_boxes_of_a_classifier(seed, exponent):
    """Sum zero and bounds from 1e-6 to 1e9, the start anywhere."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    C = 10.0**exponent
    positive = np.arange(n) % 2 == 0
    lower, upper = np.where(positive, 0.0, -C), np.where(positive, C, 0.0)
    v = rng.normal(size=n) * C * 10.0 ** rng.uniform(-3, 3)
    assert_is_projection(project(v, lower, upper, 0.0), v, lower, upper, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_the_sum_is_right_to_the_last_digits(seed):
    """Bounds from 1e-9 to 1e9 beside each other: what rounding cumulates is handed back."""
    rng = np.random.default_rng(seed)
    C = 10.0 ** rng.uniform(-9, 9, 2000)
    positive = np.arange(2000) % 2 == 0
    v = rng.normal(size=2000) * 10.0 ** rng.uniform(-12, 9, 2000)
    beta = project(v, np.where(positive, 0.0, -C), np.where(positive, C, 0.0), 0.0)
    assert abs(beta.sum()) <= 1e-14 * np.abs(beta).sum()


def test_known_answer():
    beta = project(np.array([3.0, 1.0, -1.0]), np.zeros(3), np.full(3, 2.0), 3.0)
    assert_allclose(beta, [2.0, 1.0, 0.0])


def test_a_feasible_point_stays(classifier_problem):
    problem = classifier_problem(20)
    beta = feasible(problem, np.random.default_rng(0).normal(size=20))
    assert_allclose(feasible(problem, beta), beta, atol=1e-14)


@pytest.mark.parametrize(("total", "corner"), [(-3.0, -1.0), (3.0, 1.0)])
def test_sums_that_only_a_corner_has(total, corner):
    v = np.array([0.3, -5.0, 7.0])
    assert_array_equal(project(v, -np.ones(3), np.ones(3), total), np.full(3, corner))


def test_a_box_that_is_a_point():
    point = np.array([0.5, -0.5])
    assert_array_equal(project(np.array([9.0, 9.0]), point, point, 0.0), point)


@pytest.mark.parametrize("total", [-4.0, 4.0])
def test_impossible_sum_is_refused(total):
    with pytest.raises(ValueError, match=r"no point of the box has the sum"):
        project(np.zeros(3), -np.ones(3), np.ones(3), total)


def test_group_by_group():
    sign = np.array([1.0, -1, 1, -1, 1])
    problem = BoxQP.hull_distance(MatrixGram(np.eye(5), symmetric=True), sign)
    v = np.array([0.9, -0.2, 0.4, -0.1, -3.0])
    beta = feasible(problem, v)
    for g, total in enumerate(problem.totals):
        m = problem.members(g)
        assert_is_projection(beta[m], v[m], problem.lower[m], problem.upper[m], total)
