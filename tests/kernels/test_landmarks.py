"""Landmarks: features of the projection, the trace that is left over, and choices that are better than chance."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.data import ObjectRows, Rows
from maxmargin.kernels import RBF, CallableKernel, Linear, Polynomial, Precomputed, Sigmoid, choose_landmarks

METHODS = ["cholesky", "uniform", "kmeans"]
KERNELS = [RBF(0.5), Linear(), Polynomial(0.5, 1.0, 2), 2.0 * RBF(0.3) + Linear()]


def rows(n=200, d=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def clusters(n, seed):
    """Most rows in one narrow cluster, a few in many others: chance looks at the one."""
    rng = np.random.default_rng(seed)
    centre = np.zeros((n, 3))
    far = rng.permutation(n)[: n // 10]
    centre[far] = 10 * rng.normal(size=(len(far), 3))
    return centre + 0.1 * rng.normal(size=(n, 3))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_features_and_trace_are_those_of_the_projection(method, kernel, storage, dtype):
    X = rows().astype(dtype)
    found = choose_landmarks(kernel, Rows(storage(X)), 30, np.random.default_rng(1), method=method)
    Z = found.rows.take(np.arange(len(found)))
    Z = Z.toarray() if sp.issparse(Z) else Z
    assert Z.dtype == dtype and len(Z) == len(found) <= 30
    K, A, B = kernel(X), kernel(Z), kernel(X, Z)
    projected = B @ np.linalg.pinv(A, hermitian=True, rcond=1e-11) @ B.T
    phi = found.features(Rows(storage(X)))
    np.testing.assert_allclose(phi @ phi.T, projected, atol=1e-7 * K.diagonal().max())
    assert found.leftover.trace == pytest.approx(np.trace(K - projected), abs=1e-7 * np.trace(K))
    assert found.leftover.of == pytest.approx(np.trace(K)) and not found.leftover.is_estimate
    left = found.residuals(Rows(storage(X[:7])))
    np.testing.assert_allclose(left, (K - projected).diagonal()[:7], atol=1e-7 * K.diagonal().max())
    if found.index is not None:
        np.testing.assert_array_equal(Z, X[found.index])
        assert len(set(found.index)) == len(found)
        np.testing.assert_allclose(phi @ phi[found.index].T, kernel(X, Z), atol=1e-7 * K.diagonal().max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_factor_is_that_of_the_landmarks(method, kernel):
    found = choose_landmarks(kernel, Rows(rows()), 25, np.random.default_rng(0), method=method)
    K = kernel(found.rows.take(np.arange(len(found))))
    np.testing.assert_array_equal(found.factor, np.tril(found.factor))
    np.testing.assert_allclose(found.factor @ found.factor.T, K, atol=1e-12 * np.abs(K).max())


@pytest.mark.parametrize("method", ["cholesky", "uniform"])
def test_all_rows_leave_nothing_over(method):
    X = rows(80)
    found = choose_landmarks(RBF(0.2), Rows(X), 80, np.random.default_rng(0), method=method)
    phi = found.features(Rows(X))
    np.testing.assert_allclose(phi @ phi.T, RBF(0.2)(X), atol=1e-9)
    assert abs(found.leftover.relative) < 1e-9


@pytest.mark.parametrize("method", ["cholesky", "uniform"])
def test_no_more_landmarks_than_dimensions(method):
    """Six features span six dimensions, however many landmarks are asked for, however often a row comes."""
    X = np.repeat(rows(60), 3, axis=0)
    found = choose_landmarks(Linear(), Rows(X), 100, np.random.default_rng(0), method=method)
    assert len(found) == 6 and abs(found.leftover.relative) < 1e-9
    assert np.isfinite(found.features(Rows(X))).all()


def test_the_drawing_is_by_what_is_left_over():
    """Two rows of squared lengths 9 and 1 at right angles: the first pivot is the longer in 9 of 10 draws."""
    X, rng = np.array([[3.0, 0.0], [0.0, 1.0]]), np.random.default_rng(0)
    longer = [int(choose_landmarks(Linear(), Rows(X), 1, rng).index[0] == 0) for _ in range(2000)]
    assert abs(np.mean(longer) - 0.9) < 5 * np.sqrt(0.9 * 0.1 / 2000)


def test_blocks_have_the_distribution_of_single_pivots():
    """Rows 0 and 1 are the same: of two pivots drawn one by one, one is row 2 and one of them, never both of them."""
    X, rng = np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), np.random.default_rng(0)
    found = [tuple(choose_landmarks(Linear(), Rows(X), 2, rng).index) for _ in range(1000)]
    assert {tuple(sorted(pair)) for pair in found} == {(0, 2), (1, 2)}
    first = np.mean([pair[0] == 2 for pair in found])  # its squared length is 1 of 9
    assert abs(first - 1 / 9) < 5 * np.sqrt(8 / 81 / 1000)


def test_pivots_leave_less_over_than_chance():
    left = {method: [] for method in METHODS}
    for seed in range(6):
        X = clusters(600, seed)
        for method in METHODS:
            found = choose_landmarks(RBF(0.05), Rows(X), 40, np.random.default_rng(seed), method=method)
            left[method].append(found.leftover.relative)
    assert np.mean(left["cholesky"]) < 0.5 * np.mean(left["uniform"])
    assert np.mean(left["cholesky"]) < 0.5 * np.mean(left["kmeans"])


@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_the_seed_decides(method):
    X = rows(3000)
    one, two, other = (
        choose_landmarks(RBF(0.1), Rows(X), 50, np.random.default_rng(seed), method=method, n_threads=threads)
        for seed, threads in ((0, 1), (0, 2), (1, 1))
    )
    np.testing.assert_array_equal(one.features(Rows(X[:10])), two.features(Rows(X[:10]), n_threads=2))
    assert not np.array_equal(one.features(Rows(X[:10])), other.features(Rows(X[:10])))
    legacy = choose_landmarks(RBF(0.1), Rows(X), 50, np.random.RandomState(0), method=method)
    assert len(legacy) == 50


def test_the_unit_of_the_kernel_does_not_matter():
    X = rows()
    one = choose_landmarks(Linear() + RBF(0.1), Rows(X), 20, np.random.default_rng(0))
    tiny = choose_landmarks(1e-20 * (Linear() + RBF(0.1)), Rows(X), 20, np.random.default_rng(0))
    np.testing.assert_array_equal(one.index, tiny.index)
    assert tiny.leftover.relative == pytest.approx(one.leftover.relative, rel=1e-6)


def test_large_factors_in_float32_and_then_in_float64():
    """So smooth a kernel soon leaves nothing but rounding errors of float32: the rest is chosen in float64."""
    X = rows(30_000, 2)
    found = choose_landmarks(RBF(0.01), Rows(X), 150, np.random.default_rng(0), trace_rows=2000)
    assert found.leftover.is_estimate and abs(found.leftover.relative) < 1e-9
    assert 20 < len(found) <= 150
    rough = choose_landmarks(RBF(1.0), Rows(X), 150, np.random.default_rng(0), trace_rows=2000)
    assert len(rough) == 150 and 1e-6 < rough.leftover.relative < 0.2
    single = rough.features(Rows(X[:100]), np.float32)
    assert single.dtype == np.float32
    # what a triangular solve is off by is rounding of the equations: 150 terms, whose sizes add up to at most 1
    bound = 2 * 150 * 2.0**-23 + RBF(1.0).gram(Rows(X)).float32_error()
    np.testing.assert_allclose(single @ rough.factor.T, RBF(1.0)(X[:100], X[rough.index]), atol=bound)


def test_memory_bounds_the_rows_that_are_looked_at():
    X = rows(5000, 2)
    found = choose_landmarks(RBF(1.0), Rows(X), 50, np.random.default_rng(0), memory=50 * 8 * 400)
    assert len(found) == 50 and found.leftover.rows == 5000


def test_an_estimate_is_called_one_and_covers_the_trace():
    X, covered = clusters(4000, 0), 0
    for seed in range(20):
        guess = choose_landmarks(RBF(0.05), Rows(X), 30, np.random.default_rng(seed), trace_rows=400)
        whole = choose_landmarks(RBF(0.05), Rows(X), 30, np.random.default_rng(seed), trace_rows=None)
        np.testing.assert_array_equal(guess.index, whole.index)
        assert guess.leftover.is_estimate and guess.leftover.rows == 400
        assert type(guess.leftover.standard_error) is float and guess.leftover.standard_error > 0
        assert not whole.leftover.is_estimate and whole.leftover.standard_error == 0
        covered += abs(guess.leftover.trace - whole.leftover.trace) <= 3 * guess.leftover.standard_error
    assert covered >= 17


def test_matrices_and_functions():
    X = rows(90)
    K = RBF(0.5)(X)
    by_rows = choose_landmarks(RBF(0.5), Rows(X), 20, np.random.default_rng(0))
    by_matrix = choose_landmarks(Precomputed(), Rows(K), 20, np.random.default_rng(0))
    by_function = choose_landmarks(CallableKernel(RBF(0.5)), ObjectRows(X), 20, np.random.default_rng(0))
    for other, values in ((by_matrix, Rows(K[:5])), (by_function, ObjectRows(X[:5]))):
        np.testing.assert_array_equal(other.index, by_rows.index)
        np.testing.assert_allclose(other.features(values), by_rows.features(Rows(X[:5])), atol=1e-9)
        assert other.leftover.trace == pytest.approx(by_rows.leftover.trace, rel=1e-9)
    for kernel, samples in ((Precomputed(), Rows(K)), (CallableKernel(RBF(0.5)), ObjectRows(X))):
        with pytest.raises(ValueError, match="needs rows of numbers"):
            choose_landmarks(kernel, samples, 5, np.random.default_rng(0), method="kmeans")


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_choose_from_is_refused(method):
    with pytest.raises(ValueError, match="no landmark is left"):
        choose_landmarks(Linear(), Rows(np.zeros((5, 2))), 3, np.random.default_rng(0), method=method)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        choose_landmarks(Sigmoid(1e-6, -1.0), Rows(rows(20)), 3, np.random.default_rng(0), method=method)


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_centres_of_rows_of_any_size(size):
    X = clusters(300, 0)
    plain = choose_landmarks(RBF(0.05), Rows(X), 20, np.random.default_rng(0), method="kmeans")
    other = choose_landmarks(RBF(0.05 / size**2), Rows(X * size), 20, np.random.default_rng(0), method="kmeans")
    assert other.leftover.relative == pytest.approx(plain.leftover.relative, rel=1e-3)
