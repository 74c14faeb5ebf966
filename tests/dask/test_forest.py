"""Forests on a cluster: the same trees whatever the partitions, their quality, and their proof."""

from __future__ import annotations

import pickle

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin
import maxmargin.dask as on
from maxmargin import ensemble
from maxmargin.messages import InputError
from maxmargin.tree import DecisionTreeClassifier, first_difference

from .samples import on_cluster, rows, targets

CASES = [
    ("RandomForestClassifier", {}, "two"),
    ("RandomForestClassifier", {"criterion": "entropy", "class_weight": "balanced", "max_depth": 6}, "three"),
    ("RandomForestClassifier", {"bootstrap": False, "min_samples_leaf": 7, "combine": "product"}, "three"),
    ("RandomForestRegressor", {}, "number"),
    ("RandomForestRegressor", {"max_samples": 0.5, "min_impurity_decrease": 0.01, "max_features": 2}, "number"),
]


def grown(name, params, X, y, parts=3, weights=None):
    forest = getattr(on, name)(**{"n_estimators": 5, "random_state": 0, **params})
    return forest.fit(
        on_cluster(X, parts), on_cluster(y, parts), None if weights is None else on_cluster(weights, parts)
    )


@pytest.mark.parametrize("name, params, kind", CASES)
def test_partitions_make_no_difference(name, params, kind):
    X, z = rows(600)
    y = targets(z, kind)
    model = grown(name, params, X, y, 1)
    own = getattr(ensemble, name)(5, random_state=0).fit(X, y)
    assert type(model) is type(own) and set(vars(model)) == set(vars(own))
    for parts in (2, 7):
        other = grown(name, params, X, y, parts)
        for one, two in zip(model.estimators_, other.estimators_, strict=True):
            for part in ("feature", "threshold", "value", "impurity", "weighted_n_node_samples", "children_left"):
                np.testing.assert_array_equal(getattr(one.tree_, part), getattr(two.tree_, part))
        assert first_difference(model, other) is None


@pytest.mark.parametrize("name, params, kind", CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_verified_by_growing_again_here_and_there(name, params, kind, weighted, tmp_path):
    X, z = rows(500)
    y, weights = targets(z, kind), (np.arange(500) % 4) / 3.0 if weighted else None
    model = grown(name, params, X, y, 3, weights)
    claim = model.certificate_
    wd = None if weights is None else on_cluster(weights, 2)
    maxmargin.save(model, tmp_path / "model")
    for fitted in (model, pickle.loads(pickle.dumps(model)), maxmargin.load(tmp_path / "model")):
        for found in (
            fitted.certificate_.verify(X, y, weights),
            fitted.certificate_.verify(on_cluster(X, 2), on_cluster(y, 2), wd),
        ):
            assert str(found.status) == "converged" and not found.holds, found.statement
            for figure, value in claim.figures.items():
                assert found.figures[figure] == pytest.approx(value, rel=1e-9, nan_ok=True)
    tree = model.estimators_[2].tree_
    tree.threshold[0] += 1e-6
    for data in ((X, y, weights), (on_cluster(X, 2), on_cluster(y, 2), wd)):
        assert str(claim.verify(*data).status) == "refuted"
    with pytest.raises(ValueError, match="rows"):
        model.certificate_.verify(X[1:], y[1:], None if weights is None else weights[1:])


def test_one_tree_of_all_columns_and_rows_is_that_of_one_machine():
    X, z = rows(400)
    params = {"n_estimators": 1, "bootstrap": False, "max_features": None}
    for kind, name in (("three", "RandomForestClassifier"), ("number", "RandomForestRegressor")):
        y = targets(z, kind)
        tree = grown(name, params, X, y).estimators_[0].tree_
        own = getattr(ensemble, name)(**params).fit(X, y).estimators_[0].tree_
        assert tree.node_count == own.node_count and tree.max_depth == own.max_depth
        np.testing.assert_allclose(tree.predict(X), own.predict(X), rtol=1e-12)
        np.testing.assert_allclose(np.sort(tree.gains()), np.sort(own.gains()), rtol=1e-7, atol=1e-9)


def test_contents_of_nodes_are_those_of_the_rows_in_them():
    X, z = rows(300)
    weights = np.random.default_rng(1).uniform(0.1, 2, 300)
    model = grown("RandomForestRegressor", {"max_depth": 4}, X, z, 3, weights)
    for member in model.estimators_:
        counts = model._bags.counts(member.random_state)
        leaf, s = member.tree_.apply(X), counts * weights
        for node in np.unique(leaf[counts > 0]):
            inside = (leaf == node) & (counts > 0)
            mean = np.average(z[inside], weights=s[inside])
            assert member.tree_.n_node_samples[node] == inside.sum()
            assert member.tree_.value[node, 0, 0] == pytest.approx(mean, abs=1e-12)
            assert member.tree_.weighted_n_node_samples[node] == pytest.approx(s[inside].sum())
            variance = np.average((z[inside] - mean) ** 2, weights=s[inside])
            assert member.tree_.impurity[node] == pytest.approx(variance, abs=1e-12)


def test_the_error_out_of_bag_is_that_of_the_trees_that_have_not_seen_a_row():
    X, z = rows(500)
    y = targets(z, "three")
    model = grown("RandomForestClassifier", {"n_estimators": 8}, X, y, 7)
    votes, judges = np.zeros((500, 3)), np.zeros(500)
    for member in model.estimators_:
        unseen = model._bags.counts(member.random_state) == 0
        votes[unseen] += member.predict_proba(X[unseen])
        judges += unseen
    wrong = votes.argmax(axis=1) != y
    figures = model.certificate_.figures
    assert figures["rows judged"] == (judges > 0).sum()
    assert figures["rows judged of class 1"] == ((judges > 0) & (y == 1)).sum()
    assert figures["error of class 1"] == pytest.approx(wrong[(judges > 0) & (y == 1)].mean())
    assert model.oob_error_curve_[-1] == pytest.approx(wrong[judges > 0].mean())
    assert figures["share of the rows in a bag"] == pytest.approx(1 - judges.sum() / (8 * 500))


def test_quality_is_that_of_one_machine():
    def noisy(rng):
        X = rng.normal(size=(1000, 6))
        return X, (X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=1000) > 0).astype(int)

    new, scores = noisy(np.random.default_rng(99)), []
    for seed in range(4):
        X, y = noisy(np.random.default_rng(seed))
        own = ensemble.RandomForestClassifier(12, random_state=seed).fit(X, y)
        model = grown("RandomForestClassifier", {"n_estimators": 12, "random_state": seed}, X, y, 4)
        scores.append((model.score(*new), own.score(*new)))
    differences = np.subtract(*np.transpose(scores))
    assert abs(differences.mean()) < 0.02  # 1000 rows tell two accuracies of 0.85 apart to 0.016; these are four pairs


