"""The comparison of the lasso with scikit-learn's, and its referee."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.linear_model
from benchmarks import command_line, lasso
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
