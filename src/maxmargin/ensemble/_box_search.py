"""Intervals of columns that make a box, for the weights of one round.

A box says class c inside and class m outside. Of the total weight it gets right that of class m, less what of m is
inside, plus what of c is inside:

    right(box) = W_m + sum over the rows inside of (w_i [y_i = c] - w_i [y_i = m]).

Along one column the best interval is the one with the largest sum of consecutive levels, found in one pass (Kadane): a
sum that has become negative is not worth carrying on. The box is grown greedily. The first interval is the best over
all columns and pairs of classes with m or c the heaviest; each further one is the best for the rows that are inside so
far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine import jit, jit_inner, run_parallel
from ._boost_columns import COARSE, ENTRIES, Columns
from ._stump_search import TIE, SplitSearch, add_up


class Interval(NamedTuple):
    """First and last cell (level or bin) of a column, for a class inside and one outside, with the weight got right."""

    score: float
    column: int
    first: int
    last: int
    inside: int
    outside: int


_NOTHING = Interval(-np.inf, -1, -1, -1, -1, -1)


@jit
def _level_table(rows, ends, begin, gap, end, weights, label, totals, table):  # type: ignore[no-untyped-def]
    """Weights by level and class of a column of entries; what is not among them is at the gap."""
    K = totals.shape[0]
    level = 0
    rest = totals.copy()
    for i in range(begin, gap):
        row = rows[i]
        table[level * K + label[row]] += weights[row]
        rest[label[row]] -= weights[row]
        if ends[i]:
            level += 1
    at_gap = level
    level += 1
    for i in range(end - 1, gap - 1, -1):
        row = rows[i]
        table[level * K + label[row]] += weights[row]
        rest[label[row]] -= weights[row]
        if i == gap or ends[i - 1]:
            level += 1
    for k in range(K):
        table[at_gap * K + k] = max(rest[k], 0.0)


@jit_inner
def _best_run(table, first_cell, cells, inside, outside, K, tie):  # type: ignore[no-untyped-def]
    """The consecutive cells with the largest sum of inside less outside."""
    best, best_first, best_last = -np.inf, 0, 0
    running, begin = 0.0, 0
    for b in range(cells):
        at = first_cell + b * K
        if running <= tie:
            running, begin = 0.0, b
        running += table[at + inside] - table[at + outside]
        if running > best + tie:
            best, best_first, best_last = running, begin, b
    return best, best_first, best_last


@jit
def _best_interval(which, table, firsts, cells, pairs, starts, K, tie):  # type: ignore[no-untyped-def]
    """Best of several columns whose tables are there, over pairs of classes.

    `starts` is what a pair gets right without a box.
    """
    best, best_column, best_first, best_last, best_pair = -np.inf, -1, -1, -1, -1
    for t in range(which.shape[0]):
        for p in range(pairs.shape[0]):
            score, first, last = _best_run(table, firsts[t], cells[which[t]], pairs[p, 0], pairs[p, 1], K, tie)
            score += starts[p]
            if score > best + tie:
                best, best_column, best_first, best_last, best_pair = score, which[t], first, last, p
    return best, best_column, best_first, best_last, best_pair


class BoxSearch:
    """Search of the same columns again and again, with other weights."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._tasks = SplitSearch(columns, "error").tasks

    def best(self, weights: np.ndarray, totals: np.ndarray, pairs: np.ndarray, starts: np.ndarray) -> Interval:
        """The best interval for these pairs of a class inside and a class outside; rows outside have no weight."""
        found = run_parallel(self._task, [(*task, weights, totals, pairs, starts) for task in self._tasks])
        intervals = [interval for task in found for interval in task]
        top = max((interval.score for interval in intervals), default=0.0) - TIE
        return min((i for i in intervals if i.score >= top), key=lambda i: i.column, default=_NOTHING)

    def _task(
        self,
        coded: np.ndarray,
        places: np.ndarray,
        tables: np.ndarray,
        firsts: np.ndarray,
        others: np.ndarray,
        weights: np.ndarray,
        totals: np.ndarray,
        pairs: np.ndarray,
        starts: np.ndarray,
    ) -> list[Interval]:
        c, found = self.columns, []
        if len(coded):
            add_up(c.codes, places, weights, tables[0], tables[1], firsts)
            found.append(_best_interval(coded, tables[0], firsts, c.tables, pairs, starts, c.classes, TIE))
        for j in others:
            table = np.zeros(int(c.tables[j]) * c.classes)
            _level_table(c.rows, c.ends, c.begin[j], c.gap[j], c.end[j], weights, c.label, totals, table)
            which = np.array([j])
            found.append(_best_interval(which, table, np.zeros(1, np.int64), c.tables, pairs, starts, c.classes, TIE))
        return [
            Interval(float(score), int(j), int(first), int(last), int(pairs[p, 0]), int(pairs[p, 1]))
            for score, j, first, last, p in found
            if j >= 0
        ]

    def limits(self, interval: Interval) -> tuple[float, float]:
        """The interval as thresholds: inside are values above the first and up to the second."""
        c, j = self.columns, interval.column
        first, last = interval.first - 1, interval.last  # cells before which and after which it is cut
        if c.kind[j] == COARSE:  # bins in levels
            first, last = (c.level(j, int(c.bins[c.first_bin[j] + cell + 1]) - 1) for cell in (first, last))
        low = c.middle(j, first) if interval.first > 0 else -np.inf
        return low, c.middle(j, last) if interval.last < c.tables[j] - 1 else np.inf

    def mask(self, interval: Interval) -> np.ndarray:
        """Whether each training row is in the interval."""
        c, j = self.columns, interval.column
        if c.kind[j] != ENTRIES:
            cell = c.codes[c.place[j]] // c.classes
            return (cell >= interval.first) & (cell <= interval.last)
        begin, gap, end = int(c.begin[j]), int(c.gap[j]), int(c.end[j])
        below = np.cumsum(c.ends[begin:gap]) - c.ends[begin:gap]
        at_gap = int(np.count_nonzero(c.ends[begin:gap]))
        above = len(c.levels[j]) - 1 - (np.cumsum(c.ends[gap:end]) - c.ends[gap:end])
        level = np.concatenate([below, above])
        inside = np.full(c.n, interval.first <= at_gap <= interval.last)
        inside[c.rows[begin:end]] = (level >= interval.first) & (level <= interval.last)
        return inside
