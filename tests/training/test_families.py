"""Every family on every task that it learns, from the table to the check of its proof."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.pipeline import Pipeline

from maxmargin.persistence import load, save
from maxmargin.tables import SparseTable, make_preparation
from maxmargin.training import FAMILIES, check, evaluate, train

CASES = [
    (family.name, task)
    for family in FAMILIES.values()
    for task in ("binary", "multiclass", "regression")
    if family.learns(task != "regression")
]


@pytest.fixture(scope="module")
def trainings(tables):
    """Each training is made once."""
    made = {}

    def get(family, task):
        if (family, task) not in made:
            made[family, task] = train(tables[task], "y", model=family)
        return made[family, task]

    return get


@pytest.mark.parametrize(("family", "task"), CASES)
def test_end_to_end(family, task, tables, trainings):
    training = trainings(family, task)
    assert (training.family, training.task) == (family, task)
    main = "R2" if task == "regression" else "accuracy"
    assert training.metric == main
    assert training.scores[main].value > training.baseline[main].value + 0.2
    assert list(training.scores) == list(training.baseline)
    checked = check(training.model, json.loads(json.dumps(training.provenance(), allow_nan=False)), tables[task])
    assert checked and checked.same_data and checked.same_rows, checked.reason


@pytest.mark.parametrize(("family", "task"), CASES)
def test_held_out_score_is_that_of_the_same_pipeline_by_hand(family, task, tables, trainings):
    """The split, the preparation and the fit, made again with scikit-learn's own pieces."""
    training, table = trainings(family, task), tables[task]
    train_rows, test_rows = training.split.train_rows, training.split.test_rows
    X, y = table.drop(columns="y"), table["y"].to_numpy()
    preparation = make_preparation(X.iloc[train_rows], scale=FAMILIES[family].scaled)
    model = Pipeline([("prepare", preparation), ("model", clone(training.model[-1]))])
    model.fit(X.iloc[train_rows], y[train_rows])
    predictions = model.predict(X.iloc[test_rows])
    judge, name = (r2_score, "R2") if task == "regression" else (accuracy_score, "accuracy")
    assert training.scores[name].value == pytest.approx(judge(y[test_rows], predictions), abs=1e-12)
    np.testing.assert_array_equal(training.model.predict(X), model.predict(X))


@pytest.mark.parametrize(("family", "task"), CASES)
def test_fold_scores_are_those_of_the_winner_fitted_on_each_fold(family, task, tables, trainings):
    """What a search says of its best candidate is what that candidate does, on the folds that all families share."""
    from maxmargin.training._evaluate import score_by
    from maxmargin.training._table import make_folds

    training, table = trainings(family, task), tables[task]
    rows = training.split.train_rows
    y = table["y"].to_numpy()[rows]
    codes = None if task == "regression" else np.unique(y, return_inverse=True)[1]
    X = training.model[:-1].transform(table.iloc[rows])
    scores = []
    for train_part, test_part in make_folds(codes, len(rows), 5, 0):
        model = clone(training.model[-1]).fit(X[train_part], y[train_part])
        scores.append(score_by(training.metric, y[test_part], model.predict(X[test_part])))
    # machines of a search end within the tolerance, not at the same bit
    allowed = 2e-3 if task == "regression" else 0.5 / 26
    np.testing.assert_allclose(training.candidates[0].fold_scores, scores, atol=allowed)


@pytest.mark.parametrize("family", ["svc", "linear", "logistic"])
def test_given_c_is_not_searched(family, tables):
    training = train(tables["binary"], "y", model=family, C=0.5)
    assert training.model[-1].C == 0.5
    assert {row["params"]["C"] for row in training.tuning["families"][family]["candidates"]} == {0.5}


def test_given_c_and_gamma_leave_one_candidate(tables):
    training = train(tables["regression"], "y", model="svr", C=2.0, gamma=0.25)
    assert (training.model[-1].C, training.model[-1].gamma) == (2.0, 0.25)
    assert len(training.tuning["families"]["svr"]["candidates"]) == 1
    assert training.candidates[0].note == "as given"


def test_linear_kernel_has_no_gamma(tables):
    training = train(tables["binary"], "y", model="svc", kernel="linear")
    assert training.model[-1].kernel == "linear" and list(training.candidates[0].params) == ["C"]


def test_wide_grid_on_a_draw_of_many_rows(make_table, monkeypatch):
    """More rows than the wide grid takes: a draw first, then the best and its better neighbours on all."""
    from maxmargin.training import _machine_families

    monkeypatch.setattr(_machine_families, "_COARSE", 100)
    training = train(make_table("binary", 300), "y", model="svc")
    candidates = training.tuning["families"]["svc"]["candidates"]
    last = [row for row in candidates if not row["status"].startswith("on ")]
    assert 1 < len(last) <= 4 < len(candidates)
    assert training.candidates[0].params in [row["params"] for row in last]
    assert training.candidates[0].note.endswith(f"{len(last)} on 240")


def test_balanced_accuracy_where_one_class_rules(tables):
    """Rare classes are learnt although always saying the other is right nine times of ten."""
    table = tables["binary"]
    rare = np.flatnonzero(table["y"] == "yes")[8:]
    table = table.drop(index=rare).reset_index(drop=True)
    training = train(table, "y", model="linear", test=0.25)
    assert training.metric == "balanced accuracy" and "'no'" in training.metric_reason
    assert training.model[-1].class_weight == "balanced"
    assert training.scores["balanced accuracy"].value > 0.6
    assert check(training.model, training.provenance(), table)
    asked = train(table, "y", model="linear", metric="accuracy")
    assert asked.model[-1].class_weight is None


@pytest.mark.parametrize("family", ["svc", "logistic", "tree", "forest", "knn", "adaboost"])
def test_all_classifiers_are_compared_by_balanced_accuracy(family, tables):
    training = train(tables["binary"], "y", model=family, metric="balanced accuracy")
    assert training.scores["balanced accuracy"].value > 0.6
    assert check(training.model, training.provenance(), tables["binary"])


def test_evaluate_agrees_with_the_training(tables):
    training = train(tables["binary"], "y", model="logistic")
    held_out = tables["binary"].iloc[training.split.test_rows]
    found = evaluate(training.model, held_out, "y")
    assert found.scores == training.scores and found.rows == len(held_out)


@pytest.mark.parametrize(
    ("family", "task"),
    [("leastsquares", "regression"), ("elasticnet", "regression"), ("kernelperceptron", "multiclass")],
)
def test_families_by_name_are_saved_and_take_sparse_rows(family, task, tables, trainings, tmp_path):
    training, table = trainings(family, task), tables[task]
    save(training.model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    np.testing.assert_array_equal(again.predict(table), training.model.predict(table))
    rng = np.random.default_rng(0)
    rows = sp.random_array((200, 30), density=0.3, random_state=rng, format="csr")
    values = rows @ rng.normal(size=30)
    target = values if task == "regression" else (values > np.median(values)).astype(float)
    found = train(SparseTable(rows, target), model=family, task="auto" if task == "regression" else "classification")
    assert found.family == family and check(found.model, found.provenance(), SparseTable(rows, target))
    if family == "leastsquares":
        assert found.scores["R2"].value > 1 - 1e-12  # the target is a linear function
        assert len(found.tuning["families"][family]["candidates"]) == 1


def test_families_by_name_are_not_compared_by_auto(tables):
    names = {result.family for result in train(tables["regression"], "y", model="auto", folds=2).candidates}
    assert not names & {"leastsquares", "elasticnet", "lasso", "kernelridge"}
