"""float32, CSR, memory, kernels of users, precomputed kernels: the same machine, however the data is stored."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import Status
from maxmargin.kernels import Polynomial
from maxmargin.svm import SVC

KERNELS = ["linear", "poly", "rbf", "sigmoid"]


@pytest.fixture(scope="module")
def cancer(load):
    return load("breast_cancer")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")
def test_float32_and_float64_are_close(cancer, kernel):
    X, y = cancer
    C = 1.0 if kernel != "sigmoid" else 0.1
    double, single = (SVC(kernel=kernel, C=C).fit(X.astype(t), y) for t in (np.float64, np.float32))
    assert single.certificate_.status is (Status.STATIONARY if kernel == "sigmoid" else Status.CONVERGED)
    assert single.certificate_.kkt_violation <= single.tol
    assert single.support_vectors_.dtype == np.float32
    assert double.support_vectors_.dtype == np.float64
    assert single.dual_coef_.dtype == single.intercept_.dtype == np.float64
    assert single.decision_function(X.astype(np.float32)).dtype == np.float64
    assert_allclose(single.decision_function(X.astype(np.float32)), double.decision_function(X), atol=1e-3)


def peak_above_input(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def wide():
    """float32, 2500 x 2000, and two labels: one to be learned, and that of a coin, where every sample is support."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 2000)).astype(np.float32)
    return X, (X[:, :50].sum(axis=1) > 0).astype(int), rng.integers(0, 2, 2500)


