"""scikit-learn's checks of an estimator for bagging, every one of them, without exceptions."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.ensemble import BaggingClassifier, BaggingRegressor
from maxmargin.neighbors import KNeighborsClassifier


@parametrize_with_checks(
    [
        BaggingClassifier(random_state=0),
        BaggingClassifier(KNeighborsClassifier(1), 5, max_features=0.5, random_state=0),
        BaggingRegressor(random_state=0),
    ]
)
def test_bagging(estimator, check):
    check(estimator)
