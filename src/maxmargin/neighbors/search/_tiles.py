"""Exact search for nearest neighbours by tiles, on all cores, in bounded memory."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...data import Rows
from ...engine import cached_property, one_blas_thread, raise_interrupt, run_parallel, stop_flag
from ._heap import empty_heaps, in_order
from ._pruning import Pruning, worth_trying
from ._scan import scan_all, scan_tiles

# Columns of a tile, and bytes of the panels that hold columns: what is prepared at a time.
_WIDTH = 512
_PANEL_BYTES = 2**24
# Up to so many rows every pair is asked for its distance: laying out panels costs as much as about four passes.
_FEW_ROWS = 4
# Rows that try out float32 before all are searched with it, and the share of columns that may be asked in vain: an
# exact distance costs about 50 times what a float64 product costs more than a float32 one.
_PILOT = 256
_IN_VAIN = 0.02
# Multiplications below which a second thread costs more than it brings.
_WORTH_A_THREAD = 2_000_000
# Values whose squares and sums of squares stay far from the ends of float64; of float32, lengths.
_SMALL, _LARGE, _TOO_LARGE = 1e-120, 1e120, 1e140
_LONGEST_FLOAT32 = 1e15
# Features and columns from which on pruning is tried.
_PRUNED_FEATURES, _PRUNED_COLUMNS = 64, 4096


class Columns:
    """The rows that are searched, with what every search needs of them.

    Data of extreme size (1e-120, 1e120) are kept times a power of two, which rounds nothing, lest squares under- or
    overflow.
    """

    def __init__(self, X: Any) -> None:
        largest = _largest(X)
        self.exponent = 0
        if largest > 0 and not _SMALL <= largest <= _LARGE:
            self.exponent = -math.frexp(largest)[1]
        self._X = self._scaled(X)
        self._prepare()

    def _prepare(self) -> None:
        self.rows = Rows(self._X)
        self.rows_asked = 0
        self._pruning: Pruning | None = None

    def pruning(self, threads: int) -> Pruning:
        """Images of the rows; made when they are first needed."""
        if self._pruning is None:
            self._pruning = Pruning(self.rows, threads)
        return self._pruning

    def __getstate__(self) -> dict[str, Any]:
        # the rows alone, and once: views would be written again
        return {"exponent": self.exponent, "X": self._X}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.exponent, self._X = state["exponent"], state["X"]
        self._prepare()

    def _scaled(self, X: Any) -> Any:
        if self.exponent == 0:
            return X
        X = X.astype(np.float64)
        if sp.issparse(X):
            X.data = np.ldexp(X.data, self.exponent)
            return X
        return np.ldexp(X, self.exponent)

    def queries(self, X: Any) -> Rows:
        """Rows to search for, in the same unit."""
        with np.errstate(over="ignore"):
            size = np.ldexp(_largest(X), self.exponent)
        if size > _TOO_LARGE:
            raise ValueError(
                f"X has values of size {_largest(X):.3g}, too far from those of the training data for distances that "
                f"float64 can hold. Scale both alike."
            )
        return Rows(self._scaled(X))

    def distances(self, squares: np.ndarray) -> np.ndarray:
        """Distances in the user's unit."""
        with np.errstate(over="ignore"):  # opposite ends of float64 are farther apart than it can say
            return np.ldexp(np.sqrt(squares), -self.exponent)

    @cached_property
    def centred_squares(self) -> np.ndarray:
        """Squared lengths of the rows about their mean."""
        return self.rows.squared_norms(self.rows.mean)

    @cached_property
    def plain_squares(self) -> np.ndarray:
        """Squared lengths of the rows."""
        return self.rows.squared_norms(np.zeros(self.rows.d))


def _largest(X: Any) -> float:
    values = X.data if sp.issparse(X) else X
    return float(max(values.max(initial=0), -values.min(initial=0)))


