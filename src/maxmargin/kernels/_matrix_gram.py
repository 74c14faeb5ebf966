"""Kernel values read from a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import Rows
from ..engine import jit
from ._accuracy import EXTENDED, Accuracy, exact
from ._gram import Gram


def symmetric_part(matrix: np.ndarray) -> np.ndarray:
    """``(K + K') / 2``, rounded to float64; the matrix itself where that is the same."""
    if np.array_equal(matrix, matrix.T):
        return matrix
    whole = matrix.astype(np.float64, copy=False)
    return (whole + whole.T) / 2


class MatrixGram(Gram):
    """Kernel values read from a matrix: given by the user, or computed once because it is small.

    Of a symmetric matrix the rows serve as columns, because they lie together in memory. A matrix that was computed
    has a `source`, which knows how accurate its values are; a given one is what it is.
    """

    def __init__(
        self, matrix: np.ndarray, index: np.ndarray | None = None, *, symmetric: bool, source: Gram | None = None
    ) -> None:
        self.matrix, self._index, self.symmetric, self.source = matrix, index, symmetric, source
        self.shape = matrix.shape if index is None else (len(index), len(index))

    @classmethod
    def of(cls, gram: Gram) -> MatrixGram:
        """All float64 values of a small symmetric matrix."""
        return cls(gram.whole(np.float64), symmetric=True, source=gram)

    def restricted(self, index: np.ndarray) -> MatrixGram:
        source = None if self.source is None else self.source.restricted(index)
        index = index if self._index is None else self._index[index]
        return MatrixGram(self.matrix, index, symmetric=self.symmetric, source=source)

    def accuracy(self) -> Accuracy:
        if self.source is not None:
            return self.source.accuracy()
        return exact(np.sqrt(np.abs(self.diagonal())))

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        rows, columns = self._at(None, self.shape[0]), self._at(j, 0)
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        if not self.symmetric:
            block = self.matrix[np.ix_(rows, columns)].astype(np.float64, copy=False)
            return coef @ block.T, np.abs(coef) @ np.abs(block).T, len(j) + 2
        out, size = np.zeros((2, len(coef), self.matrix.shape[1]))
        for c in range(len(coef)):
            _add_rows_and_sizes(self.matrix, columns, coef[c], out[c], size[c])
        return (out, size, len(j) + 2) if self._index is None else (out[:, rows], size[:, rows], len(j) + 2)

    def linear_rows(self) -> tuple[Rows, np.ndarray | None] | None:
        return None if self.source is None else self.source.linear_rows()

    def extended_work(self, count: int) -> float:
        return float(self.shape[0]) * count * 20 if self.source is None else self.source.extended_work(count)

    def extended(self, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        if self.source is not None:
            return self.source.extended(j)
        return self.block(np.arange(self.shape[0]), j, np.float64).astype(EXTENDED), self.accuracy()

    def _at(self, i: np.ndarray | None, size: int) -> np.ndarray:
        if self._index is not None:
            return self._index if i is None else self._index[i]
        return np.arange(size) if i is None else np.asarray(i, dtype=np.int64)

    def whole(self, dtype: Any) -> np.ndarray:
        return self.matrix.astype(dtype, copy=False) if self._index is None else super().whole(dtype)

    def diagonal(self) -> np.ndarray:
        i = self._at(None, self.shape[0])
        return self.matrix[i, i].astype(np.float64)

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        return self.matrix[np.ix_(self._at(i, 0), self._at(j, 0))].astype(dtype, order="C", copy=False)

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        rows, columns = self._at(i, self.shape[0]), self._at(j, 0)
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        if self.symmetric:
            out = np.zeros((len(coef), self.matrix.shape[1]))
            _add_rows(self.matrix, columns, coef, out)
            return out if i is None and self._index is None else out[:, rows]
        return coef @ self.matrix[np.ix_(rows, columns)].T.astype(np.float64, copy=False)


@jit
def _add_rows(matrix, index, coef, out):  # type: ignore[no-untyped-def]
    for c in range(coef.shape[0]):
        total = out[c]
        for k in range(index.shape[0]):
            row, weight = matrix[index[k]], coef[c, k]
            for t in range(row.shape[0]):
                total[t] += weight * row[t]


@jit
def _add_rows_and_sizes(matrix, index, coef, out, size):  # type: ignore[no-untyped-def]
    for k in range(index.shape[0]):
        row, weight = matrix[index[k]], coef[k]
        heavy = abs(weight)
        for t in range(row.shape[0]):
            out[t] += weight * row[t]
            size[t] += heavy * abs(row[t])
