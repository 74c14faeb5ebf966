"""What is proven of boosted votes: never violated, recomputed from the model, refuted on other data."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB

from maxmargin.bounds import boosting_error_bound, boosting_rounds
from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostClassifier, AdaBoostRegressor, BoostingGuarantee


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    classes=st.integers(2, 4),
    rate=st.sampled_from([0.1, 0.7, 1.0, 1.9, 3.0]),
    estimator=st.sampled_from(["stump", "box", "linear"]),
    weighted=st.booleans(),
)
def test_the_bound_is_never_violated(seed, n, classes, rate, estimator, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(n, 3)).astype(float), rng.integers(0, classes, n)
    weights = rng.exponential(size=n) if weighted else None
    try:
        model = AdaBoostClassifier(estimator, n_estimators=15, learning_rate=rate).fit(X, y, weights)
    except ValueError as error:
        assert "not better than random" in str(error)
        return
    proof = model.certificate_
    assert proof.holds
    assert (proof.training_errors <= proof.bounds * (1 + 1e-9)).all()
    # by hand, from predictions and votes alone
    start = (np.ones(n) if weights is None else weights) / (n if weights is None else weights.sum())
    for t, said in enumerate(model.staged_predict(X)):
        assert_allclose(start[said != y].sum(), proof.training_errors[t], atol=1e-12)
    votes = model.estimator_weights_[: len(model)]
    wrong = np.array([learner.predict(X) != y for learner in model])
    right_votes = votes @ ~wrong
    if len(model) > 1:
        K, total = len(model.classes_), votes.sum()
        assert_allclose(proof.bounds[-1], start @ np.exp(votes @ wrong - total / 2), rtol=1e-8)
        assert_allclose(proof.chance_bounds[-1], start @ np.exp(votes @ wrong - (1 - 1 / K) * total), rtol=1e-8)
        assert start[right_votes <= total / K - 1e-9].sum() <= proof.chance_bounds[-1] * (1 + 1e-9)


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_it_is_the_product_of_the_theorem(rate):
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=40, learning_rate=rate).fit(X, y)
    proof = model.certificate_
    assert_allclose(proof.bounds, boosting_error_bound(model.estimator_errors_, rate), rtol=1e-9)
    assert_allclose(proof.errors, model.estimator_errors_, atol=1e-12)
    assert_allclose(proof.edges, 0.5 - model.estimator_errors_, atol=1e-12)
    assert proof.figures["bound"] == proof.bounds[-1]


def test_rounds_that_suffice_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    first = AdaBoostClassifier(n_estimators=300).fit(X, y).certificate_
    enough = int(first.figures["rounds that suffice"])
    assert enough == boosting_rounds(40, first.edges.min())
    reached = np.flatnonzero(first.training_errors == 0)
    assert len(reached) > 0
    assert reached[0] < enough


def test_margins_are_shares_of_votes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=25).fit(X, y)
    scores = model.decision_function(X)  # (K V_k / A - 1) / (K - 1)
    shares = (scores * 2 + 1) / 3
    own = shares[np.arange(150), y]
    shares[np.arange(150), y] = -1
    assert_allclose(model.certificate_.margins, own - shares.max(axis=1), atol=1e-12)
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=25).fit(X, y)
    assert_allclose(model.certificate_.margins, np.where(y == 1, 0.5, -0.5) * model.decision_function(X), atol=1e-12)
    wrong = model.predict(X) != y
    assert (model.certificate_.margins[wrong] <= 0).all()
    assert (model.certificate_.margins[~wrong] >= 0).all()


def test_other_data_refute_it():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    again = model.certificate_.verify(X, y)
    assert isinstance(again, BoostingGuarantee)
    assert again.holds
    assert again.status is Status.CONVERGED
    for other in ((X, np.roll(y, 1)), (X[::-1], y), (X, y, np.linspace(1, 2, len(y)))):
        found = model.certificate_.verify(*other)
        assert not found.holds
        assert found.status is Status.REFUTED
        assert found.statement.startswith("Refuted")
    with pytest.raises(ValueError, match=f"expected {len(y)} rows, got X with 5"):
        model.certificate_.verify(X[:5], y[:5])
    assert model.certificate_.verify(X, y + 1).status is Status.REFUTED


@pytest.mark.parametrize("estimator", ["stump", GaussianNB()])
def test_a_tampered_model_is_refuted(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(estimator, n_estimators=5).fit(X, y)
    assert model.certificate_.verify(X, y).holds
    model.estimators_[2], model.estimators_[0] = model.estimators_[0], model.estimators_[2]
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_it_says_plainly_when_the_bound_says_nothing():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 4, 200)
    proof = AdaBoostClassifier(n_estimators=30).fit(X, y).certificate_
    assert proof.holds
    assert proof.bounds[-1] > 1
    assert proof.chance_bounds[-1] < 1
    assert "which says nothing: with 4 classes" in proof.statement
    proof = AdaBoostClassifier(n_estimators=5, learning_rate=2.5).fit(X, y > 1).certificate_
    assert "a learning rate of 2 or more" in proof.statement


def test_it_prints():
    X, y = load_iris(return_X_y=True)
    text = str(AdaBoostClassifier(n_estimators=3).fit(X, y > 0).certificate_)
    for word in ("boosting bound", "training error", "smallest edge", "median margin"):
        assert word in text


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rate=st.sampled_from([0.3, 1.0, 2.5]),
    loss=st.sampled_from(["linear", "square", "exponential"]),
    resample=st.booleans(),
)
def test_the_bound_of_regressors(seed, rate, loss, resample):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] * X[:, 1] + rng.normal(size=40)
    weights = rng.exponential(size=40)
    model = AdaBoostRegressor(n_estimators=8, learning_rate=rate, loss=loss, resample=resample, random_state=seed).fit(
        X, y, weights
    )
    proof = model.certificate_
    assert proof.holds
    assert (proof.training_errors <= proof.bounds * (1 + 1e-9)).all()
    assert proof.verify(X, y, weights).holds
    assert not proof.verify(X, y[::-1], weights).holds
    if rate == 1.0 and (proof.errors < 0.5).all() and len(model) > 1:
        assert (proof.bounds <= boosting_error_bound(proof.errors) * (1 + 1e-9)).all()


def test_rounding_of_sums_is_stated_by_its_bound():
    """Not by what this processor's order of additions makes of it."""
    X, y = load_breast_cancer(return_X_y=True)
    figures = AdaBoostClassifier(n_estimators=20).fit(X, y).certificate_.figures
    assert figures["errors off by at most"] == len(y) * np.finfo(float).eps