class Search:
    """The nearest columns of rows.

    Parameters
    ----------
    rows : Rows
        What is searched for.
    columns : Columns
        What is searched.
    n_threads : int
    own : bool
        Whether the rows are the columns, and none is its own neighbour.

    """

    def __init__(self, rows: Rows, columns: Columns, n_threads: int = 1, *, own: bool = False) -> None:
        self.rows, self.columns, self.n_threads, self.own = rows, columns, n_threads, own
        # Distances do not change when the origin moves to the mean, and cancel far less there.
        self._centred = not (rows.sparse or columns.rows.sparse)
        self._shift = columns.rows.mean if self._centred else np.zeros(rows.d)
        self._terms = int(np.diff(rows.arrays[2]).max(initial=0)) if rows.sparse else rows.d

    # What only the tiles need, when they do.

    @cached_property
    def _column_squares(self) -> np.ndarray:
        return self.columns.centred_squares if self._centred else self.columns.plain_squares

    @cached_property
    def _row_squares(self) -> np.ndarray:
        return self._column_squares if self.rows is self.columns.rows else self.rows.squared_norms(self._shift)

    @cached_property
    def _dtype(self) -> Any:
        """Of the tiles."""
        longest = math.sqrt(max(self._row_squares.max(initial=0.0), self._column_squares.max(initial=0.0)))
        return np.float64 if longest > _LONGEST_FLOAT32 or self._terms > 1_000_000 else np.float32

    def nearest(
        self, k: int, order: np.ndarray | None = None, ids: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances and indices of the k nearest columns (of `ids`) of each row (of `order`), nearest first.

        Equal distances are in the order of the indices. Places for which there are too few columns hold (inf, EMPTY).
        """
        everywhere = ids is None
        order = np.arange(self.rows.n) if order is None else order
        ids = np.arange(self.columns.rows.n) if ids is None else ids
        if len(order) <= _FEW_ROWS:
            return self._ask_all(k, order, ids)
        squares, index = empty_heaps(len(order), k)
        left = np.arange(len(order))
        if everywhere and self._may_be_pruned(len(order), k):
            with one_blas_thread():
                left = self.columns.pruning(self.n_threads).update(self, order, squares, index)
        if len(left) == len(order):
            self.update(order, ids, squares, index)
        elif len(left):
            squares[left], index[left] = self.nearest(k, order[left], ids)
        return in_order(squares, index, k)

    def _may_be_pruned(self, count: int, k: int) -> bool:
        """Whether so many rows are worth the images of all columns."""
        columns = self.columns.rows
        if self.rows.sparse or columns.sparse or self.rows.d < _PRUNED_FEATURES:
            return False
        self.columns.rows_asked += count
        if columns.n < max(_PRUNED_COLUMNS, 200 * k):
            return False
        return worth_trying(columns.n, columns.d, self.columns.rows_asked)

    def update(self, order: np.ndarray, ids: np.ndarray, squares: np.ndarray, index: np.ndarray) -> None:
        """Offer the columns `ids` to the heaps of the rows in `order`."""
        pilot = _PILOT if len(order) > 8 * _PILOT and self._dtype == np.float32 else 0
        with one_blas_thread():
            for part in (slice(0, pilot), slice(pilot, len(order))):
                if part.stop == part.start:
                    continue
                asked = self._sweep(order[part], ids, squares[part], index[part])
                self._reconsider(asked / (part.stop - part.start), len(ids), squares.shape[1])

    def _reconsider(self, asked: float, count: int, k: int) -> None:
        """Leave float32 when its bounds are too wide to keep columns out. Answers do not depend on it."""
        needed = k * (1 + math.log(max(1.0, count / k)))
        if asked > 8 * needed + _IN_VAIN * count:
            self._dtype = np.float64

    def _sweep(self, order: np.ndarray, ids: np.ndarray, squares: np.ndarray, index: np.ndarray) -> int:
        unit, unit64 = float(np.finfo(self._dtype).eps), float(np.finfo(np.float64).eps)
        growth = 2 * (self._terms_of_a_distance + 16) * unit64
        share = (self._terms + 16) * unit
        gamma = share / (1 - min(share, 0.5))
        floors = self._row_squares * (1 - growth)
        reach = 2 * gamma * np.sqrt(self._row_squares)
        height = 64 if self.rows.d < 128 else 512
        work = len(order) * len(ids) * (10 + self._terms)
        strips = _strips(len(order), self.n_threads if work > _WORTH_A_THREAD else 1)
        asked = 0
        for portion in self._portions(ids):
            panels, lows, lengths = self._panels(portion, growth, len(strips))
            arguments = [
                (self.rows.arrays, order, a, b, self._shift, floors, reach, self.columns.rows.arrays, portion, panels)
                + (lows, lengths, growth, self.own, height, (squares, index), stop_flag())
                for a, b in strips
            ]
            asked += sum(run_parallel(scan_tiles, arguments, long=True))
            raise_interrupt()
        return asked

    @property
    def _terms_of_a_distance(self) -> int:
        columns = self.columns.rows
        if self.rows.sparse and columns.sparse:
            return self._terms + int(np.diff(columns.arrays[2]).max(initial=0))
        return self.rows.d

    def _portions(self, ids: np.ndarray) -> list[np.ndarray]:
        step = max(64, _PANEL_BYTES // (np.dtype(self._dtype).itemsize * max(1, self.rows.d)))
        step = step if step < _WIDTH else step // _WIDTH * _WIDTH
        return [ids[a : a + step] for a in range(0, len(ids), step)]

    def _panels(self, ids: np.ndarray, growth: float, threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The columns times -2 as panels (chunks, d, width), and the lower ends and roots of their squared lengths."""
        chunks = -(-len(ids) // _WIDTH)
        width = -(-len(ids) // chunks)
        panels = np.zeros((chunks, self.rows.d, width), self._dtype)
        lows, lengths = np.zeros((chunks, width), self._dtype), np.zeros((chunks, width), self._dtype)
        facts = np.finfo(self._dtype)
        # each product that underflows is off by the smallest normal number at most
        underflow = 4 * (self._terms + 8) * float(facts.tiny)

        def fill(chunk: int) -> None:
            part = ids[chunk * width : (chunk + 1) * width]
            np.multiply(
                self.columns.rows.dense(part, self._shift, self._dtype).T, -2, out=panels[chunk, :, : len(part)]
            )
            squares = self._column_squares[part]
            lows[chunk, : len(part)] = squares * (1 - 8 * float(facts.eps) - growth) - underflow
            lengths[chunk, : len(part)] = np.sqrt(squares)

        if threads > 1:
            run_parallel(fill, [(chunk,) for chunk in range(chunks)])
        else:
            for chunk in range(chunks):
                fill(chunk)
        return panels, lows, lengths

    def _ask_all(self, k: int, order: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Every distance of a few rows, the columns divided among the threads."""
        work = len(order) * len(ids) * (10 + self._terms)
        strips = _strips(len(ids), self.n_threads if work > _WORTH_A_THREAD else 1)
        heaps = [empty_heaps(len(order), k) for _ in strips]
        arguments = [
            (self.rows.arrays, order, self.columns.rows.arrays, ids[a:b], self.own, heap)
            for (a, b), heap in zip(strips, heaps, strict=True)
        ]
        run_parallel(scan_all, arguments)
        return in_order(np.hstack([heap[0] for heap in heaps]), np.hstack([heap[1] for heap in heaps]), k)


def _strips(count: int, threads: int) -> list[tuple[int, int]]:
    edges = [count * t // threads for t in range(threads + 1)]
    return [(a, b) for a, b in pairwise(edges) if a < b]
