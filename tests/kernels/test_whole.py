"""All of a small matrix, and products with it: half of it computed, the other half mirrored."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid

KERNELS = [Linear(), Polynomial(0.2, 1.0, 3), RBF(0.2), Sigmoid(0.1, 0.2)]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 64, 65, 150])
def test_the_same_values_as_by_blocks_and_symmetric_to_the_last_bit(kernel, dtype, n):
    X = np.random.default_rng(n).normal(size=(n, 5)) + 1
    gram = kernel.gram(Rows(X))
    everything = np.arange(n)
    whole = gram.whole(dtype)
    assert whole.dtype == dtype
    assert whole.flags.c_contiguous
    assert np.array_equal(whole, whole.T)
    rtol = 1e-12 if dtype == np.float64 else 1e-4
    assert_allclose(whole, gram.block(everything, everything, np.float64), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("to", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_chosen_samples_in_their_own_order(to):
    X = np.random.default_rng(0).normal(size=(90, 4))
    gram = RBF(0.3).gram(Rows(to(X)))
    chosen = np.random.default_rng(1).permutation(90)[:70]
    everything = np.arange(90)
    expected = gram.block(everything, everything, np.float64)[np.ix_(chosen, chosen)]
    assert_allclose(gram.restricted(chosen).whole(np.float64), expected, rtol=1e-12)


def test_rows_against_other_columns_are_not_mirrored():
    X = np.random.default_rng(0).normal(size=(20, 4))
    gram = RBF(0.3).gram(Rows(X[:8]), Rows(X[8:16]))
    assert_allclose(gram.whole(np.float64), gram.block(np.arange(8), np.arange(8), np.float64), rtol=1e-12)


def plain(kernel, X):
    X = X.toarray() if sp.issparse(X) else X
    return kernel.plain(X, X)


# Squares of a symmetric matrix: CSR rows and differences of rows take them at any size, dense rows where they are many.
SIZES = [1, 2, 127, 128, 129, 257, 300, 515]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", SIZES)
def test_squares_at_odd_sizes(n, threads):
    X = np.random.default_rng(n).normal(size=(n, 7))
    X[np.random.default_rng(n + 1).uniform(size=X.shape) < 0.5] = 0
    order = np.random.default_rng(2).permutation(n)
    for kernel, rows in [(k, sp.csr_array(X)) for k in KERNELS] + [(RBF(0.2, by_differences=True), X)]:
        for dtype, tolerance in [(np.float64, 1e-12), (np.float32, 1e-4)]:
            gram = kernel.gram(Rows(rows), None, threads)
            whole = gram.own_whole(dtype)
            assert whole.dtype == dtype and whole.flags.c_contiguous and whole.flags.writeable
            assert np.array_equal(whole, whole.T)
            assert_allclose(whole, plain(kernel, X), rtol=tolerance, atol=10 * tolerance)
            chosen = gram.restricted(order).whole(dtype)
            assert_allclose(chosen, plain(kernel, X[order]), rtol=tolerance, atol=10 * tolerance)


@pytest.mark.parametrize("shape", [(1301, 60), (301, 1301)], ids=["many rows", "many columns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_share_dense_rows(shape, dtype):
    X = np.random.default_rng(0).normal(size=shape) + 1
    for kernel in (Linear(), RBF(0.5 / shape[1])):
        expected = plain(kernel, X)
        for threads in (1, 2, 3):
            whole = kernel.gram(Rows(X), None, threads).whole(dtype)
            assert np.array_equal(whole, whole.T)
            scale = np.abs(expected).max()
            assert_allclose(whole, expected, atol=scale * (1e-4 if dtype == np.float32 else 1e-12))


def test_more_columns_than_are_unpacked_at_once():
    X = sp.random_array((300, 20_000), density=0.001, format="csr", rng=np.random.default_rng(0))
    coef = np.random.default_rng(1).normal(size=(2, 300))
    gram = Linear().gram(Rows(X), None, 2)
    expected = (X @ X.T).toarray()
    assert_allclose(gram.whole(np.float64), expected, atol=1e-13)
    assert_allclose(gram.sized_products(np.arange(300), coef)[0], coef @ expected, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", SIZES)
def test_products_from_half_the_values_are_within_their_bounds(n, threads):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4)) * (rng.uniform(size=(n, 4)) < 0.7)
    coef = rng.normal(size=(3, n)) * 10.0 ** rng.uniform(0, 6, n)
    for kernel, rows in [(k, X) for k in KERNELS] + [(k, sp.csr_array(X)) for k in KERNELS]:
        whole = kernel.gram(Rows(rows), None, threads)
        for order in (np.arange(n), rng.permutation(n)[: n - n // 5]):
            gram, m = whole.restricted(order), len(order)
            for j in (np.arange(m), np.sort(rng.permutation(m)[: m - m // 4]), np.arange(0, m, 3)):
                f, size, additions = gram.sized_products(j, coef[:, : len(j)])
                values, _ = gram.extended(j)
                exact = coef[:, : len(j)] @ values.T
                accuracy = gram.accuracy()
                bound = (accuracy.relative + additions * 2.0**-53 * 1.01) * size
                sizes = np.abs(coef[:, : len(j)]) @ accuracy.scale[j]
                bound = bound + accuracy.absolute * np.multiply.outer(sizes, accuracy.scale)
                assert f.shape == size.shape == (3, m)
                assert (np.abs(f - exact) <= bound).all()
                assert (size >= (np.abs(coef[:, : len(j)]) @ np.abs(values).T).astype(float) * (1 - 1e-9)).all()


def test_dense_products_of_many_rows_are_within_their_bounds():
    rng = np.random.default_rng(0)
    X, coef = rng.normal(size=(1301, 3)), rng.normal(size=(2, 1301))
    j = np.arange(1301)
    for threads in (1, 2, 5):
        gram = RBF(0.3).gram(Rows(X), None, threads)
        f, size, additions = gram.sized_products(j, coef)
        values, _ = gram.extended(j)
        accuracy = gram.accuracy()
        room = accuracy.absolute * np.abs(coef).sum(axis=1)[:, None]
        assert (np.abs(f - coef @ values.T) <= (accuracy.relative + additions * 2.0**-53 * 1.01) * size + room).all()
        assert additions < 1301  # blocks are summed by themselves


@pytest.mark.parametrize("kernel", [RBF(0.3), RBF(0.3) + Linear(), RBF(0.3) * Linear(), Precomputed()], ids=str)
def test_own_values_may_be_written_to(kernel):
    X = np.random.default_rng(0).normal(size=(30, 30))
    X = X @ X.T
    gram = kernel.gram(Rows(X))
    before = gram.whole(np.float64).copy()
    own = gram.own_whole(np.float64)
    assert own.flags.c_contiguous and np.array_equal(own, before)
    own[:] = 0
    assert np.array_equal(gram.whole(np.float64), before)
