"""Splits, seeds, leaks, events, limits of time and rows, sparse tables."""

import json
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from maxmargin.certificates import Status
from maxmargin.svm import SVC, LargeSVC, LargeSVR
from maxmargin.tables import SparseTable
from maxmargin.training import (
    Candidate,
    Fitting,
    Judged,
    Stage,
    TrainingError,
    TrainingInterrupted,
    check,
    divide,
    evaluate,
    train,
)
from maxmargin.training._table import draw_rows, make_folds, make_split


def test_split_keeps_the_proportions_of_the_classes():
    y = np.repeat(["a", "b", "c"], [70, 28, 2])
    split = make_split(y, np.arange(100), 100, True, 0.25, 0)
    assert len(split.test_rows) == 25 and not set(split.train_rows) & set(split.test_rows)
    _, counts = np.unique(y[split.train_rows], return_counts=True)
    assert counts[2] == 2 and abs(counts[0] - 52.5) <= 1 and abs(counts[1] - 21) <= 1
    again = make_split(y, np.arange(100), 100, True, 0.25, 0)
    np.testing.assert_array_equal(split.train_rows, again.train_rows)
    assert set(make_split(y, np.arange(100), 100, True, 0.25, 1).train_rows) != set(split.train_rows)


def test_draws_are_exact_in_number_and_cover_every_class():
    codes = np.repeat(np.arange(5), [400, 300, 200, 97, 3])
    rows = draw_rows(codes, 1000, 100, 2, 0, 1)
    assert len(rows) == len(set(rows)) == 101  # the rarest class has 2, where its share is less than 1
    assert np.bincount(codes[rows]).tolist() == [40, 30, 20, 9, 2]
    assert len(draw_rows(codes, 1000, 103, 0, 0, 1)) == 103


def test_folds_train_on_every_class():
    codes = np.repeat([0, 1], [40, 2])
    for train_rows, _ in make_folds(codes, 42, 5, 0):
        assert set(codes[train_rows]) == {0, 1}


def test_same_seed_same_training(tables):
    """Also from another library, and with another number of threads."""
    frame = tables["multiclass"]
    accounts = []
    for data, jobs in ((frame, 1), (pl.from_pandas(frame), None)):
        training = train(data, "y", model="svc", seed=3, n_jobs=jobs)
        account = training.provenance()
        accounts.append({key: account[key] for key in ("fingerprint", "scores", "split", "family", "settings")})
    assert accounts[0] == accounts[1]
    other = train(frame, "y", model="svc", seed=4)
    assert other.provenance()["split"]["digest"] != accounts[0]["split"]["digest"]


def test_forest_is_the_same_by_seed(tables):
    first, second = (train(tables["binary"], "y", model="forest", seed=2).model for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(tables["binary"]), second.predict_proba(tables["binary"]))


