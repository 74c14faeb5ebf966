"""scikit-learn's checks of an estimator for boosted votes and their learners, every one of them, without exceptions."""

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    CascadeClassifier,
    DecisionBox,
    DecisionPlane,
    DecisionStump,
)


@parametrize_with_checks([DecisionStump(), DecisionBox(), DecisionPlane()])
def test_learners(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        AdaBoostClassifier(),
        AdaBoostClassifier(stop_at_zero_error=True),
        AdaBoostClassifier("box", n_estimators=10),
        AdaBoostClassifier("linear", n_estimators=10),
        AdaBoostClassifier(GaussianNB(), n_estimators=5, learning_rate=0.5),
    ]
)
def test_classifier(estimator, check):
    check(estimator)


@parametrize_with_checks([AdaBoostRegressor(n_estimators=10)])
def test_regressor(estimator, check):
    check(estimator)


@parametrize_with_checks([CascadeClassifier(max_stages=4), CascadeClassifier(max_stages=3, carry_votes=True)])
def test_cascade(estimator, check):
    check(estimator)


def _checks_of_held_out_rows():
    """All but one: a row that counts twice is held out or not, and of two copies one may be."""
    models = [
        AdaBoostClassifier(n_estimators=10, validation_fraction=0.2, n_iter_no_change=3, random_state=0),
        AdaBoostRegressor(n_estimators=5, validation_fraction=0.2, n_iter_no_change=3, random_state=0),
        CascadeClassifier(max_stages=3, validation_fraction=0.3, random_state=0),
    ]
    for model in models:
        for estimator, check in estimator_checks_generator(model):
            if "sample_weight_equivalence" not in str(check):
                yield pytest.param(estimator, check, id=f"{type(model).__name__}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(_checks_of_held_out_rows()))
def test_held_out_rows(estimator, check):
    check(estimator)
