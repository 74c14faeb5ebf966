import numpy as np
import pytest
from sklearn import ensemble as sklearn_ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from maxmargin.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor, RandomForestClassifier
from maxmargin.plotting import ImportanceDisplay, OutOfBagDisplay
from maxmargin.svm import SVC
from maxmargin.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target


@pytest.fixture(scope="module")
def forest(cancer):
    return RandomForestClassifier(30, random_state=0).fit(*cancer)


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def labels(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


# ---------------------------------------------------------------- out of bag


def test_curve_band_and_where_it_settles(forest, assert_laid_out):
    display = OutOfBagDisplay.from_estimator(forest)
    np.testing.assert_array_equal(display.curve_.get_ydata(), forest.oob_error_curve_)
    error, spread = (forest.certificate_.figures[k] for k in ("out-of-bag error", "standard error"))
    band = display.band_.get_bbox()
    assert (band.y0, band.y1) == pytest.approx((error - spread, error + spread))
    inside = np.abs(forest.oob_error_curve_ - error) <= spread
    assert inside[display.settled_ - 1 :].all() and (display.settled_ == 1 or not inside[display.settled_ - 2])
    assert_laid_out(display, display.ax_)


def test_bagging_of_values_and_error_on_other_rows(ax):
    X, y = load_diabetes(return_X_y=True)
    model = BaggingRegressor(n_estimators=10, random_state=0).fit(X[:300], y[:300])
    display = OutOfBagDisplay.from_estimator(model, X_test=X[300:], y_test=y[300:], ax=ax)
    error = np.mean((model.predict(X[300:]) - y[300:]) ** 2)
    assert set(display.test_error_.get_ydata()) == {error}
    assert ax.get_ylabel() == "squared error" and display.figure_ is ax.figure
    assert f"squared error on other rows: {error:.4g}" in legend_texts(display)
    assert ax.get_title(loc="left").startswith("squared error out of bag after 10 learners: ")


def test_error_on_other_rows_of_classes(cancer, forest, ax):
    X, y = cancer
    display = OutOfBagDisplay.from_estimator(forest, X_test=X, y_test=y, legend=False, ax=ax)
    assert display.test_error == np.mean(forest.predict(X) != y) and display.legend_ is None


def test_what_has_no_out_of_bag_error_is_refused(cancer, forest):
    X, y = cancer
    draw = OutOfBagDisplay.from_estimator
    with pytest.raises(NotFittedError):
        draw(RandomForestClassifier())
    with pytest.raises(TypeError, match=r"draws forests and bagging of maxmargin.ensemble; got SVC\."):
        draw(SVC())
    with pytest.raises(TypeError, match="this RandomForestClassifier has no oob_error_curve_"):
        draw(sklearn_ensemble.RandomForestClassifier(2).fit(X, y))
    with pytest.raises(ValueError, match="no row was left out of any bag of this RandomForestClassifier"):
        draw(RandomForestClassifier(2, bootstrap=False).fit(X, y))
    with pytest.raises(ValueError, match="X_test and y_test are both needed"):
        draw(forest, y_test=y)
    with pytest.raises(ValueError, match="y_test must have a value for each of the 569 rows of X_test; got 9"):
        draw(forest, X_test=X, y_test=y[:9])


# ---------------------------------------------------------------- importance


def test_bars_are_the_importances_largest_first(cancer, forest):
    display = ImportanceDisplay.from_estimator(forest, most=5)
    order = np.argsort(-forest.feature_importances_)
    assert labels(display)[:5] == [cancer[0].columns[j] for j in order[:5]]
    sizes = [bar.get_width() for bar in display.bars_]
    np.testing.assert_allclose(sizes[:5], forest.feature_importances_[order[:5]])
    assert labels(display)[5] == "25 others together"
    assert sum(sizes) == pytest.approx(1.0)
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # the largest on top


def test_spread_is_that_of_the_members(forest, assert_laid_out):
    display = ImportanceDisplay.from_estimator(forest)
    members = np.array([tree.feature_importances_ for tree in forest.estimators_])
    best = int(np.argmax(forest.feature_importances_))
    ends = np.asarray(display.spread_.get_segments()[0])[:, 0]
    np.testing.assert_allclose(ends, np.percentile(members[:, best], [25, 75]))
    assert "by 30 members" in display.ax_.get_title(loc="left")
    assert_laid_out(display, display.ax_)


def test_bagging_of_columns_counts_each_for_itself(cancer, ax):
    X, y = cancer
    model = BaggingClassifier(n_estimators=8, max_features=0.3, bootstrap_features=True, random_state=0).fit(X, y)
    display = ImportanceDisplay.from_estimator(model, ax=ax)
    assert display.importances.sum() == pytest.approx(1.0)
    unused = np.setdiff1d(np.arange(30), np.concatenate(model.estimators_features_))
    assert not display.importances[unused].any() and len(unused)


def test_boosting_and_a_single_tree_have_no_spread(cancer):
    X, y = cancer
    for model in (AdaBoostClassifier(n_estimators=10), DecisionTreeClassifier(max_depth=2)):
        display = ImportanceDisplay.from_estimator(model.fit(X, y))
        assert display.spread_ is None and display.legend_ is None
        used = int((model.feature_importances_ > 0).sum())
        assert display.ax_.get_title(loc="left") == f"{used} of 30 features used"


def test_names_of_features(cancer, ax):
    X, y = cancer
    tree = DecisionTreeClassifier(max_depth=1).fit(X.to_numpy()[:, :3], y)
    assert set(labels(ImportanceDisplay.from_estimator(tree, ax=ax))) == {"feature 0", "feature 1", "feature 2"}
    named = ImportanceDisplay.from_estimator(tree, feature_names=["a", "b", "c" * 80], ax=ax)
    assert {"a", "b"} < set(labels(named)) and max(map(len, labels(named))) < 40
    with pytest.raises(ValueError, match="feature_names must have a name for each of the 3 features; got 1"):
        ImportanceDisplay.from_estimator(tree, feature_names=["a"])


def test_what_has_no_importances_is_refused(cancer, forest):
    X, y = cancer
    draw = ImportanceDisplay.from_estimator
    with pytest.raises(NotFittedError):
        draw(DecisionTreeClassifier())
    with pytest.raises(TypeError, match="needs feature_importances_, of the model or of its members; BaggingCl"):
        draw(BaggingClassifier(KNeighborsClassifier(), n_estimators=2).fit(X, y))
    with pytest.raises(TypeError, match="draws fitted models; got 'forest'"):
        draw("forest")
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match="most must be a whole number of at least 1"):
            draw(forest, most=wrong)
