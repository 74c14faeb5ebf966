"""One accessor for dense and CSR rows, so that no loop over samples is written twice.

Compiled code receives ``Rows.arrays``. What has to look inside is written for dense and for CSR rows and paired by
`by_storage`: `row_products` here, and the passes beside it. All that is above (kernels, sweeps, certificates) is
written once, over these.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba.extending import register_jitable

from ..engine import cached_property
from ._sparse import csr_rows
from ._storage import by_storage

# Values of X below which a second thread costs more than it saves (a hand-over takes about 50 us).
_ONE_THREAD = 200_000


class Rows:
    """Samples as rows, never copied to another precision as a whole.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix or array, float32 or float64
        Dense (made C-contiguous) or anything that converts to CSR.

    """

    def __init__(self, X: Any) -> None:
        if sp.issparse(X):
            X = csr_rows(X)
            # Column numbers fit 32 bits; row pointers may not (more than 2**31 stored values).
            self.arrays: tuple = (
                np.ascontiguousarray(X.data).view(),
                np.ascontiguousarray(X.indices, dtype=np.int32).view(),
                np.ascontiguousarray(X.indptr, dtype=np.int64).view(),
            )
            self.sparse = True
        else:
            X = np.ascontiguousarray(X)
            self.arrays = (X.view(),)
            self.sparse = False
        for array in self.arrays:
            array.flags.writeable = False  # as memory maps are: one type for the compiler instead of two
        self._X = X
        self.n, self.d = X.shape
        self.dtype = X.dtype

    @property
    def stored(self) -> int:
        """Values that a pass over the rows reads."""
        return len(self.arrays[0]) if self.sparse else self.n * self.d

    def strips(self, threads: int, outputs: int = 1) -> list[tuple[int, int]]:
        """Ranges of rows, one for each thread that is worth its while in a pass for so many outputs."""
        parts = min(threads, max(1, self.stored * outputs // _ONE_THREAD))
        if parts == 1:
            return [(0, self.n)]
        return list(pairwise(self.n * k // parts for k in range(parts + 1)))

    def times(self, w: np.ndarray, index: np.ndarray | None = None) -> np.ndarray:
        """``X[index] @ w`` in float64, by blocks."""
        n = self.n if index is None else len(index)
        out = np.empty(n)
        step = max(1, 2**18 // max(1, self.d)) if not self.sparse else max(1, n)
        for start in range(0, n, step):
            part = slice(start, start + step)
            out[part] = self._X[part if index is None else index[part]].astype(np.float64, copy=False) @ w
        return out

    def weighted_sum(self, index: np.ndarray, a: np.ndarray) -> np.ndarray:
        """``sum_k a_k x_(index_k)`` in float64, by blocks."""
        out = np.zeros(self.d)
        step = max(1, 2**18 // max(1, self.d)) if not self.sparse else max(1, len(index))
        for start in range(0, len(index), step):
            part = slice(start, start + step)
            out += self._X[index[part]].T.astype(np.float64, copy=False) @ a[part]
        return out

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The largest number of stored values in a row and in a column."""
        if not self.sparse:
            return self.d, self.n
        _, indices, indptr = self.arrays
        return int(np.diff(indptr).max(initial=0)), int(np.bincount(indices, minlength=1).max())

    @cached_property
    def mean(self) -> np.ndarray:
        """Column means of dense rows in float64; zeros for CSR, where shifting would destroy sparsity."""
        if self.sparse or self.n == 0:
            return np.zeros(self.d)
        return self._X.mean(axis=0, dtype=np.float64)

    def variance(self, weights: np.ndarray) -> float:
        """Variance of all entries, each row counted by its weight, in float64."""
        total = weights.sum() * self.d
        if self.sparse:
            data, _, indptr = self.arrays
            value_weights = np.repeat(weights, np.diff(indptr))
            mean = float(data @ value_weights) / total
            square = float(np.square(data - mean, dtype=np.float64) @ value_weights)
            empty = max(total - float(value_weights.sum()), 0.0)  # the zeros that are not stored
            return (square + empty * mean**2) / total
        mean = (weights @ self._X.sum(axis=1, dtype=np.float64)) / total
        step, square = max(1, 2**18 // max(1, self.d)), 0.0
        for start in range(0, self.n, step):
            block = self._X[start : start + step] - mean
            square += float(weights[start : start + step] @ np.einsum("ij,ij->i", block, block))
        return square / total

    def take(self, index: np.ndarray) -> Any:
        """The chosen rows in their own storage (ndarray or CSR)."""
        return self._X[index]

    def dense(self, index: np.ndarray | slice, shift: np.ndarray, dtype: Any) -> np.ndarray:
        """The chosen rows minus `shift` as a dense array of `dtype`; the difference is formed in float64."""
        if self.sparse:
            return self._X[index].toarray().astype(dtype, copy=False)
        block = self._X[index]
        if not shift.any():
            return block.astype(dtype, copy=False)
        return (block - shift).astype(dtype, copy=False)

    def squared_norms(self, shift: np.ndarray) -> np.ndarray:
        """Squared lengths of the (shifted) rows in float64, by blocks."""
        out = np.zeros(self.n)
        if self.sparse:
            data, _, indptr = self.arrays
            filled = np.flatnonzero(np.diff(indptr))  # reduceat would give an empty row its neighbour's value
            if filled.size:
                with np.errstate(over="ignore"):  # a length that overflows is infinite
                    out[filled] = np.add.reduceat(np.square(data, dtype=np.float64), indptr[filled])
            return out
        step = max(1, 2**18 // max(1, self.d))
        for start in range(0, self.n, step):
            block = self._X[start : start + step] - shift
            np.einsum("ij,ij->i", block, block, out=out[start : start + step])
        return out


class ObjectRows:
    """Samples of any kind (texts, graphs, CSR rows) that only a user's kernel function looks into."""

    def __init__(self, X: Any) -> None:
        self._X, self.n = X, X.shape[0]

    def take(self, index: np.ndarray) -> Any:
        """The chosen samples."""
        return self._X[index]


def _dense_products(rows, order, start, stop, shift, panels, chunk, tile, out):  # type: ignore[no-untyped-def]
    X = rows[0]
    m = stop - start
    if chunk == 0:
        for t in range(m):
            r = order[start + t]
            for k in range(X.shape[1]):
                tile[t, k] = X[r, k] - shift[k]
    np.dot(tile[:m], panels[chunk], out[:m])


def _csr_products(rows, order, start, stop, shift, panels, chunk, tile, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    panel = panels[chunk]
    width = panel.shape[1]
    for t in range(stop - start):
        r = order[start + t]
        row = out[t]
        for j in range(width):
            row[j] = 0
        p, end = indptr[r], indptr[r + 1]
        while p + 4 <= end:  # four columns a pass: the output row is loaded and stored a quarter as often
            a, b, c, e = panel[indices[p]], panel[indices[p + 1]], panel[indices[p + 2]], panel[indices[p + 3]]
            va, vb = out.dtype.type(data[p]), out.dtype.type(data[p + 1])
            vc, ve = out.dtype.type(data[p + 2]), out.dtype.type(data[p + 3])
            for j in range(width):
                row[j] += va * a[j] + vb * b[j] + vc * c[j] + ve * e[j]
            p += 4
        while p < end:
            a = panel[indices[p]]
            va = out.dtype.type(data[p])
            for j in range(width):
                row[j] += va * a[j]
            p += 1


row_products = by_storage(
    _dense_products,
    _csr_products,
    """``out[t] = (x_r - shift) @ panels[chunk]`` for the rows r = order[start + t]; `tile` is scratch.

    ``panels`` has shape (chunks, d, width). For ``chunk == 0`` dense rows are first loaded into `tile`, in the
    precision of the tile, and reused for the chunks that follow.
    """,
)


@register_jitable
def _half_squares(tile, m, panel, out):  # type: ignore[no-untyped-def]
    half = out.dtype.type(0.5)
    for t in range(m):
        row = out[t]
        for j in range(panel.shape[1]):
            row[j] = 0
        for k in range(panel.shape[0]):
            x, column = tile[t, k], panel[k]
            for j in range(panel.shape[1]):
                difference = x - column[j]
                row[j] -= half * difference * difference


def _dense_differences(rows, order, start, stop, shift, panels, chunk, tile, out):  # type: ignore[no-untyped-def]
    X = rows[0]
    if chunk == 0:
        for t in range(stop - start):
            r = order[start + t]
            for k in range(X.shape[1]):
                tile[t, k] = X[r, k] - shift[k]
    _half_squares(tile, stop - start, panels[chunk], out)


def _csr_differences(rows, order, start, stop, shift, panels, chunk, tile, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    if chunk == 0:
        for t in range(stop - start):
            r = order[start + t]
            for k in range(tile.shape[1]):
                tile[t, k] = 0
            for p in range(indptr[r], indptr[r + 1]):
                tile[t, indices[p]] = data[p]
    _half_squares(tile, stop - start, panels[chunk], out)


row_differences = by_storage(
    _dense_differences,
    _csr_differences,
    """``out[t, j] = -1/2 ||x_r - shift - panels[chunk, :, j]||^2`` for the rows r = order[start + t], by differences.

    Where rows are close to each other but long, inner products lose what matters to cancellation. Takes the time of
    its multiplications without the help of a BLAS.
    """,
)
