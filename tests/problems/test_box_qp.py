"""The box QP: how problems are filled, and products with the kernel matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.data import Rows
from maxmargin.kernels import Linear, MatrixGram
from maxmargin.problems import BoxQP


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(6, 2))


def test_classifier_fills_box_and_linear_term(points):
    sign = np.array([1.0, -1, -1, 1, 1, -1])
    C = np.array([1.0, 2, 3, 4, 0, 6])
    problem = BoxQP.classifier(Linear().gram(Rows(points)), sign, C)
    assert problem.n == 6
    assert problem.totals == (0.0,)
    assert_array_equal(problem.p, sign)
    assert_array_equal(problem.lower, [0, -2, -3, 0, 0, -6])
    assert_array_equal(problem.upper, [1, 0, 0, 4, 0, 0])


def test_hull_distance_has_a_convex_combination_in_each_class(points):
    sign = np.array([1.0, -1, -1, 1, 1, -1])
    problem = BoxQP.hull_distance(Linear().gram(Rows(points)), sign)
    assert problem.totals == (1.0, -1.0)
    assert_array_equal(problem.p, np.zeros(6))
    for g, (low, high) in enumerate([(0, 1), (-1, 0)]):
        members = problem.members(g)
        assert_array_equal(sign[members], problem.totals[g])
        assert (problem.lower[members] == low).all()
        assert (problem.upper[members] == high).all()


def test_one_group_has_every_variable(points):
    problem = BoxQP.classifier(Linear().gram(Rows(points)), np.array([1.0, -1, 1, -1, 1, -1]), np.ones(6))
    assert_array_equal(np.arange(6)[problem.members(0)], np.arange(6))


def test_image_is_the_matrix_times_the_variables(points):
    problem = BoxQP.classifier(Linear().gram(Rows(points)), np.array([1.0, -1, 1, -1, 1, -1]), np.ones(6))
    beta = np.array([0.5, 0, 0, -0.25, 0, -0.25])
    assert_allclose(problem.image(beta), points @ points.T @ beta, rtol=1e-13)
    assert_array_equal(problem.image(np.zeros(6)), np.zeros(6))


def test_two_variables_that_share_a_row(points):
    """As a regressor has them: the variables of one sample are added before the kernel is asked."""
    K = points @ points.T
    sample = np.array([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5])
    problem = BoxQP(MatrixGram(K, symmetric=True), np.zeros(12), -np.ones(12), np.ones(12), sample=sample)
    rng = np.random.default_rng(1)
    beta = rng.normal(size=12)
    beta[[2, 9]] = 0
    assert_array_equal(problem.rows_of(np.array([7, 2])), [1, 2])
    assert_allclose(problem.image(beta), K[np.ix_(sample, sample)] @ beta, rtol=1e-12)
    chosen = np.array([1, 7, 10])
    assert_allclose(
        problem.columns_product(chosen, beta[chosen]), K[np.ix_(sample, sample[chosen])] @ beta[chosen], rtol=1e-12
    )


def test_problems_are_immutable(points):
    problem = BoxQP.classifier(Linear().gram(Rows(points)), np.ones(6), np.ones(6))
    with pytest.raises(AttributeError):
        problem.p = np.zeros(6)
