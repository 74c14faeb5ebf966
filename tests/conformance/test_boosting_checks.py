"""scikit-learn's checks of an estimator for boosted votes and their learners, every one of them, without exceptions."""

from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

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
