"""What explanations of several families have in common: the proof, the training rows, the parts of a decision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import number
from ._columns import Column
from ._results import ModelExplanation, RowExplanation, Table
from ._subject import Row, Subject, Training

CONTRIBUTION = "contribution"
_ROUNDING = 1e-9


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


def learned(model: Any, family: str, words: str, facts: dict[str, Any], **parts: Any) -> ModelExplanation:
    """What a model has learned, the last of which is its certificate."""
    proof = proof_in_words(model)
    return ModelExplanation.of(model, family, words, facts=facts | ({"certificate": proof} if proof else {}), **parts)


def on_training(subject: Subject, training: Training) -> dict[str, Any]:
    """How a model does on the rows that are given."""
    if training.X is None or training.y is None:
        return {}
    said, n = subject.predicted(training.X), len(training.y)
    if hasattr(subject.model, "classes_"):
        wrong = int((said != training.y).sum())
        return {"wrong on the given rows": f"{wrong} of {n} ({share(wrong, n)})"}
    residual = np.asarray(training.y, dtype=np.float64) - said
    return {"residuals on the given rows": f"{number(float(np.sqrt(np.mean(residual**2))))} (root mean square)"}


def signed_margin(decision: float, plane: Any, prediction: Any, label: Any) -> float | None:
    """The decision value on the side of the true label, or of the predicted one; None for a label of neither side."""
    side = prediction if label is None else label
    if side == plane.positive:
        return decision
    return -decision if side == plane.negative else None


def decided(decision: float, plane: Any) -> str:
    """The decision value and what its sign means."""
    return f"{number(decision)} (positive for {plane.positive}, negative for {plane.negative})"


def against(plane: Any, prediction: Any) -> str:
    """The other class that the decision is about."""
    return f", not {plane.negative if prediction == plane.positive else plane.positive}"


def true_label(label: Any, prediction: Any, margin: float | None) -> dict[str, Any]:
    """What is to be said of a known label."""
    if label is None:
        return {}
    verdict = "as predicted" if label == prediction else "the prediction is wrong"
    return {"true label": f"{label}: {verdict}" + ("" if margin is None else f", margin {number(margin)}")}


def by_feature(subject: Subject, row: Row, w: np.ndarray, b: float, what: str, start: str = "intercept") -> Table:
    """Parts of w'z + b, the columns made from one column of the data together; those that are zero are left out."""
    z = row.dense()
    parts = w * z
    sums: dict[str, float] = {}
    values: dict[str, Any] = {}
    for j in np.flatnonzero(parts).tolist():
        name, value = shown(subject.columns[j], row, float(z[j]))
        sums[name] = sums.get(name, 0.0) + float(parts[j])
        values[name] = value
    rows = sorted(((name, values[name], part) for name, part in sums.items()), key=lambda r: -abs(r[2]))
    if b != 0.0 or not rows:
        rows.insert(0, (start, None, b))
    return Table.of(f"contributions that add up to {what}", ("feature", "value", CONTRIBUTION), rows, CONTRIBUTION)


def shown(column: Column, row: Row, z: float) -> tuple[str, Any]:
    """Name and value of a column as the data has them; of a mixture, as the model sees it."""
    if column.source is None or column.kind == "mixed" or column.source not in row.given:
        return column.name, z
    value = row.given[column.source]
    return column.source, "missing" if value is None else value


def shares_row(
    model: Any,
    family: str,
    shares: np.ndarray,
    label: Any,
    *,
    contributions: Table | None,
    tables: dict[str, Table],
    facts: dict[str, Any] | None = None,
    notes: tuple[str, ...] = (),
    what: str = "probability",
) -> RowExplanation:
    """A row whose class is that of the largest share."""
    classes = np.asarray(model.classes_)
    best = int(np.argmax(shares))
    others = np.delete(np.arange(len(classes)), best)
    second = int(others[np.argmax(shares[others])]) if len(others) else best
    mine = best if label is None else int(np.flatnonzero(classes == label)[0])
    rest = np.delete(shares, mine)
    margin = float(shares[mine] - rest.max()) if len(rest) else None
    shown: dict[str, Any] = {what: f"{shares[best]:.4f} for {classes[best]}"}
    if len(others):
        shown["runner-up"] = f"{classes[second]}, {shares[second]:.4f}"
    return RowExplanation.of(
        model,
        family,
        f"predicts {classes[best]}" + (f", not {classes[second]}." if len(others) else "."),
        facts=shown | (facts or {}) | true_label(label, classes[best], margin),
        tables=tables,
        notes=notes,
        prediction=classes[best],
        decision=float(shares[best]),
        between=(classes[best], classes[second]) if len(others) else None,
        margin=margin,
        probability=float(shares[best]),
        contributions=contributions,
    )


def number_row(
    model: Any,
    family: str,
    prediction: float,
    label: Any,
    *,
    contributions: Table | None,
    tables: dict[str, Table],
    facts: dict[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> RowExplanation:
    """A row with a predicted number."""
    shown: dict[str, Any] = {"prediction": prediction} | (facts or {})
    if label is not None:
        shown["true value"] = f"{number(float(label))}: off by {number(prediction - float(label), signed=True)}"
    parts: dict[str, Any] = {"facts": shown, "tables": tables, "notes": notes, "contributions": contributions}
    words = f"predicts {number(prediction)}."
    return RowExplanation.of(model, family, words, prediction=prediction, decision=prediction, **parts)


def importances(columns: list[Column], values: np.ndarray, spread: np.ndarray | None = None) -> Table:
    """Importances, the largest first; columns made from one column of the data together."""
    sums: dict[str, float] = {}
    members: dict[str, np.ndarray] = {}
    for j, column in enumerate(columns):
        name = column.source or column.name
        sums[name] = sums.get(name, 0.0) + float(values[j])
        if spread is not None:
            members[name] = members.get(name, 0.0) + spread[:, j]
    order = sorted(sums, key=lambda name: -sums[name])
    if spread is None:
        return Table.of("importances", ("feature", "importance"), [(n, sums[n]) for n in order], "importance")
    rows = [(n, sums[n], *np.quantile(members[n], [0.25, 0.75])) for n in order]
    title = "importances, with the quartiles over the members"
    return Table.of(title, ("feature", "importance", "first quartile", "third quartile"), rows, "importance")


def steps_table(names: list[str], values: dict[str, Any], parts: dict[str, float], start: float, what: str) -> Table:
    """What each feature adds on the ways through trees, from the share or mean of all rows."""
    order = sorted(names, key=lambda name: -abs(parts[name]))
    rows: list[Any] = [("all training rows", None, start)] + [(n, values.get(n), parts[n]) for n in order]
    return Table.of(f"contributions that add up to {what}", ("feature", "value", CONTRIBUTION), rows, CONTRIBUTION)


def given_value(column: Column, row: Row) -> Any:
    """The value of a row in the column of the data that a column is made from."""
    if column.source is None or column.source not in row.given:
        return None
    value = row.given[column.source]
    return "missing" if value is None else value


def share(part: float, whole: float) -> str:
    """A part in hundredths of the whole."""
    return f"{100 * part / whole:.1f} %" if whole else "none"
