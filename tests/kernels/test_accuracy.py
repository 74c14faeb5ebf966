"""Kernel values are as accurate as they say: against the same values in two hundred bits."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.data import Rows
from maxmargin.kernels import EXTENDED_UNIT, RBF, Linear, MatrixGram, Polynomial, Sigmoid, TiledGram

KERNELS = [
    Linear(),
    Polynomial(0.5, 1.0, 3),
    Polynomial(2.0, 0.0, 2),
    RBF(0.3),
    RBF(1e-6),
    RBF(50.0),
    RBF(1e12),
    Sigmoid(0.1, -0.5),
]
SHAPES = {
    "ordinary": lambda X: X,
    "far away": lambda X: X + 1e6,
    "scales": lambda X: X * 10.0 ** np.linspace(-6, 3, X.shape[1]),
    "close pairs": lambda X: np.vstack([X[:6], X[:6] + 1e-7]),
    "duplicates": lambda X: np.vstack([X[:6], X[:6]]),
}


def exact_value(kernel, x, z):
    with mpmath.workprec(200):
        x, z = [mpmath.mpf(float(v)) for v in x], [mpmath.mpf(float(v)) for v in z]
        product = mpmath.fsum(a * b for a, b in zip(x, z, strict=True))
        if isinstance(kernel, RBF):
            return mpmath.exp(-mpmath.mpf(kernel.gamma) * mpmath.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
        if isinstance(kernel, Polynomial):
            return (mpmath.mpf(kernel.gamma) * product + mpmath.mpf(kernel.coef0)) ** kernel.degree
        if isinstance(kernel, Sigmoid):
            return mpmath.tanh(mpmath.mpf(kernel.gamma) * product + mpmath.mpf(kernel.coef0))
        return product


def assert_within(kernel, X, values, columns, accuracy):
    for a, i in enumerate(range(len(X))):
        for c, j in enumerate(columns):
            value, exact = values[a, c], exact_value(kernel, X[i], X[j])
            size = accuracy.scale[i] * accuracy.scale[j]
            bound = accuracy.relative[i] * abs(float(value)) + accuracy.absolute * size
            with mpmath.workprec(200):
                off = abs(mpmath.mpf(str(value) if value.dtype == np.longdouble else float(value)) - exact)
                room = mpmath.mpf(float(bound)) + (abs(exact) * mpmath.mpf(10) ** -20 if bound < 1e-18 else 0)
                assert off <= room, (i, j, value, bound)
                assert abs(exact) <= size * (1 + 1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_values_in_tiles_are_within_their_bounds(kernel, shape):
    X = SHAPES[shape](np.random.default_rng(0).normal(size=(12, 4)))
    gram = kernel.gram(Rows(X))
    everything = np.arange(len(X))
    assert_within(kernel, X, gram.whole(np.float64), everything, gram.accuracy())
    assert_within(kernel, X, gram.block(everything, everything, np.float64), everything, gram.accuracy())


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_values_of_the_audit_are_within_their_bounds(kernel):
    X = SHAPES["far away"](np.random.default_rng(1).normal(size=(8, 3)))
    for storage in (X, sp.csr_array(X)):
        audit = kernel.audit_gram(Rows(storage))
        everything = np.arange(len(X))
        assert_within(kernel, X, audit.block(everything, everything, np.float64), everything, audit.accuracy())


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_extended_values_are_a_thousand_times_as_accurate(kernel):
    X = np.random.default_rng(2).normal(size=(6, 3))
    gram = kernel.gram(Rows(X))
    values, accuracy = gram.extended(np.array([1, 4]))
    assert_within(kernel, X, values, [1, 4], accuracy)
    if EXTENDED_UNIT < 2.0**-60:
        plain = gram.accuracy()
        assert accuracy.relative.max() + accuracy.absolute <= (plain.relative.max() + plain.absolute) / 1000


def test_a_product_is_within_its_bound():
    rng = np.random.default_rng(3)
    X, coef = rng.normal(size=(700, 5)), rng.normal(size=700) * 10.0 ** rng.uniform(0, 8, 700)
    gram = RBF(0.2).gram(Rows(X))
    j = np.arange(700)
    f, size, additions = gram.sized_product(j, coef)
    extended, _ = gram.extended(j)
    exact = extended @ coef.astype(np.longdouble)
    assert (np.abs(f - exact) <= (gram.accuracy().relative + additions * 2.0**-53) * size).all()
    np.testing.assert_allclose(size, (np.abs(extended) @ np.abs(coef)).astype(float), rtol=1e-9)


def test_sums_of_the_audit_are_as_accurate_as_those_in_tiles():
    """Their room for rounding is compared with that of the fit: added up in one go, it was ten times as large."""
    rng = np.random.default_rng(3)
    rows, kernel = Rows(rng.normal(size=(1500, 4)) + 3), Polynomial(0.5, 1.0, 3)
    j, coef = np.arange(800), rng.normal(size=(2, 800))
    plain, tiled = (gram.sized_products(j, coef) for gram in (kernel.audit_gram(rows), kernel.gram(rows)))
    assert plain[2] <= tiled[2] + 2
    np.testing.assert_allclose(plain[0], tiled[0], rtol=1e-9)
    np.testing.assert_allclose(plain[1], np.abs(coef) @ kernel.plain(rows.take(j), rows.take(np.arange(1500))))


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_that_differ_little_have_exact_distances(sparse):
    """Where gamma is so large that inner products would leave nothing of a distance, differences are taken."""
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0 + 1e-10, 2.0], [5.0, 5.0]])
    kernel = RBF(1e19)
    gram = kernel.gram(Rows(sp.csr_array(X) if sparse else X))
    assert isinstance(gram, TiledGram)
    assert gram.kernel.by_differences
    K = gram.whole(np.float64)
    assert (K[[0, 0, 1, 2, 3], [0, 1, 1, 2, 3]] == 1).all()
    assert K[0, 2] == pytest.approx(float(exact_value(kernel, X[0], X[2])), rel=1e-12)
    assert not RBF(1.0).gram(Rows(X)).kernel.by_differences


def test_a_matrix_knows_where_its_values_come_from():
    X = np.random.default_rng(4).normal(size=(5, 2))
    gram = RBF(0.5).gram(Rows(X))
    whole = MatrixGram.of(gram)
    np.testing.assert_array_equal(whole.accuracy().relative, gram.accuracy().relative)
    given = MatrixGram(whole.matrix, symmetric=True).accuracy()
    assert given.absolute == 0
    assert not given.relative.any()
    part = whole.restricted(np.array([3, 1]))
    np.testing.assert_array_equal(part.accuracy().relative, gram.accuracy().relative[[3, 1]])
