"""Access by blocks to a matrix of kernel values that is never formed as a whole.

A solver or certificate needs three things of it: a block, the diagonal, and the product of some columns with
coefficients. `TiledGram` computes them from rows, `MatrixGram` reads them from a matrix, `CallableGram` asks a
user's function.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk, ssyrk

from ..data import Rows, canonical
from ..engine import jit, run_parallel
from ._accuracy import EXTENDED, Accuracy, exact
from ._tiles import WIDTH, accumulate, accumulate_and_store, fill, tile_height, transform_symmetric
from ._transform import UNTRANSFORMED, UNTRANSFORMED_DIFFERENCES

# Below this many multiplications a second thread costs more than it brings (waking it takes about 50 us).
_WORTH_A_THREAD = 2_000_000
_PANEL_BYTES = 2**24
# Up to this many multiplications one thread computes half of a symmetric matrix and mirrors it (357 samples of 64
# features: 0.42 instead of 0.67 ms); beyond it all threads share the whole.
_HALF_IS_FASTER = 100_000_000
# Samples up to which a matrix may be computed as a whole, to be factorised or kept: 72 MB.
MODERATE = 3000


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

    # What follows is for certificates: products whose rounding errors can be bounded.

    @abstractmethod
    def accuracy(self) -> Accuracy:
        """How far float64 values may be off (square matrices only)."""

    @abstractmethod
    def sized_product(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """``K[:, j] @ coef`` in float64, ``|K[:, j]| @ |coef|`` or more, and the additions in a row of a value."""

    def linear_rows(self) -> tuple[Rows, np.ndarray | None] | None:
        """The rows (and which of them) whose inner products the values are, if that is what they are."""
        return None

    def extended_work(self, count: int) -> float:
        """Operations that so many extended columns take; inf where there are none."""
        return np.inf

    def extended(self, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        """``K[:, j]`` in extended precision by plain code, and how far these values may be off."""
        raise NotImplementedError


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
            # Distances do not change when the origin moves to the mean, and cancel far less there. Differences of
            # rows are exact to rounding where they are.
            centred = kernel.shift_invariant and not (rows.sparse or self.columns.sparse or kernel.by_differences)
            shift = self.columns.mean if centred else np.zeros(rows.d)
            row_norms = np.zeros(rows.n) if kernel.by_differences else rows.squared_norms(shift)
            if self.columns is rows:
                column_norms = row_norms
            else:
                column_norms = np.zeros(self.columns.n) if kernel.by_differences else self.columns.squared_norms(shift)
            _shared = shift, row_norms, column_norms
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
        whole = self.rows.sparse or self.columns is not self.rows or self.kernel.by_differences
        if whole or work > _HALF_IS_FASTER:
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

        By differences: half the squared distances with a minus sign, and zeros. They are what the kernels of every
        gamma are functions of.
        """
        order = self._row_index(None)
        out = np.empty((len(order), len(order)))
        params = UNTRANSFORMED_DIFFERENCES if self.kernel.by_differences else UNTRANSFORMED
        for part in self._portions(len(order), np.float64):
            panels, panel_norms = self._panels(np.arange(part.start, part.stop), np.float64)
            self._sweep(fill, order, panels, panel_norms, (), out[:, part], params=params)
        return out, self._shared[1][order]

    @property
    def squared_norms(self) -> tuple[np.ndarray, np.ndarray]:
        """Squared lengths of all rows and of all columns, about the point that products are taken about."""
        return self._shared[1], self._shared[2]

    def accuracy(self) -> Accuracy:
        found = self.kernel.accuracy(self._shared[1], self.rows.longest[0])
        return found if self._index is None else found.of(self._index)

    def sized_product(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        chunks = -(-len(j) // WIDTH) + len(self._portions(len(j), np.float64))
        additions = min(len(j), WIDTH) + chunks + 2
        if self.kernel.non_negative:
            f, size = self.product(j, np.array([coef, np.abs(coef)]), np.float64)
            return f, size, additions
        scale = self.accuracy().scale
        return self.product(j, coef[None], np.float64)[0], scale * float(scale[j] @ np.abs(coef)), additions

    def linear_rows(self) -> tuple[Rows, np.ndarray | None] | None:
        return (self.rows, self._index) if self.kernel.is_linear and self.columns is self.rows else None

    def extended_work(self, count: int) -> float:
        return float(self.shape[0]) * count * (20 + self.rows.d)

    def extended(self, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        order = self._row_index(None)
        return extended_values(self.kernel, self.rows, order, order[j])

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


def extended_values(kernel: Any, rows: Rows, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
    """Values between rows i and j of X by the textbook formula in extended precision."""
    zero = np.zeros(rows.d)
    X = rows.dense(i, zero, np.float64).astype(EXTENDED)
    return kernel.extended(X, rows.dense(j, zero, np.float64).astype(EXTENDED))


def _in_chunks(coef: np.ndarray, panels: np.ndarray) -> np.ndarray:
    """Coefficients laid out as the panels are, padded by zeros."""
    chunks, _, width = panels.shape
    padded = np.zeros((chunks * width, len(coef)), panels.dtype)
    padded[: coef.shape[1]] = coef.T
    return padded.reshape(chunks, width, len(coef))


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

    def sized_product(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        rows, columns = self._at(None, self.shape[0]), self._at(j, 0)
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        if not self.symmetric:
            block = self.matrix[np.ix_(rows, columns)].astype(np.float64, copy=False)
            return block @ coef, np.abs(block) @ np.abs(coef), len(j) + 2
        out, size = np.zeros(self.matrix.shape[1]), np.zeros(self.matrix.shape[1])
        _add_rows_and_sizes(self.matrix, columns, coef, out, size)
        return (out, size, len(j) + 2) if self._index is None else (out[rows], size[rows], len(j) + 2)

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

    def sized_product(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        f, size = np.zeros(self.shape[0]), np.zeros(self.shape[0])
        for rows, block in self._row_blocks(np.arange(self.shape[0]), j):
            f[rows], size[rows] = block @ coef, np.abs(block) @ np.abs(coef)
        return f, size, len(j) + 2

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
