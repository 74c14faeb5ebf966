"""The comparison of kernel ridge regression with scikit-learn's, and its referee."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import command_line, kernel_ridge
from benchmarks.options import Options
from sklearn.metrics.pairwise import pairwise_kernels


def test_is_a_benchmark():
    assert "kernel_ridge" in command_line.BENCHMARKS


@pytest.mark.parametrize("case", kernel_ridge.CASES, ids=lambda case: case.name)
def test_the_referee_knows_the_kernels(case):
    X, y = case.data(Options(quick=True))
    assert sp.issparse(X) == (case.storage == "csr") and X.dtype == (np.float32 if "32" in case.storage else np.float64)
    assert y.shape == ((X.shape[0],) if case.targets == 1 else (X.shape[0], case.targets))
    K = case.matrix(X)
    theirs = pairwise_kernels(X.astype(np.float64), metric=case.kernel)
    np.testing.assert_allclose(K, theirs, rtol=1e-9, atol=1e-9)


def test_the_referee_is_right_about_the_solution():
    case = kernel_ridge.Case("made", 80, 4, targets=3)
    X, y = case.data(Options())
    K = case.matrix(X)
    a = np.linalg.solve(K + np.eye(80), y)
    good = kernel_ridge.judge(K, y, 1.0, a)
    assert good.residual <= good.rounding < 1e-10 and good.gap <= 80 * good.rounding**2
    a[3, 1] += 0.01
    poor = kernel_ridge.judge(K, y, 1.0, a)
    assert poor.residual > 1e-3 and poor.gap > 1e-8
    assert good.as_good_as(poor) and good.as_good_as(good) and not poor.as_good_as(good)


@pytest.mark.parametrize("contender", [kernel_ridge.MaxMargin, kernel_ridge.Sklearn])
def test_contenders(contender):
    case = kernel_ridge.Case("made", 80, 4, "poly", targets=2)
    X, y = case.data(Options())
    one = contender(case, X, y)
    one.warm_up()
    one.fit()
    found = kernel_ridge.judge(case.matrix(X), y, case.alpha, one.coefficients())
    assert found.residual <= found.rounding
    assert one.processor_seconds() >= 0
