"""Kernel values from a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows, canonical
from ._accuracy import Accuracy, exact
from ._gram import Gram, extended_values

_COLUMNS = 512  # whose products are added up before the sum goes on


class CallableGram(Gram):
    """Kernel values from a function, by blocks of rows so that memory stays bounded.

    A user's function is believed: its values are the kernel. One of `audited`, a kernel of the library, is as accurate
    as that kernel says.
    """

    _BLOCK = 2**21  # values asked for at once: 16 MB

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        rows: Rows,
        columns: Rows | None = None,
        index: np.ndarray | None = None,
        audited: Any = None,
    ) -> None:
        self.function, self.rows, self.columns = function, rows, rows if columns is None else columns
        self._index, self.audited = index, audited
        n = rows.n if index is None else len(index)
        self.shape = n, (n if self.columns is rows else self.columns.n)

    def restricted(self, index: np.ndarray) -> CallableGram:
        index = index if self._index is None else self._index[index]
        return CallableGram(self.function, self.rows, self.columns, index, self.audited)

    def accuracy(self) -> Accuracy:
        if self.audited is None:
            return exact(np.sqrt(np.abs(self.diagonal())))
        found = self.audited.plain_accuracy(self.rows)
        return found if self._index is None else found.of(self._index)

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        f, size = np.zeros((len(coef), self.shape[0])), np.zeros((len(coef), self.shape[0]))
        # some columns at a time, as in tiles: the bounds of both grow with the additions in a row
        parts = [slice(start, start + _COLUMNS) for start in range(0, len(j), _COLUMNS)]
        for rows, block in self._row_blocks(np.arange(self.shape[0]), j):
            for part in parts:
                c, values = coef[:, part], block[:, part]
                f[:, rows] += c @ values.T
                size[:, rows] += np.abs(c) @ np.abs(values).T
        return f, size, min(len(j), _COLUMNS) + len(parts) + 2

    def linear_rows(self) -> tuple[Rows, np.ndarray | None] | None:
        return (self.rows, self._index) if getattr(self.audited, "is_linear", False) else None

    def extended_work(self, count: int) -> float:
        return np.inf if self.audited is None else float(self.shape[0]) * count * (20 + self.rows.d)

    def extended(self, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        order = self._at(np.arange(self.shape[0]))
        return extended_values(self.audited, self.rows, order, order[j])

    def _row_blocks(self, rows: np.ndarray, j: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Which of `rows`, and their values against columns j."""
        step = max(1, self._BLOCK // max(1, len(j)))
        for start in range(0, len(rows) if len(j) else 0, step):
            part = slice(start, min(start + step, len(rows)))
            yield part, self.block(rows[part], j, np.float64)

    def _at(self, i: np.ndarray) -> np.ndarray:
        return np.asarray(i) if self._index is None else self._index[i]

    def diagonal(self) -> np.ndarray:
        return np.array([self.block(np.array([i]), np.array([i]), np.float64)[0, 0] for i in range(self.shape[0])])

    def whole(self, dtype: Any) -> np.ndarray:
        m, n = self.shape
        out, columns, step = np.empty((m, n), dtype), np.arange(n), max(1, self._BLOCK // max(1, n))
        for start in range(0, m, step):
            out[start : start + step] = self.block(np.arange(start, min(m, start + step)), columns, dtype)
        return out

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        columns = self._at(j) if self.columns is self.rows else np.asarray(j)
        values = self.function(self.rows.take(self._at(i)), self.columns.take(columns))
        values = canonical(values, "what the kernel returns").toarray() if sp.issparse(values) else np.asarray(values)
        if values.shape != (len(i), len(j)):
            raise ValueError(
                f"the kernel function returned shape {values.shape} for {len(i)} and {len(j)} samples; "
                f"expected {(len(i), len(j))}."
            )
        if not np.isfinite(values).all():
            raise ValueError("the kernel function returned NaN or infinity.")
        return np.ascontiguousarray(values, dtype=dtype)

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        rows = np.arange(self.shape[0]) if i is None else np.asarray(i)
        out = np.zeros((len(coef), len(rows)))
        for part, block in self._row_blocks(rows, j):
            out[:, part] = coef @ block.T
        return out
