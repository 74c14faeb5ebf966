"""scikit-learn's checks of an estimator for trees and forests, every one of them, without exceptions."""

from sklearn.utils.estimator_checks import parametrize_with_checks

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