def test_sparse_rows_float32_and_one_column_that_never_varies():
    X, z = rows(300)
    X = np.where(np.abs(X) > 0.8, X, 0).astype(np.float32)
    X[:, 3] = 2.0
    y = targets(z, "two")
    dense = grown("RandomForestClassifier", {}, X, y)
    Xd = on_cluster(X, 3).map_blocks(sp.csr_matrix)
    sparse = on.RandomForestClassifier(5, random_state=0).fit(Xd, on_cluster(y, 3))
    assert first_difference(dense, sparse) is None
    assert not any((member.tree_.feature == 3).any() for member in dense.estimators_)
    assert str(dense.certificate_.verify(sp.csr_matrix(X), y).status) == "converged"
    assert (sparse.predict(Xd).compute() == dense.predict(X)).all()


def test_more_values_than_bins_and_more_rows_than_the_sample(monkeypatch):
    monkeypatch.setattr("maxmargin.ensemble.summed._rows._FEWEST", 300)
    monkeypatch.setattr("maxmargin.ensemble.summed._rows._MOST", 300)
    X, z = rows(2000)
    y = targets(z, "two")
    model = grown("RandomForestClassifier", {}, X, y, 2)
    assert first_difference(model, grown("RandomForestClassifier", {}, X, y, 7)) is None
    for member in model.estimators_:  # thresholds lie between neighbouring values of all rows
        tree = member.tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        assert all(not (X[:, tree.feature[k]] == tree.threshold[k]).any() for k in inner)
    assert model.score(X, y) > 0.95
    assert isinstance(model.estimators_[0], DecisionTreeClassifier)


def test_questions_are_divided_where_answers_would_be_too_large(monkeypatch):
    X, z = rows(150)
    whole = grown("RandomForestRegressor", {}, X, z)
    monkeypatch.setattr("maxmargin.ensemble.summed._growth._ROOM", 500)
    assert first_difference(whole, grown("RandomForestRegressor", {}, X, z)) is None


def test_odd_targets():
    X, _ = rows(200)
    constant = grown("RandomForestRegressor", {}, X, np.full(200, 3.5))
    assert (constant.predict(X) == 3.5).all() and all(m.tree_.node_count == 1 for m in constant.estimators_)
    far = grown("RandomForestRegressor", {"bootstrap": False}, X, 1e9 + X[:, 0])
    np.testing.assert_allclose(far.predict(X), 1e9 + X[:, 0], rtol=1e-15)


@pytest.mark.parametrize(
    "params",
    [
        {"node": "box"},
        {"bootstrap": "disjoint"},
        {"n_estimators": "auto"},
        {"validation_fraction": 0.2},
        {"max_leaf_nodes": 5},
        {"oob_score": True},
        {"warm_start": True},
        {"class_weight": "balanced_subsample"},
        {"max_samples": 17.0},
    ],
)
def test_what_a_cluster_does_not_do_is_said(params):
    X, z = rows(100)
    with pytest.raises(InputError, match=next(iter(params))):
        grown("RandomForestClassifier", params, X, targets(z, "two"))


def test_gaps_categories_and_tables_of_targets_are_refused():
    import dask.dataframe as dd
    import pandas as pd

    X, z = rows(100)
    hole = X.copy()
    hole[70, 1] = np.nan
    with pytest.raises(InputError, match="partition 2 of 3"):
        grown("RandomForestRegressor", {}, hole, z)
    table = pd.DataFrame({"size": z, "kind": pd.Categorical(np.arange(100) % 3)})
    with pytest.raises(InputError, match="column 'kind' of X holds categories"):
        on.RandomForestRegressor(3).fit(dd.from_pandas(table, npartitions=2), da.from_array(z, chunks=50))
    with pytest.raises(InputError, match="several columns"):
        grown("RandomForestRegressor", {}, X, np.column_stack([z, z]))


def test_trees_of_a_cluster_are_not_added_to():
    X, z = rows(100)
    y = targets(z, "two")
    model = grown("RandomForestClassifier", {}, X, y).set_params(warm_start=True, n_estimators=9)
    with pytest.raises(ValueError, match="warm_start=True cannot add trees"):
        model.fit(X, y)
