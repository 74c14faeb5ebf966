"""The winner, and that the reason says what the table shows."""

import re

import numpy as np
import pytest

from maxmargin.training import FamilyResult, train
from maxmargin.training._families import compare, reason_of


def _result(family, scores):
    scores = np.asarray(scores)
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    return FamilyResult(family, float(scores.mean()), float(scores.std()), error, 1.0, {}, tuple(scores))


def _chosen(*results):
    rows, winner = compare(results)
    assert [row.family for row in rows if row.chosen] == [winner]
    return rows, winner, reason_of(rows, "accuracy", False)


def test_clearly_best_wins():
    rows, winner, reason = _chosen(_result("linear", [0.8, 0.81, 0.82]), _result("svc", [0.9, 0.91, 0.93]))
    assert winner == "svc" == rows[0].family
    assert "points above linear" in reason and "more than one standard error" in reason


def test_simpler_within_one_standard_error_wins():
    rows, winner, reason = _chosen(_result("forest", [0.90, 0.91, 0.95]), _result("logistic", [0.91, 0.90, 0.93]))
    assert rows[0].family == "forest" and winner == "logistic"
    assert "behind forest" in reason and "simpler" in reason


def test_not_simpler_within_one_standard_error_loses():
    _, winner, reason = _chosen(_result("linear", [0.90, 0.91, 0.95]), _result("forest", [0.91, 0.90, 0.93]))
    assert winner == "linear" and "forest is within one standard error of it, but not simpler" in reason


def test_differences_are_taken_fold_by_fold():
    """Hard folds are hard for both: a small lead in every one of them is a lead."""
    _, winner, _ = _chosen(_result("svc", [0.91, 0.71, 0.51]), _result("linear", [0.90, 0.70, 0.505]))
    assert winner == "svc"


def test_one_fold_of_difference_is_one_standard_error():
    """Where a single fold differs, mean and standard error of the difference are equal up to rounding."""
    for score in np.linspace(0.5, 0.99, 23):
        _, winner, _ = _chosen(_result("svc", [0.9, 0.8, score + 0.01]), _result("linear", [0.9, 0.8, score]))
        assert winner == "linear"


def test_left_out_families_come_last():
    out = FamilyResult("knn", *[float("nan")] * 3, 0.0, {}, note="left out: too many rows")
    rows, _, _ = _chosen(out, _result("tree", [0.5, 0.6]))
    assert rows[-1] is out


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_reason_of_auto_agrees_with_its_table(task, tables):
    training = train(tables[task], "y")
    rows = {row.family: row for row in training.candidates}
    winner, best = rows[training.family], training.candidates[0]
    assert winner.chosen and training.reason.startswith(training.family)
    assert best.score == max(row.score for row in training.candidates) and best.behind == 0
    near = [row for row in training.candidates if row.behind <= row.behind_error * (1 + 1e-9)]
    assert winner in near
    shown = re.search(r"([\d.]+)( %)? over 5 folds", training.reason)
    assert float(shown[1]) == pytest.approx(winner.score * (100 if shown[2] else 1), abs=0.051)
    if winner is not best:
        assert f"behind {best.family}" in training.reason
    assert len({len(row.fold_scores) for row in training.candidates}) == 1
    assert training.certificate is training.model[-1].certificate_


def test_of_equal_classifiers_the_one_with_probabilities_wins():
    same = [0.9, 0.8, 0.85]
    rows, winner = compare([_result("linear", same), _result("logistic", same), _result("forest", same)], True)
    assert winner == "logistic"
    assert reason_of(rows, "accuracy", False).endswith("and it gives probabilities")
    assert compare([_result("linear", same), _result("logistic", np.subtract(same, 0.003))], True)[1] == "linear"
    assert compare([_result("linear", same), _result("ridge", same)], False)[1] == "ridge"


def test_families_near_the_best_are_compared_again_on_more_rows(make_table):
    table = make_table(rows=900)
    training = train(table, "y", model="linear,logistic,tree", tuning_rows=100)
    judged = {row.family: row for row in training.candidates}
    again = [row for row in training.candidates if row.rows]
    assert {row.family for row in again} >= {training.family} and judged[training.family].rows == 400
    assert judged[training.family].note.endswith("again on 400 rows")
    assert training.tuning["rows"] == 400 and "were compared again on 400 training rows" in " ".join(training.notes)
    assert all(row.rows == 0 for row in training.candidates[len(again) :])
    everything = train(table, "y", model="logistic,linear", tuning_rows=100, minutes=5)
    assert everything.tuning["rows"] == len(everything.split.train_rows)


def test_families_are_named_together(tables):
    training = train(tables["binary"], "y", model=["tree", "knn"])
    assert {row.family for row in training.candidates} == {"tree", "knn"}
    assert training.settings["model"] == "tree,knn"
    assert len(repr(training)) < 2500 and "<table>" in training._repr_html_()
    for model, words in [
        ("tree,nothing", "model must be one of"),
        ("auto,tree", "leave one"),
        (3, "must name families"),
    ]:
        with pytest.raises(ValueError, match=words):
            train(tables["binary"], "y", model=model)
