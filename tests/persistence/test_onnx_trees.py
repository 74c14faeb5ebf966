"""Trees, forests, boosts, bags, cascades and neighbours as ONNX graphs: equal to the last bit wherever sums are."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_iris

from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    DecisionBox,
    DecisionPlane,
    DecisionStump,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.linear_model import LogisticRegression
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor
from maxmargin.svm import SVC, SVR
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

pytest.importorskip("onnx")
NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    return X, y, np.concatenate([X[::5], X.mean(axis=0) + 2 * rng.normal(size=(60, 4))])


@pytest.fixture(scope="module")
def holes(iris):
    """Iris with a fifth of the values missing."""
    X, y, Q = iris
    rng = np.random.default_rng(1)
    return np.where(rng.random(X.shape) < 0.2, np.nan, X), y, np.where(rng.random(Q.shape) < 0.2, np.nan, Q)


def at_thresholds(trees, Q):
    """Rows with values at the thresholds of trees, and one step of float64 beside them."""
    rows = []
    for tree in trees:
        for v in np.flatnonzero((tree.children_left >= 0) & np.isfinite(tree.threshold)):
            for value in np.nextafter(tree.threshold[v], [-np.inf, tree.threshold[v], np.inf]):
                row = Q[len(rows) % len(Q)].copy()
                row[tree.feature[v]] = value
                rows.append(row)
    return np.array(rows)


# -------------------------------------------------------------------- trees and forests


def test_trees_on_their_thresholds(iris, onnx_agrees):
    X, y, Q = iris
    for model in (DecisionTreeClassifier().fit(X, NAMES[y]), DecisionTreeRegressor(max_depth=6).fit(X, X[:, 1] ** 2)):
        onnx_agrees(model, Q, exact=True)
        onnx_agrees(model, at_thresholds([model.tree_], Q), exact=True)


def test_values_beyond_all_thresholds(iris, onnx_agrees):
    X, y, _ = iris
    model = DecisionTreeClassifier().fit(X, y)
    extreme = np.array([[1e300] * 4, [-1e300] * 4, [5e-324] * 4, [-0.0] * 4])
    onnx_agrees(model, extreme, exact=True)


def test_missing_values(holes, onnx_agrees):
    X, y, Q = holes
    onnx_agrees(DecisionTreeClassifier(max_depth=5).fit(X, y), Q, exact=True)
    onnx_agrees(DecisionTreeRegressor(max_depth=5).fit(X, y + 0.5), Q, exact=True)
    onnx_agrees(RandomForestClassifier(12, random_state=0).fit(X, NAMES[y]), Q, exact=True)
    # missing at prediction only
    onnx_agrees(DecisionTreeClassifier().fit(np.nan_to_num(X), y), Q, exact=True)


def test_a_split_that_only_parts_the_missing(onnx_agrees):
    X = np.array([[1.0], [1.0], [np.nan], [np.nan]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert np.isinf(model.tree_.threshold[0])
    onnx_agrees(model, np.array([[1.0], [7.0], [np.nan]]), exact=True)


@pytest.mark.parametrize("combine", ["mean", "product"])
def test_forests(combine, iris, onnx_agrees):
    X, y, Q = iris
    model = RandomForestClassifier(25, combine=combine, random_state=0).fit(X, NAMES[y])
    rows = at_thresholds([member.tree_ for member in model.estimators_[:3]], Q)
    onnx_agrees(model, np.concatenate([Q, rows]), exact=combine == "mean")


def test_forest_of_values(iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(RandomForestRegressor(15, random_state=0).fit(X, X[:, 1]), Q, exact=True)


def test_ties_of_a_forest_fall_the_same_way(onnx_agrees):
    """Few values, noise for labels: the shares of classes are sums of thirds and sevenths that tie but for rounding."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, (60, 3)).astype(float), rng.integers(0, 3, 60)
    grid = np.array(np.meshgrid(*[np.arange(3.0)] * 3)).reshape(3, -1).T
    for seed in range(5):
        model = RandomForestClassifier(14, max_depth=2, random_state=seed).fit(X, y)
        onnx_agrees(model, grid, exact=True)


