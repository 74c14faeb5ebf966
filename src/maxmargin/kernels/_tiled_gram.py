"""Kernel values computed from rows, tile by tile."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk, ssyrk

from ..data import Rows
from ..engine import run_parallel
from ._accuracy import Accuracy, roundings
from ._gram import Gram, extended_values
from ._tiles import (
    WIDTH,
    accumulate,
    accumulate_and_store,
    accumulate_symmetric,
    accumulate_wide,
    fill,
    fill_symmetric,
    tile_height,
    transform_symmetric,
)
from ._transform import UNTRANSFORMED, UNTRANSFORMED_DIFFERENCES

# Below this many multiplications a second thread costs more than it brings (waking it takes about 50 us).
_WORTH_A_THREAD = 2_000_000
_PANEL_BYTES = 2**24
_UNHEARD = 2e8  # multiplications of a thread in a row, during which Ctrl-C waits: about a tenth of a second
# Up to this many multiplications one thread computes half of a symmetric matrix at once (357 samples of 64 features:
# 0.42 instead of 0.67 ms by tiles); beyond it all threads share its squares, or the columns of X if these are many.
_AT_ONCE = 100_000_000
# A product of more columns than this part of a symmetric matrix takes all of them, and so half of the values.
_MOST = 0.6
# Sides of the squares of a symmetric matrix: 256 x 256 float64 values are 512 KB, half of L2. Smaller ones give more
# threads work, and waste less on the diagonal.
_SIDES = 128, 256


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
        # a small sparse matrix is computed as blocks of it are: its values do not depend on where a square ends
        small = self.rows.sparse and n * n * (10 + self.rows.d) <= _AT_ONCE
        return super().whole(dtype) if small else self.own_whole(dtype)

    def own_whole(self, dtype: Any) -> np.ndarray:
        if not self._symmetric:
            return super().whole(dtype)
        if self._at_once:
            return self._computed_at_once(dtype)
        out = np.empty(self.shape, dtype)
        self._sweep_squares(fill_symmetric, self._side(), dtype, (), lambda: out)
        return out

    @property
    def _at_once(self) -> bool:
        """Whether half of a symmetric matrix is best computed by one product of X with itself."""
        n, d = self.shape[0], self.rows.d
        if self.rows.sparse or self.kernel.by_differences:
            return False
        return n * n * (10 + d) <= _AT_ONCE or self._shares_columns

    @property
    def _shares_columns(self) -> bool:
        """Whether X has so many columns that each thread takes some: what they make of them is no larger than X."""
        return self.rows.d >= self.shape[0] * max(1, self.n_threads - 1)

    def _computed_at_once(self, dtype: Any) -> np.ndarray:
        shift, norms, _ = self._shared
        n, d = self.shape[0], self.rows.d
        X = np.ascontiguousarray(self.rows.dense(slice(None) if self._index is None else self._index, shift, dtype))
        if self.n_threads == 1 or not self._shares_columns or n * n * d <= 4 * _WORTH_A_THREAD:
            out = np.empty((n, n), dtype)
            syrk = ssyrk if dtype == np.float32 else dsyrk
            syrk(1.0, X.T, c=out.T, trans=1, overwrite_c=1)  # the upper half in Fortran's order is the lower in C's
        else:
            edges = itertools.pairwise(d * t // self.n_threads for t in range(self.n_threads + 1))
            out, *rest = run_parallel(_own_products, [(X[:, a:b],) for a, b in edges])
            for part in rest:
                out += part
        transform_symmetric(out, norms, self._row_index(None), self.kernel.params)
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
    def index(self) -> np.ndarray:
        """Which of `rows` the rows of the matrix are."""
        return self._row_index(None)

    @property
    def squared_norms(self) -> tuple[np.ndarray, np.ndarray]:
        """Squared lengths of all rows and of all columns, about the point that products are taken about."""
        return self._shared[1], self._shared[2]

    def accuracy(self) -> Accuracy:
        norms, terms = self._shared[1], self.rows.longest[0]
        if not self._symmetric:
            norms, terms = np.concatenate([norms, self._shared[2]]), max(terms, self.columns.longest[0])
        found = self.kernel.accuracy(norms, terms)
        return found if self._index is None else found.of(self._index)

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        if not self._symmetric or len(j) <= _MOST * self.shape[0]:
            return self.sized_products_of(np.arange(self.shape[0]), j, coef)
        both = self._with_sizes(coef)
        if self._at_once and self.shape[0] <= max(WIDTH, self.rows.d):  # a small matrix, or no larger than X
            K = self._computed_at_once(np.float64)
            found, additions = both @ (K if len(j) == len(K) else K[j]), len(j) + 2
        else:
            found, additions = self._symmetric_product(j, both)
        return self._sized(found, None, j, coef, additions)

    def sized_products_of(self, i: np.ndarray, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        found = self.product(j, self._with_sizes(coef), np.float64, i)
        return self._sized(found, i, j, coef, self._additions(j, np.float64))

    def _with_sizes(self, coef: np.ndarray) -> np.ndarray:
        """Coefficients, and their sizes where products with these are those of the sizes of all terms."""
        return np.concatenate([coef, np.abs(coef)]) if self.kernel.non_negative else coef

    def _sized(
        self, found: np.ndarray, i: np.ndarray | None, j: np.ndarray, coef: np.ndarray, additions: int
    ) -> tuple[np.ndarray, np.ndarray, int]:
        if self.kernel.non_negative:
            return found[: len(coef)], found[len(coef) :], additions
        scale = self.accuracy().scale
        return found, np.multiply.outer(np.abs(coef) @ scale[j], scale if i is None else scale[i]), additions

    def _additions(self, j: np.ndarray, dtype: Any) -> int:
        """Additions in a row of a value of `product`."""
        return min(len(j), WIDTH) + -(-len(j) // WIDTH) + len(self._portions(len(j), dtype)) + 2

    def float32_products(
        self, j: np.ndarray, coef: np.ndarray, i: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        order, (_, norms, others), count = self._row_index(i), self._shared, len(coef)
        others = others[j if self._index is None or self.columns is not self.rows else self._index[j]]
        if not self.kernel.knows_float32(float(max(norms[order].max(initial=0.0), others.max(initial=0.0)))):
            return None
        # panels of about the same length have errors of their own; terms of one sign are as large as their sum
        lengths = np.sqrt(others)
        by_length = np.argsort(lengths, kind="stable")
        j, lengths, sizes = j[by_length], lengths[by_length], np.abs(coef).sum(axis=1)
        mixed = np.flatnonzero((coef > 0).any(axis=1) & (coef < 0).any(axis=1))
        every = np.concatenate([coef, np.abs(coef[mixed])])[:, by_length]
        found = np.zeros((3, len(every), len(order)))
        for part in self._portions(len(j), np.float32):
            panels, panel_norms = self._panels(j[part], np.float32)
            laid = _by_output(np.vstack([every[:, part], lengths[part]]), panels)
            extra = np.ascontiguousarray(laid[:, :-1]), laid[:, -1].max(axis=1)
            self._sweep(accumulate_wide, order, panels, panel_norms, extra, found)
        moments = np.concatenate([np.abs(found[:1]), found[1:]])
        moments[:, mixed] = moments[:, count:]
        most = float(lengths.max(initial=0.0))
        errors = self.kernel.float32_errors(norms[order], moments[:, :count], sizes, most, self.rows.longest[0])
        errors += roundings(self._additions(j, np.float32)) * moments[0, :count]
        return found[0, :count], errors * (1 + 1e-9)

    def _symmetric_product(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, int]:
        """``coef @ K[:, j].T`` in float64 from half of K, and the additions in a row of a value."""
        n, side, outputs = self.shape[0], self._side(), len(coef)
        strips = -(-n // side)
        padded = np.zeros((strips * side, outputs))
        padded[j] = coef.T
        parts: list[np.ndarray] = []

        def part() -> np.ndarray:
            parts.append(np.zeros((strips, side, outputs)))
            return parts[-1]

        self._sweep_squares(accumulate_symmetric, side, np.float64, (padded.reshape(strips, side, outputs),), part)
        out = np.sum(parts, axis=0).reshape(-1, outputs)[:n].T
        return np.ascontiguousarray(out), side + strips + len(parts) + 2

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

    @property
    def _symmetric(self) -> bool:
        return self.columns is self.rows

    def _side(self) -> int:
        """Side of the squares of a symmetric matrix: equal ones, some for each thread."""
        n, (least, most) = max(1, self.shape[0]), _SIDES
        strips = -(-n // min(max(n // (4 * self.n_threads), least), most))
        return -(-n // strips)

    def _sweep_squares(self, task: Any, side: int, dtype: Any, extra: tuple, part: Callable[[], np.ndarray]) -> None:
        """Have the squares up to the diagonal computed, by strips of rows; each thread writes to a `part`."""
        shift, norms, _ = self._shared
        order, n = self._row_index(None), self.shape[0]
        strips = -(-n // side)
        threads = min(strips, self.n_threads) if n * n * (10 + self.multiplications) > 2 * _WORTH_A_THREAD else 1
        outs = [part() for _ in range(threads)]
        step = max(1, _PANEL_BYTES // (np.dtype(dtype).itemsize * max(1, self.rows.d) * side))
        for start in range(0, strips, step):
            columns = np.arange(start * side, min(n, (start + step) * side))
            panels, panel_norms = self._panels(columns, dtype, side)
            fixed = start, shift, norms, panels, panel_norms, *extra, self.kernel.params
            shares = _shares(start, strips, len(panels), threads)
            # in portions: Ctrl-C is heard between them, and what each thread adds up keeps its order
            portion = max(1, int(_UNHEARD / (side * panels.shape[0] * side * (10 + self.multiplications))))
            for first in range(0, max(map(len, shares)), portion):
                arguments = [
                    (self.rows.arrays, order, mine[first : first + portion], *fixed, out)
                    for mine, out in zip(shares, outs, strict=True)
                    if first < len(mine)
                ]
                run_parallel(task, arguments)

    def _panels(self, j: np.ndarray, dtype: Any, width: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The chosen columns as panels (chunks, d, width), padded by zeros, and their squared lengths."""
        shift, _, norms = self._shared
        if self._index is not None and self.columns is self.rows:
            j = self._index[j]
        if width is None:
            chunks = -(-len(j) // WIDTH)
            width = -(-len(j) // chunks)  # equal chunks: padding costs as much as values
        chunks = -(-len(j) // width)
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


def _own_products(X: np.ndarray) -> np.ndarray:
    return X @ X.T  # half of it: NumPy sees that it is symmetric


def _shares(start: int, strips: int, panels: int, threads: int) -> list[np.ndarray]:
    """The strips from `start` on, shared so that threads have about the same number of squares: largest first."""
    shares: list[list[int]] = [[] for _ in range(threads)]
    squares = [0] * threads
    for strip in reversed(range(start, strips)):
        least = squares.index(min(squares))
        shares[least].append(strip)
        squares[least] += min(panels, strip - start + 1)
    return [np.array(share, dtype=np.int64) for share in shares]


def _in_chunks(coef: np.ndarray, panels: np.ndarray) -> np.ndarray:
    """Coefficients laid out as the panels are, padded by zeros."""
    chunks, _, width = panels.shape
    padded = np.zeros((chunks * width, len(coef)), panels.dtype)
    padded[: coef.shape[1]] = coef.T
    return padded.reshape(chunks, width, len(coef))


def _by_output(coef: np.ndarray, panels: np.ndarray) -> np.ndarray:
    """The same in float64, a row an output in each chunk."""
    chunks, _, width = panels.shape
    padded = np.zeros((len(coef), chunks * width))
    padded[:, : coef.shape[1]] = coef
    return np.ascontiguousarray(padded.reshape(len(coef), chunks, width).swapaxes(0, 1))
