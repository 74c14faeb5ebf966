"""The explicit map of the polynomial kernel."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from maxmargin.kernels import Polynomial


@given(st.integers(1, 4), st.integers(0, 4), st.floats(0, 3), st.floats(0.01, 3), st.integers(0, 1000))
def test_inner_products_of_images_are_kernel_values(d, degree, coef0, gamma, seed):
    X = np.random.default_rng(seed).normal(size=(6, d))
    kernel = Polynomial(gamma, coef0, degree)
    image = kernel.feature_map(X)
    assert_allclose(image @ image.T, kernel(X), rtol=1e-10, atol=1e-10)


def test_two_sets_of_samples():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    kernel = Polynomial(0.5, 1.0, 3)
    assert_allclose(kernel.feature_map(X) @ kernel.feature_map(Z).T, kernel(X, Z), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_one_column_a_monomial(d, degree):
    X = np.ones((2, d))
    assert Polynomial(1.0, 1.0, degree).feature_map(X).shape == (2, comb(d + degree, degree))
    # without a constant only the monomials of the full degree are left
    assert Polynomial(1.0, 0.0, degree).feature_map(X).shape == (2, comb(d + degree - 1, degree))


def test_no_real_map_for_a_negative_constant():
    with pytest.raises(ValueError, match=r"coef0=-0\.5"):
        Polynomial(1.0, -0.5, 2).feature_map(np.ones((2, 2)))
