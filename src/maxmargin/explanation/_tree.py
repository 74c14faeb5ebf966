"""Trees: importances, and the way of a row in words.

What a row is given is the value of its leaf. Along its way the value changes at every split, from that of all training
rows on; the changes, added up by the feature that was asked for, are what each feature contributes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..messages import counted, listed
from ..tree import checked_columns, learners_of
from ._columns import Column
from ._results import ModelExplanation, RowExplanation, Table
from ._rules import node_in_words
from ._shares import given_value, importances, learned, number_row, on_training, shares_row, steps_table
from ._subject import Row, Subject, Training, quiet_names


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model, tree = subject.model, subject.model.tree_
    classes = getattr(model, "classes_", None)
    used = len(np.unique(tree.feature[tree.feature >= 0]))
    facts: dict[str, Any] = {
        "depth": int(tree.max_depth),
        "leaves": int(tree.n_leaves),
        "training rows": int(tree.n_node_samples[0]),
        "features"
        if learners_of(model) is None
        else "features and weak learners": f"{tree.n_features}, of which {used} are asked for",
    }
    if classes is not None:
        facts["classes"] = listed(classes, 6)
    facts |= on_training(subject, training)
    leaves = counted(int(tree.n_leaves), "leaf").replace("leafs", "leaves")
    words = f"asks at most {counted(int(tree.max_depth), 'question')} to reach one of {leaves}."
    tables = {"importances": importances(subject.columns, model.feature_importances_)}
    notes = ("importances say what the tree has used on its training rows.",)
    return learned(model, "tree", words, facts, tables=tables, notes=notes)


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    with quiet_names():
        seen = checked_columns(model, row.seen, reset=False)
    way = way_of(model.tree_, seen)
    value = model.tree_.value[:, 0]
    classes = getattr(model, "classes_", None)
    best = 0 if classes is None else int(np.argmax(value[way[-1]]))
    parts, values = changes(subject, row, model.tree_, way, value[:, best])
    what = "the prediction" if classes is None else f"the share of {classes[best]}"
    table = steps_table(list(parts), values, parts, float(value[0, best]), what)
    tables = {"path": _path(subject, model, way, best)}
    facts = {"leaf": f"{way[-1]}, with {counted(int(model.tree_.n_node_samples[way[-1]]), 'training row')}"}
    if classes is None:
        prediction = float(value[way[-1], 0])
        return number_row(model, "tree", prediction, label, contributions=table, tables=tables, facts=facts)
    return shares_row(model, "tree", value[way[-1]], label, contributions=table, tables=tables, facts=facts)


def asked_columns(subject: Subject) -> list[Column]:
    """What nodes ask for: the columns that a tree or forest sees, and its half-spaces and boxes."""
    learners, columns = learners_of(subject.model), subject.columns
    if learners is None:
        return columns
    names = learners.names([column.name for column in columns])
    return columns + [Column(name, None, "mixed") for name in names[len(columns) :]]


def way_of(tree: Any, seen: Any) -> list[int]:
    """The nodes that a row passes, from the root to its leaf."""
    return tree.decision_path(seen).indices.tolist()


def changes(
    subject: Subject, row: Row, tree: Any, way: list[int], value: np.ndarray
) -> tuple[dict[str, float], dict[str, Any]]:
    """By feature of the data, how much the value changes at the splits on it; and what the row has there."""
    parts: dict[str, float] = {}
    values: dict[str, Any] = {}
    columns = asked_columns(subject)
    for above, below in pairwise(way):
        column = columns[int(tree.feature[above])]
        name = column.source or column.name
        parts[name] = parts.get(name, 0.0) + float(value[below] - value[above])
        values[name] = given_value(column, row)
    return parts, values


def _path(subject: Subject, model: Any, way: list[int], best: int) -> Table:
    tree, classes = model.tree_, getattr(model, "classes_", None)
    rows: list[Any] = [("start", int(tree.n_node_samples[0]), tree.value[0, 0, best])]
    for above, below in pairwise(way):
        right = below != tree.children_left[above]
        answer = node_in_words(tree, above, bool(right), asked_columns(subject), model._categories)
        rows.append((answer, int(tree.n_node_samples[below]), tree.value[below, 0, best]))
    head = "mean" if classes is None else f"share of {classes[best]}"
    return Table.of("way through the tree", ("because", "training rows", head), rows)
