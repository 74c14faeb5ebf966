"""Odd and bad input for all trees and ensembles, and the same model whatever the number of threads or processes."""

import re

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from maxmargin.certificates import Status
from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

BY_CATEGORY = [
    DecisionTreeClassifier(),
    DecisionTreeRegressor(),
    RandomForestClassifier(5, random_state=0),
    RandomForestRegressor(5, random_state=0),
]
TAKE_MISSING = [
    *BY_CATEGORY,
    BaggingClassifier(n_estimators=5, random_state=0),
    BaggingRegressor(n_estimators=5, random_state=0),
]
NUMBERS_ONLY = [
    AdaBoostClassifier(n_estimators=5),
    AdaBoostClassifier("box", n_estimators=5),
    AdaBoostClassifier("linear", n_estimators=5),
    AdaBoostRegressor(n_estimators=5),
]
CASCADE = CascadeClassifier(max_stages=2, n_estimators=5)
EVERY = [*TAKE_MISSING, *NUMBERS_ONLY]

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def each(models):
    return pytest.mark.parametrize("model", [clone(m) for m in models], ids=repr)


@each(EVERY)
def test_a_constant_target_is_what_is_predicted(model):
    model.fit(X, np.full(60, 3))
    assert_allclose(model.predict(-X), np.full(60, 3), rtol=1e-14)
    assert model.certificate_.status is Status.CONVERGED
    if is_classifier(model):
        assert_array_equal(model.predict_proba(X), np.ones((60, 1)))


@each(EVERY)
def test_one_row(model):
    assert_array_equal(model.fit(X[:1], [7]).predict(X), np.full(60, 7))


def test_a_cascade_needs_two_classes():
    for rows, y in ((X, np.full(60, 3)), (X[:1], [3])):
        with pytest.raises(ValueError, match="needs two classes; y has one class only"):
            clone(CASCADE).fit(rows, y)


@each([*EVERY, CASCADE])
def test_fewer_values_than_bins(model):
    """Columns of two values and of one, where there is room for 255."""
    rows = np.column_stack([X > 0, np.ones(60)]).astype(float)
    assert_array_equal(np.rint(model.fit(rows, Y).predict(rows)), Y)


@each(TAKE_MISSING)
def test_columns_of_missing_values_alone(model):
    holes = X.copy()
    holes[:, 1] = np.nan
    assert_array_equal(np.rint(model.fit(holes, Y).predict(holes)), Y)
    nothing = np.full((60, 2), np.nan)
    said = model.fit(nothing, Y).predict(nothing)
    assert len(np.unique(said)) == 1 and 0 <= said[0] <= 1


@each([*NUMBERS_ONLY, CASCADE])
def test_missing_values_are_refused_where_they_mean_nothing(model):
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(np.where(X > 1, np.nan, X), Y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(np.full((2, 3), np.nan))


FRAME = pd.DataFrame({"size": X[:, 0] ** 2, "kind": pd.Categorical(np.where(Y == 1, "north", "south"))})


@each(BY_CATEGORY)
def test_unseen_categories_are_as_good_as_missing(model):
    model.fit(FRAME, Y)
    assert_array_equal(np.rint(model.predict(FRAME)), Y)
    unseen = model.predict(FRAME.assign(kind="elsewhere"))
    assert_array_equal(unseen, model.predict(FRAME.assign(kind=None)))


@each([*TAKE_MISSING[4:], *NUMBERS_ONLY, CASCADE])
def test_categories_are_refused_by_name(model):
    words = f"{type(model).__name__} takes numbers, and column 'kind' of X holds categories (such as 'north')"
    with pytest.raises(ValueError, match=re.escape(words)):
        model.fit(FRAME, Y)


def test_a_forest_of_categories_prints_its_trees():
    forest = RandomForestClassifier(3, max_features=None, random_state=0).fit(FRAME, Y)
    assert re.search(r" in \{(no\. \d|north|south)\}", export_text(forest[0]))


# ---------------------------------------------------------------- threads


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(12, random_state=3),
        RandomForestRegressor(12, random_state=3),
        BaggingClassifier(n_estimators=6, max_features=2, random_state=3),
        BaggingRegressor(n_estimators=6, max_samples=0.5, random_state=3),
    ],
    ids=repr,
)
def test_the_same_seed_gives_the_same_model_whatever_the_jobs(model):
    with parallel_config(backend="threading"):  # bags are trained by joblib, whose processes take seconds to start
        one, two = (clone(model).set_params(n_jobs=jobs).fit(X, Y) for jobs in (1, 2))
    assert len(one.estimators_) == len(two.estimators_)
    for a, b in zip(one.estimators_, two.estimators_, strict=True):
        for name in ("children_left", "feature", "threshold", "value", "impurity", "n_node_samples"):
            assert_array_equal(getattr(a.tree_, name), getattr(b.tree_, name))
    assert one.certificate_.figures == two.certificate_.figures
    said = "predict_proba" if is_classifier(model) else "predict"
    assert_array_equal(getattr(one, said)(X), getattr(two, said)(X))


