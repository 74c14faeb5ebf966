"""What each column of the data adds to the value of a linear machine: w_j z_j, and the intercept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._columns import Column
from ._results import Table
from ._subject import Row, Subject

CONTRIBUTION = "contribution"


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
