"""What is learnt, and what is refused with which words."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from maxmargin.training import TrainingError, train
from maxmargin.training._table import open_table
from maxmargin.training._target import read_target


def _read(values, task="auto", drop=False):
    frame = pd.DataFrame({"x": np.arange(float(len(values))), "y": values})
    return read_target(open_table(frame, "y").target, task, drop)


@pytest.mark.parametrize(
    ("values", "task", "classes"),
    [
        (["a", "b"] * 20, "binary", ["a", "b"]),
        ([True, False] * 20, "binary", [False, True]),
        ([0, 1] * 20, "binary", [0, 1]),
        ([0.0, 1.0, 2.0] * 20, "multiclass", [0, 1, 2]),
        (list(range(10)) * 3, "regression", None),  # fewer than ten rows a value
        (list(range(21)) * 20, "regression", None),  # more than twenty values
        ([0.5, 1.5] * 20, "regression", None),
        ([1.0, 2.0, 3.5] * 20, "regression", None),
    ],
)
def test_task_is_decided_from_the_column(values, task, classes):
    target = _read(values)
    assert target.task == task
    assert (None if target.classes is None else target.classes.tolist()) == classes
    assert target.reason


def test_task_as_asked():
    assert _read([0, 1] * 20, "regression").task == "regression"
    assert _read(list(range(10)) * 3, "classification").task == "multiclass"
    assert _read([0.5, 1.5] * 20, "classification").classes.tolist() == ["0.5", "1.5"]
    assert _read(["1.5", "2"] * 20, "regression").y[:2].tolist() == [1.5, 2.0]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_data_frame(library):
    frame = library({"x": list(range(40)), "y": ["a", "b"] * 20})
    target = read_target(open_table(frame, "y").target, "auto", False)
    assert target.classes.tolist() == ["a", "b"] and target.counts.tolist() == [20, 20]


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        (["a"] * 40, {}, "'y' is 'a' in every row"),
        ([3.0] * 40, {"task": "regression"}, "'y' is 3 in every row"),
        (["a", "b"] * 20 + ["c"], {}, "class 'c' has a single row"),
        (["a", "b", None] * 20, {}, "no value in 20 of 60 rows .* drop_missing_target=True"),
        ([1.5, np.nan] * 20, {}, "no value in 20 of 40 rows"),
        ([None] * 40, {}, "no value in any row"),
        (["1", "x2"] * 20, {"task": "regression"}, "'x2' in row 1 .*no number"),
        ([1.5, np.inf] * 20, {}, "inf in row 1"),
        ([str(i) for i in range(40)], {}, "40 different values in 40 rows, too many for classes"),
        (["a", "b", "c"] * 20, {"task": "binary"}, "has 3 classes"),
        (["a", "b"] * 20, {"task": "multiclass"}, "has two classes"),
        (["a", "b"] * 3, {}, "6 rows with a value; at least 10"),
        (pd.date_range("2020-01-01", periods=40), {}, "holds dates"),
    ],
)
def test_refused_with_words(values, options, words):
    frame = pd.DataFrame({"x": np.arange(float(len(values))), "y": values})
    with pytest.raises(TrainingError, match=words):
        train(frame, "y", model="tree", **options)


def test_missing_targets_can_be_left_out():
    frame = pd.DataFrame({"x": np.tile([0.0, 1.0, 2.0], 30), "y": ["a", "b", None] * 30})
    training = train(frame, "y", model="tree", drop_missing_target=True)
    assert training.split.dropped_rows == 30 and "30 rows without a target were left out" in training.notes
    assert not set(training.split.train_rows) & set(range(2, 90, 3))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "z"}, "no column 'z'"),
        ({"target": None}, "target must name the column"),
        ({"model": "boost"}, "model must be one of"),
        ({"model": "svr"}, "'svr' does not learn classes"),
        ({"task": "regression", "model": "svc"}, "'y' has 'a' in row 0"),
        ({"C": 1.0}, "C=1.0 needs a family that has it"),
        ({"C": 1.0, "model": "forest"}, "C=1.0 needs a family"),
        ({"C": -1.0, "model": "svc"}, "C must be a positive number"),
        ({"gamma": 1.0, "model": "linear"}, "gamma=1.0 needs a family"),
        ({"gamma": 1.0, "model": "svc", "kernel": "linear"}, "no meaning for kernel='linear'"),
        ({"kernel": "cosine", "model": "svc"}, "kernel must be one of"),
        ({"test": 1.0}, "test must be the share"),
        ({"test": 0.001}, "test=0.001 of 40 rows is none"),
        ({"folds": 1}, "folds must be an integer of at least 2"),
        ({"seed": 1.5}, "seed must be an integer"),
        ({"tuning_rows": 3}, "tuning_rows must be"),
        ({"minutes": 0}, "minutes must be a positive number"),
        ({"metric": "R2"}, "metric='R2' does not judge classes"),
        ({"metric": "loss"}, "metric must be one of"),
        ({"columns": ["z"]}, "no column 'z'"),
        ({"columns": ["y"]}, "the target 'y' itself"),
        ({"columns": ["x", "x"]}, "twice"),
        ({"columns": "x"}, "list of names"),
        ({"kinds": {"z": "drop"}}, "no column 'z'"),
        ({"kinds": {"x": "drop"}}, "No column is left"),
    ],
)
def test_arguments_are_refused_with_words(options, words):
    frame = pd.DataFrame({"x": np.arange(40.0), "y": ["a", "b"] * 20})
    with pytest.raises(ValueError, match=words):
        train(frame, **{"target": "y", "model": "auto", **options})


def test_a_share_that_leaves_nothing_to_train_on_is_refused():
    frame = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40.0) ** 2})
    with pytest.raises(TrainingError, match="leaves 2 of 40 rows to train on"):
        train(frame, "y", test=0.95)


def test_what_is_no_table_is_refused():
    with pytest.raises(TrainingError, match="data frame"):
        train(np.zeros((20, 2)), "y")
    with pytest.raises(TrainingError, match="no column but the target"):
        train(pd.DataFrame({"y": ["a", "b"] * 20}), "y")
    with pytest.raises(TrainingError, match="no rows"):
        train(pd.DataFrame({"x": [], "y": []}), "y")
