"""scikit-learn's checks of an estimator for gradient boosting, every one of them, without exceptions."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


@parametrize_with_checks(
    [
        HistGradientBoostingClassifier(max_iter=10),
        HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=1, max_features=0.5, l2_regularization=1.0),
    ]
)
def test_classifier(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        HistGradientBoostingRegressor(max_iter=10),
        HistGradientBoostingRegressor("absolute_error", max_iter=30, min_samples_leaf=1),
        HistGradientBoostingRegressor(
            "quantile", quantile=0.6, max_iter=40, max_leaf_nodes=None, max_depth=4, min_samples_leaf=1
        ),
    ]
)
def test_regressor(estimator, check):
    check(estimator)
