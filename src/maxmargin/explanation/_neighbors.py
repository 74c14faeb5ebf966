"""Nearest neighbours: who they are, and what each of them counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import listed
from ..neighbors import class_size_weights, neighbour_weights
from ._results import ModelExplanation, RowExplanation, Table
from ._shares import CONTRIBUTION, learned, number_row, on_training, share, shares_row, true_label
from ._subject import Row, Subject, Training, quiet_names


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    if hasattr(model, "prototypes_"):
        return _condensed(subject, training)
    _one_output(model)
    facts: dict[str, Any] = {
        "neighbours": int(model.n_neighbors),
        "weights": str(model.weights or "uniform") if not callable(model.weights) else "a function",
        "metric": str(model.effective_metric_),
        "training rows": int(model.n_samples_fit_),
    }
    if hasattr(model, "classes_"):
        facts["classes"] = listed(model.classes_, 6)
    facts |= on_training(subject, training)
    tables = {}
    if hasattr(model, "classes_"):
        rows = [(c, int(k), k / model.n_samples_fit_) for c, k in zip(model.classes_, model._sizes[0], strict=True)]
        tables["classes"] = Table.of("training rows of each class", ("class", "rows", "share"), rows)
    what = "the vote" if hasattr(model, "classes_") else "the mean"
    words = f"takes {what} of the {model.n_neighbors} nearest of {model.n_samples_fit_} rows."
    notes = ("columns count by their scale: one of a larger spread weighs more in the distances.",)
    return learned(model, "neighbours", words, facts, tables=tables, notes=notes)


def _one_output(model: Any) -> None:
    if getattr(model, "outputs_2d_", False) or np.ndim(getattr(model, "_y", 0)) > 1:
        raise ValueError(f"explanations are of one target; this {type(model).__name__} has several.")


def _condensed(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    counts = {c: int((model.prototype_labels_ == c).sum()) for c in model.classes_}
    kept = len(model.prototype_labels_)
    facts: dict[str, Any] = {"prototypes": f"{kept} of {model._rows_seen} ({share(kept, model._rows_seen)})"}
    facts |= on_training(subject, training)
    words = f"keeps {kept} of {model._rows_seen} rows; the nearest of them decides."
    tables = {"classes": Table.of("prototypes of each class", ("class", "prototypes"), list(counts.items()))}
    return learned(model, "neighbours", words, facts, tables=tables)


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    if hasattr(model, "prototypes_"):
        return _condensed_row(subject, row, label)
    _one_output(model)
    with quiet_names():
        distances, indices = model.kneighbors(row.seen)
    weights = neighbour_weights(model.weights, distances)
    if isinstance(model.weights, str) and model.weights == "inverse_class_size":
        weights = class_size_weights(model._sizes[0], model._labels[:, 0][indices])
    counts = np.ones(indices.shape[1]) if weights is None else np.asarray(weights[0], dtype=np.float64)
    counts = counts / counts.sum()
    near, far = indices[0], distances[0]
    if not hasattr(model, "classes_"):
        target = np.asarray(model._y, dtype=np.float64).ravel()[near]
        table = _table(near, far, counts, target, counts * target, "value", "the prediction")
        prediction = float(subject.predicted(row.seen)[0])
        return number_row(model, "neighbours", prediction, label, contributions=table, tables={})
    own = model._labels[near, 0]
    with quiet_names():
        shares = model.predict_proba(row.seen)[0]
    best = int(np.argmax(shares))
    what = f"the share of {model.classes_[best]}"
    table = _table(near, far, counts, model.classes_[own], counts * (own == best), "class", what)
    return shares_row(model, "neighbours", shares, label, contributions=table, tables={}, what="share of the votes")


def _table(
    near: np.ndarray, far: np.ndarray, counts: np.ndarray, target: np.ndarray, parts: np.ndarray, name: str, what: str
) -> Table:
    rows = [
        (f"row {i}", t, d, c, p) for i, t, d, c, p in zip(near, target, far, counts, parts, strict=True)
    ]  # fmt: skip
    heads = ("neighbour", name, "distance", "counts", CONTRIBUTION)
    return Table.of(f"nearest neighbours; contributions add up to {what}", heads, rows, CONTRIBUTION)


def _condensed_row(subject: Subject, row: Row, label: Any) -> RowExplanation:
    model = subject.model
    prediction = subject.predicted(row.seen)[0]
    count = min(5, len(model.prototype_labels_))
    with quiet_names():
        X = np.ascontiguousarray(row.dense()[None]) if not hasattr(row.seen, "tocsr") else row.seen.tocsr()
        distances, places = model._index.kneighbors(X, count)
    rows = [
        (int(model.prototype_indices_[k]), model.prototype_labels_[k], float(d))
        for d, k in zip(distances[0], places[0].tolist(), strict=True)
    ]
    other = [d for _, c, d in rows if c != prediction]
    facts: dict[str, Any] = {"nearest prototype": rows[0][2], "nearest of another class": other[0] if other else None}
    margin = other[0] - rows[0][2] if other else None
    return RowExplanation.of(
        model,
        "neighbours",
        f"predicts {prediction}, the class of row {rows[0][0]}.",
        facts=facts | true_label(label, prediction, None),
        tables={"neighbours": Table.of("nearest prototypes", ("row", "class", "distance"), rows)},
        prediction=prediction,
        decision=-rows[0][2],
        margin=margin if label is None or label == prediction or margin is None else -margin,
    )
