"""Linear machines: coefficients in both units, contributions of a row, and the smallest change that flips it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..messages import counted, listed, number
from ._columns import Column
from ._contributions import by_feature
from ._flip import Plane, single_changes, smallest_flip
from ._results import ModelExplanation, RowExplanation, Table
from ._subject import Row, Subject, Training, quiet_names
from ._words import share

_MOST_CLASSES = 6  # classes with a column of their own
_ROUNDING = 1e-9
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
    subject_columns, name = _terms(model, columns), type(model).__name__
    zeros = int((weights.W == 0.0).all(axis=0).sum())
    facts: dict[str, Any] = {"features": f"{len(subject_columns)}, of which {zeros} have no weight (exact zeros)"}
    if weights.classes is not None:
        facts["classes"] = listed(weights.classes, 6)
    if len(weights.W) == 1:
        facts["intercept"] = float(weights.b[0])
        facts["length of the weights"] = float(np.linalg.norm(weights.W[0]))
        if getattr(model, "loss", None) in _MARGIN_LOSSES and zeros < len(subject_columns):
            facts["margin width"] = 2.0 / float(np.linalg.norm(weights.W[0]))
    facts |= _on_training(subject, training, weights)
    facts["certificate"] = proof_in_words(model)
    return ModelExplanation(
        model=name,
        family=family_of(model),
        summary=_summary(model, weights, subject_columns, zeros),
        facts=facts,
        tables=_coefficients(model, weights, subject_columns, subject.in_units and subject_columns is columns),
        notes=_notes(subject),
    )


def family_of(model: Any) -> str:
    """Logistic models have odds; the others are plain linear ones."""
    if type(model).__name__ == "LogisticRegression" or getattr(model, "loss", None) in ("logistic", "log_loss"):
        return "logistic"
    return "linear"


def _summary(model: Any, weights: Weights, columns: list[Column], zeros: int) -> str:
    used = len(columns) - zeros
    what = f"{type(model).__name__} adds up {counted(used, 'weighted feature')}"
    if weights.classes is None:
        return f"{what} and an intercept to a number."
    if weights.binary:
        return f"{what}: a positive sum means {weights.classes[1]}, a negative one {weights.classes[0]}."
    return f"{what} for each of {len(weights.classes)} classes: the largest sum wins."


def proof_in_words(model: Any) -> str | None:
    """The certificate in a few words."""
    proof = getattr(model, "certificate_", None)
    if proof is None:
        return None
    if hasattr(proof, "relative_gap"):
        gap = float(proof.relative_gap)  # below, it is of rounding errors, which differ from one CPU to the next
        return f"{proof.status}, relative duality gap {number(gap) if gap >= _ROUNDING else f'below {_ROUNDING:g}'}"
    words = {"estimate": "an estimate, not a proof", "nothing": "nothing is claimed"}
    verdict = words.get(proof.kind, "holds" if proof.holds else "does not hold")
    return f"{proof.name}: {verdict} ({proof.status})"


def _notes(subject: Subject) -> tuple[str, ...]:
    if not subject.followed:
        return ("the preparation has a step whose columns have no names; columns are numbered as the model sees them.",)
    mixed = [c.name for c in subject.columns if c.kind == "mixed"]
    if mixed:
        return (f"{listed(mixed, 3)} are made of several columns of the data and have no units of it.",)
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
    odds = family_of(model) == "logistic"
    heads = ["feature", "coefficient"]
    if in_units:
        heads.append("per unit of the data")
    if odds:
        heads.append("odds times")
    rows = []
    for j in order:
        entry: list[Any] = [columns[j].name, w[j]]
        if in_units:
            entry.append(w[j] * units[j])
        if odds:
            # overflows only for weights that no data of unit scale has; it is then not a finite number, hence empty
            with np.errstate(over="ignore"):
                entry.append(np.exp(w[j]))
        rows.append(entry)
    title = "coefficients, the largest first"
    if in_units:
        title += " (of the scaled columns)"
    return Table.of(title, heads, rows)


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
    if training.X is None or training.y is None:
        return {}
    model, y, n = subject.model, training.y, len(training.y)
    if weights.classes is None:
        residual = y - subject.predicted(training.X)
        return {"residuals on the given rows": f"{number(float(np.sqrt(np.mean(residual**2))))} (root mean square)"}
    wrong = int((subject.predicted(training.X) != y).sum())
    facts = {"wrong on the given rows": f"{wrong} of {n} ({share(wrong, n)})"}
    if weights.binary and getattr(model, "loss", None) in _MARGIN_LOSSES:
        with quiet_names():
            margin = np.where(y == weights.classes[1], 1.0, -1.0) * model.decision_function(training.X)
        facts["inside the margin"] = f"{int((margin < 1).sum())} of {n}, {int((margin <= 0).sum())} on the wrong side"
    return facts


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
    return RowExplanation(
        model=type(model).__name__,
        family=family or family_of(model),
        summary=f"{type(model).__name__} predicts {prediction}{against(plane, prediction)}.",
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


def against(plane: Any, prediction: Any) -> str:
    """The other class that the decision is about."""
    return f", not {plane.negative if prediction == plane.positive else plane.positive}"


def decided(decision: float, plane: Any) -> str:
    """The decision value and what its sign means."""
    return f"{number(decision)} (positive for {plane.positive}, negative for {plane.negative})"


def signed_margin(decision: float, plane: Any, prediction: Any, label: Any) -> float | None:
    """The decision value on the side of the true label, or of the predicted one; None for a label of neither side."""
    side = prediction if label is None else label
    if side == plane.positive:
        return decision
    return -decision if side == plane.negative else None


def true_label(label: Any, prediction: Any, margin: float | None) -> dict[str, Any]:
    """What is to be said of a known label."""
    if label is None:
        return {}
    verdict = "as predicted" if label == prediction else "the prediction is wrong"
    return {"true label": f"{label}: {verdict}" + ("" if margin is None else f", margin {number(margin)}")}


def _row_notes(flip: Any, stuck: list[str]) -> tuple[str, ...]:
    notes = []
    if flip is not None and flip.excluded:
        notes.append(f"held, as there is no small change of them: {listed(flip.excluded, 6)}.")
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
    facts: dict[str, Any] = {"prediction": float(prediction)}
    if label is not None:
        facts["true value"] = f"{number(float(label))}: off by {number(float(prediction) - float(label), signed=True)}"
    return RowExplanation(
        model=type(model).__name__,
        family="linear",
        summary=f"{type(model).__name__} predicts {number(float(prediction))}.",
        facts=facts,
        notes=notes,
        prediction=float(prediction),
        decision=float(prediction),
        contributions=parts,
    )