def test_noise_does_not_help():
    """Nothing leaks: columns without a word about the target give a model that guesses, and says so."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(400, 30)), columns=[f"c{j}" for j in range(30)])
    frame["id"] = generator.permutation(400)
    frame["level"] = generator.choice(list("abcdefgh"), size=400)
    frame["y"] = generator.permutation(np.repeat(["no", "yes"], 200))
    training = train(frame, "y", model="svc", test=0.5)
    score = training.scores["accuracy"]
    assert score.low <= 0.5 <= score.high


def test_held_out_rows_take_no_part_in_the_preparation(tables):
    """Held-out cells may change as they like: the model does not."""
    frame = tables["binary"]
    first = train(frame, "y", model="linear")
    changed = frame.copy()
    changed.loc[first.split.test_rows, "a"] = 1e6
    changed.loc[first.split.test_rows, "city"] = "Atlantis"
    second = train(changed, "y", model="linear")
    np.testing.assert_array_equal(first.model[-1].coef_, second.model[-1].coef_)
    assert first.fingerprint["training_rows"] == second.fingerprint["training_rows"]
    assert first.fingerprint["data"] != second.fingerprint["data"]


def test_an_estimate_is_reproduced_and_never_holds(tables):
    frame = tables["binary"]
    training = train(frame, "y", model="forest", seed=2)
    assert training.certificate.kind == "estimate"
    found = check(training.model, training.provenance(), frame)
    assert found and found.reproduced and not found.holds and found.verdict == "Reproduced"
    training.model[-1].estimators_[0].tree_.value[:] = training.model[-1].estimators_[0].tree_.value[..., ::-1].copy()
    tampered = check(training.model, training.provenance(), frame)
    assert not tampered and not tampered.reproduced and tampered.verdict == "Does not hold"


def test_check_says_what_differs(tables):
    frame = tables["binary"]
    training = train(frame, "y", model="svc")
    account = training.provenance()
    changed = frame.copy()
    changed.loc[training.split.test_rows[0], "a"] = 5.0
    other = check(training.model, account, changed)
    assert other.holds and not other.same_data and other.same_rows and "not quite" in other.reason
    changed.loc[training.split.train_rows[:40], "a"] = 5.0
    other = check(training.model, account, changed)
    assert (
        not other.holds and not other.same_rows and "refuted" in other.reason and "fingerprint differs" in other.reason
    )
    shorter = check(training.model, account, frame[:-3])
    assert (
        not shorter
        and shorter.certificate is None
        and "cannot be found in it" in shorter.reason
        and shorter.verdict == "Cannot be checked"
    )
    renamed = check(training.model, account, frame.rename(columns={"y": "z"}), "z")
    assert renamed.holds and renamed.same_rows
    with pytest.raises(ValueError, match="no column 'y'"):
        check(training.model, account, frame.rename(columns={"y": "z"}))
    with pytest.raises(TrainingError, match="no record of a training"):
        check(training.model, {}, frame)


def test_check_refutes_a_model_that_was_tampered_with(tables):
    training = train(tables["binary"], "y", model="linear")
    training.model[-1].coef_ = training.model[-1].coef_ * 1.5
    found = check(training.model, training.provenance(), tables["binary"])
    assert not found and found.same_rows and "refuted" in found.reason


def test_divide_gives_the_rows_of_the_training(tables):
    frame = tables["regression"]
    training = train(frame, "y", model="ridge")
    parts = divide(training.provenance(), frame)
    np.testing.assert_array_equal(parts.y_train, frame["y"].to_numpy()[training.split.train_rows])
    assert training.model.score(parts.X_test, parts.y_test) == pytest.approx(training.scores["R2"].value)


def test_account_is_plain_and_complete(tables):
    account = train(tables["regression"], "y", model="adaboost", test=0).provenance()
    assert json.loads(json.dumps(account, allow_nan=False)) == account
    assert account["scores"] == {} and account["split"]["test_rows"] == 0
    assert account["parameters"]["estimator"]["class"] == "DecisionTreeRegressor"
    names = [column["name"] for column in account["columns"]]
    assert names == ["a", "b", "city", "noise"]
    again = dict(account["settings"])
    repeated = train(tables["regression"], again.pop("target"), **again).provenance()
    assert (
        repeated["fingerprint"] == account["fingerprint"]
        and repeated["candidates"][0]["params"] == (account["candidates"][0]["params"])
    )


def test_events_tell_the_course(tables):
    events = []
    training = train(tables["binary"], "y", progress=events.append)
    stages = list(dict.fromkeys(event.name for event in events if isinstance(event, Stage)))
    assert stages == ["data", "split", "prepare", "tune", "choose", "fit", "evaluate"]
    judged = {event.family: event for event in events if isinstance(event, Judged)}
    assert set(judged) == {row.family for row in training.candidates}
    for row in training.candidates:
        told = [event for event in events if isinstance(event, Candidate) and event.family == row.family]
        assert judged[row.family].score == row.score == max(event.score for event in told if event.params == row.params)
        assert all(0 < event.number <= event.count for event in told)
    if hasattr(training.model[-1], "callback"):
        assert any(isinstance(event, Fitting) for event in events) and training.model[-1].callback is None


def test_time_that_is_over_leaves_families_out(tables):
    """The clock is moved on after the second family: those that come later have no time left."""
    events = []

    def slow(event):
        events.append(event)
        if isinstance(event, Judged) and len([e for e in events if isinstance(e, Judged)]) == 2:
            time.sleep(0.5 * 60 * 0.1 + 0.1)

    training = train(tables["binary"], "y", minutes=0.5 * 0.1, progress=slow)
    left_out = [row for row in training.candidates if not row.judged]
    assert left_out and all("time for tuning was over" in row.note for row in left_out)
    assert any(row.judged for row in training.candidates)
    assert check(training.model, training.provenance(), tables["binary"])


def test_no_time_at_all_is_an_error(tables):
    with pytest.raises(TrainingError, match=r"time for tuning was over.*more minutes"):
        train(tables["binary"], "y", minutes=1e-9)


def test_interrupt_keeps_what_is_known(tables):
    def stop(event):
        if isinstance(event, Stage) and "svc" in event.detail:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        train(tables["binary"], "y", progress=stop)
    interrupt = caught.value
    assert isinstance(interrupt, TrainingInterrupted) and interrupt.stage == "tune"
    assert {row.family for row in interrupt.candidates} == {
        "logistic", "linear", "tree", "boosting", "knn", "adaboost", "forest"
    }  # fmt: skip
    assert "The best so far is" in interrupt.advice


def test_interrupt_within_compiled_code_is_an_interrupt(tables):
    """Ctrl-C between Python and a compiled function comes out as a SystemError, whose cause it is."""

    def stop(event):
        if isinstance(event, Stage) and "svc" in event.detail:
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    with pytest.raises(TrainingInterrupted, match="interrupted in the stage 'tune'"):
        train(tables["binary"], "y", model="svc", progress=stop)


def test_errors_of_the_listener_pass(tables):
    def fail(event):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(tables["binary"], "y", model="linear", progress=fail)


def test_many_rows_are_tuned_on_a_draw(make_table):
    frame = make_table("multiclass", 600)
    training = train(frame, "y", model="tree", tuning_rows=200)
    assert training.tuning["rows"] == 200
    assert any("200 of 480 training rows" in note for note in training.notes)
    assert training.model[-1].tree_.n_node_samples[0] == 480


def test_families_that_cost_too_much_are_left_out(tables, monkeypatch):
    from maxmargin.training import _families

    for name in ("_NEIGHBOUR_ROWS", "_BOOST_CELLS"):
        monkeypatch.setattr(_families, name, 100)
    monkeypatch.setattr(_families, "_KERNEL_CLASSES", 1)
    training = train(tables["binary"], "y")
    notes = {row.family: row.note for row in training.candidates if not row.judged}
    assert set(notes) == {"svc", "knn", "adaboost"}
    assert "2 classes make 1 pairs" in notes.pop("svc")
    assert all("model=" in note and "128 rows" in note for note in notes.values())
    assert train(tables["binary"], "y", model="knn").family == "knn"


@pytest.fixture
def few_are_many(monkeypatch):
    """Kernel machines of more than a hundred rows are approximate ones, over landmarks."""
    from maxmargin.svm import _large_solve
    from maxmargin.training import _machine_families

    monkeypatch.setattr(_machine_families, "_EXACT_ROWS", 100)
    monkeypatch.setattr(_large_solve, "_EXACT_AT_ONCE", 50)


@pytest.mark.parametrize(("task", "family"), [("binary", "svc"), ("multiclass", "svc"), ("regression", "svr")])
def test_kernel_machines_of_many_rows_have_the_exact_optimum_in_brackets(task, family, make_table, few_are_many):
    frame = make_table(task, 400)
    training = train(frame, "y", model=family, tuning_rows=100)
    model, proof = training.model[-1], training.certificate
    assert isinstance(model, LargeSVC if family == "svc" else LargeSVR) and model.callback is None
    assert model.shape_fit_[0] == 320 and model.gap_tol == 0.01 and proof.status is Status.CONVERGED
    assert any("100 of 320 training rows" in note for note in training.notes)
    bracket = next(note for note in training.notes if "320" in note and "lie between" in note)
    assert type(model).__name__ in bracket and f"a relative gap of {proof.relative_gap:.2g}" in bracket
    account = training.provenance()
    assert account["certificate"]["method"] and str(len(model.support_)) in account["certificate"]["made_of"]
    checked = check(training.model, account, frame)
    assert checked.holds and "the exact machine is between" in checked.reason


def test_kernel_machines_of_many_rows_are_compared_with_the_others(make_table, few_are_many):
    training = train(make_table("binary", 300), "y", tuning_rows=100)
    judged = {row.family: row for row in training.candidates if row.judged}
    assert len(judged["svc"].fold_scores) == len(judged["logistic"].fold_scores) == 5


def test_candidates_on_many_rows_are_approximate_too(make_table, few_are_many, monkeypatch):
    """More tuning rows than exact machines are trained on: the folds have the machines that the last fit has."""
    from maxmargin.training import _machine_families

    monkeypatch.setattr(_machine_families, "_COARSE", 150)
    fitted = []

    class Counting(LargeSVC):
        def fit(self, X, y, sample_weight=None):
            fitted.append((X.shape[0], self.time_limit))
            return super().fit(X, y, sample_weight)

    monkeypatch.setattr(_machine_families, "LargeSVC", Counting)
    training = train(make_table("binary", 400), "y", model="svc", folds=2, minutes=5)
    rows, limits = zip(*fitted, strict=True)
    assert rows == (*[160] * 2 * (len(rows) // 2), 320)
    assert all(1 <= limit <= 300 for limit in limits) and limits[-1] == 300
    assert f"then {len(rows) // 2} on 320" in training.candidates[0].note
    given = train(make_table("binary", 400), "y", model="svc", C=1.0, gamma=0.1, folds=2)
    assert given.candidates[0].note == "as given" and given.model[-1].time_limit == 1800


def test_time_that_is_over_is_told_in_minutes(make_table, few_are_many, monkeypatch):
    from maxmargin.training import _machine_families

    monkeypatch.setattr(_machine_families, "_GAP", 1e-12)
    monkeypatch.setattr(_machine_families, "_MINUTES", 1e-9)
    training = train(make_table("binary", 400), "y", model="svc", C=1000.0, gamma=1.0, tuning_rows=100)
    assert training.certificate.status is Status.BUDGET_EXHAUSTED
    assert any("minutes, was over" in note for note in training.notes)
    assert not any("time_limit" in note for note in training.notes)  # which is no argument here


def test_sigmoid_kernels_are_not_approximated(tables, few_are_many):
    training = train(tables["binary"], "y", model="svc", kernel="sigmoid", C=1.0, gamma=0.01)
    assert isinstance(training.model[-1], SVC)


def test_forest_of_very_many_rows_has_small_bags(make_table, monkeypatch):
    from maxmargin.training import _tree_families

    monkeypatch.setattr(_tree_families, "_MANY", 200)
    monkeypatch.setattr(_tree_families, "_BAG", 60)
    training = train(make_table("binary", 400), "y", model="forest", tuning_rows=150)
    assert training.model[-1].max_samples == 60 and any("bag of 60" in note for note in training.notes)


def test_columns_and_kinds(tables):
    training = train(tables["binary"], "y", model="logistic", columns=["noise", "a"], kinds={"noise": "drop"})
    assert [(column.name, column.kind) for column in training.columns] == [("noise", "drop"), ("a", "number")]
    assert evaluate(training.model, tables["binary"], "y").scores["accuracy"].value > 0.6


@pytest.fixture
def sparse():
    generator = np.random.default_rng(0)
    X = sp.random_array((200, 60), density=0.2, rng=generator, format="csr")
    y = np.where(np.asarray(X[:, :10].sum(axis=1)).ravel() > np.median(np.asarray(X[:, :10].sum(axis=1))), 1.0, -1.0)
    return SparseTable(X, y)


def test_sparse_table(sparse):
    training = train(sparse)
    assert training.task == "binary" and training.classes == (-1, 1) and training.target is None
    judged = {row.family for row in training.candidates if row.judged}
    assert judged == {"linear", "logistic", "svc", "tree", "forest", "adaboost", "knn"}
    assert training.scores["accuracy"].value > 0.65
    assert check(training.model, training.provenance(), sparse)
    narrow = SparseTable(sparse.X[:, :58], sparse.y)  # the last columns of another file may all be 0
    assert evaluate(training.model, narrow).rows == 200
    with pytest.raises(TrainingError, match="trained on 60"):
        evaluate(training.model, SparseTable(sp.hstack([sparse.X, sparse.X], format="csr"), sparse.y))
    with pytest.raises(TrainingError, match="leave target out"):
        train(sparse, "y")


def test_sparse_regression(sparse):
    values = SparseTable(sparse.X, np.asarray(sparse.X[:, :5].sum(axis=1)).ravel())
    training = train(values, model="ridge")
    assert training.task == "regression" and training.scores["R2"].value > 0.5
    assert check(training.model, training.provenance(), values)


@pytest.mark.parametrize("labels", [[False, True], [3, 7], ["ja", "nein"]])
def test_labels_of_any_type(labels, tables):
    frame = tables["binary"].assign(y=np.where(tables["binary"]["y"] == "yes", labels[1], labels[0]))
    training = train(frame, "y", model="linear")
    assert training.classes == tuple(labels)
    assert training.model.predict(frame[:5]).dtype == np.asarray(labels).dtype
    assert training.scores["accuracy"].value > 0.8


def test_evaluate_takes_labels_as_they_are_written(tables):
    training = train(tables["binary"], "y", model="linear")
    unknown = tables["binary"].assign(y="perhaps")
    found = evaluate(training.model, unknown, "y")
    assert found.scores["accuracy"].value == 0 and any("perhaps" in note for note in found.notes)
    holes = tables["binary"].assign(y=tables["binary"]["y"].where(tables["binary"].index > 9))
    assert evaluate(training.model, holes, "y").rows == 150
