"""The accessor of dense and CSR rows."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.data import (
    ObjectRows,
    Rows,
    columns_gram_pass,
    compensated_sums,
    product_magnitudes,
    sum_magnitudes,
)


def table(n=50, d=7, seed=0, dtype=np.float64):
    """About half of the entries zero, two rows of them entirely."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X[[0, n - 1]] = 0
    return X.astype(dtype)


STORAGE = {"dense": np.asarray, "csr": sp.csr_array, "csr_matrix": sp.csr_matrix, "csc": sp.csc_array}


@pytest.fixture(params=STORAGE)
def storage(request):
    return STORAGE[request.param]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shape_and_precision_are_kept(storage, dtype):
    rows = Rows(storage(table(dtype=dtype)))
    assert (rows.n, rows.d) == (50, 7)
    assert rows.dtype == dtype
    assert rows.arrays[0].dtype == dtype


def test_dense_rows_in_row_order_are_not_copied():
    X = table()
    assert np.shares_memory(Rows(X).arrays[0], X)
    assert Rows(np.asfortranarray(X)).arrays[0].flags.c_contiguous


def test_row_pointers_have_64_bits():
    _, indices, indptr = Rows(sp.csr_array(table())).arrays
    assert indices.dtype == np.int32
    assert indptr.dtype == np.int64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_norms(storage, dtype):
    X = table(dtype=dtype)
    norms = Rows(storage(X)).squared_norms(np.zeros(7))
    assert norms.dtype == np.float64
    assert_allclose(norms, (X.astype(np.float64) ** 2).sum(axis=1), rtol=1e-15)
    assert norms[0] == norms[-1] == 0


def test_squared_norms_of_rows_without_any_entry():
    assert_array_equal(Rows(sp.csr_array((4, 3))).squared_norms(np.zeros(3)), np.zeros(4))


def test_squared_norms_of_shifted_dense_rows():
    X = table() + 1e6
    shift = X.mean(axis=0)
    assert_allclose(Rows(X).squared_norms(shift), ((X - shift) ** 2).sum(axis=1), rtol=1e-12)


def test_squared_norms_of_csr_with_repeated_entries():
    """CSR may name a column twice in a row: the entry is the sum of the two."""
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert_allclose(Rows(X).squared_norms(np.zeros(2)), [9.0, 9.0])


def test_squared_norms_by_blocks():
    X = np.random.default_rng(1).normal(size=(3000, 200))  # more than one block
    assert_allclose(Rows(X).squared_norms(np.zeros(200)), (X**2).sum(axis=1), rtol=1e-13)


def test_mean_is_that_of_dense_columns():
    X = table(dtype=np.float32)
    mean = Rows(X).mean
    assert mean.dtype == np.float64
    assert_allclose(mean, X.astype(np.float64).mean(axis=0), rtol=1e-14)
    assert_array_equal(Rows(sp.csr_array(X)).mean, np.zeros(7))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_variance_of_all_entries(storage, dtype):
    X = table(dtype=dtype)
    assert Rows(storage(X)).variance(np.ones(50)) == pytest.approx(X.astype(np.float64).var(), rel=1e-12)


def test_a_weight_in_the_variance_is_a_repetition(storage):
    X = table()
    weights = np.random.default_rng(2).integers(0, 4, 50)
    repeated = np.repeat(X, weights, axis=0)
    assert Rows(storage(X)).variance(weights.astype(float)) == pytest.approx(repeated.var(), rel=1e-12)


def test_variance_is_exact_for_entries_far_from_zero():
    X = table(n=40, d=5) + 1e8
    assert Rows(X).variance(np.ones(40)) == pytest.approx((X - 1e8).var(), rel=1e-6)


def test_variance_of_constant_entries_is_zero(storage):
    assert Rows(storage(np.full((6, 3), 2.0))).variance(np.ones(6)) == 0


