"""Why a kernel matrix counts as positive semi-definite."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin.data import Rows
from maxmargin.kernels import (
    RBF,
    CallableKernel,
    Linear,
    MatrixGram,
    Polynomial,
    Precomputed,
    Sigmoid,
    definiteness,
    examine,
)


@pytest.fixture
def sample():
    return np.random.default_rng(0).standard_normal((60, 5))


@pytest.mark.parametrize(
    "kernel", [Linear(), RBF(0.0), RBF(3.0), Polynomial(0.5, 0.0, 3), Polynomial(0.5, 1.0, 2), Polynomial(1.0, 0.0, 0)]
)
def test_known_by_its_formula(kernel):
    assert kernel.known_definite


@pytest.mark.parametrize(
    "kernel",
    [Sigmoid(), Polynomial(1.0, -0.1, 2), Precomputed(), CallableKernel(np.dot)],
)
def test_not_known_by_its_formula(kernel):
    assert not kernel.known_definite


def test_nothing_is_computed_where_it_is_known():
    assert definiteness(RBF(1.0), None).basis == "known"


def test_positive_definite_matrix_is_shown_without_a_shift(sample):
    found = definiteness(Precomputed(), MatrixGram(RBF(0.5)(sample), symmetric=True))
    assert (found.basis, found.shift) == ("shown", 0.0)


def test_singular_matrix_is_shown_up_to_rounding(sample):
    found = examine(sample @ sample.T)
    assert found.basis == "shown"
    assert 0 < found.shift < 1e-10


@pytest.mark.parametrize("exponent", range(-16, 3))
def test_shift_is_never_below_a_negative_eigenvalue(exponent):
    smallest = -(10.0**exponent)
    K = np.diag(np.append(np.linspace(0.5, 1e6, 30), smallest))
    found = examine(K)
    assert found.basis in ("shown", "fails")
    assert found.fails or found.shift >= -smallest
    assert found.fails == (exponent > 0)


def test_float32_matrix_is_shown_with_the_shift_that_it_needs(sample):
    K = (sample @ sample.T).astype(np.float32).astype(np.float64)
    smallest = np.linalg.eigvalsh(K)[0]
    assert smallest < -1e-8
    found = examine(K)
    assert found.basis == "shown"
    assert -smallest <= found.shift <= -10 * smallest


def test_zero_matrix_is_shown():
    assert examine(np.zeros((3, 3))).basis == "shown"


def test_matrix_that_is_not_finite_is_not_shown():
    assert examine(np.array([[1.0, np.inf], [np.inf, 1.0]])).basis == "assumed"


@pytest.mark.parametrize("kernel", [Sigmoid(0.5, -1.0), Polynomial(0.5, -1.0, 3)])
def test_indefinite_kernels_fail_with_their_smallest_eigenvalue(kernel, sample):
    found = definiteness(kernel, kernel.gram(Rows(sample)))
    assert found.fails
    assert found.smallest == pytest.approx(np.linalg.eigvalsh(kernel(sample))[0])


def test_smallest_eigenvalue_of_a_larger_matrix():
    X = np.random.default_rng(1).standard_normal((900, 4))
    kernel = Sigmoid(0.3, -0.5)
    found = definiteness(kernel, kernel.gram(Rows(X)))
    assert found.smallest == pytest.approx(np.linalg.eigvalsh(kernel(X))[0], rel=1e-2)


def test_rounding_of_computed_values_is_part_of_the_shift(sample):
    kernel = Polynomial(1.0, -1e-3, 1)  # a linear kernel less a little: its values cancel
    X = 1e4 + sample
    found = definiteness(kernel, kernel.gram(Rows(X)))
    given = examine(kernel(X))
    assert found.basis == given.basis == "shown"
    assert found.shift > given.shift


class TestTooLargeToFactorise:
    def test_submatrix_shows_that_it_fails(self):
        X = np.random.default_rng(0).standard_normal((3001, 3))
        kernel = Sigmoid(1.0, -1.0)
        assert definiteness(kernel, kernel.gram(Rows(X))).fails

    def test_else_it_is_assumed(self):
        X = np.random.default_rng(0).standard_normal((3001, 3))
        kernel = CallableKernel(lambda A, B: A @ B.T)
        assert definiteness(kernel, kernel.gram(Rows(X))).basis == "assumed"


def test_function_that_is_not_quite_symmetric_has_a_symmetric_matrix(sample):
    weights = np.linspace(1, 2, 60)
    kernel = CallableKernel(lambda A, B: A @ B.T + 1e-9 * weights[: len(A), None])
    K = kernel.gram(Rows(sample)).whole(np.float64)
    assert np.array_equal(K, K.T)


def test_precomputed_matrix_is_symmetric_in_training_and_as_it_is_elsewhere(sample):
    K = sample @ sample.T
    K[0, 1] += 1e-7
    rows = Rows(K)
    symmetric = Precomputed().gram(rows).whole(np.float64)
    assert np.array_equal(symmetric, symmetric.T)
    assert np.array_equal(Precomputed().gram(rows, rows).whole(np.float64), K)