@pytest.mark.parametrize(("kernel", "label"), [("linear", 1), ("rbf", 2)])
def test_no_float64_copy_of_float32_rows(wide, kernel, label):
    """All memory above the input together, cache and support vectors included, stays near one float64 copy (40 MB).

    With such a copy it would be that much more: cache, blocks of kernel values and support vectors take some 40 MB.
    """
    X, y = wide[0], wide[label]
    SVC(kernel=kernel, cache_size=20).fit(X, y)  # compiles, which takes memory of its own
    model = SVC(kernel=kernel, cache_size=20)
    peak = peak_above_input(lambda: model.fit(X, y))
    assert model.certificate_.status is Status.CONVERGED
    assert peak < X.size * 8 + 10e6
    model.predict(X[:10])
    assert peak_above_input(lambda: model.predict(X)) < X.size * 8


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("storage", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")
def test_sparse_rows(load, kernel, storage, dtype):
    X, y = load("digits")
    X = (X[:300] * (X[:300] > 0)).astype(dtype)
    y = y[:300]
    dense, sparse = SVC(kernel=kernel, C=0.1).fit(X, y), SVC(kernel=kernel, C=0.1).fit(storage(X), y)
    assert_array_equal(dense.support_, sparse.support_)
    assert sp.issparse(sparse.support_vectors_)
    assert sparse.support_vectors_.dtype == dtype
    assert sp.issparse(sparse.dual_coef_)
    assert_allclose(sparse.dual_coef_.toarray(), dense.dual_coef_, atol=1e-6)
    expected = dense.decision_function(X)
    assert_allclose(sparse.decision_function(storage(X)), expected, atol=1e-5)
    assert_allclose(sparse.decision_function(X), expected, atol=1e-5)  # a dense X is taken as well
    if kernel == "linear":
        assert sp.issparse(sparse.coef_)
        assert_allclose(sparse.coef_.toarray(), dense.coef_, atol=1e-6)


def test_sparse_rows_with_repeated_entries(clouds):
    """CSR in which a column is named twice: the entry is the sum."""
    X, y = clouds(60, 4)
    n = len(X)
    doubled = sp.csr_array(
        (np.repeat(X, 2, axis=1).ravel() / 2, np.tile(np.repeat(np.arange(4), 2), n), np.arange(0, 8 * n + 1, 8)),
        shape=X.shape,
    )
    stored = doubled.data.copy()
    model = SVC().fit(doubled, y)
    assert_allclose(model.decision_function(doubled), SVC().fit(X, y).decision_function(X), atol=1e-6)
    assert_array_equal(doubled.data, stored)  # the user's matrix is the user's


def test_sparse_rows_without_entries(clouds, assert_truthful):
    X, y = clouds(60, 4)
    X[::7] = 0
    model = SVC().fit(sp.csr_array(X), y)
    assert_allclose(model.decision_function(sp.csr_array(X)), SVC().fit(X, y).decision_function(X), atol=1e-6)
    assert_truthful(model, sp.csr_array(X), y)


def test_64_bit_indices(clouds):
    X, y = clouds(60, 4)
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    assert_allclose(SVC().fit(long, y).decision_function(long), SVC().fit(X, y).decision_function(X), atol=1e-6)


def test_order_of_memory_and_lists(clouds):
    X, y = clouds(60, 4)
    plain = SVC().fit(X, y)
    for other in (np.asfortranarray(X), X.tolist(), np.repeat(X, 2, axis=0)[::2], X.astype(">f8")):
        assert_allclose(SVC().fit(other, list(y)).decision_function(other), plain.decision_function(X), atol=1e-9)


def test_whole_numbers_are_numbers(clouds):
    X, y = clouds(60, 4)
    whole = np.round(X * 10).astype(int)
    assert_allclose(
        SVC().fit(whole, y).decision_function(whole), SVC().fit(whole * 1.0, y).decision_function(whole * 1.0)
    )


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_precomputed_and_callable_are_the_same_machine(cancer, kernel):
    from maxmargin.kernels import make_kernel

    X, y = cancer
    function = make_kernel(kernel, 0.05, 1.0, 2)
    plain = SVC(kernel=kernel, gamma=0.05, coef0=1.0, degree=2).fit(X, y)
    table = SVC(kernel="precomputed").fit(function(X), y)
    called = SVC(kernel=lambda A, B: function(A, B)).fit(X, y)
    new = X[:50] + 0.1
    expected = plain.decision_function(new)
    assert_allclose(table.decision_function(function(new, X)), expected, atol=1e-6)
    assert_allclose(called.decision_function(new), expected, atol=1e-6)
    for model in (table, called):
        assert_array_equal(model.support_, plain.support_)
        assert_allclose(model.dual_coef_, plain.dual_coef_, atol=1e-6)
        assert model.support_vectors_.shape == (0, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_precomputed_values_of_other_types(clouds, assert_truthful, dtype):
    X, y = clouds(60, 4)
    X = np.round(X * 3)
    K = (X @ X.T).astype(dtype)
    model = SVC(kernel="precomputed", C=0.01).fit(K, y)
    assert_allclose(model.decision_function(K), SVC(kernel="linear", C=0.01).fit(X, y).decision_function(X), atol=1e-6)
    assert_truthful(model, K, y)


def test_precomputed_with_many_classes(load):
    X, y = load("wine")
    K = X @ X.T
    plain, table = SVC(kernel="linear").fit(X, y), SVC(kernel="precomputed").fit(K, y)
    assert_allclose(table.decision_function(K[::3]), plain.decision_function(X[::3]), atol=1e-6)
    assert_array_equal(table.predict(K), plain.predict(X))


def test_callable_of_texts():
    """Samples need not be numbers: only the kernel looks into them."""
    words = np.array([f"{'a' * k}{'b' * (9 - k)}" for k in range(10)], dtype=object)
    y = np.arange(10) >= 5

    def common(A, B):
        return np.array([[sum(a == b for a, b in zip(s, t, strict=True)) for t in B] for s in A], dtype=float)

    model = SVC(kernel=common, C=10.0).fit(words, y)
    assert_array_equal(model.predict(words), y)
    assert model.certificate_.verify(words, y).status is Status.CONVERGED


def test_callable_sees_sparse_rows(clouds):
    X, y = clouds(60, 4)
    model = SVC(kernel=lambda A, B: (A @ B.T).toarray()).fit(sp.csr_array(X), y)
    assert_allclose(
        model.decision_function(sp.csr_array(X)), SVC(kernel="linear").fit(X, y).decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("coef0", [0.0, 1.0])
@pytest.mark.parametrize("n", [150, 600])
def test_polynomial_kernel_and_its_explicit_map(clouds, degree, coef0, n):
    """Kernel and expansion are the same machine, to six digits."""
    X, y = clouds(n, 4)
    gamma = 0.25
    image = Polynomial(gamma, coef0, degree).feature_map(X)
    options = {"tol": 1e-9}
    kernel = SVC(kernel="poly", degree=degree, gamma=gamma, coef0=coef0, **options).fit(X, y)
    linear = SVC(kernel="linear", **options).fit(image, y)
    assert kernel.certificate_.status is linear.certificate_.status is Status.CONVERGED
    assert_allclose(kernel.decision_function(X), linear.decision_function(image), atol=1e-6)
    assert kernel.certificate_.dual == pytest.approx(linear.certificate_.dual, rel=1e-6)


def test_gamma(cancer):
    X, y = cancer
    X = X * 3 + 1
    for name, value in (("scale", 1 / (X.shape[1] * X.var())), ("auto", 1 / X.shape[1])):
        assert_allclose(
            SVC(gamma=name).fit(X, y).decision_function(X), SVC(gamma=value).fit(X, y).decision_function(X), atol=1e-6
        )
