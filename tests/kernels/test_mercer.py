"""Mercer's condition on a sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from maxmargin.kernels import RBF, CallableKernel, Linear, Polynomial, Precomputed, Sigmoid, check_mercer


@pytest.fixture
def sample():
    return np.random.default_rng(0).normal(size=(30, 4))


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(1.0, 1.0, 3), RBF(0.5)], ids=str)
def test_mercer_kernels_pass(kernel, sample):
    found = check_mercer(kernel, sample)
    assert found.holds
    assert found.asymmetry <= 1e-12 * found.largest_eigenvalue
    assert "is positive semi-definite" in str(found)


def test_duplicates_make_a_zero_eigenvalue_which_is_allowed(sample):
    found = check_mercer(RBF(0.5), np.vstack([sample, sample]))
    assert found.holds
    assert found.smallest_eigenvalue == pytest.approx(0, abs=1e-12)


def test_sigmoid_can_fail(sample):
    found = check_mercer(Sigmoid(1.0, -1.0), sample)
    assert not found.holds
    assert found.smallest_eigenvalue < -0.1
    assert "NOT positive semi-definite" in str(found)


def test_eigenvalues_are_those_of_the_matrix():
    found = check_mercer(Precomputed(), np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert_allclose([found.smallest_eigenvalue, found.largest_eigenvalue], [1.0, 3.0])
    assert found.asymmetry == 0


def test_asymmetric_matrix_fails_and_says_by_how_much():
    found = check_mercer(Precomputed(), np.array([[2.0, 0.5], [0.25, 2.0]]))
    assert not found.holds
    assert found.asymmetry == 0.25


def test_matrix_must_be_square():
    with pytest.raises(ValueError, match=r"square.*\(2, 3\)"):
        check_mercer(Precomputed(), np.ones((2, 3)))


def test_polynomial_with_a_negative_constant_is_no_mercer_kernel(sample):
    assert not check_mercer(Polynomial(1.0, -2.0, 2), sample).holds


def test_functions_of_users(sample):
    assert check_mercer(CallableKernel(lambda A, B: A @ B.T), sample).holds
    assert not check_mercer(CallableKernel(lambda A, B: -(A @ B.T)), sample).holds


def test_values_that_are_no_numbers_are_named(sample):
    for name in ("rbf", "precomputed"):
        with pytest.raises(ValueError, match="X contains NaN"):
            check_mercer(name, [[1.0, np.nan], [np.nan, 1.0]])
    with pytest.raises(ValueError, match="kernel values must be finite; that of rows 0 and 0 is inf"):
        check_mercer(lambda A, B: np.full((len(A), len(B)), np.inf), sample)
    with pytest.raises(ValueError, match="0 sample"):
        check_mercer("rbf", np.empty((0, 2)))
    with pytest.raises(ValueError, match="no rows"):
        check_mercer(lambda A, B: np.ones((len(A), len(B))), np.empty((0, 2)))


def test_products_below_the_range_of_float64():
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert check_mercer("linear", X * 1e-160).holds
