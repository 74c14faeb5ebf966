"""What is in a table, in words and figures; and a digest of what it says, whatever file it came from."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data import csr_rows
from ..messages import Place, TextTable, one_line, shortened
from ._errors import TableError, absent
from ._frame import Column, SparseTable, columns_of, is_frame
from ._plan import plan_column

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
        cells = [tuple(shortened(one_line(cell), 40, mark="...") for cell in row) for row in rows]
        return "\n".join([f"{self.rows} rows", *TextTable("", cells, head).lines()])


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


class _Digest:
    """Values and lengths of one column, so far."""

    def __init__(self) -> None:
        self.type, self.missing = "missing", 0  # rows before the first value, whose type is not known yet
        self.values, self.lengths = hashlib.sha256(), hashlib.sha256()

    def add(self, column: Column, name: str) -> None:
        if column.type == "missing" or column.missing().all():
            self._nothing(len(column.series))
            return
        type_ = "number" if column.type == "bool" else column.type
        if self.type == "missing":
            self.type, missing, self.missing = type_, self.missing, 0
            self._nothing(missing)
        elif self.type != type_:
            raise TableError(
                f"Column {name!r} holds {self.type}, and {type_} in a later chunk.", place=Place(column=name)
            )
        if type_ == "text":
            self._texts(column)
        else:
            self._numbers(column.numbers() if type_ == "number" else column.instants())

    def _nothing(self, rows: int) -> None:
        if self.type == "missing":
            self.missing += rows
        elif self.type == "text":
            self.lengths.update(np.full(rows, -1, dtype="<i8").data)
        else:
            self._numbers(np.full(rows, np.nan))

    def _numbers(self, values: np.ndarray) -> None:
        values = values.astype("<f8") + 0.0  # -0.0 becomes 0.0
        values[np.isnan(values)] = np.nan  # of which there are many
        self.values.update(np.ascontiguousarray(values).data)

    def _texts(self, column: Column) -> None:
        lengths, data = column.text_bytes()
        self.lengths.update(lengths.astype("<i8").data)
        self.values.update(data)

    def result(self) -> list[str | int]:
        return [self.type, self.missing, self.values.hexdigest(), self.lengths.hexdigest()]


class Fingerprint:
    """A `fingerprint` by chunks: the same as of the whole, wherever it is cut.

    Examples
    --------
    >>> import polars as pl
    >>> from maxmargin.tables import Fingerprint, fingerprint
    >>> table = pl.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"]})
    >>> digest = Fingerprint()
    >>> for chunk in (table[:1], table[1:]):
    ...     digest.update(chunk)
    >>> digest.hexdigest() == fingerprint(table)
    True

    """

    def __init__(self) -> None:
        self._rows = 0
        self._columns: dict[str, _Digest] = {}

    def update(self, table: Any) -> None:
        """Add the rows of a chunk: any data frame, an array, or a SparseTable.

        Parameters
        ----------
        table : data frame, array or SparseTable
            With the same columns as the chunks before.

        """
        columns = _sparse_columns(table) if isinstance(table, SparseTable) else columns_of(table)
        names = [column.name for column in columns]
        if not self._columns:
            self._columns = {name: _Digest() for name in names}
        elif names != list(self._columns):
            raise absent(self._columns, names, "A later chunk")
        for column in columns:
            self._columns[column.name].add(column, column.name)
        self._rows += len(table) if isinstance(table, SparseTable) else len(columns[0].series) if columns else 0

    def hexdigest(self) -> str:
        """The digest of all rows so far.

        Returns
        -------
        str
            64 hexadecimal digits.

        """
        columns = [[name, *digest.result()] for name, digest in self._columns.items()]
        return hashlib.sha256(json.dumps([self._rows, columns]).encode()).hexdigest()


def fingerprint(table: Any) -> str:
    """A digest of names and values: equal for equal tables, whatever file, library or chunks they come from.

    Numbers count by their value: 1, 1.0 and true are alike, and integers beyond 2^53 as their nearest float64. Missing
    values are alike, NaN or null; so is an empty text.

    Parameters
    ----------
    table : data frame, array or SparseTable

    Returns
    -------
    str
        SHA-256 as 64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from maxmargin.tables import fingerprint
    >>> table = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    >>> fingerprint(table) == fingerprint(table.astype({"a": float}))
    True
    >>> fingerprint(table) == fingerprint(table[::-1])
    False

    """
    digest = Fingerprint()
    digest.update(table)
    return digest.hexdigest()


def _sparse_columns(table: SparseTable) -> list[Column]:
    """A sparse table in columns whose digests do not depend on chunks: labels, lengths of rows, indices, values."""
    X = csr_rows(table.X)
    if (X.data == 0).any():  # stored or not, a zero is a zero
        X = X.copy()
        X.eliminate_zeros()
    parts = {"y": table.y, "length": np.diff(X.indptr), "index": X.indices, "value": X.data}
    return [Column(f"{name} of {X.shape[1]}", "number", np.asarray(part)) for name, part in parts.items()]
