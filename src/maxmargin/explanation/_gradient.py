"""Gradient boosting: what its trees ask for, and what each column adds to the sum for a row."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ..ensemble import row_contributions
from ..messages import counted, listed
from ._results import ModelExplanation, RowExplanation
from ._shares import (
    against,
    decided,
    given_value,
    importances,
    learned,
    number_row,
    on_training,
    signed_margin,
    steps_table,
    true_label,
)
from ._subject import Row, Subject, Training, quiet_names


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    rounds, trees = int(model.n_iter_), int(model.n_iter_) * int(model.n_trees_per_iteration_)
    facts: dict[str, Any] = {"rounds": rounds, "trees": trees, "learning rate": model.learning_rate}
    if hasattr(model, "classes_"):
        facts["classes"] = listed(model.classes_, 6)
    facts |= on_training(subject, training)
    tables = {"importances": importances(subject.columns, model.feature_importances_)}
    notes = ("importances say what the splits have gained on the training rows.",)
    words = f"is a sum of {counted(trees, 'tree')}, each grown for what the ones before it have left."
    return learned(model, "gradient boosting", words, facts, tables=tables, notes=notes)


def explain_row(subject: Subject, row: Row, label: Any) -> RowExplanation:
    model = subject.model
    with quiet_names():
        start, parts = row_contributions(model, row.seen)
        prediction = subject.predicted(row.seen)[0]
        shares = model.predict_proba(row.seen)[0] if hasattr(model, "classes_") else None
    if shares is None:
        return _number(subject, row, label, float(prediction), start[0], parts[0])
    classes = np.asarray(model.classes_)
    best = int(np.searchsorted(classes, prediction))
    if len(classes) == 1:
        raise ValueError(f"this {type(model).__name__} knows one class only, {classes[0]}: there is nothing to decide.")
    others = np.delete(np.arange(len(classes)), best)
    second = int(others[np.argmax(shares[others])])
    positive, negative = (1, 0) if len(classes) == 2 else (best, second)
    if len(start) == 1:
        begin, adds = float(start[0]), parts[0]
    else:
        begin, adds = float(start[positive] - start[negative]), parts[positive] - parts[negative]
    plane = SimpleNamespace(positive=classes[positive], negative=classes[negative])
    decision = begin + float(adds.sum())
    margin = signed_margin(decision, plane, prediction, label)
    return RowExplanation.of(
        model,
        "gradient boosting",
        f"predicts {prediction}{against(plane, prediction)}.",
        facts={
            "decision value": decided(decision, plane),
            "probability": f"{shares[best]:.4f} for {classes[best]}",
            **true_label(label, prediction, margin),
        },
        prediction=prediction,
        decision=decision,
        between=(plane.positive, plane.negative),
        margin=margin,
        probability=float(shares[best]),
        contributions=_table(subject, row, begin, adds, "the decision value, in log-odds"),
    )


def _number(
    subject: Subject, row: Row, label: Any, prediction: float, start: float, parts: np.ndarray
) -> RowExplanation:
    model, table, notes = subject.model, None, ()
    if np.isclose(start + parts.sum(), prediction):
        table = _table(subject, row, float(start), parts, "the prediction")
    else:  # of a Poisson or gamma loss the sum is a logarithm
        table = _table(subject, row, float(start), parts, "the logarithm of the prediction")
    return number_row(model, "gradient boosting", prediction, label, contributions=table, tables={}, notes=notes)


def _table(subject: Subject, row: Row, start: float, parts: np.ndarray, what: str) -> Any:
    sums: dict[str, float] = {}
    values: dict[str, Any] = {}
    for j in np.flatnonzero(parts).tolist():
        column = subject.columns[j]
        name = column.source or column.name
        sums[name] = sums.get(name, 0.0) + float(parts[j])
        values[name] = given_value(column, row)
    return steps_table(list(sums), values, sums, start, what)
