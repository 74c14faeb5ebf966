"""Defaults on badly scaled CSR rows, and what is said where float64 can prove no better."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.linear_model import LogisticRegression
from maxmargin.svm import LinearSVC, LinearSVR


@pytest.fixture(scope="module")
def badly_scaled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 60)) * (rng.random((4000, 60)) < 0.3) * 10.0 ** rng.uniform(-4, 4, 60)
    w = rng.normal(size=60) / np.abs(X).max(axis=0)
    return sp.csr_array(X), X @ w + 0.1 * rng.normal(size=4000)


def test_defaults_converge(badly_scaled):
    X, target = badly_scaled
    for model in (LinearSVC(loss="hinge"), LinearSVC(), LogisticRegression()):
        assert model.fit(X, target > 0).certificate_.status is Status.CONVERGED
    assert LinearSVR().fit(X, target).certificate_.status is Status.CONVERGED
    several = np.digitize(target, [-0.5, 0.5])
    assert LogisticRegression().fit(X, several).certificate_.status is Status.CONVERGED


def test_coordinate_ascent_hands_over_within_the_budget(badly_scaled):
    X, target = badly_scaled
    model = LinearSVC(loss="hinge", max_iter=100).fit(X, target > 0)
    assert model.solver_ == "interior_point"
    assert 50 < model.n_iter_ <= 100


def test_advice_where_rounding_is_the_limit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = X @ rng.normal(size=8) + rng.normal(size=300) > 0
    with pytest.warns(ConvergenceWarning, match="float64 proves no gap below about") as told:
        LogisticRegression(penalty="l1", C=0.1, tol=1e-16).fit(X, y)
    text = str(told[0].message)
    assert "scale the features" not in text
    limit = float(re.search(r"below about (\S+):", text).group(1))
    assert 1e-16 < limit < 1e-11
    model = LogisticRegression(penalty="l1", C=0.1, tol=10 * limit).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
