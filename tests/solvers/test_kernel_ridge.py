"""The factorisation on several threads, and the equations of kernel ridge regression by every way of solving them."""

import numpy as np
import pytest

from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear, MatrixGram
from maxmargin.problems import KernelRidgeProblem
from maxmargin.solvers import solve_kernel_ridge
from maxmargin.solvers.kernel._cholesky import factorise


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 5, 700, 701, 769, 1000])
def test_factor(n, dtype, threads):
    X = np.random.default_rng(n).normal(size=(n, 20))
    A = (X @ X.T + np.eye(n)).astype(dtype)
    above = np.triu_indices(n, 1)
    work = A.copy()
    work[above] = np.nan  # is not read
    assert factorise(work, threads)
    assert np.isnan(work[above]).all()  # nor written
    L = np.tril(work).astype(np.float64)
    # each value within (n + 1) roundings of sqrt(a_ii a_jj) (Higham, theorem 10.3), with room for inverted blocks
    sizes = np.sqrt(np.diag(A).astype(np.float64))
    condition = 10.0
    assert (np.abs(L @ L.T - A) <= condition * (n + 1) * np.finfo(dtype).eps * np.outer(sizes, sizes)).all()


@pytest.mark.parametrize("place", [0, 300, 899])
def test_no_factor(place):
    A = np.eye(900)
    A[place, place] = -1.0
    assert not factorise(A, 2)


def residuals(K, weights, alpha, y, a):
    """Of the equations (K + alpha S^-1) a = y, as parts of what float64 may leave."""
    off = np.abs(K @ a + alpha * a / weights[:, None] - y)
    sizes = np.abs(K) @ np.abs(a) + alpha * np.abs(a) / weights[:, None] + np.abs(y)
    return off / (sizes.max(axis=0) * len(K) * np.finfo(np.float64).eps)


@pytest.mark.parametrize("k", [1, 3, 12])
@pytest.mark.parametrize("alpha", [1.0, 1e-3, 1e-7])  # a factor in float32, one that may be, one in float64
@pytest.mark.parametrize("n", [80, 900])
def test_equations(n, alpha, k):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 5)), rng.normal(size=(n, k)) * 10.0 ** rng.uniform(-30, 30, k)
    gram = RBF(0.3).gram(Rows(X))
    for weights in (np.ones(n), rng.uniform(0.5, 2, n)):
        a = solve_kernel_ridge(KernelRidgeProblem(gram, y, weights, np.full(k, alpha)), 2)
        assert residuals(gram.whole(np.float64), weights, alpha, y, a).max() <= 1


def test_a_zero_target_among_others():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, 3)), np.column_stack([np.zeros(800), rng.normal(size=800)])
    a = solve_kernel_ridge(KernelRidgeProblem(RBF(1.0).gram(Rows(X)), y, np.ones(800), np.ones(2)), 2)
    assert not a[:, 0].any() and np.isfinite(a).all()


@pytest.mark.parametrize("n", [60, 800])
def test_a_matrix_that_is_given_is_left_alone(n):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 4)), rng.normal(size=(n, 3))
    K = RBF(0.5)(X)
    kept = K.copy()
    alphas = np.array([1e-8, 1.0, 10.0])
    a = solve_kernel_ridge(KernelRidgeProblem(MatrixGram(K, symmetric=True), y, np.ones(n), alphas), 2)
    assert np.array_equal(K, kept)
    for t, alpha in enumerate(alphas):
        assert residuals(K, np.ones(n), alpha, y[:, [t]], a[:, [t]]).max() <= 1


@pytest.mark.parametrize("n", [60, 800])
def test_dependent_samples_without_a_penalty(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    y = X @ rng.normal(size=(4, 1))
    a = solve_kernel_ridge(KernelRidgeProblem(Linear().gram(Rows(X)), y, np.ones(n), np.zeros(1)), 2)
    np.testing.assert_allclose(X @ (X.T @ a), y, atol=1e-9)
