"""Kernel rows kept in memory: the same values, whatever is kept, evicted or asked for."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from maxmargin.data import Rows
from maxmargin.kernels import RBF, CachedGram, Linear, MatrixGram, Polynomial, worth_keeping

N = 40


@pytest.fixture(scope="module")
def samples():
    return np.random.default_rng(0).normal(size=(N, 120)) / 10


@pytest.fixture(scope="module", params=[Linear(), Polynomial(1.0, 1.0, 2), RBF(0.5)], ids=["linear", "poly", "rbf"])
def kernel(request):
    return request.param


@given(rows=st.integers(0, 2 * N), seed=st.integers(0, 10**6), threads=st.integers(1, 3))
@settings(max_examples=40)
def test_products_and_blocks(samples, kernel, rows, seed, threads):
    """A random sequence of requests to a cache of any size, from nothing to everything."""
    gram = kernel.gram(Rows(samples), None, threads)
    cached = CachedGram(gram, 4 * N * rows)
    K = gram.block(np.arange(N), np.arange(N), np.float64)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        j = np.sort(rng.choice(N, int(rng.integers(1, N)), replace=False))
        coef = rng.normal(size=(1, len(j)))
        scale = np.abs(coef).sum() * np.abs(K).max()
        assert_allclose(cached.product(j, coef, np.float32), coef @ K[j], atol=2e-6 * scale)
        chosen = np.sort(rng.choice(N, int(rng.integers(1, N)), replace=False))
        block = cached.block(chosen, chosen, np.float32)
        assert block.dtype == np.float32
        assert_allclose(block, K[np.ix_(chosen, chosen)], atol=2e-6 * np.abs(K).max())


def test_other_requests_go_to_the_matrix_itself(samples, kernel):
    gram = kernel.gram(Rows(samples))
    cached = CachedGram(gram, 10**6)
    K = gram.block(np.arange(N), np.arange(N), np.float64)
    j, coef = np.array([3, 17]), np.array([[1.0, -2.0], [0.5, 0.25]])
    assert_allclose(cached.product(j, coef, np.float64), coef @ K[j], rtol=1e-12, atol=1e-12)
    i = np.array([5, 0])
    assert_allclose(cached.product(j, coef[:1], np.float32, i), (coef[:1] @ K[j])[:, i], rtol=1e-5, atol=1e-5)
    assert_allclose(cached.block(i, j, np.float64), K[np.ix_(i, j)], rtol=1e-12)
    assert_allclose(cached.diagonal(), np.diag(K), rtol=1e-12)
    assert cached.float32_error() == gram.float32_error()
    part = cached.restricted(np.array([1, 2, 3]))
    assert_allclose(part.block(np.arange(3), np.arange(3), np.float64), K[1:4, 1:4], rtol=1e-12)


def test_rows_are_computed_once(samples):
    """Counted in rows stored, not in seconds."""
    gram = RBF(0.5).gram(Rows(samples))
    stored = []
    sweep = gram.sweep_and_store

    def counting(j, *rest):
        stored.extend(j)
        sweep(j, *rest)

    gram.sweep_and_store = counting
    cached = CachedGram(gram, 4 * N * N)
    for _ in range(3):
        cached.product(np.array([1, 5, 9]), np.ones((1, 3)), np.float32)
    cached.product(np.array([5, 6]), np.ones((1, 2)), np.float32)
    assert stored == [1, 5, 9, 6]


def test_memory_is_bounded(samples):
    cached = CachedGram(RBF(0.5).gram(Rows(samples)), 1000)
    assert cached.storage.nbytes <= 1000


def test_kept_where_values_are_dear():
    few, many = np.zeros((5, 10)), np.zeros((5, 500))
    assert not worth_keeping(Linear().gram(Rows(few)))
    assert worth_keeping(Linear().gram(Rows(many)))
    assert not worth_keeping(Linear().gram(Rows(sp.csr_array(many))))
    assert worth_keeping(Linear().gram(Rows(sp.csr_array(many + 1))))
    assert not worth_keeping(MatrixGram(np.eye(3), symmetric=True))
