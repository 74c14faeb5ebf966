"""Logistic regression: the same optimum as scikit-learn's, and the truth where there is none."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.linear_model import LogisticRegression


def theirs(solver="lbfgs", **parameters):
    """scikit-learn's, solved to the end."""
    return sklearn.linear_model.LogisticRegression(solver=solver, tol=1e-10, max_iter=100_000, **parameters)


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_l2_as_scikit_learn(load, name, C, fit_intercept):
    X, y = load(name)
    ours = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-8).fit(X, y)
    other = theirs("newton-cg", C=C, fit_intercept=fit_intercept).fit(X, y)
    assert ours.certificate_.relative_gap <= 1e-8
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4 * max(1, C**0.5))
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-3)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))
    assert ours.coef_.shape == other.coef_.shape
    assert ours.intercept_.shape == other.intercept_.shape


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_l1_as_scikit_learn(load, l1_ratio):
    X, y = load("breast_cancer")
    ours = LogisticRegression(C=0.1, l1_ratio=l1_ratio, tol=1e-9).fit(X, y)
    other = theirs("saga", C=0.1, l1_ratio=l1_ratio).fit(X, y)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.coef_ != 0, np.abs(other.coef_) > 1e-6)


def test_both_ways_to_name_a_penalty(load):
    X, y = load("breast_cancer")
    pairs = [
        ({"penalty": "l1"}, {"l1_ratio": 1.0}),
        ({"penalty": "l2"}, {}),
        ({"penalty": "l2", "l1_ratio": None}, {"l1_ratio": 0}),
        ({"penalty": "elasticnet", "l1_ratio": 0.3}, {"l1_ratio": 0.3}),
    ]
    for old, new in pairs:
        a, b = (LogisticRegression(C=0.2, **k).fit(X, y) for k in (old, new))
        np.testing.assert_array_equal(a.coef_, b.coef_)
    with pytest.warns(UserWarning, match="l1_ratio=0.5 is not used with penalty='l2'"):
        LogisticRegression(penalty="l2", l1_ratio=0.5).fit(X, y)
    with pytest.raises(ValueError, match="penalty='elasticnet' needs an l1_ratio"):
        LogisticRegression(penalty="elasticnet", l1_ratio=None).fit(X, y)


def test_no_penalty_is_maximum_likelihood(clouds):
    X, y = clouds(200)
    ours = LogisticRegression(C=np.inf).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs("newton-cg", C=np.inf).fit(X, y).coef_, atol=1e-5)
    np.testing.assert_allclose(LogisticRegression(penalty=None).fit(X, y).coef_, ours.coef_)
    assert ours.certificate_.status is Status.CONVERGED
    assert ours.certificate_.verify(X, y).status is Status.CONVERGED
    # the likelihood's equations: expected and observed sums of the features agree
    residual = ours.predict_proba(X)[:, 1] - y
    np.testing.assert_allclose(residual @ np.column_stack([X, np.ones(200)]), 0, atol=1e-8)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_separable_classes_without_a_penalty_have_no_minimum(scale):
    X = scale * np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [3.0, 0.0]])
    y = [0, 0, 1, 1]
    with pytest.warns(ConvergenceWarning, match=r"the classes are separable.*no minimum.*Use a finite C"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.certificate_.status is not Status.CONVERGED
    assert model.fit_status_ == 1
    assert model.certificate_.verify(X, y).status is not Status.CONVERGED
    assert model.score(X, y) == 1
    assert np.isfinite(model.coef_).all()


def test_names_of_scikit_learns_solvers(load):
    X, y = load("breast_cancer")
    expected = LogisticRegression().fit(X, y).coef_
    for name in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"):
        np.testing.assert_allclose(LogisticRegression(solver=name).fit(X, y).coef_, expected, atol=1e-3)
    with pytest.raises(ValueError, match="solver='liblinear' penalises the intercept"):
        LogisticRegression(solver="liblinear").fit(X, y)
    free = LogisticRegression(solver="liblinear", fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(free.coef_, theirs("liblinear", fit_intercept=False).fit(X, y).coef_, atol=1e-4)
    with pytest.raises(ValueError, match="intercept_scaling=2"):
        LogisticRegression(intercept_scaling=2).fit(X, y)


def test_parameters_of_scikit_learn_are_taken_as_they_are(load):
    X, y = load("breast_cancer")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = sklearn.linear_model.LogisticRegression(C=0.5)
    model = LogisticRegression(**other.get_params()).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs(C=0.5).fit(X, y).coef_, atol=1e-4)


def test_huge_margins_do_not_overflow():
    X = np.array([[-1e4], [1e4], [-9e3], [1.1e4]])
    model = LogisticRegression(C=1e6).fit(X, [0, 1, 0, 1])
    proba = model.predict_proba(X * 1e4)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_weights_and_balance_as_scikit_learn(load):
    X, y = load("breast_cancer")
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    ours = LogisticRegression(class_weight="balanced").fit(X, y, sample_weight=weight)
    other = theirs(class_weight="balanced").fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)


def test_more_than_two_classes_have_one_certificate_and_one_solver(load):
    X, y = load("iris")
    model = LogisticRegression().fit(X, y)
    assert [c.label for c in model.certificate_.problems] == ["all classes"]
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    assert model.solver_ == "newton_cg"
    assert model.n_iter_.shape == (1,)
    with pytest.raises(ValueError, match="need solver='auto' or 'newton_cg'; got 'newton'"):
        LogisticRegression(solver="newton").fit(X, y)
    sparse = LogisticRegression(l1_ratio=1.0, C=0.1).fit(X, y)
    assert sparse.certificate_.status is Status.CONVERGED
    assert (sparse.coef_ == 0).any()
    warm = LogisticRegression(warm_start=True).fit(X, y).fit(X, y)
    assert warm.n_iter_.tolist() == [0]


def test_separable_classes_without_a_penalty_have_no_minimum_either():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    X, y = np.hstack([X, X**2]), np.repeat([0, 1, 2], 2)
    with pytest.warns(ConvergenceWarning, match="the classes are separable"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.certificate_.status is not Status.CONVERGED
    assert model.certificate_.verify(X, y).status is not Status.CONVERGED


@pytest.mark.parametrize("scale", [1e200, 1e300])
def test_rows_for_which_no_step_is_short_enough_end_the_fit(scale):
    """The length of a step was halved without end."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 3
    with pytest.warns(ConvergenceWarning, match="ended as 'stalled'"):
        model = LogisticRegression(l1_ratio=1.0).fit(scale * X, y)
    assert model.certificate_.verify(scale * X, y).status is Status.STALLED
    assert np.isfinite(model.coef_).all()
