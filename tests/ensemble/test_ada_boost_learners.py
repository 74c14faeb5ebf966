"""The built-in weak learners against an exhaustive search."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from maxmargin.ensemble import AdaBoostClassifier, DecisionBox, DecisionPlane, DecisionStump
from maxmargin.ensemble._boost_columns import COARSE, ENTRIES, EXACT, Columns


def table(seed, n, d=3, classes=2, kind="distinct"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "rounded":
        X = np.round(X)
    if kind == "sparse":
        X = np.where(rng.random((n, d)) < 0.2, X, 0.0)
    return X.astype(np.float32).astype(np.float64), rng.integers(0, classes, n), rng.uniform(0.1, 1, n)


def best_error(X, y, weights, rules):
    """Least error of all rules that say the majority of two parts."""
    best = weights.sum() - np.bincount(y, weights).max()
    for part in rules(X):
        right = sum(np.bincount(y[side], weights[side], minlength=1).max() for side in (part, ~part) if side.any())
        best = min(best, weights.sum() - right)
    return best


def thresholds(X):
    for values in X.T:
        for value in np.unique(values):
            yield values <= value


def intervals(X):
    for values in X.T:
        levels = np.unique(values)
        for first in levels:
            for last in levels[levels >= first]:
                yield (values >= first) & (values <= last)


@pytest.mark.parametrize("kind", ["distinct", "rounded", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("n", [23, 60, 2500])
def test_the_stump_of_a_tree_of_depth_one(kind, classes, n):
    X, y, weights = table(n + classes, n, classes=classes, kind=kind)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, weights)
    for rows in (X, X.astype(np.float32), sp.csr_array(X), sp.csc_array(X)):
        stump = DecisionStump().fit(rows, y, weights)
        assert (stump.feature_, stump.threshold_) == (tree.tree_.feature[0], tree.tree_.threshold[0])
        assert_array_equal(stump.predict(rows), tree.predict(X))
        assert_allclose(stump.predict_proba(rows), tree.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("kind", ["distinct", "rounded", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_stump_of_least_error(kind, classes):
    X, y, weights = table(classes, 50, classes=classes, kind=kind)
    stump = DecisionStump(criterion="error").fit(X, y, weights)
    assert_allclose(weights[stump.predict(X) != y].sum(), best_error(X, y, weights, thresholds), atol=1e-12)


def test_the_stump_of_least_error_is_asked_for_by_name():
    X, y, _ = table(10, 25, d=2)
    gini, error = (AdaBoostClassifier(s, n_estimators=1).fit(X, y) for s in (None, DecisionStump(criterion="error")))
    assert error.estimator_errors_[0] < gini.estimator_errors_[0]
    assert_allclose(error.estimator_errors_[0], best_error(X, y, np.full(25, 1 / 25), thresholds), atol=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "error"])
def test_no_bin_hides_a_better_threshold(criterion):
    """Thousands of different values lie in bins, most of which are never looked into."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = np.round(rng.normal(size=(4000, 2)) * (10 ** (3 + seed % 3)))
        y = (rng.random(4000) < 0.5 + 0.4 * np.sin(X[:, 0] / X[:, 0].std() * (1 + seed))).astype(int)
        weights = rng.exponential(size=4000) ** 3
        stump = DecisionStump(criterion=criterion).fit(X, y, weights)
        best = -1.0
        for values in X.T:
            order = np.argsort(values, kind="stable")
            left = np.cumsum(np.eye(2)[y[order]] * weights[order, None], axis=0)[:-1]
            right = np.bincount(y, weights) - left
            if criterion == "gini":
                score = (left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1)
            else:
                score = left.max(axis=1) + right.max(axis=1)
            best = max(best, score[np.diff(values[order]) > 0].max())
        part = X[:, stump.feature_] > stump.threshold_
        sums = np.array([np.bincount(y[side], weights[side], minlength=2) for side in (part, ~part)])
        found = ((sums**2).sum(axis=1) / sums.sum(axis=1)).sum() if criterion == "gini" else sums.max(axis=1).sum()
        assert_allclose(found, best, rtol=1e-12)


def test_each_form_of_a_column_is_used():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=5000), rng.integers(0, 50, 5000), rng.random(5000) < 0.1, np.ones(5000)])
    label = (rng.random(5000) < 0.5).astype(np.uint16)
    assert Columns(X, label, 2).kind.tolist() == [COARSE, EXACT, ENTRIES, ENTRIES]
    assert np.concatenate(Columns(X, label, 2).tasks).tolist().count(3) == 0  # a constant is never looked at


