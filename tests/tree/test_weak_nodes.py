"""Nodes that ask about half-spaces and boxes."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostRegressor, RandomForestClassifier, RandomForestRegressor
from maxmargin.explanation import explain_model, explain_row
from maxmargin.plotting import TreeDisplay
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

IRIS = load_iris(return_X_y=True)


def gini(y):
    shares = np.bincount(y) / len(y)
    return 1 - (shares**2).sum()


def values_of(model, X):
    """g(v) of every candidate, by the formulas, one at a time."""
    learners, columns = model._learners, list(X.T)
    columns += [sum(w[j] * X[:, j] for j in range(X.shape[1])) for w in learners.normals]
    for centre, widths in zip(learners.centres, learners.widths, strict=True):
        inside = np.flatnonzero(np.isfinite(widths))
        columns.append(np.max([np.abs(X[:, j] - centre[j]) / widths[j] for j in inside], axis=0))
    return columns


@pytest.mark.parametrize("node", ["axis", "oblique", "box"])
def test_every_split_is_the_best_of_all_candidates_and_thresholds(node):
    X, y = IRIS
    model = DecisionTreeClassifier(node=node, n_candidates=15, max_depth=2, random_state=0).fit(X, y)
    tree = model.tree_
    columns = list(X.T) if node == "axis" else values_of(model, X)
    assert len(columns) == (4 if node == "axis" else 19)
    rows = {0: np.arange(150)}
    for at in range(tree.node_count):
        inside = rows[at]
        if tree.children_left[at] < 0:
            continue
        best = -np.inf
        for values in columns:
            for t in np.unique(values[inside])[:-1]:
                left = values[inside] <= t
                parts = [y[inside][left], y[inside][~left]]
                best = max(best, gini(y[inside]) - sum(len(p) / len(inside) * gini(p) for p in parts))
        left = columns[tree.feature[at]][inside] <= tree.threshold[at]
        parts = [y[inside][left], y[inside][~left]]
        gained = gini(y[inside]) - sum(len(p) / len(inside) * gini(p) for p in parts)
        assert gained == pytest.approx(best, abs=1e-12)
        rows[int(tree.children_left[at])], rows[int(tree.children_right[at])] = inside[left], inside[~left]
    assert (tree.feature >= 4).any() == (node != "axis")  # learners, not only columns


def test_a_half_space_takes_one_split_and_a_box_another():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (2000, 2))
    side, inside = (X.sum(axis=1) > 0).astype(int), (np.abs(X).max(axis=1) < 0.5).astype(int)
    for y, node in ((side, "oblique"), (inside, "box")):
        scores = {
            kind: DecisionTreeClassifier(node=kind, n_candidates=400, max_depth=1, random_state=0).fit(X, y).score(X, y)
            for kind in ("axis", node)
        }
        assert scores[node] > scores["axis"] + 0.1


@pytest.mark.parametrize("node", ["oblique", "box"])
def test_the_certificate_is_recomputed_and_changed_learners_are_refuted(node):
    X, y = load_breast_cancer(return_X_y=True)
    model = DecisionTreeClassifier(node=node, max_depth=3).fit(X, y)
    assert model.certificate_.holds and model.certificate_.verify(X, y).holds
    model.set_params(random_state=7)
    assert model.certificate_.verify(X, y).holds
    part = model._learners.normals if node == "oblique" else model._learners.widths
    part[0, np.flatnonzero(np.isfinite(part[0]) & (part[0] != 0))[0]] *= 1.01
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_rows_are_seen_one_by_one_as_all_at_once():
    X, y = IRIS
    for node in ("oblique", "box"):
        model = DecisionTreeClassifier(node=node, random_state=0).fit(X, y)
        whole = model._learners.columns(X)
        np.testing.assert_array_equal(whole, np.vstack([model._learners.columns(row[None]) for row in X]))
        np.testing.assert_array_equal(model.apply(X), model.apply(X.copy(), check_input=False))
        np.testing.assert_array_equal(model.decision_path(X).shape, (150, model.tree_.node_count))


@pytest.mark.parametrize("node", ["oblique", "box"])
def test_forests_of_learners_are_as_good_as_those_of_columns(node):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(60, node=node, random_state=0).fit(X, y)
    plain = RandomForestClassifier(60, random_state=0).fit(X, y)
    errors = [model.certificate_.figures["out-of-bag error"] for model in (forest, plain)]
    assert errors[0] <= errors[1] + 2 * plain.certificate_.figures["standard error"]
    assert forest.max_features_ == int(np.sqrt(130))
    assert forest.feature_importances_.shape == (30,) and forest.feature_importances_.sum() == pytest.approx(1)
    again = forest.certificate_.verify(X, y)
    assert again.status is Status.CONVERGED and again.figures == forest.certificate_.figures
    a_tree = forest.estimators_[0]
    np.testing.assert_array_equal(a_tree.predict(X), forest.estimators_[0].predict_proba(X).argmax(axis=1))


def test_forests_of_values_and_held_out_rows():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(20, node="oblique", validation_fraction=0.2, random_state=0).fit(X, y)
    held = np.setdiff1d(np.arange(len(y)), np.concatenate(model.estimators_samples_))
    staged = [np.mean((said - y[held]) ** 2) for said in model.staged_predict(X[held])]
    np.testing.assert_allclose(model.validation_error_curve_, staged)


def test_importances_are_shared_by_the_columns_of_a_learner():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) * [1.0, 100.0, 1.0]
    y = (X[:, 0] + X[:, 1] / 100 > 0).astype(int)
    model = DecisionTreeClassifier(node="oblique", n_candidates=300, max_depth=1, random_state=0).fit(X, y)
    shares = model.feature_importances_
    assert shares.sum() == pytest.approx(1) and shares[2] < 0.2
    assert shares[0] == pytest.approx(shares[1], abs=0.2)  # in standard deviations, not in units


def test_boosting_of_such_trees():
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(node="oblique", max_depth=2)
    model = AdaBoostRegressor(tree, n_estimators=5, random_state=0).fit(X, y)
    assert all(hasattr(learner, "_learners") for learner in model.estimators_)
    assert model.certificate_.holds and model.certificate_.verify(X, y).holds


def test_words_and_pictures():
    X, y = IRIS
    for node, sign in (("oblique", " width"), ("box", "|")):
        names = ["length", "width", "petal length", "petal width"]
        model = DecisionTreeClassifier(node=node, max_depth=2, random_state=0).fit(pd.DataFrame(X, columns=names), y)
        text = export_text(model)
        asked = model._learners.names(names)[model.tree_.feature[0]]
        assert asked in text and sign in "".join(model._learners.names(names)[4:])
        frame = pd.DataFrame(X, columns=names)
        display = TreeDisplay.from_estimator(model, row=frame[:1])
        assert display.path[0] == 0
        assert "weak learners" in str(explain_model(model, frame, y))
        said = explain_row(model, frame[60:61], frame, y)
        assert asked in str(said.tables["path"].rows)
        parts = said.contributions.rows
        assert sum(row[-1] for row in parts) == pytest.approx(model.predict_proba(frame[60:61]).max())
    with pytest.raises(ValueError, match="feature_names must contain 4"):
        export_text(model, feature_names=["a"])


@pytest.mark.parametrize("make", [DecisionTreeClassifier, RandomForestClassifier])
def test_what_such_nodes_cannot_take_is_refused(make):
    X, y = IRIS
    model = make(node="oblique")
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 7, np.nan, X), y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match="column 'colour' of X holds categories, which"):
        model.fit(pd.DataFrame({"size": X[:, 0], "colour": ["red", "green", "blue"] * 50}), y)
    with pytest.raises(ValueError, match="too large for half-spaces"):
        model.fit(X * 1e200, y)
    if make is RandomForestClassifier:
        with pytest.raises(ValueError, match="use warm_start=False"):
            make(node="box", warm_start=True).fit(X, y)


def test_a_plain_tree_knows_nothing_of_candidates():
    X, y = IRIS
    model = DecisionTreeClassifier(node="oblique", n_candidates=5, random_state=0).fit(X, y)
    model.set_params(node="axis").fit(X, y)
    plain = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert vars(model).keys() == vars(plain).keys()
    np.testing.assert_array_equal(model.tree_.threshold, plain.tree_.threshold)
