"""Penalties found by cross-validation, against scikit-learn and by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from maxmargin.certificates import Status
from maxmargin.linear_model import ElasticNetCV, Lasso, LassoCV


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 25)) + 1.0
    return X, X[:, :4] @ [2.0, -1.0, 0.5, 1.0] + 3.0 + 0.5 * rng.normal(size=90)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("options", [{}, {"positive": True}, {"fit_intercept": False}])
def test_lasso_as_scikit_learn(rows, options, form):
    X, y = rows
    ours = LassoCV(alphas=15, cv=4, tol=1e-8, **options).fit(form(X), y)
    theirs = sklearn.linear_model.LassoCV(alphas=15, cv=4, tol=1e-9, max_iter=10**5, **options).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.certificate_.status is Status.CONVERGED
    assert ours.certificate_.verify(form(X), y).status is Status.CONVERGED
    assert ours.gap_path_.shape == ours.mse_path_.shape and ours.gap_path_.max() <= 1e-8
    assert not hasattr(ours, "l1_ratio_")


def test_elastic_net_with_weights_as_scikit_learn(rows):
    X, y = rows
    s = np.random.default_rng(1).uniform(0.2, 2, 90)
    options = {"l1_ratio": [0.3, 0.9], "alphas": 8, "cv": KFold(3, shuffle=True, random_state=0)}
    ours = ElasticNetCV(**options, tol=1e-8).fit(X, y, s)
    theirs = sklearn.linear_model.ElasticNetCV(**options, tol=1e-10, max_iter=10**5).fit(X, y, s)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert (ours.alpha_, ours.l1_ratio_) == (pytest.approx(theirs.alpha_), theirs.l1_ratio_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_errors_of_folds_by_hand(rows):
    """Each cell is a lasso of its own on the rows of the fold."""
    X, y = rows
    model = LassoCV(alphas=[0.5, 0.05], cv=3, tol=1e-9, n_jobs=2).fit(X, y)
    for k, (train, test) in enumerate(KFold(3).split(X)):
        for a, alpha in enumerate([0.5, 0.05]):
            alone = Lasso(alpha, tol=1e-9).fit(X[train], y[train])
            assert model.mse_path_[a, k] == pytest.approx(np.mean((y[test] - alone.predict(X[test])) ** 2), rel=1e-6)
    assert model.alpha_ == [0.5, 0.05][int(np.argmin(model.mse_path_.mean(axis=1)))]
    np.testing.assert_allclose(model.coef_, Lasso(model.alpha_).fit(X, y).coef_, atol=1e-8)


def test_a_changed_winner_is_refuted(rows):
    X, y = rows
    model = LassoCV(alphas=[0.5, 0.05], cv=3).fit(X, y)
    model.alpha_ = 0.2
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_a_budget_that_is_too_small_says_so_of_the_folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 700))
    with pytest.warns(ConvergenceWarning) as caught:
        LassoCV(alphas=4, cv=2, max_iter=1, tol=1e-10).fit(X, X[:, 0] + rng.normal(size=60))
    assert any("fits in folds ended with a relative gap above" in str(one.message) for one in caught)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LassoCV(selection="random"), "selection='random' is not supported"),
        (LassoCV(precompute=np.eye(25)), "precompute takes no Gram matrix"),
        (LassoCV(alphas=[1.0, -1.0]), "alphas must be"),
        (ElasticNetCV(l1_ratio=0.0), "l1_ratio > 0"),
        (ElasticNetCV(l1_ratio=[0.5, 2.0]), "l1_ratio must be"),
        (LassoCV(cv=1), "cv"),
    ],
)
def test_bad_parameters_are_named(rows, model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*rows)


def test_targets_without_noise_are_left_to_true_residuals():
    """The objective falls to a billionth of ||t||^2, where differences of Gram matrices have no digits left."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 8))
    model = LassoCV(alphas=[1e-3, 1e-7, 1e-11], cv=3, tol=1e-4).fit(X, X @ np.arange(1.0, 9.0))
    assert model.gap_path_.max() <= 1e-4 and model.alpha_ == 1e-11
    assert model.certificate_.status is Status.CONVERGED


@pytest.mark.parametrize("make", [LassoCV, ElasticNetCV])
def test_advice_about_an_alpha_that_was_chosen(make):
    """A fit that stalls says so; it looked for a parameter that a search has not."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 4))
    y = X @ np.arange(4.0) + rng.normal(size=80)
    weights = np.where(np.arange(80) == 3, 1e300, 1.0)
    with pytest.warns(ConvergenceWarning) as told:  # of fits in folds, too
        make().fit(X, y, sample_weight=weights)
    assert any(f"{make.__name__} ended as 'stalled'" in str(warning.message) for warning in told)
