"""Linear machines: coefficients in both units, contributions of a row, and the smallest change that flips it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..messages import counted, listed
from ._columns import Column
from ._flip import Plane, single_changes, smallest_flip
from ._results import ModelExplanation, RowExplanation, Table
from ._shares import against, by_feature, decided, learned, number_row, on_training, signed_margin, true_label
from ._subject import Row, Subject, Training, quiet_names

_MOST_CLASSES = 6  # classes with a column of their own
_MARGIN_LOSSES = ("hinge", "squared_hinge")


@dataclass(frozen=True)
class Weights:
    """The weights of a linear model: a row (w, b) for each of its machines."""

    W: np.ndarray
    b: np.ndarray
    classes: np.ndarray | None

    @property
    def binary(self) -> bool:
        return self.classes is not None and len(self.classes) == 2

    def planes(self, z: np.ndarray) -> list[Plane]:
        """The boundaries of the class that wins at z, that of the runner-up first; of two classes the only one."""
        assert self.classes is not None
        if self.binary:
            return [Plane(self.W[0], float(self.b[0]), self.classes[1], self.classes[0])]
        order = np.argsort(-(self.W @ z + self.b), kind="stable")
        a = order[0]
        return [
            Plane(self.W[a] - self.W[k], float(self.b[a] - self.b[k]), self.classes[a], self.classes[k])
            for k in order[1:].tolist()
        ]


def weights_of(model: Any) -> Weights:
    """Weights of any of our linear models."""
    coef = model.coef_.toarray() if sp.issparse(model.coef_) else np.asarray(model.coef_, dtype=np.float64)
    W = np.atleast_2d(coef)
    classes = getattr(model, "classes_", None)
    if classes is None and len(W) > 1:
        raise ValueError(f"explanations are of one target; this {type(model).__name__} has {len(W)}.")
    b = np.broadcast_to(np.ravel(np.asarray(model.intercept_, dtype=np.float64)), (len(W),))
    return Weights(W, b, classes)


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model, columns = subject.model, subject.columns
    weights = weights_of(model)
    subject_columns = _terms(model, columns)
    zeros = int((weights.W == 0.0).all(axis=0).sum())
    facts: dict[str, Any] = {"features": f"{len(subject_columns)}, of which {zeros} have no weight (exact zeros)"}
    if weights.classes is not None:
        facts["classes"] = listed(weights.classes, 6)
    if len(weights.W) == 1:
        facts["intercept"] = float(weights.b[0])
        facts["length of the weights"] = float(np.linalg.norm(weights.W[0]))
        if _has_margin(model) and zeros < len(subject_columns):
            facts["margin width"] = 2.0 / float(np.linalg.norm(weights.W[0]))
    facts |= _on_training(subject, training, weights)
    tables = _coefficients(model, weights, subject_columns, subject.in_units and subject_columns is columns)
    words = _in_words(weights, len(subject_columns) - zeros)
    return learned(model, family_of(model), words, facts, tables=tables, notes=_notes(subject))


def family_of(model: Any) -> str:
    """Logistic models have odds; the others are plain linear ones."""
    if type(model).__name__ == "LogisticRegression" or getattr(model, "loss", None) in ("logistic", "log_loss"):
        return "logistic"
    return "linear"


def _in_words(weights: Weights, used: int) -> str:
    what = f"adds up {counted(used, 'weighted feature')}"
    if weights.classes is None:
        return f"{what} and an intercept to a number."
    if weights.binary:
        return f"{what}: a positive sum means {weights.classes[1]}, a negative one {weights.classes[0]}."
    return f"{what} for each of {len(weights.classes)} classes: the largest sum wins."


def _notes(subject: Subject) -> tuple[str, ...]:
    if not subject.followed:
        return ("a step of the preparation gives its columns no names; they are numbered as the model sees them.",)
    mixed = [c.name for c in subject.columns if c.kind == "mixed"]
    if mixed:
        return (f"{listed(mixed, 3)} are made of several columns of the data and have no unit of their own.",)
    return ()


def _terms(model: Any, columns: list[Column]) -> list[Column]:
    """Of polynomials, the products that are weighted; else the columns themselves."""
    powers = getattr(model, "powers_", None)
    if powers is None:
        return columns
    out = []
    for exponents in powers:
        factors = [(c, int(e)) for c, e in zip(columns, exponents, strict=True) if e]
        name = " * ".join(c.name if e == 1 else f"{c.name}^{e}" for c, e in factors)
        out.append(factors[0][0] if len(factors) == 1 and factors[0][1] == 1 else Column(name or "1", None, "mixed"))
    return out


# ---------------------------------------------------------------- coefficients


def _coefficients(model: Any, weights: Weights, columns: list[Column], in_units: bool) -> dict[str, Table]:
    W, classes = weights.W, weights.classes
    order = np.argsort(-np.abs(W).max(axis=0), kind="stable").tolist()
    units = np.array([np.nan if c.kind == "mixed" else c.scale for c in columns])
    if len(W) == 1:
        return {"coefficients": _one_row(model, W[0], columns, units, order, in_units)}
    assert classes is not None
    tables = {"coefficients": _several(W, columns, order, classes, "coefficients, by their largest size")}
    if in_units and len(classes) <= _MOST_CLASSES:
        tables["per unit"] = _several(W * units, columns, order, classes, "the same per unit of the data", False)
    return tables


def _one_row(
    model: Any, w: np.ndarray, columns: list[Column], units: np.ndarray, order: list[int], in_units: bool
) -> Table:
    per_unit = "per unit of the data" if in_units else None
    heads = "feature", "coefficient", per_unit, "odds times" if family_of(model) == "logistic" else None
    # overflows only for weights that no data of unit scale has; it is then not a finite number, hence empty
    with np.errstate(over="ignore"):
        odds = np.exp(w)
    rows = [(columns[j].name, w[j], w[j] * units[j], odds[j]) for j in order]
    return Table.of("coefficients, the largest first" + (" (of the scaled columns)" if in_units else ""), heads, rows)


def _several(
    W: np.ndarray, columns: list[Column], order: list[int], classes: np.ndarray, title: str, printed: bool = True
) -> Table:
    if len(classes) <= _MOST_CLASSES:
        rows = [(columns[j].name, *W[:, j]) for j in order]
        return Table.of(title, ("feature", *(str(c) for c in classes)), rows, printed=printed)
    # many classes: one line a feature, with the class that it speaks for and the one that it speaks against
    best, worst = W.argmax(axis=0), W.argmin(axis=0)
    rows = [(columns[j].name, classes[best[j]], W[best[j], j], classes[worst[j]], W[worst[j], j]) for j in order]
    return Table.of(title, ("feature", "most for", "coefficient", "most against", "coefficient "), rows)


def _on_training(subject: Subject, training: Training, weights: Weights) -> dict[str, Any]:
    """What the training rows say of the model, where they are given."""
    facts, y = on_training(subject, training), training.y
    if y is not None and weights.classes is not None and weights.binary and _has_margin(subject.model):
        with quiet_names():
            margin = np.where(y == weights.classes[1], 1.0, -1.0) * subject.model.decision_function(training.X)
        wrong = f"{int((margin <= 0).sum())} misclassified"
        inside = int((margin < 1 - 1e-9).sum())  # rows on the boundary are there up to rounding
        facts["inside the margin"] = f"{inside} of {len(y)}, {wrong}"
    return facts


def _has_margin(model: Any) -> bool:
    return getattr(model, "loss", None) in _MARGIN_LOSSES


# ---------------------------------------------------------------- one row


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    weights = weights_of(subject.model)
    prediction = subject.predicted(row.seen)[0]
    if weights.classes is None:
        return _number(subject, row, weights, prediction, label)
    planes = weights.planes(row.dense())
    facts: dict[str, Any] = {}
    probability = None
    if hasattr(subject.model, "predict_proba"):
        with quiet_names():
            shares = subject.model.predict_proba(row.seen)[0]
        probability = float(shares[np.searchsorted(weights.classes, prediction)])
        facts["probability"] = f"{probability:.4f}"
    return linear_row(subject, row, planes, prediction, label, facts, probability, X=training.X)


def linear_row(
    subject: Subject,
    row: Row,
    planes: list[Plane],
    prediction: Any,
    label: Any,
    facts: dict[str, Any],
    probability: float | None = None,
    family: str | None = None,
    X: Any = None,
) -> RowExplanation:
    """The explanation of a row by the planes of its class, the first of which is looked at closely."""
    model, plane = subject.model, planes[0]
    decision = plane.value(row.dense())
    length = float(np.linalg.norm(plane.w))
    margin = signed_margin(decision, plane, prediction, label)
    facts = {
        "decision value": decided(decision, plane),
        "distance from the boundary": abs(decision) / length if length else None,
        **facts,
        **true_label(label, prediction, margin),
    }
    flip = smallest_flip(subject, row, planes)
    changes, stuck = single_changes(subject, row, planes, X)
    return RowExplanation.of(
        model,
        family or family_of(model),
        f"predicts {prediction}{against(plane, prediction)}.",
        facts=facts,
        tables={"changes": changes},
        notes=_row_notes(flip, stuck),
        prediction=prediction,
        decision=decision,
        between=(plane.positive, plane.negative),
        margin=margin,
        probability=probability,
        contributions=by_feature(subject, row, plane.w, plane.b, "the decision value"),
        flip=flip,
    )


def _row_notes(flip: Any, stuck: list[str]) -> tuple[str, ...]:
    notes = []
    if flip is not None and flip.excluded:
        notes.append(f"left as they are, because they cannot change by a little: {listed(flip.excluded, 6)}.")
    if stuck:
        notes.append(f"no other value of {listed(stuck, 6)} flips it alone.")
    if flip is not None:
        notes.append(f"just beyond the boundary the model predicts {flip.to}.")
    return tuple(notes)


def _number(subject: Subject, row: Row, weights: Weights, prediction: float, label: Any) -> RowExplanation:
    """A predicted number as a sum."""
    model, notes = subject.model, ()
    w, b = weights.W[0], float(weights.b[0])
    if hasattr(model, "powers_"):
        columns = _terms(model, subject.columns)
        expanded = np.prod(row.dense() ** model.powers_, axis=1)
        parts = by_feature(
            Subject(model, subject.steps, subject.outer, columns),
            Row(row.given, expanded[None]),
            w,
            b,
            "the prediction",
        )
        total = float(np.sum(parts.column("contribution")))
        if abs(total - prediction) > 1e-10 * max(1.0, np.abs(w * expanded).max()):
            parts, notes = None, ("the powers cancel so far that their sum is not the prediction to ten figures.",)  # type: ignore[assignment]
    else:
        parts = by_feature(subject, row, w, b, "the prediction")
    return number_row(model, "linear", float(prediction), label, contributions=parts, tables={}, notes=notes)
