"""Least squares of rows and targets at the ends of float64: right, or refused by name."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from maxmargin.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    return X, X @ rng.normal(size=8) + rng.normal(size=60)


@pytest.mark.parametrize("size", [1e154, 1e160, 1e300])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize(
    "model",
    [Ridge(), LinearRegression(), RidgeCV(), RidgeCV(cv=3), Lasso(), ElasticNet(), LassoCV(cv=3), ElasticNetCV(cv=3)],
    ids=str,
)
def test_squares_that_overflow_are_refused_by_name(model, form, size):
    """Also of weights. Where the sums of squares are beyond float64, there is no objective to prove anything of."""
    X, y = data()
    with pytest.raises(
        ValueError, match=r"^X has values so large that the sum of their squares overflows float64\. Scale X"
    ):
        clone(model).fit(form(X * size), y)
    with pytest.raises(
        ValueError, match=r"^y has values so large that the sum of their squares overflows float64\. Scale y"
    ):
        clone(model).fit(form(X), y * size)


@pytest.mark.parametrize("model", [Ridge(), LinearRegression(), Lasso(), ElasticNet(), LassoCV(cv=3)], ids=str)
@pytest.mark.parametrize(
    ("rows", "targets"), [(1e100, 1e100), (1e-100, 1e100), (1e-160, 1.0), (1e150, 1.0), (1.0, 1e150)]
)
def test_scales_that_leave_no_figures_end_with_words_of_our_own(model, rows, targets):
    """Neither NumPy's warnings of what overflows on the way, nor NaN in what is printed, nor a false claim."""
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = clone(model).fit(X * rows, y * targets)
        again = fitted.certificate_.verify(X * rows, y * targets)
    assert again.status is fitted.certificate_.status
    assert "nan" not in str(fitted.certificate_) + str(again)


def test_targets_of_polynomials():
    X, y = data()
    with pytest.raises(ValueError, match=r"^y has values so large"):
        PolynomialRegression().fit(X, 1e160 * y)
