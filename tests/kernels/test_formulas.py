"""Every kernel of the registry against its formula: storage, precision, blocks, products, views, threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.data import Rows
from maxmargin.kernels import KERNELS, RBF, CallableGram, CallableKernel, Linear, MatrixGram, Polynomial, Precomputed

GAMMA, COEF0, DEGREE = 0.3, 0.7, 3

FORMULAS = {
    "linear": lambda x, z: x @ z,
    "poly": lambda x, z: (GAMMA * (x @ z) + COEF0) ** DEGREE,
    "rbf": lambda x, z: np.exp(-GAMMA * ((x - z) ** 2).sum()),
    "sigmoid": lambda x, z: np.tanh(GAMMA * (x @ z) + COEF0),
}
# A precomputed matrix has no formula; it has tests of its own below.
NAMES = [name for name in KERNELS if name != "precomputed"]

STORAGE = {"dense": np.asarray, "csr": sp.csr_array}


def samples(n, d=6, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)).astype(dtype)


def expected(name, X, Z):
    """By the formula, one pair at a time; a kernel without one here by its own plain code."""
    X, Z = X.astype(np.float64), Z.astype(np.float64)
    if name in FORMULAS:
        return np.array([[FORMULAS[name](x, z) for z in Z] for x in X])
    return make(name).plain(X, Z)


def make(name):
    return KERNELS[name](GAMMA, COEF0, DEGREE)


def tolerance(name, dtype, X):
    """Relative to the largest value: float32 is allowed what the kernel itself declares."""
    if dtype == np.float64:
        return 1e-13
    return make(name).float32_error((X.astype(np.float64) ** 2).sum(axis=1))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("stored", [np.float32, np.float64])
@pytest.mark.parametrize("computed", [np.float32, np.float64])
def test_block(name, storage, stored, computed):
    X = samples(23, dtype=stored)
    gram = make(name).gram(Rows(STORAGE[storage](X)))
    i, j = np.array([5, 0, 22, 5]), np.arange(3, 20)
    block = gram.block(i, j, computed)
    reference = expected(name, X[i], X[j])
    assert block.dtype == computed
    assert block.flags.c_contiguous
    assert_allclose(block, reference, rtol=0, atol=tolerance(name, computed, X) * np.abs(reference).max())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("stored", [np.float32, np.float64])
def test_product(name, storage, stored):
    X = samples(23, dtype=stored)
    gram = make(name).gram(Rows(STORAGE[storage](X)))
    j = np.array([1, 4, 20])
    coef = np.random.default_rng(3).normal(size=(2, 3))
    reference = coef @ expected(name, X, X[j]).T
    product = gram.product(j, coef, np.float64)
    assert product.dtype == np.float64
    assert_allclose(product, reference, rtol=1e-12, atol=1e-13)
    i = np.array([7, 2])
    assert_allclose(gram.product(j, coef, np.float64, i), reference[:, i], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_product_of_float32_values_is_summed_to_float32_accuracy(name):
    X = samples(40, dtype=np.float32)
    gram = make(name).gram(Rows(X))
    coef = np.random.default_rng(3).normal(size=(1, 40))
    values = expected(name, X, X)
    error = np.abs(gram.product(np.arange(40), coef, np.float32) - coef @ values)
    assert error.max() <= tolerance(name, np.float32, X) * np.abs(values).max() * np.abs(coef).sum()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
def test_product_with_no_columns_is_zero(name, storage):
    gram = make(name).gram(Rows(STORAGE[storage](samples(5))))
    assert_array_equal(gram.product(np.empty(0, dtype=int), np.empty((2, 0)), np.float64), np.zeros((2, 5)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
def test_rows_against_other_columns(name, storage):
    X, Z = samples(23), samples(9, seed=1)
    gram = make(name).gram(Rows(STORAGE[storage](X)), Rows(STORAGE[storage](Z)))
    reference = expected(name, X, Z)
    assert gram.shape == (23, 9)
    assert_allclose(gram.block(np.arange(23), np.arange(9), np.float64), reference, rtol=1e-12, atol=1e-14)
    coef = np.random.default_rng(3).normal(size=(2, 9))
    assert_allclose(gram.product(np.arange(9), coef, np.float64), coef @ reference.T, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
def test_diagonal(name, storage):
    X = samples(23)
    gram = make(name).gram(Rows(STORAGE[storage](X)))
    assert_allclose(gram.diagonal(), np.diag(expected(name, X, X)), rtol=1e-13)
    index = np.array([4, 1, 8])
    assert_allclose(gram.restricted(index).diagonal(), np.diag(expected(name, X, X))[index], rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
def test_restricted_is_a_view_of_the_chosen_samples(name, storage):
    X = samples(23)
    index = np.array([20, 3, 11, 7, 0])
    reference = expected(name, X[index], X[index])
    gram = make(name).gram(Rows(STORAGE[storage](X))).restricted(index)
    assert gram.shape == (5, 5)
    everything = np.arange(5)
    assert_allclose(gram.block(everything, everything, np.float64), reference, rtol=1e-12, atol=1e-14)
    coef = np.array([[1.0, -2.0]])
    assert_allclose(gram.product(np.array([1, 4]), coef, np.float64), coef @ reference[[1, 4]], atol=1e-13)
    twice = gram.restricted(np.array([4, 2]))
    assert_allclose(twice.block(np.arange(2), np.arange(2), np.float64), reference[np.ix_([4, 2], [4, 2])], atol=1e-14)
    assert_allclose(twice.product(np.array([0]), np.ones((1, 1)), np.float64)[0], reference[4, [4, 2]], atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("d", [3, 150])
def test_several_threads_and_several_panels(name, storage, d):
    """More columns than a panel is wide, and enough work for threads: tiles of both heights, ragged ends."""
    X = samples(1100, d) / np.sqrt(d)
    rows = Rows(STORAGE[storage](X))
    reference = make(name).plain(X, X)
    everything = np.arange(1100)
    coef = np.random.default_rng(3).normal(size=(2, 1100))
    for threads in (1, 2, 3):
        gram = make(name).gram(rows, None, threads)
        assert_allclose(gram.block(everything, everything, np.float64), reference, rtol=1e-11, atol=1e-13)
        assert_allclose(gram.product(everything, coef, np.float64), coef @ reference, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_plain_code_of_the_audit_agrees_with_the_tiles(name):
    for storage in STORAGE.values():
        X = storage(samples(23, dtype=np.float32))
        gram, audit = make(name).gram(Rows(X)), make(name).audit_gram(Rows(X))
        everything = np.arange(23)
        tiles, plain = (g.block(everything, everything, np.float64) for g in (gram, audit))
        assert_allclose(tiles, plain, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("storage", STORAGE)
def test_called_with_one_and_with_two_samples(name, storage):
    X, Z = samples(8), samples(5, seed=1)
    kernel, wrap = make(name), STORAGE[storage]
    assert_allclose(kernel(wrap(X)), expected(name, X, X), rtol=1e-12, atol=1e-14)
    assert_allclose(kernel(wrap(X), wrap(Z)), expected(name, X, Z), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_csr_with_repeated_entries(name):
    """Columns named twice in a row add up, whatever the kernel needs of the row."""
    rng = np.random.default_rng(0)
    entries, row, column = rng.normal(size=60), np.repeat(np.arange(10), 6), rng.integers(0, 4, 60)
    X = sp.csr_array((entries, column, np.arange(0, 61, 6)), shape=(10, 4))
    dense = np.zeros((10, 4))
    np.add.at(dense, (row, column), entries)
    assert_allclose(make(name)(X), expected(name, dense, dense), rtol=1e-12, atol=1e-14)


def test_rbf_far_from_the_origin():
    """Distances of samples near 1e6 cancel unless the origin is moved."""
    X = samples(30)
    far = X + 1e6
    gram = RBF(GAMMA).gram(Rows(far))
    everything = np.arange(30)
    values = gram.block(everything, everything, np.float64)
    assert_allclose(values, expected("rbf", X, X), rtol=1e-8)


def test_rbf_of_a_sample_and_itself_is_never_above_one():
    X = samples(200, d=40) * 100
    values = RBF(50.0)(X)
    assert values.max() <= 1.0
    # the distance of a sample to itself is a difference of numbers as large as its squared length
    assert_allclose(np.diag(values), 1.0, rtol=0, atol=8 * 50 * (X**2).sum(axis=1).max() * np.finfo(float).eps)


@pytest.mark.parametrize("degree", range(6))
def test_polynomial_of_every_degree(degree):
    X = samples(7)
    assert_allclose(Polynomial(0.5, 1.5, degree)(X), (0.5 * X @ X.T + 1.5) ** degree, rtol=1e-12)


def test_lengths_that_overflow_are_refused():
    with pytest.raises(ValueError, match="large"):
        Linear().gram(Rows(np.full((2, 2), 1e200)))


class TestPrecomputed:
    @pytest.fixture
    def matrix(self):
        X = samples(9)
        return X @ X.T

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_block_and_diagonal(self, matrix, dtype):
        gram = Precomputed().gram(Rows(matrix.astype(dtype)))
        i, j = np.array([3, 1]), np.array([0, 8, 8])
        assert_allclose(gram.block(i, j, np.float64), matrix.astype(dtype)[np.ix_(i, j)])
        assert_allclose(gram.diagonal(), np.diag(matrix.astype(dtype)))

    def test_product(self, matrix):
        gram = Precomputed().gram(Rows(matrix))
        j, coef = np.array([2, 5]), np.array([[1.0, -3.0], [0.5, 2.0]])
        assert_allclose(gram.product(j, coef, np.float64), coef @ matrix[j], rtol=1e-13)
        i = np.array([7, 7, 0])
        assert_allclose(gram.product(j, coef, np.float64, i), (coef @ matrix[j])[:, i], rtol=1e-13)

    def test_restricted(self, matrix):
        index = np.array([8, 0, 4])
        gram = Precomputed().gram(Rows(matrix)).restricted(index).restricted(np.array([2, 0]))
        chosen = matrix[np.ix_([4, 8], [4, 8])]
        assert gram.shape == (2, 2)
        assert_allclose(gram.block(np.arange(2), np.arange(2), np.float64), chosen)
        assert_allclose(gram.product(np.array([1]), np.ones((1, 1)), np.float64)[0], chosen[1])
        assert_allclose(gram.diagonal(), np.diag(chosen))

    def test_table_of_other_samples_is_read_as_given(self, matrix):
        """Square by chance and not symmetric: rows are not columns."""
        table = np.random.default_rng(0).normal(size=(9, 9))
        gram = Precomputed().gram(Rows(table), Rows(table))
        j, coef = np.array([2, 5]), np.array([[1.0, -3.0]])
        assert_allclose(gram.product(j, coef, np.float64), coef @ table[:, j].T, rtol=1e-13)

    def test_of_a_small_problem_is_never_in_float32(self, matrix):
        assert MatrixGram(matrix, symmetric=True).float32_error() == np.inf


class TestCallable:
    def test_block_product_diagonal_restricted(self):
        X = samples(9)
        reference = X @ X.T + 1
        gram = CallableKernel(lambda A, B: A @ B.T + 1).gram(Rows(X))
        i, j = np.array([3, 1]), np.array([0, 8, 8])
        assert_allclose(gram.block(i, j, np.float64), reference[np.ix_(i, j)])
        assert gram.block(i, j, np.float32).dtype == np.float32
        assert_allclose(gram.diagonal(), np.diag(reference))
        coef = np.array([[1.0, -3.0, 2.0]])
        assert_allclose(gram.product(j, coef, np.float64), coef @ reference[j], rtol=1e-13)
        part = gram.restricted(np.array([5, 2])).restricted(np.array([1]))
        assert_allclose(part.block(np.array([0]), np.array([0]), np.float64), [[reference[2, 2]]])

    def test_rows_and_columns(self):
        X, Z = samples(9), samples(4, seed=1)
        gram = CallableKernel(lambda A, B: A @ B.T).gram(Rows(X), Rows(Z))
        assert gram.shape == (9, 4)
        assert_allclose(gram.block(np.arange(9), np.arange(4), np.float64), X @ Z.T)
        assert_allclose(gram.product(np.array([3]), np.ones((1, 1)), np.float64)[0], X @ Z[3])

    def test_asks_for_bounded_blocks(self):
        asked = []

        def function(A, B):
            asked.append(len(A) * len(B))
            return A @ B.T

        gram = CallableGram(function, Rows(samples(3000)))
        gram.product(np.arange(2000), np.ones((1, 2000)), np.float64)
        assert len(asked) > 1
        assert max(asked) <= gram._BLOCK

    def test_wrong_shape_is_refused(self):
        gram = CallableGram(lambda A, B: np.zeros((1, 1)), Rows(samples(4)))
        with pytest.raises(ValueError, match=r"kernel function returned shape \(1, 1\)"):
            gram.block(np.arange(4), np.arange(4), np.float64)

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_that_are_not_finite_are_refused(self, value):
        gram = CallableGram(lambda A, B: np.full((len(A), len(B)), value), Rows(samples(4)))
        with pytest.raises(ValueError, match="kernel function returned NaN or infinity"):
            gram.block(np.arange(4), np.arange(4), np.float64)
