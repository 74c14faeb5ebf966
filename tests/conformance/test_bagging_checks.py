"""scikit-learn's checks of an estimator for bagging, every one of them, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

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


def _checks_of_disjoint_bags():
    """All but one: a row that counts twice is in one bag, and of two copies each may be in another."""
    for bags in (BaggingClassifier, BaggingRegressor):
        for estimator, check in estimator_checks_generator(bags(n_estimators=3, bootstrap="disjoint", random_state=0)):
            if "sample_weight_equivalence" not in str(check):
                yield pytest.param(estimator, check, id=f"{bags.__name__}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(_checks_of_disjoint_bags()))
def test_disjoint_bags(estimator, check):
    check(estimator)