def test_trees_without_a_split(iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(DecisionTreeRegressor().fit(X, np.full(len(X), 2.5)), Q, exact=True)
    onnx_agrees(RandomForestClassifier(3, max_leaf_nodes=2, min_samples_leaf=140, random_state=0).fit(X, y), Q)


def test_forests_in_which_some_trees_have_no_split(iris, onnx_agrees):
    X, y, Q = iris
    model = RandomForestClassifier(20, random_state=0).fit(X[[0, 60, 120]], y[[0, 60, 120]])
    assert 0 < sum(member.tree_.node_count == 1 for member in model.estimators_) < 20
    onnx_agrees(model, Q, exact=True)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_random_trees(seed):
    onnxruntime = pytest.importorskip("onnxruntime")
    from maxmargin.persistence import to_onnx

    rng = np.random.default_rng(seed)
    X = np.where(rng.random((80, 3)) < 0.1, np.nan, np.round(rng.normal(size=(80, 3)), rng.integers(0, 3)))
    y = rng.integers(0, rng.integers(2, 5), 80)
    model = RandomForestClassifier(4, max_depth=int(rng.integers(1, 8)), random_state=seed).fit(X, y)
    Q = np.concatenate([X, at_thresholds([member.tree_ for member in model.estimators_], X)])
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    label, shares = session.run(None, {"X": Q})
    np.testing.assert_array_equal(label, model.predict(Q))
    np.testing.assert_array_equal(shares, model.predict_proba(Q))


# -------------------------------------------------------------------- data frames with categories


@pytest.fixture(scope="module")
def frames():
    rng = np.random.default_rng(2)
    n = 200
    table = pd.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", "Bern", "Lima"], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n)),
            "grade": pd.Categorical(rng.integers(1, 5, n)),
            "value": rng.normal(size=n),
        }
    )
    y = np.where((table["city"].isin(["Rome", "Lima"])) ^ (table["age"].fillna(0) > 41), "yes", "no")
    new = table.copy()
    new["city"] = np.where(np.arange(n) < 20, "Paris", new["city"])  # unseen
    new["grade"] = pd.Categorical(np.where(np.arange(n) % 9 == 0, 7, table["grade"].astype(int)))  # unseen
    new.loc[30:40, "age"] = np.nan
    return table, y, new


def feed_of(table):
    return {
        "city": np.array([[value] for value in table["city"]], dtype=object),
        "age": table["age"].to_numpy()[:, None],
        "grade": table["grade"].astype(float).to_numpy()[:, None],
        "X.value": table["value"].to_numpy()[:, None],  # "value" is the name of an output
    }


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), RandomForestClassifier(9, random_state=0)])
def test_categories(model, frames, onnx_agrees):
    table, y, new = frames
    model.fit(table, y)
    onnx_agrees(model, table, feed_of(table), exact=True)
    onnx_agrees(model, new, feed_of(new), exact=True)


def test_an_empty_string_is_missing(frames, run_onnx):
    from maxmargin.persistence import to_onnx

    table, y, _ = frames
    with_holes = table.assign(city=table["city"].where(np.arange(len(table)) % 5 > 0, None))
    model = RandomForestClassifier(9, random_state=0).fit(with_holes, y)
    feed = feed_of(with_holes)
    feed["city"] = np.array([[value if isinstance(value, str) else ""] for value in with_holes["city"]], dtype=object)
    found = run_onnx(to_onnx(model), feed)
    np.testing.assert_array_equal(found["probabilities"], model.predict_proba(with_holes))


# -------------------------------------------------------------------- boosts, bags, cascades


