"""The comparison of the lasso with scikit-learn's, and its referee."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.linear_model
from benchmarks import command_line, lasso, regressors
from benchmarks.options import Options


def test_is_a_benchmark():
    assert "lasso" in command_line.BENCHMARKS


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_the_referee_is_right_about_the_optimum(ratio):
    """Its interval contains the objective of a nearly exact solution, and closes there; elsewhere it is wide."""
    case = lasso.Case("made", 80, 30, 5, 0.1, ratio)
    X, y = case.data(Options())
    alpha = case.alpha(X, y)
    best = sklearn.linear_model.ElasticNet(alpha, l1_ratio=ratio, tol=1e-14, max_iter=10**6).fit(X, y)
    good = lasso.judge(X, y, alpha, ratio, (best.coef_, False))
    assert 0 <= good.relative_gap < 1e-9 and good.reached
    poor = lasso.judge(X, y, alpha, ratio, (best.coef_ + 0.1, False))
    assert poor.dual <= good.primal <= poor.primal and not poor.reached
    nothing = lasso.judge(X, y, alpha, ratio, (np.zeros(30), False))
    assert nothing.primal == pytest.approx(np.var(y) / 2)
    assert nothing.dual <= good.primal


def test_alpha_is_a_part_of_the_largest():
    case = lasso.Case("made", 80, 30, 5, 1.0)
    X, y = case.data(Options())
    model = sklearn.linear_model.Lasso(case.alpha(X, y) * 1.0001).fit(X, y)
    assert not model.coef_.any()
    assert lasso.judge(X, y, case.alpha(X, y), 1.0, (model.coef_, False)).relative_gap < 1e-12


@pytest.mark.parametrize("density", [1.0, 0.3])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("kind", ["Ridge", "RidgeCV", "LinearRegression"])
def test_the_referee_of_least_squares(kind, targets, density):
    """Exact weights have no gap; other ones have theirs, or a bound of it."""
    case = regressors.Case("made", kind, 90, 12, targets, density)
    X, Y = case.data(Options())
    dense = X.toarray() if density < 1 else X
    model = getattr(sklearn.linear_model, kind)().fit(dense, Y)
    alpha = {"Ridge": 1.0, "LinearRegression": 0.0}.get(kind, getattr(model, "alpha_", 0.0))
    assert regressors.relative_gap(case, X, Y, (model.coef_, alpha), lasso.judge) < 1e-20

    def objective(W):
        rest = Y - dense @ W.T
        return ((rest - rest.mean(axis=0)) ** 2).sum(axis=0) + alpha * (W**2).sum(axis=-1)

    other = model.coef_ + 0.1
    above = ((objective(other) - objective(model.coef_)) / objective(other)).max()
    found = regressors.relative_gap(case, X, Y, (other, alpha), lasso.judge)
    assert found == pytest.approx(above) if kind == "LinearRegression" else found >= above


def test_the_referee_of_a_search_is_that_of_the_lasso():
    case = regressors.Case("made", "LassoCV", 90, 12)
    X, Y = case.data(Options())
    model = sklearn.linear_model.LassoCV(tol=1e-12, max_iter=10**6).fit(X, Y)
    assert regressors.relative_gap(case, X, Y, (model.coef_, model.alpha_), lasso.judge) < 1e-9


@pytest.mark.parametrize("case", [case for case in lasso.CASES if case.density < 1 or case.dtype != "float64"])
def test_rows_of_other_kinds(case):
    X, y = case.data(Options(quick=True))
    assert X.dtype == y.dtype == case.dtype and 0 < case.alpha(X, y) < np.inf
