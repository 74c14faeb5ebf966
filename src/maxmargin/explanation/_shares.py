"""What rows of models that give shares of classes, or numbers, have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import number
from ._columns import Column
from ._contributions import CONTRIBUTION
from ._linear import true_label
from ._results import RowExplanation, Table
from ._subject import Row


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
    return RowExplanation(
        model=type(model).__name__,
        family=family,
        summary=f"{type(model).__name__} predicts {classes[best]}"
        + (f", not {classes[second]}." if len(others) else "."),
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
    return RowExplanation(
        model=type(model).__name__,
        family=family,
        summary=f"{type(model).__name__} predicts {number(prediction)}.",
        facts=shown,
        tables=tables,
        notes=notes,
        prediction=prediction,
        decision=prediction,
        contributions=contributions,
    )


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
