"""A run that was interrupted goes on from what it had tuned; classes weigh what is asked."""

import json

import numpy as np
import pytest

from maxmargin.persistence import load, save
from maxmargin.training import Judged, Stage, TrainingError, TrainingInterrupted, check, train


def _stop_at(family):
    def stop(event):
        if isinstance(event, Stage) and event.detail.startswith(f"{family},"):
            raise KeyboardInterrupt

    return stop


def _tuned(table, path, **options):
    """Which families a run tunes anew, and what comes out."""
    events = []
    training = train(table, "y", resume=path, progress=events.append, **options)
    began = [event.detail for event in events if isinstance(event, Stage)]
    assert not path.exists()
    assert [event.family for event in events if isinstance(event, Judged)]
    return training, began


def test_an_interrupted_run_goes_on(tables, tmp_path, monkeypatch):
    path, options = tmp_path / "m.mm.tuning", {"model": "logistic,linear,tree,knn"}
    with pytest.raises(TrainingInterrupted) as caught:
        train(tables["binary"], "y", resume=path, progress=_stop_at("knn"), **options)
    assert caught.value.kept == path and "the same command again goes on from there" in str(caught.value)
    assert set(json.loads(path.read_text())["families"]) == {"logistic", "linear", "tree"}
    before = path.read_text()
    training, began = _tuned(tables["binary"], path, **options)
    assert "an interrupted run has tuned logistic, linear, tree" in began
    assert any("earlier run that was interrupted: logistic, linear, tree" in note for note in training.notes)
    plain = train(tables["binary"], "y", **options)
    assert training.family == plain.family and training.reason == plain.reason
    assert [row.params for row in training.candidates] == [row.params for row in plain.candidates]
    assert training.fingerprint == plain.fingerprint and "resume" not in training.settings
    # what was tuned is taken from the file, and not tuned again
    path.write_text(before)
    from maxmargin.training import _families

    for name in ("logistic", "linear", "tree"):
        broken = _families.FAMILIES[name].__class__(**{**vars(_families.FAMILIES[name]), "search": None})
        monkeypatch.setitem(_families.FAMILIES, name, broken)
    assert _tuned(tables["binary"], path, **options)[0].family == plain.family


def test_what_was_tuned_for_something_else_is_not_used(tables, tmp_path):
    path = tmp_path / "kept"
    with pytest.raises(TrainingInterrupted):
        train(tables["binary"], "y", model="logistic,tree", resume=path, progress=_stop_at("tree"))
    kept = path.read_text()
    for table, options in [
        (tables["binary"], {"seed": 1}),
        (tables["binary"][:-1], {}),
        (tables["binary"], {"C": 1.0}),
    ]:
        path.write_text(kept)
        model = "logistic" if "C" in options else "logistic,tree"
        _, began = _tuned(table, path, model=model, **options)
        assert not any("interrupted run" in detail for detail in began)


@pytest.mark.parametrize("text", ["", "[]", '{"key": 1}', "\x00", "[" * 5000, '{"key": "x", "families": {"tree": 3}}'])
def test_a_file_that_is_no_record_is_none(text, tables, tmp_path):
    path = tmp_path / "kept"
    path.write_text(text)
    _, began = _tuned(tables["binary"], path, model="tree")
    assert not any("interrupted run" in detail for detail in began)


def test_a_record_that_was_changed_is_not_believed(tables, tmp_path):
    path = tmp_path / "kept"
    with pytest.raises(TrainingInterrupted):
        train(tables["binary"], "y", model="logistic,tree", resume=path, progress=_stop_at("tree"))
    said = json.loads(path.read_text())
    said["families"]["logistic"]["params"] = {"C": {"a": 1}}
    path.write_text(json.dumps(said))
    _, began = _tuned(tables["binary"], path, model="logistic,tree")
    assert not any("interrupted run" in detail for detail in began)


def test_where_nothing_can_be_kept_it_trains_all_the_same(tables, tmp_path):
    assert train(tables["binary"], "y", model="tree", resume=tmp_path / "no folder" / "kept").family == "tree"
    with pytest.raises(TrainingError, match="resume must be the path of a file; got 3"):
        train(tables["binary"], "y", resume=3)


# ---------------------------------------------------------------- weights of classes


@pytest.fixture
def rare(make_table):
    table = make_table(rows=500)
    keep = (table["y"] == "no") | (np.arange(500) % 4 == 0)
    return table[keep].reset_index(drop=True).assign(a=lambda t: t["a"] + np.random.default_rng(0).normal(size=len(t)))


@pytest.mark.parametrize("model", ["logistic", "linear", "svc", "tree", "forest", "boosting"])
def test_a_class_that_weighs_more_is_said_more_often(model, rare, tmp_path):
    said = {}
    for weight in (None, "balanced", {"yes": 30}):
        training = train(rare, "y", model=model, class_weight=weight, metric="accuracy")
        said[str(weight)] = (training.model.predict(rare) == "yes").sum()
        assert training.model[-1].class_weight == weight
        assert check(training.model, training.provenance(), rare), model
    assert said["None"] < said["{'yes': 30}"]
    path = tmp_path / "m.mm"
    save(training.model, path, provenance=training.provenance())
    np.testing.assert_array_equal(load(path).predict(rare), training.model.predict(rare))
    assert training.settings["class_weight"] == {"yes": 30.0}


def test_families_that_weigh_no_classes_are_left_out(rare):
    training = train(rare, "y", model="tree,knn,adaboost", class_weight={"yes": 2})
    notes = {row.family: row.note for row in training.candidates if not row.judged}
    assert notes == {name: "left out: it takes no such weights of classes" for name in ("knn", "adaboost")}


@pytest.mark.parametrize(
    ("task", "weight", "words"),
    [
        ("binary", {"perhaps": 2}, "class_weight= names the class 'perhaps'; the target has 'no', 'yes'"),
        ("binary", {"yes": -1}, "positive weights; got"),
        ("binary", "heavy", "must be 'auto', 'balanced', None, or a dict"),
        ("regression", "balanced", "class_weight='balanced' weighs classes, and this target is a number"),
    ],
)
def test_weights_that_mean_nothing(task, weight, words, tables):
    with pytest.raises(TrainingError, match=words):
        train(tables[task], "y", model="tree", class_weight=weight)
