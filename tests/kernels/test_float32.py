"""Sums of float32 kernel values are as far off as they say at most: against two hundred bits, and against float64."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings, strategies as st

from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid


def shaped(rng, n, d, shape, size):
    """Rows of a kind that rounding is hard on."""
    X = rng.normal(size=(n, d))
    if shape == "offset":
        X += 10.0 ** rng.uniform(0, 7)
    elif shape == "scales":
        X *= 10.0 ** rng.uniform(-12, 12, d)
    elif shape == "duplicates":
        X[n // 2 :] = X[: n - n // 2]
        X[n // 2 :] *= 1 + 1e-7 * rng.integers(0, 2, (n - n // 2, 1))
    elif shape == "outlier":
        X[0] *= 10.0 ** rng.uniform(1, 6)
    elif shape == "denormals":
        X *= 10.0 ** rng.uniform(-44, -36)
    elif shape == "whole numbers":
        X = rng.integers(0, 256, (n, d)).astype(float)
    elif shape == "rare":
        X *= rng.random((n, d)) < 0.2
    return X * size


SHAPES = ["plain", "offset", "scales", "duplicates", "outlier", "denormals", "whole numbers", "rare"]


def exact_sums(gamma, X, j, coef):
    """``sum_j c_j exp(-gamma |x - x_j|^2)`` in 200 bits."""
    with mpmath.workprec(200):
        rows = [[mpmath.mpf(float(v)) for v in x] for x in X]
        out = []
        for x in rows:
            squares = [mpmath.fsum((a - b) ** 2 for a, b in zip(x, rows[k], strict=True)) for k in j]
            values = [mpmath.exp(-mpmath.mpf(gamma) * square) for square in squares]
            out.append(mpmath.fsum(mpmath.mpf(float(c)) * v for c, v in zip(coef, values, strict=True)))
        return out


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(SHAPES),
    st.sampled_from(["dense", "float32", "sparse"]),
    st.floats(-3, 3),
    st.floats(-18, 18),
    st.sampled_from(["one sign", "both", "wild"]),
)
@settings(max_examples=60, deadline=None)
def test_sums_are_within_their_bounds(seed, shape, storage, reach, size, signs):
    """Whatever the rows, the kernel and the coefficients are: a bound holds, or none is given."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 9)), int(rng.integers(1, 40))
    X = shaped(rng, n, d, shape, 10.0**size)
    with np.errstate(over="ignore"):
        X = X.astype(np.float32) if storage == "float32" else X
    assume(np.isfinite(X).all())
    square = float(np.square(X.astype(np.float64) - X.astype(np.float64).mean(axis=0)).sum(axis=1).mean())
    assume(0 < square < np.inf)
    gamma = 10.0**reach / square
    assume(np.isfinite(gamma))
    coef = rng.random(n) + 0.01
    if signs != "one sign":
        coef *= rng.choice([-1.0, 1.0], n)
    if signs == "wild":
        coef *= 10.0 ** rng.uniform(-12, 12, n)
    j = np.arange(n)
    found = RBF(gamma).gram(Rows(sp.csr_array(X) if storage == "sparse" else X)).float32_products(j, coef[None])
    if found is None:
        return
    (values,), (errors,) = found
    for value, error, exact in zip(values, errors, exact_sums(gamma, X, j, coef), strict=True):
        with mpmath.workprec(200):
            assert abs(mpmath.mpf(float(value)) - exact) <= mpmath.mpf(float(error))


@pytest.mark.parametrize("columns", [10, 784])
@pytest.mark.parametrize("shape", ["plain", "offset", "outlier", "whole numbers"])
def test_long_sums_are_within_their_bounds(columns, shape):
    """Many support vectors, in several portions and panels; float64 is as good as exact here."""
    rng = np.random.default_rng(len(shape) + columns)
    X = shaped(rng, 1500, columns, shape, 1.0)
    square = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean())
    gram = RBF(0.7 / square).gram(Rows(X))
    j, i = np.arange(0, 1500, 2), np.arange(1, 1500, 7)
    coef = rng.normal(size=(3, len(j))) * 10.0 ** rng.uniform(0, 3, len(j))
    coef[1] = np.abs(coef[1])
    values, errors = gram.float32_products(j, coef, i)
    exact = gram.product(j, coef, np.float64, i)
    assert np.isfinite(errors).mean() > 0.9
    assert (np.abs(values - exact) <= errors).all()
    assert (errors[np.isfinite(errors)] > 0).all()
    part = gram.restricted(np.arange(1, 1500, 7))
    own = np.arange(len(i))
    values, errors = part.float32_products(own, coef[:, : len(i)])
    assert (np.abs(values - part.product(own, coef[:, : len(i)], np.float64)) <= errors).all()


def test_the_bound_is_of_use():
    """Of ordinary data it is a ten-thousandth of the terms' sizes: otherwise nothing would be won."""
    X = np.random.default_rng(0).normal(size=(600, 50))
    gram, j = RBF(1 / 50).gram(Rows(X)), np.arange(600)
    values, errors = gram.float32_products(j, np.ones((1, 600)))
    assert (errors < 1e-4 * values).all()


def test_nothing_is_said_where_nothing_is_known():
    X = np.random.default_rng(1).normal(size=(20, 3))
    j, one = np.arange(20), np.ones((1, 20))
    for kernel in (Linear(), Polynomial(), Sigmoid(), RBF(1e8), RBF(1e-31), RBF(1.0, by_differences=True)):
        assert kernel.gram(Rows(X)).float32_products(j, one) is None
    for far in (1e16, 1e150):  # squared lengths beyond float32
        assert RBF(1e-29).gram(Rows(X * far)).float32_products(j, one) is None
