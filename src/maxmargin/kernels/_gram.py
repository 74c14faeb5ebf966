"""Access by blocks to a matrix of kernel values that is never formed as a whole.

A solver or certificate needs three things of it: a block, the diagonal, and the product of some columns with
coefficients. `TiledGram` computes them from rows, `MatrixGram` reads them from a matrix, `CallableGram` asks a
user's function.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk, ssyrk

from ..data import Rows
from ..engine import jit, run_parallel
from ._tiles import WIDTH, accumulate, accumulate_and_store, fill, tile_height, transform_symmetric
from ._transform import UNTRANSFORMED

# Below this many multiplications a second thread costs more than it brings (waking it takes about 50 us).
_WORTH_A_THREAD = 2_000_000
_PANEL_BYTES = 2**24
# Up to this many multiplications one thread computes half of a symmetric matrix and mirrors it (357 samples of 64
# features: 0.42 instead of 0.67 ms); beyond it all threads share the whole.
_HALF_IS_FASTER = 100_000_000


class Gram(ABC):
    """The matrix ``K[i, j] = k(x_i, z_j)``, i over rows and j over columns."""

    shape: tuple[int, int]

    @abstractmethod
    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        """``K[i, j]`` for index arrays i and j, as a new C-contiguous array."""

    def whole(self, dtype: Any) -> np.ndarray:
        """All of a small matrix; not to be written to, it may be the stored one."""
        return self.block(np.arange(self.shape[0]), np.arange(self.shape[1]), dtype)

    @abstractmethod
    def diagonal(self) -> np.ndarray:
        """``K[i, i]`` in float64 (square matrices only)."""

    @abstractmethod
    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        """``coef @ K[i, j].T`` in float64 for coef of shape (outputs, len(j)); kernel values in `dtype`."""

    @abstractmethod
    def restricted(self, index: np.ndarray) -> Gram:
        """The square sub-matrix of the chosen samples, as a view."""

    def with_threads(self, n_threads: int) -> Gram:
        """The same matrix, computed by another number of threads."""
        return self

    def float32_error(self) -> float:
        """About how far float32 values may be off, relative to the diagonal; inf where float32 saves nothing."""
        return np.inf


class TiledGram(Gram):
    """Kernel values computed from rows, tile by tile, on several threads."""

    def __init__(
        self,
        kernel: Any,
        rows: Rows,
        columns: Rows | None = None,
        n_threads: int = 1,
        *,
        _index: np.ndarray | None = None,
        _shared: tuple | None = None,
    ) -> None:
        self.kernel, self.rows, self.columns = kernel, rows, rows if columns is None else columns
        self.n_threads = n_threads
        self._index = _index
        if _shared is None:
            # Distances do not change when the origin moves to the mean, and cancel far less there.
            centred = kernel.shift_invariant and not (rows.sparse or self.columns.sparse)
            shift = self.columns.mean if centred else np.zeros(rows.d)
            row_norms = rows.squared_norms(shift)
            column_norms = row_norms if self.columns is rows else self.columns.squared_norms(shift)
            _shared = shift, row_norms, column_norms
            with np.errstate(over="ignore", invalid="ignore"):
                values = kernel.diagonal(np.array([row_norms.max(initial=0.0), column_norms.max(initial=0.0)]))
            if not np.isfinite(values).all() or not np.isfinite(row_norms).all():
                raise ValueError(
                    "The dual coefficients or intercepts are not finite: X has values so large that the squared length "
                    "of a row or its kernel value overflows float64. Scale X."
                )
        self._shared = _shared
        n = rows.n if _index is None else len(_index)
        self.shape = n, (n if self.columns is rows else self.columns.n)

    def restricted(self, index: np.ndarray) -> TiledGram:
        index = index if self._index is None else self._index[index]
        return TiledGram(self.kernel, self.rows, self.columns, self.n_threads, _index=index, _shared=self._shared)

    def with_threads(self, n_threads: int) -> TiledGram:
        """The same matrix, computed by another number of threads."""
        return TiledGram(self.kernel, self.rows, self.columns, n_threads, _index=self._index, _shared=self._shared)

    def float32_error(self) -> float:
        norms = self._shared[1]
        sizes = np.abs(np.array([norms.max(initial=0.0), self.kernel.diagonal(norms).max(initial=0.0)]))
        # beyond these, products and sums leave the range of float32
        if not ((sizes < 1e30) & ((sizes > 1e-30) | (sizes == 0))).all():
            return np.inf
        return self.kernel.float32_error(norms)

    def diagonal(self) -> np.ndarray:
        norms = self._shared[1]
        return self.kernel.diagonal(norms if self._index is None else norms[self._index])

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        out = np.empty((len(i), len(j)), dtype)
        order = self._row_index(i)
        for part in self._portions(len(j), dtype):
            panels, panel_norms = self._panels(j[part], dtype)
            self._sweep(fill, order, panels, panel_norms, (), out[:, part])
        return out

    def whole(self, dtype: Any) -> np.ndarray:
        n = self.shape[0]
        work = n * n * (10 + self.rows.d) if self.n_threads > 1 else 0
        if self.rows.sparse or self.columns is not self.rows or work > _HALF_IS_FASTER:
            return super().whole(dtype)
        shift, norms, _ = self._shared
        order = self._row_index(None)
        X = np.ascontiguousarray(self.rows.dense(order, shift, dtype))
        out = np.empty((n, n), dtype)
        syrk = ssyrk if dtype == np.float32 else dsyrk
        syrk(1.0, X.T, c=out.T, trans=1, overwrite_c=1)  # the upper half in Fortran's order is the lower in C's
        transform_symmetric(out, norms, order, self.kernel.params)
        return out

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        order = self._row_index(i)
        out = np.zeros((len(coef), len(order)))
        for part in self._portions(len(j), dtype):
            panels, panel_norms = self._panels(j[part], dtype)
            self._sweep(accumulate, order, panels, panel_norms, (_in_chunks(coef[:, part], panels),), out)
        return out

    def sweep_and_store(
        self, j: np.ndarray, coef: np.ndarray, slots: np.ndarray, storage: np.ndarray, out: np.ndarray
    ) -> None:
        """``out += coef @ K[:, j].T``, and the columns j into the chosen rows of `storage`."""
        order = self._row_index(None)
        for part in self._portions(len(j), storage.dtype):
            panels, panel_norms = self._panels(j[part], storage.dtype)
            extra = _in_chunks(coef[:, part], panels), slots[part], storage
            self._sweep(accumulate_and_store, order, panels, panel_norms, extra, out)

    def features(self) -> np.ndarray:
        """The rows of the matrix as they are, dense and in float64."""
        return self.rows.dense(self._row_index(None), np.zeros(self.rows.d), np.float64)

    def products(self) -> tuple[np.ndarray, np.ndarray]:
        """Inner products of all rows in float64 (about the mean, if the kernel does not mind), and squared lengths.

        They are what the kernels of every gamma are functions of.
        """
        order = self._row_index(None)
        out = np.empty((len(order), len(order)))
        for part in self._portions(len(order), np.float64):
            panels, panel_norms = self._panels(np.arange(part.start, part.stop), np.float64)
            self._sweep(fill, order, panels, panel_norms, (), out[:, part], params=UNTRANSFORMED)
        return out, self._shared[1][order]

    @property
    def multiplications(self) -> float:
        """Multiplications that one inner product takes."""
        return len(self.rows.arrays[0]) / max(1, self.rows.n) * 4 if self.rows.sparse else self.rows.d

    def _row_index(self, i: np.ndarray | None) -> np.ndarray:
        if i is None:
            return np.arange(self.rows.n) if self._index is None else self._index
        return np.asarray(i, dtype=np.int64) if self._index is None else self._index[i]

    def _portions(self, count: int, dtype: Any) -> list[slice]:
        """Columns in portions whose panels stay small: all support vectors at once can be as large as X."""
        step = max(WIDTH, _PANEL_BYTES // (np.dtype(dtype).itemsize * max(1, self.rows.d)) // WIDTH * WIDTH)
        return [slice(a, min(a + step, count)) for a in range(0, count, step)]

    def _panels(self, j: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
        """The chosen columns as panels (chunks, d, width), padded by zeros, and their squared lengths."""
        shift, _, norms = self._shared
        if self._index is not None and self.columns is self.rows:
            j = self._index[j]
        chunks = -(-len(j) // WIDTH)
        width = -(-len(j) // chunks)  # equal chunks: padding costs as much as values
        panels = np.zeros((chunks, self.rows.d, width), dtype)
        panel_norms = np.zeros((chunks, width), dtype)
        for chunk in range(chunks):
            part = j[chunk * width : (chunk + 1) * width]
            panels[chunk, :, : len(part)] = self.columns.dense(part, shift, dtype).T
            panel_norms[chunk, : len(part)] = norms[part]
        return panels, panel_norms

    def _sweep(
        self,
        task: Any,
        order: np.ndarray,
        panels: np.ndarray,
        panel_norms: np.ndarray,
        extra: tuple,
        out: np.ndarray,
        params: tuple | None = None,
    ) -> None:
        shift, norms, _ = self._shared
        params = self.kernel.params if params is None else params
        m, height = len(order), tile_height(self.rows.d)
        work = m * panels.shape[0] * panels.shape[2] * (10 + self.rows.d)
        threads = self.n_threads if work > _WORTH_A_THREAD else 1
        edges = [m * t // threads for t in range(threads + 1)]
        arguments = [
            (self.rows.arrays, order, a, b, shift, norms, panels, panel_norms, *extra, params, height, out)
            for a, b in itertools.pairwise(edges)
            if a < b
        ]
        run_parallel(task, arguments)


def _in_chunks(coef: np.ndarray, panels: np.ndarray) -> np.ndarray:
    """Coefficients laid out as the panels are, padded by zeros."""
    chunks, _, width = panels.shape
    padded = np.zeros((chunks * width, len(coef)), panels.dtype)
    padded[: coef.shape[1]] = coef.T
    return padded.reshape(chunks, width, len(coef))


class MatrixGram(Gram):
    """Kernel values read from a matrix: given by the user, or computed once because it is small.

    Of a symmetric matrix the rows serve as columns, because they lie together in memory.
    """

    def __init__(self, matrix: np.ndarray, index: np.ndarray | None = None, *, symmetric: bool) -> None:
        self.matrix, self._index, self.symmetric = matrix, index, symmetric
        self.shape = matrix.shape if index is None else (len(index), len(index))

    def restricted(self, index: np.ndarray) -> MatrixGram:
        index = index if self._index is None else self._index[index]
        return MatrixGram(self.matrix, index, symmetric=self.symmetric)

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


class CallableGram(Gram):
    """Kernel values from a user's function, by blocks of rows so that memory stays bounded."""

    _BLOCK = 2**21  # values asked for at once: 16 MB

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        rows: Rows,
        columns: Rows | None = None,
        index: np.ndarray | None = None,
    ) -> None:
        self.function, self.rows, self.columns = function, rows, rows if columns is None else columns
        self._index = index
        n = rows.n if index is None else len(index)
        self.shape = n, (n if self.columns is rows else self.columns.n)

    def restricted(self, index: np.ndarray) -> CallableGram:
        return CallableGram(
            self.function, self.rows, self.columns, index if self._index is None else self._index[index]
        )

    def _at(self, i: np.ndarray) -> np.ndarray:
        return np.asarray(i) if self._index is None else self._index[i]

    def diagonal(self) -> np.ndarray:
        return np.array([self.block(np.array([i]), np.array([i]), np.float64)[0, 0] for i in range(self.shape[0])])

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        columns = self._at(j) if self.columns is self.rows else np.asarray(j)
        values = self.function(self.rows.take(self._at(i)), self.columns.take(columns))
        values = values.toarray() if sp.issparse(values) else np.asarray(values)
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
        if len(j):
            step = max(1, self._BLOCK // len(j))
            for start in range(0, len(rows), step):
                part = rows[start : start + step]
                out[:, start : start + step] = coef @ self.block(part, j, np.float64).T
        return out