@pytest.mark.parametrize("kind", ["distinct", "rounded", "sparse"])
def test_the_best_interval(kind):
    for seed in range(6):
        X, y, weights = table(seed, 30, d=2, kind=kind)
        for rows in (X, sp.csr_array(X)):
            box = DecisionBox(max_intervals=1).fit(rows, y, weights)
            assert_allclose(weights[box.predict(rows) != y].sum(), best_error(X, y, weights, intervals), atol=1e-12)


def test_boxes_grow_only_to_gain():
    X, y, weights = table(1, 300, d=4, classes=3, kind="rounded")
    errors = []
    for most in (1, 2, 3, 8):
        box = DecisionBox(max_intervals=most).fit(X, y, weights)
        errors.append(weights[box.predict(X) != y].sum())
        assert (np.isfinite(box.lower_) | np.isfinite(box.upper_)).sum() <= most
        assert_allclose(box.feature_importances_.sum(), 1.0)
    assert (np.diff(errors) <= 1e-12).all()


def test_a_box_in_the_plane_is_found():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(3000, 3))
    y = ((np.abs(X[:, 0] - 0.2) < 0.5) & (X[:, 1] > -0.3)).astype(int)
    box = DecisionBox().fit(X, y)
    assert box.score(X, y) > 0.99  # between bins of 6 rows
    assert_allclose([box.lower_[0], box.upper_[0], box.lower_[1]], [-0.3, 0.7, -0.3], atol=0.02)
    assert np.isinf([box.upper_[1], box.lower_[2], box.upper_[2]]).all()


def test_a_plane_is_found():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 4)) * [1, 100, 0.01, 1] + [0, 1e4, 0, 0]
    X[:, 3] = X[:, 0]  # columns that depend on each other
    y = np.where(2 * X[:, 0] + (X[:, 1] - 1e4) / 50 > 0.5, "over", "under")
    plane = DecisionPlane().fit(X, y)
    assert plane.score(X, y) > 0.98
    second = X @ plane.coef_ + plane.intercept_ > 0
    assert len(set(plane.predict(X)[second])) == 1
    assert plane.predict(X[second])[0] != plane.predict(X[~second])[0]


def test_planes_boosted_bend():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(800, 2))
    y = (np.abs(X[:, 0]) + np.abs(X[:, 1] - 0.3) > 1).astype(int)
    one, many = (AdaBoostClassifier("linear", n_estimators=T).fit(X, y).score(X, y) for T in (1, 100))
    assert many > one + 0.1


@pytest.mark.parametrize("learner", [DecisionStump(), DecisionBox(), DecisionPlane()])
def test_nothing_to_part_by(learner):
    learner.fit(np.ones((5, 2)), [0, 1, 1, 0, 1])
    assert_array_equal(learner.predict([[0.0, 3.0], [1.0, 1.0]]), [1, 1])
    assert_allclose(learner.predict_proba([[1.0, 1.0]]), [[0.4, 0.6]])


@pytest.mark.parametrize("learner", [DecisionStump(), DecisionBox(), DecisionPlane()])
def test_twice_the_weight_is_twice_the_row(learner):
    X, y, _ = table(5, 80, classes=3, kind="rounded")
    counts = np.random.default_rng(0).integers(0, 4, 80)
    once = learner.fit(X, y, counts).predict_proba(X)
    again = learner.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).predict_proba(X)
    assert_allclose(once, again, atol=1e-12)


def test_thresholds_between_neighbouring_numbers():
    low = 1.0
    high = np.nextafter(low, 2.0)
    stump = DecisionStump().fit([[low], [high]], [0, 1])
    assert_array_equal(stump.predict([[low], [high]]), [0, 1])
    huge = np.finfo(np.float64).max
    stump = DecisionStump().fit([[-huge], [huge]], [0, 1])
    assert stump.threshold_ == 0.0


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_next_to_no_weight_do_not_attract_thresholds(classes):
    """Left alone on one side, such a row has a weight of the size of the rounding of all others."""
    rng = np.random.default_rng(6)
    for n in (60, 3000):
        X = rng.normal(size=(n, 3))
        y = np.digitize(X[:, 0], [0.0, 1.0][: classes - 1])
        weights = np.where(rng.random(n) < 0.3, 1e-16, rng.uniform(0.5, 1, n))
        weights[np.argsort(X[:, 1])[[0, -1]]] = 1e-16
        stump = DecisionStump().fit(X, y, weights)
        heavy = weights > 1e-9
        tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[heavy], y[heavy], weights[heavy])
        assert stump.feature_ == tree.tree_.feature[0] == 0
        assert_array_equal(stump.predict(X[heavy]), tree.predict(X[heavy]))


def test_columns_too_narrow_to_be_scaled_are_named():
    X = np.column_stack([np.arange(6.0), 1e-310 * np.arange(6)])
    with pytest.raises(ValueError, match=r"column 1 of X has values between 0 and 5e-310, too close"):
        DecisionPlane().fit(X, [0, 1, 0, 1, 1, 0])