@pytest.mark.parametrize(
    "learner",
    [DecisionStump(), DecisionBox(), DecisionPlane(), DecisionTreeClassifier(max_depth=2), SVC(C=0.1)],
    ids=lambda learner: type(learner).__name__,
)
def test_boosts(learner, iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(AdaBoostClassifier(learner, n_estimators=8, random_state=0).fit(X, NAMES[y]), Q)
    onnx_agrees(AdaBoostClassifier(learner, n_estimators=8, random_state=0).fit(X[50:], y[50:]), Q)


def test_weak_learners_by_themselves(iris, onnx_agrees):
    X, y, Q = iris
    for learner in (DecisionStump(), DecisionBox(), DecisionPlane()):
        onnx_agrees(learner.fit(X, NAMES[y]), Q)


def test_a_plane_on_one_column(iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(DecisionPlane().fit(X[:, :1], y), Q[:, :1])


def test_stumps_and_boxes_on_their_thresholds(iris, onnx_agrees):
    X, y, Q = iris
    stumps = AdaBoostClassifier(n_estimators=10).fit(X, y)
    rows = np.repeat(Q[:10], 3, axis=0)
    for k, stump in enumerate(stumps.estimators_):
        rows[3 * k : 3 * k + 3, stump.feature_] = np.nextafter(stump.threshold_, [-np.inf, stump.threshold_, np.inf])
    onnx_agrees(stumps, rows)
    box = DecisionBox(max_intervals=3).fit(X, y)
    rows = np.repeat(((np.maximum(box.lower_, -9) + np.minimum(box.upper_, 9)) / 2)[None], 24, axis=0)
    for j in range(4):
        for k, side in enumerate((box.lower_[j], box.upper_[j])):
            if np.isfinite(side):
                rows[6 * j + 3 * k : 6 * j + 3 * k + 3, j] = np.nextafter(side, [-np.inf, side, np.inf])
    onnx_agrees(box, rows, exact=True)


def test_boost_of_one_class(iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(AdaBoostClassifier(n_estimators=3).fit(X, np.zeros(len(X), dtype=int)), Q)


def test_boosted_values_are_weighted_medians(iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(AdaBoostRegressor(n_estimators=15, random_state=0).fit(X, X[:, 1]), Q, exact=True)
    own = DecisionTreeRegressor(max_depth=3)
    onnx_agrees(AdaBoostRegressor(own, n_estimators=15, random_state=0).fit(X, X[:, 1]), Q, exact=True)
    onnx_agrees(AdaBoostRegressor(SVR(), n_estimators=4, random_state=0).fit(X, X[:, 1]), Q)


def test_trees_of_sklearn_read_single_precision(iris, onnx_agrees):
    X, y, Q = iris
    for tree in (sklearn.tree.DecisionTreeClassifier(max_depth=3), sklearn.tree.DecisionTreeRegressor(max_depth=3)):
        tree.fit(X, y)
        onnx_agrees(tree, at_thresholds([tree.tree_], Q), exact=True)
    boost = AdaBoostClassifier(sklearn.tree.DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    onnx_agrees(boost, at_thresholds([learner.tree_ for learner in boost.estimators_], Q))


@pytest.mark.parametrize("columns", [2, 1.0])
def test_bags(columns, iris, onnx_agrees):
    X, y, Q = iris
    options = {"n_estimators": 6, "max_features": columns, "random_state": 0}
    onnx_agrees(BaggingClassifier(**options).fit(X, NAMES[y]), Q, exact=True)
    onnx_agrees(BaggingClassifier(SVC(), **options).fit(X, NAMES[y]), Q)
    onnx_agrees(BaggingClassifier(LogisticRegression(), **options).fit(X, NAMES[y]), Q)
    onnx_agrees(BaggingRegressor(**options).fit(X, X[:, 1]), Q, exact=True)
    onnx_agrees(BaggingRegressor(SVR(), **options).fit(X, X[:, 1]), Q)


@pytest.mark.parametrize("carry", [True, False])
@pytest.mark.parametrize("positive", ["versicolor", "virginica"])
def test_cascades(carry, positive, iris, onnx_agrees):
    X, y, Q = iris
    model = CascadeClassifier(carry_votes=carry, pos_label=positive, max_stages=4, n_estimators=5, random_state=0)
    onnx_agrees(model.fit(X[50:], NAMES[y[50:]]), Q)


# -------------------------------------------------------------------- neighbours


@pytest.mark.parametrize("weights", ["uniform", "distance", "inverse_class_size"])
def test_neighbours(weights, iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(KNeighborsClassifier(7, weights=weights).fit(X, NAMES[y]), Q)
    if weights != "inverse_class_size":
        onnx_agrees(KNeighborsRegressor(5, weights=weights).fit(X, X[:, 0]), Q)
        onnx_agrees(KNeighborsRegressor(5, weights=weights).fit(X, X[:, :2]), Q)


def test_neighbours_at_equal_distances_come_by_index(onnx_agrees):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (50, 2)).astype(float), rng.integers(0, 3, 50)
    grid = np.array(np.meshgrid(np.arange(5.0), np.arange(5.0))).reshape(2, -1).T
    for k in (1, 2, 5):
        onnx_agrees(KNeighborsClassifier(k).fit(X, y), grid)
    onnx_agrees(KNeighborsClassifier(4, weights="distance").fit(X, y), grid)


def test_prototypes(iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(CondensedNearestNeighbors().fit(X, NAMES[y]), Q)
