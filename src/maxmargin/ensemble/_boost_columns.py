"""Columns made ready once a fit, so that each round of boosting looks at all thresholds in one pass without sorting.

A column has *levels*, its distinct values in ascending order, and is kept in the cheapest of three forms:

- **exact**: for each row ``level * K + class`` in 16 bits. A round adds the weights up into a table by level and
  class, which says all. For columns with few levels.
- **coarse**, for two classes: ``bin * 2 + class``, where a bin is a run of levels, and the rows in ascending order of
  their values. A round looks into a bin only if a threshold in it might be better than the best between bins.
- **entries**: the rows in order of their values, without those of one level, the *gap*: those below it ascending, then
  those above it descending. What is not among the entries is the rest of the total. A column of zeros and ones, or of a
  sparse matrix, costs no more than its rarer values.

A round over 19020 rows of different values takes 6.4 ns a value by entries and about 2 by coarse bins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..engine import run_parallel, thread_count

EXACT, COARSE, ENTRIES = 0, 1, 2

_CELLS = 16384  # of an exact table: it still lives in the second cache, and codes have 16 bits
_ROWS_A_CELL = 4  # fewer, and to clear and read the table costs more than it saves
_EXACT_LEVELS = 1024  # of two classes: more are cheaper by bins, whose table lives in the first cache
_BINS = 512
_ENTRY_COST = 4.0  # of a gathered entry, in units of a coded row

_NO_ROWS, _NO_ENDS, _NO_BINS = np.empty(0, np.int32), np.empty(0, np.bool_), np.empty(0, np.int64)


class _Column(NamedTuple):
    levels: np.ndarray
    kind: int
    codes: np.ndarray | None = None
    rows: np.ndarray = _NO_ROWS
    ends: np.ndarray = _NO_ENDS  # whether a row is the last one of its level
    gap: int = 0
    bins: np.ndarray = _NO_BINS  # place in `rows` of the first row of each bin


class Columns:
    """All columns of X in the forms above.

    Attributes
    ----------
    label, classes : ndarray of uint16, int
        Class of each row as a number, and how many classes there are.
    levels : list of ndarray
        Distinct values of each column, ascending.
    kind : ndarray of int64
        Form of each column.
    codes, place : ndarray of shape (coded columns, n) of uint16, ndarray of int64
        Codes of the exact and coarse columns, and which row of `codes` belongs to a column.
    rows, ends : ndarray of int32 and bool
        Ordered rows of all columns that have them, one after the other, and whether a level ends there.
    begin, gap, end : ndarray of int64
        Where those of a column begin, where those above the gap begin, where they end.
    bins, first_bin, tables : ndarray of int64
        For all coarse columns, the place in `rows` where each bin begins; where those of a column begin in `bins`; and
        the number of levels or bins of each column.
    tasks : list of ndarray
        Columns with a threshold, dealt out to the threads by their cost.

    """

    def __init__(self, X: Any, label: np.ndarray, classes: int) -> None:
        self.n, self.d = X.shape
        self.label, self.classes = label, classes
        step = max(1, -(-self.d // (4 * thread_count(None))))
        parts = [range(first, min(first + step, self.d)) for first in range(0, self.d, step)]
        columns = [column for part in run_parallel(self._part, [(X, part) for part in parts]) for column in part]
        self.levels = [column.levels for column in columns]
        self.kind = np.array([column.kind for column in columns], dtype=np.int64)
        coded = [column.codes for column in columns if column.codes is not None]
        self.place = np.cumsum([column.codes is not None for column in columns]) - 1
        self.codes = np.array(coded, dtype=np.uint16).reshape(len(coded), self.n)
        self.begin, self.end = _places([column.rows for column in columns])
        self.gap = self.begin + np.array([column.gap for column in columns], dtype=np.int64)
        self.rows = np.concatenate([_NO_ROWS, *(column.rows for column in columns)])
        self.ends = np.concatenate([_NO_ENDS, *(column.ends for column in columns)])
        self.first_bin, _ = _places([column.bins for column in columns])
        bins = [column.bins + begin for column, begin in zip(columns, self.begin, strict=True)]
        self.bins = np.concatenate([_NO_BINS, *bins])
        self.tables = np.array(
            [len(c.bins) - 1 if c.kind == COARSE else len(c.levels) for c in columns], dtype=np.int64
        )
        self.tasks = self._dealt()

    def _part(self, X: Any, part: range) -> list[_Column]:
        """The columns of one task; only these are copied out of X."""
        if sp.issparse(X):
            return [self._sparse(X, j) for j in part]
        block = np.ascontiguousarray(X[:, part.start : part.stop].T)
        return [self._dense(values) for values in block]

    def _dense(self, values: np.ndarray) -> _Column:
        low, high = values.min(), values.max()
        if low == high:
            return _constant(low)
        upper = values == high
        if np.count_nonzero(upper) + np.count_nonzero(values == low) == self.n:  # two levels need no sorting
            rare = upper if 2 * np.count_nonzero(upper) <= self.n else ~upper
            rows = np.flatnonzero(rare).astype(np.int32)
            ends = np.zeros(len(rows), np.bool_)
            ends[-1] = True
            gap = 0 if rare is upper else len(rows)
            return _Column(np.array([low, high], np.float64), ENTRIES, None, rows, ends, gap)
        order = np.argsort(values, kind="stable").astype(np.int32)
        ordered = values[order]
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        return self._ordered(ordered[last].astype(np.float64), order, last)

    def _ordered(self, levels: np.ndarray, order: np.ndarray, last: np.ndarray) -> _Column:
        """The form for rows in ascending order, `last` being the place of the last row of each level."""
        n, K, counts = self.n, self.classes, np.diff(last, prepend=-1)
        common = int(np.argmax(counts))
        rare = _ENTRY_COST * (n - counts[common]) <= n
        cells = len(levels) * K
        if not rare and (cells <= 2 * _EXACT_LEVELS or (K > 2 and cells <= min(_CELLS, n // _ROWS_A_CELL))):
            return _Column(levels, EXACT, self._codes(order, np.repeat(np.arange(len(levels)), counts)))
        ends = np.zeros(n, np.bool_)
        ends[last] = True
        if K == 2 and not rare:
            # bins end where a level ends, and hold about as many rows
            cut = np.unique(np.searchsorted(last, np.linspace(0, n, _BINS + 1)[1:] - 1))
            bins = np.concatenate([[0], last[np.minimum(cut, len(last) - 1)] + 1])
            codes = self._codes(order, np.repeat(np.arange(len(bins) - 1), np.diff(bins)))
            return _Column(levels, COARSE, codes, order, ends, 0, bins)
        first, beyond = int(last[common] + 1 - counts[common]), int(last[common] + 1)
        starts = np.zeros(n, np.bool_)
        starts[last + 1 - counts] = True
        rows = np.concatenate([order[:first], order[beyond:][::-1]])
        return _Column(levels, ENTRIES, None, rows, np.concatenate([ends[:first], starts[beyond:][::-1]]), first)

    def _codes(self, order: np.ndarray, number: np.ndarray) -> np.ndarray:
        codes = np.empty(self.n, np.uint16)
        codes[order] = number * self.classes
        codes += self.label
        return codes

    def _sparse(self, X: Any, j: int) -> _Column:
        """A column of a CSC matrix without stored zeros: the zeros are its gap."""
        part = slice(X.indptr[j], X.indptr[j + 1])
        rows, values = X.indices[part], X.data[part]
        if len(rows) == self.n:
            return self._dense(values[np.argsort(rows)])
        if len(rows) == 0:
            return _constant(0.0)
        order = np.argsort(values, kind="stable")
        gap = int(np.count_nonzero(values < 0))
        order = np.concatenate([order[:gap], order[gap:][::-1]])
        ordered = values[order].astype(np.float64)
        ends = np.append(ordered[1:] != ordered[:-1], True)
        if gap:
            ends[gap - 1] = True
        levels = np.unique(np.append(ordered, 0.0))
        return _Column(levels, ENTRIES, None, rows[order].astype(np.int32), ends, gap)

    def _dealt(self) -> list[np.ndarray]:
        """Columns for each thread: the dearest first, each to the thread that has least to do."""
        cost = np.where(
            self.kind == ENTRIES, _ENTRY_COST * (self.end - self.begin), self.n * (1.0 + (self.kind == COARSE))
        )
        threads = thread_count(None) if cost.sum() > 50_000 else 1  # below, a second thread costs more than it saves
        load = np.zeros(threads)
        hands: list[list[int]] = [[] for _ in range(threads)]
        for j in np.argsort(-cost, kind="stable"):
            if cost[j] > 0:  # a constant column costs nothing
                least = int(np.argmin(load))
                hands[least].append(int(j))
                load[least] += cost[j]
        return [np.array(sorted(hand), dtype=np.int64) for hand in hands if hand]

    def level(self, column: int, place: int) -> int:
        """Level on the left of a threshold: `place` is a level of an exact column, else the last row on its side."""
        begin, gap = self.begin[column], self.gap[column]
        if self.kind[column] == EXACT:
            return place
        if self.kind[column] == COARSE or place < gap:
            return int(np.count_nonzero(self.ends[begin : place + 1])) - 1
        return len(self.levels[column]) - 1 - int(np.count_nonzero(self.ends[gap : place + 1]))

    def threshold(self, column: int, place: int) -> float:
        """The threshold after such a place."""
        return self.middle(column, self.level(column, place))

    def middle(self, column: int, level: int) -> float:
        """Halfway between a level and the next; the lower one itself where no number lies between them."""
        low, high = self.levels[column][level], self.levels[column][level + 1]
        middle = low / 2.0 + high / 2.0
        return float(middle if low <= middle < high else low)


def _constant(value: float) -> _Column:
    return _Column(np.array([value], np.float64), ENTRIES)


def _places(parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Where each part begins and ends when they are joined."""
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return ends - np.array([len(part) for part in parts], dtype=np.int64), ends
