"""What is in a table, in words and figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data import csr_rows
from ..messages import one_line, shortened
from ._errors import absent
from ._frame import Column, columns_of, is_frame
from ._plan import plan_column
from ._sparse_table import SparseTable

_MOST_CLASSES = 1000


@dataclass(frozen=True)
class ColumnSummary:
    """One column of a `TableSummary`: name, type and kind, missing and distinct values, an example, and a reason."""

    name: str
    type: str
    kind: str
    missing: int
    distinct: int
    example: str
    reason: str


@dataclass(frozen=True)
class TableSummary:
    """What `describe_table` finds.

    Attributes
    ----------
    rows : int
        Number of rows.
    columns : tuple of ColumnSummary
        One for each column, without the target.
    target : ColumnSummary or None
        The target, if one was named.
    classes : dict of str to int or None
        How often each value of the target occurs, commonest first; None where it has more than 1000.

    """

    rows: int
    columns: tuple[ColumnSummary, ...]
    target: ColumnSummary | None = None
    classes: dict[str, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as JSON takes them."""
        return asdict(self)

    def __str__(self) -> str:
        head = ("column", "kind", "missing", "distinct", "example", "because")
        rows = [(c.name, c.kind, str(c.missing), str(c.distinct), c.example, c.reason) for c in self.columns]
        if self.target is not None:
            c = self.target
            rows.append((c.name, "target", str(c.missing), str(c.distinct), c.example, ""))
        cells = [tuple(shortened(one_line(cell), 40, mark="...") for cell in row) for row in (head, *rows)]
        widths = [max(len(row[j]) for row in cells) for j in range(len(head))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        return "\n".join([f"{self.rows} rows", *lines])


def describe_table(table: Any, target: str | None = None, *, max_levels: int = 100) -> TableSummary:
    """Say what a table holds: its rows, and for each column what a model would take it for.

    Parameters
    ----------
    table : data frame, array or SparseTable
    target : str, default=None
        The column to be predicted: it is described apart, with its classes.
    max_levels : int, default=100
        As in `ColumnReader`.

    Returns
    -------
    TableSummary

    Examples
    --------
    >>> import pandas as pd
    >>> from maxmargin.tables import describe_table
    >>> table = pd.DataFrame({"city": ["Rome", "Oslo", "Rome"], "age": [31.0, None, 25.0], "ill": ["no", "yes", "no"]})
    >>> print(describe_table(table, target="ill"))
    3 rows
    column  kind      missing  distinct  example  because
    city    category  0        2         Rome     2 different values
    age     number    1        2         31       numbers
    ill     target    0        2         no

    """
    if isinstance(table, SparseTable):
        return _describe_sparse(table)
    columns, frame = columns_of(table), is_frame(table)
    names = [column.name for column in columns]
    if target is not None and target not in names:
        raise absent([target], names, "The table")
    features = [column for column in columns if column.name != target]
    found = tuple(_summary(column, place == 0, frame, max_levels) for place, column in enumerate(features))
    rows = len(columns[0].series) if columns else 0
    if target is None:
        return TableSummary(rows, found)
    column = columns[names.index(target)]
    counts = Counter(value for value in _values(column) if value is not None)
    classes = dict(counts.most_common()) if len(counts) <= _MOST_CLASSES else None
    return TableSummary(rows, found, _summary(column, False, False, max_levels), classes)


def _values(column: Column) -> list[str | None]:
    if column.type == "date":
        days = column.instants()
        return [None if np.isnan(day) else _date(day) for day in days.tolist()]
    return column.texts()


def _date(day: float) -> str:
    moment = np.datetime64(round(day * 86_400_000_000), "us")
    return str(moment.astype("M8[D]") if day == np.floor(day) else moment.astype("M8[s]"))


def _summary(column: Column, first: bool, frame: bool, max_levels: int) -> ColumnSummary:
    plan = plan_column(column, None, max_levels, first, frame)
    if column.type == "text":
        values = column.texts()
        distinct = len(set(values) - {None})
        example = next((value for value in values if value is not None), "")
    else:
        numbers = column.instants() if column.type == "date" else column.numbers()
        present = numbers[~np.isnan(numbers)]
        distinct = len(np.unique(present))
        example = _example(present[0], column.type) if len(present) else ""
    return ColumnSummary(column.name, column.type, plan.kind, plan.missing, distinct, example, plan.reason)


def _example(value: float, type_: str) -> str:
    if type_ == "bool":
        return str(bool(value))
    return _date(value) if type_ == "date" else f"{value:.10g}"


def _describe_sparse(table: SparseTable) -> TableSummary:
    values, counts = np.unique(table.y, return_counts=True)
    summary = ColumnSummary("label", "number", "number", 0, len(values), f"{table.y[0]:g}" if len(table.y) else "", "")
    ranked = sorted(zip(values.tolist(), counts.tolist(), strict=True), key=lambda pair: -pair[1])
    classes = {f"{value:.10g}": count for value, count in ranked} if len(ranked) <= _MOST_CLASSES else None
    n, d = table.X.shape
    stored = csr_rows(table.X).nnz / max(1, n * d)
    features = ColumnSummary(f"{d} columns", "number", "number", 0, 0, "", f"sparse: {stored:.1%} of the cells stored")
    return TableSummary(n, (features,), summary, classes)
