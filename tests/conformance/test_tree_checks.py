"""scikit-learn's checks of an estimator for trees and forests, every one of them, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from maxmargin.ensemble import RandomForestClassifier, RandomForestRegressor
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor


@parametrize_with_checks(
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(criterion="entropy", max_features="sqrt", max_leaf_nodes=7, class_weight="balanced"),
        DecisionTreeClassifier(node="oblique", n_candidates=10),
        DecisionTreeRegressor(),
        DecisionTreeRegressor(node="box", n_candidates=10),
        DecisionTreeRegressor(max_depth=3, min_weight_fraction_leaf=0.01, ccp_alpha=0.01),
    ]
)
def test_trees(estimator, check):
    check(estimator)


@parametrize_with_checks([RandomForestClassifier(n_estimators=10), RandomForestRegressor(n_estimators=10)])
def test_forests(estimator, check):
    check(estimator)


def _checks_of_parted_rows():
    """All but one: a row that counts twice is held out or not, and of two copies one may be; so it is with bags."""
    models = [
        RandomForestClassifier(n_estimators=3, bootstrap="disjoint", random_state=0),
        RandomForestRegressor(n_estimators=3, bootstrap="disjoint", random_state=0),
        RandomForestClassifier(n_estimators="auto", validation_fraction=0.25, random_state=0),
        RandomForestRegressor(n_estimators="auto", validation_fraction=0.25, random_state=0),
    ]
    for model in models:
        for estimator, check in estimator_checks_generator(model):
            if "sample_weight_equivalence" not in str(check):
                yield pytest.param(
                    estimator, check, id=f"{type(model).__name__}-{model.bootstrap}-{check.func.__name__}"
                )


@pytest.mark.parametrize(("estimator", "check"), list(_checks_of_parted_rows()))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows: the error may never settle
def test_held_out_rows_and_disjoint_bags(estimator, check):
    check(estimator)
