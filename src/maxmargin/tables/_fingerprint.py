"""A digest of what a table says, whatever file it came from."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from ..data import csr_rows
from ..messages import Place
from ._errors import TableError, absent
from ._frame import Column, columns_of
from ._sparse_table import SparseTable


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
