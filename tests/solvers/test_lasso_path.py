"""Paths of the lasso by Gram matrices: what they state, from the data by NumPy alone."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.data import Rows
from maxmargin.solvers import Design


def _hostile(n, d):
    """Columns that repeat others or are zero; of few rows, more features than rows."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)) + 1.0
    X[:, 5], X[:, 6], X[:, 7] = X[:, 4], 0.0, -2 * X[:, 3]
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=n), rng.uniform(0.2, 2.0, n)


def _objectives(X, y, c, alpha, l1_ratio, positive, theta, fit_intercept):
    """Primal at theta, and the better of two points of the dual: the residual, scaled or as it is."""
    l1, l2, w = alpha * l1_ratio, alpha * (1 - l1_ratio), theta[:-1]
    A = np.sqrt(c)[:, None] * (X - c @ X / c.sum() * fit_intercept)
    t = np.sqrt(c) * (y - c @ y / c.sum() * fit_intercept)
    r = t - A @ w
    np.testing.assert_allclose(r, np.sqrt(c) * (y - X @ w - theta[-1]), atol=1e-10)  # the intercept is the best one
    primal = r @ r / 2 + l1 * np.abs(w).sum() + l2 / 2 * w @ w
    slopes = A.T @ r - l2 * w
    largest = (slopes if positive else np.abs(slopes)).max()
    s = min(1.0, l1 / largest)
    dual = s * t @ r - s**2 / 2 * (r @ r + l2 * w @ w)
    if l2 > 0:
        excess = np.maximum((A.T @ r if positive else np.abs(A.T @ r)) - l1, 0.0)
        dual = max(dual, t @ r - r @ r / 2 - excess @ excess / (2 * l2))
    return primal, dual


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(24, 40), (60, 12), (50, 300)])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gaps_are_those_stated(shape, l1_ratio, positive, fit_intercept, form):
    X, y, c = _hostile(*shape)
    c /= c.sum()
    design, alphas, tolerance = Design(Rows(form(X)), c, fit_intercept, 1), np.geomspace(3.0, 3e-3, 20), 1e-6
    thetas, gaps = np.full((20, shape[1] + 1), np.nan), np.full(20, np.nan)
    assert design.path(y, alphas, l1_ratio, positive, tolerance, thetas, gaps) == 20
    for alpha, theta, gap in zip(alphas, thetas, gaps, strict=True):
        primal, dual = _objectives(X, y, c, alpha, l1_ratio, positive, theta, fit_intercept)
        assert gap <= tolerance and -1e-10 * primal <= primal - dual <= (gap + 1e-9) * primal
        assert not positive or theta[:-1].min() >= 0
    assert np.count_nonzero(thetas[0, :-1]) < np.count_nonzero(thetas[-1, :-1])


def test_ends_where_the_gram_matrix_has_too_few_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    design = Design(Rows(X), np.full(60, 1 / 60), True, 1)
    thetas, gaps = np.empty((3, 9)), np.empty(3)
    assert design.path(X @ np.arange(8.0), np.array([1e-2, 1e-4, 1e-12]), 1.0, False, 1e-6, thetas, gaps) == 2
    assert design.path(np.ones(60), np.array([1.0]), 1.0, False, 1e-6, thetas, gaps) == 0  # nothing to explain


def test_many_features_have_no_such_path():
    design = Design(Rows(np.ones((3, 2000))), np.full(3, 1 / 3), True, 1)
    assert design.path(np.arange(3.0), np.array([1.0]), 1.0, False, 1e-6, np.empty((1, 2001)), np.empty(1)) == 0