def test_chosen_rows_keep_storage_and_precision(storage):
    X = table(dtype=np.float32)
    index = np.array([3, 0, 3])
    chosen = Rows(storage(X)).take(index)
    assert chosen.dtype == np.float32
    assert_array_equal(chosen.toarray() if sp.issparse(chosen) else chosen, X[index])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chosen_rows_as_dense_array(storage, dtype):
    X = table()
    index = np.array([3, 0, 3])
    block = Rows(storage(X)).dense(index, np.zeros(7), dtype)
    assert block.dtype == dtype
    assert_array_equal(block, X[index].astype(dtype))


def test_shift_is_subtracted_before_rounding_to_float32():
    X = table() + 1e7
    shift = np.full(7, 1e7)
    block = Rows(X).dense(np.arange(50), shift, np.float32)
    assert_array_equal(block, (X - shift).astype(np.float32))


@pytest.mark.parametrize("work", ["norms", "variance", "mean"])
def test_float32_rows_are_not_converted_as_a_whole(work):
    X = np.random.default_rng(0).normal(size=(4000, 500)).astype(np.float32)
    rows, shift, ones = Rows(X), np.zeros(500), np.ones(4000)
    tracemalloc.start()
    try:
        {
            "norms": lambda: rows.squared_norms(shift),
            "variance": lambda: rows.variance(ones),
            "mean": lambda: rows.mean,
        }[work]()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.size * 8 / 2  # half of a float64 copy; a block of 2**18 values is an eighth of one


def test_samples_of_any_kind():
    words = np.array(["a", "bb", "ccc"], dtype=object)
    rows = ObjectRows(words)
    assert rows.n == 3
    assert list(rows.take(np.array([2, 0]))) == ["ccc", "a"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 3, 4, 7, 8, 205])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_compensated_sums_lose_next_to_nothing(form, n, dtype):
    """Terms of very different sizes that nearly cancel, against sums that round once."""
    rng = np.random.default_rng(n)
    X = (rng.normal(size=(n, 5)) * 10.0 ** rng.integers(-8, 8, (n, 5))).astype(dtype)
    a = rng.normal(size=n) * (rng.random(n) < 0.9)
    found, sizes = compensated_sums(Rows(form(X)), a)
    u = 2.0**-53
    for j in range(5):
        terms = [Fraction(one) * Fraction(float(x)) for one, x in zip(a.tolist(), X[:, j], strict=True)]
        exact, size = sum(terms), float(sum(abs(term) for term in terms))
        assert abs(Fraction(found[j]) - exact) <= 4 * u * abs(exact) + (u + 3 * (n * u) ** 2) * 1.001 * size
        assert sizes[j] == pytest.approx(size, rel=(n + 2) * u * 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_magnitudes_of_several_columns_are_those_of_each(form, dtype):
    rng = np.random.default_rng(0)
    rows = Rows(form(rng.normal(size=(700, 60)).astype(dtype)))
    theta, a = rng.normal(size=(61, 3)), rng.normal(size=(700, 3))
    products = np.column_stack([product_magnitudes(rows, one) for one in np.ascontiguousarray(theta.T)])
    sums = np.column_stack([sum_magnitudes(rows, one) for one in np.ascontiguousarray(a.T)])
    for threads in (1, 2):
        np.testing.assert_allclose(product_magnitudes(rows, theta, threads), products, rtol=1e-13)
        np.testing.assert_allclose(sum_magnitudes(rows, a, threads), sums, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_products_of_some_columns(form, dtype):
    """Whole numbers, so that nothing is rounded; from a place on, and added to what is there."""
    rng = np.random.default_rng(0)
    X = (rng.integers(-9, 10, (80, 12)) * (rng.random((80, 12)) < 0.4)).astype(dtype)
    h, index = rng.integers(0, 5, 80).astype(np.float64), np.array([7, 2, 11, 0, 5])
    place = np.full(12, -1)
    place[index] = np.arange(5)
    gram = np.ones((3, 5))
    for low, high in ((0, 30), (30, 80)):
        columns_gram_pass(Rows(form(X)).arrays, low, high, h, place, 2, gram)
    A = X.astype(np.float64)
    assert_array_equal(gram, 1 + (A[:, index[2:]].T * h) @ A[:, index])