BOOSTED = [
    AdaBoostClassifier(n_estimators=10),
    AdaBoostClassifier("box", n_estimators=5),
    CascadeClassifier(max_stages=2, n_estimators=5, random_state=3),
]


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(max_features=2, random_state=3), AdaBoostRegressor(n_estimators=10), *BOOSTED],
    ids=repr,
)
def test_the_same_model_on_one_thread(model, monkeypatch):
    """Tables of 20000 rows, so that there is work to share."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20_000, 6))
    y = (rows[:, :2].sum(axis=1) + rng.normal(size=20_000) > 1).astype(int)
    said = "predict" if not is_classifier(model) else "decision_function" if model in BOOSTED else "predict_proba"
    results = []
    for threads in (1, 3):
        for module in ("tree._tree", "tree._binning", "ensemble._boost_columns"):
            monkeypatch.setattr(f"maxmargin.{module}.thread_count", lambda jobs=None, number=threads: number)
        results.append(getattr(clone(model).fit(rows, y), said)(rows))
    assert_array_equal(*results)


def test_a_foreign_learner_that_cannot_be_fitted_again_refutes():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    model = AdaBoostClassifier(SklearnTree(max_depth=1), n_estimators=3, random_state=0).fit(X, y)
    assert model.certificate_.verify(X, y).holds
    model.estimator.class_weight = {"no such": 1.0}
    found = model.certificate_.verify(X, y)
    assert found.status is Status.REFUTED and "cannot be fitted on these rows again" in found.statement


@pytest.mark.parametrize("name", ["max_leaf_nodes", "min_samples_leaf", "min_samples_split", "max_depth"])
def test_limits_beyond_64_bits_are_no_limits(name):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    for kind in (DecisionTreeClassifier, RandomForestClassifier):
        usual, odd = (kind(random_state=0, **{name: size}).fit(X, y) for size in (10_000, 10**30))
        np.testing.assert_array_equal(odd.predict(X), usual.predict(X))


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor, BaggingClassifier, BaggingRegressor])
@pytest.mark.parametrize("share", [1e308, 1e30, 1e9])
def test_bags_beyond_all_memory_are_refused_by_name(kind, share):
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    with pytest.raises(ValueError, match="max_samples"):
        kind(max_samples=share).fit(X, y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the proofs of single trees overflow, too, and say so
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [RandomForestRegressor, BaggingRegressor])
@pytest.mark.parametrize("only_one", [False, True])
def test_squared_errors_that_overflow_are_no_rows_that_were_judged_by_none(kind, only_one):
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = np.where(np.arange(80) == 3, 1e300, X[:, 0]) if only_one else X[:, 0] * 1e300
    proof = kind(n_estimators=10, random_state=0).fit(X, y).certificate_
    assert "overflows float64" in proof.statement and "No row was left out" not in proof.statement
    assert proof.figures["rows judged"] > 70 and not np.isfinite(proof.figures["out-of-bag squared error"])
    assert proof.verify(X, y).status is proof.status


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("kind", [RandomForestRegressor, BaggingRegressor])
def test_figures_that_are_not_known_are_said_to_be(kind):
    """One row is in every bag: there is no error outside of any."""
    model = kind(n_estimators=5, random_state=0).fit([[0.0]], [1.0])
    printed = str(model.certificate_)
    assert "nan" not in printed
    assert re.search(r"out-of-bag squared error +not known", printed)
