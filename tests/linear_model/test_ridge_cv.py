"""The ridge that finds its own penalty: leaving out by formula and by force, and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from maxmargin.certificates import Status
from maxmargin.linear_model import Ridge, RidgeCV

ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)


def data(n=40, d=6, k=0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2.0
    Y = X @ rng.normal(size=(d, k or 1)) + 2 * rng.normal(size=(n, k or 1)) + 5.0
    return X, Y if k else Y[:, 0]


@pytest.mark.parametrize("mode", [None, "svd", "eigen"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d"), [(40, 6), (12, 30)])
def test_the_formula_is_leaving_out_by_force(n, d, weighted, fit_intercept, mode):
    X, y = data(n, d)
    s = np.random.default_rng(1).uniform(0.2, 2, n) if weighted else np.ones(n)
    options = {"fit_intercept": fit_intercept, "gcv_mode": mode, "store_cv_results": True}
    for form in (np.asarray, sp.csr_array):
        model = RidgeCV(ALPHAS, **options).fit(form(X), y, s if weighted else None)
        for a, alpha in enumerate(ALPHAS):
            forced = np.empty(n)
            for i in range(n):
                rest = np.arange(n) != i
                left = Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(X[rest], y[rest], s[rest])
                forced[i] = s[i] * (y[i] - left.predict(X[i : i + 1])[0]) ** 2
            np.testing.assert_allclose(model.cv_results_[:, a], forced, rtol=1e-6, atol=1e-9)
        assert model.best_score_ == pytest.approx(-model.cv_results_.mean(axis=0).min())
        assert model.alpha_ == ALPHAS[int(np.argmin(model.cv_results_.mean(axis=0)))]


@pytest.mark.parametrize("options", [{}, {"scoring": "neg_mean_absolute_error"}, {"cv": 4}, {"cv": 3, "scoring": "r2"}])
@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_as_scikit_learn(form, k, options):
    X, y = data(50, 8, k)
    ours = RidgeCV(ALPHAS, **options).fit(form(X), y)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, **options).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-8)
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    assert ours.certificate_.holds
    assert ours.certificate_.verify(form(X), y).status is Status.CONVERGED


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error"])
def test_a_penalty_for_each_target_as_scikit_learn(scoring):
    X, Y = data(50, 8, 3)
    Y[:, 1] += 30 * np.random.default_rng(1).normal(size=50)
    s = np.random.default_rng(2).uniform(0.5, 2, 50)
    options = {"alpha_per_target": True, "store_cv_results": True, "scoring": scoring}
    ours = RidgeCV(ALPHAS, **options).fit(X, Y, s)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, **options).fit(X, Y, s)
    np.testing.assert_array_equal(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-8)
    np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    assert len(set(ours.alpha_.tolist())) > 1


def test_a_changed_winner_is_refuted():
    X, y = data()
    model = RidgeCV(ALPHAS).fit(X, y)
    model.alpha_ = 3.0
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": [0.0, 1.0]}, "alphas must be positive"),
        ({"alphas": []}, "alphas must be positive"),
        ({"cv": 3, "store_cv_results": True}, "store_cv_results=True needs cv=None"),
        ({"cv": 3, "alpha_per_target": True}, "alpha_per_target=True needs cv=None"),
        ({"gcv_mode": "lu"}, "gcv_mode"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        RidgeCV(**options).fit(*data())


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error", "r2"])
@pytest.mark.parametrize("k", [0, 2])
def test_rows_without_weight_are_as_good_as_absent(scoring, k):
    X, y = data(k=k)
    s = np.random.default_rng(1).uniform(0.5, 2, 40)
    s[::4] = 0.0
    options = {"alphas": ALPHAS, "scoring": scoring, "alpha_per_target": bool(k)}
    given = RidgeCV(**options).fit(X, y, s)
    without = RidgeCV(**options).fit(X[s > 0], y[s > 0], s[s > 0])
    np.testing.assert_array_equal(given.alpha_, without.alpha_)
    np.testing.assert_allclose(given.best_score_, without.best_score_, rtol=1e-9)
