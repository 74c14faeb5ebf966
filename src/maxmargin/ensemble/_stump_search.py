"""The best threshold among all columns, for the weights of one round.

A threshold divides the rows into a left part (x <= threshold) and a right one. With L_k and R_k the weight of class k
in them, and L, R their sums, the best one

- by Gini impurity maximises  sum_k L_k^2 / L + sum_k R_k^2 / R,
- by error         maximises  max_k L_k + max_k R_k, the weight that the majorities of the parts get right.

Of two classes the signed sums S = sum of y w do: then sum_k L_k^2 / L = (L + S_L^2 / L) / 2, and the same for the right
part and for the majorities with |S_L|.

Both are convex functions of the weights (L_1, ..., L_K) on the left. Inside a bin these lie in a box between their
values at its two ends, and a convex function is largest at a corner of it. Of two classes there are two corners
besides the ends: all rows of the bin of one class on the left and all of the other on the right. A bin whose corners
are not better than the best threshold so far is not looked into.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import jit, jit_inner, run_parallel
from ._boost_columns import COARSE, ENTRIES, EXACT, Columns

_BLOCK = 4096  # rows whose weights stay in the first cache while all coded columns are added up
_SLACK = 1 + 1e-12  # rounding of a corner's score
# Scores so close, in units of the total weight, are equal but for rounding; then the first column and the lowest
# threshold count. It makes the same choice for a row that is given twice as for one of twice the weight.
TIE = 1e-13


@dataclass(frozen=True)
class Split:
    """A threshold: in an exact column the last level on its left, else the place of the last row on its side."""

    column: int
    place: int
    score: float


NO_SPLIT = Split(-1, -1, -np.inf)


@jit
def _class_sums(weights, label, classes):  # type: ignore[no-untyped-def]
    """Weight of each class."""
    sums = np.zeros(classes)
    for i in range(weights.shape[0]):
        sums[label[i]] += weights[i]
    return sums


@jit_inner
def _score_two(SL, L, S, W, gini):  # type: ignore[no-untyped-def]
    SR, R = S - SL, W - L
    if L <= 0.0 or R <= 0.0:
        return -1.0
    if gini:
        return (SL * SL * R + SR * SR * L) / (L * R)
    return abs(SL) + abs(SR)


@jit_inner
def _score_many(left, totals, gini):  # type: ignore[no-untyped-def]
    L = R = square_left = square_right = top_left = top_right = 0.0
    for k in range(totals.shape[0]):
        a, b = left[k], totals[k] - left[k]
        L += a
        R += b
        square_left += a * a
        square_right += b * b
        top_left = max(top_left, a)
        top_right = max(top_right, b)
    if L <= 0.0 or R <= 0.0:
        return -1.0
    return square_left / L + square_right / R if gini else top_left + top_right


@jit_inner
def _scan_two(rows, ends, begin, end, signed, SL, L, S, W, gini, bar, downwards):  # type: ignore[no-untyped-def]
    """Best score above `bar` among rows in order, and its place; on their side there are SL, L already."""
    best, place, tie = bar, -1, TIE * W
    for i in range(begin, end):
        s = signed[rows[i]]
        SL += s
        L += abs(s)
        if ends[i]:
            score = _score_two(SL, L, S, W, gini)
            if score > best + tie or (downwards and place >= 0 and score >= best - tie):
                best, place = max(score, best), i
    return best, place


@jit_inner
def _scan_many(rows, ends, begin, end, weights, label, totals, gini, bar, downwards):  # type: ignore[no-untyped-def]
    """The same for any number of classes; sums of squares are carried along, as one class changes at a time."""
    W = totals.sum()
    best, place, tie = bar, -1, TIE * W
    part = np.zeros(totals.shape[0])
    L = square = 0.0
    rest = (totals * totals).sum()
    for i in range(begin, end):
        w, k = weights[rows[i]], label[rows[i]]
        square += w * (2.0 * part[k] + w)
        rest -= w * (2.0 * (totals[k] - part[k]) - w)
        part[k] += w
        L += w
        if ends[i]:
            R = W - L
            if not gini:
                score = _score_many(part, totals, gini)
            elif L > 0.0 and R > 0.0:
                # of a part that weighs next to nothing, the squares are rounding: no more than the square of its weight
                score = min(square, L * L) / L + min(max(rest, 0.0), R * R) / R
            else:
                score = -1.0
            if score > best + tie or (downwards and place >= 0 and score >= best - tie):
                best, place = max(score, best), i
    return best, place


@jit
def best_of_entries(which, rows, ends, begin, gap, end, weights, signed, label, totals, gini):  # type: ignore[no-untyped-def]
    """The best of the columns of entries: up from below the gap, down from above it."""
    best, best_place, best_column = -1.0, -1, -1
    K = totals.shape[0]
    for j in which:
        for down in range(2):
            first, last = (gap[j], end[j]) if down else (begin[j], gap[j])
            if K == 2:
                S, W = totals[1] - totals[0], totals[1] + totals[0]
                score, place = _scan_two(rows, ends, first, last, signed, 0.0, 0.0, S, W, gini, best, down == 1)
            else:
                score, place = _scan_many(rows, ends, first, last, weights, label, totals, gini, best, down == 1)
            if place >= 0:
                best, best_place, best_column = score, place, j
    return best, best_place, best_column


@jit
def add_up(codes, places, weights, tables, spare, firsts):  # type: ignore[no-untyped-def]
    """Weights by code of several coded columns, in one table after the other.

    Two tables in turn: to add twice in a row to the same cell waits for the first sum to be written (1.4 instead of
    2.6 ns a row where most rows have the same code).
    """
    n = weights.shape[0]
    for i in range(tables.shape[0]):
        tables[i] = spare[i] = 0.0
    for begin in range(0, n, _BLOCK):
        end = min(begin + _BLOCK, n)
        for j in range(places.shape[0]):
            place, first = places[j], firsts[j]
            for i in range(begin, end - 1, 2):
                tables[first + codes[place, i]] += weights[i]
                spare[first + codes[place, i + 1]] += weights[i + 1]
            if (end - begin) % 2:
                tables[first + codes[place, end - 1]] += weights[end - 1]
    for i in range(tables.shape[0]):
        tables[i] += spare[i]


@jit
def _best_of_tables(which, tables, firsts, cells, kind, bins, first_bin, totals, gini):  # type: ignore[no-untyped-def]
    """The best threshold between levels of exact and between bins of coarse columns."""
    best, best_place, best_column = -1.0, -1, -1
    K = totals.shape[0]
    S, W = totals[K - 1] - totals[0], totals[K - 1] + totals[0]
    left, tie = np.zeros(K), TIE * totals.sum()
    for t in range(which.shape[0]):
        j = which[t]
        for k in range(K):
            left[k] = 0.0
        for b in range(cells[j] - 1):
            for k in range(K):
                left[k] += tables[firsts[t] + b * K + k]
            if K == 2:
                score = _score_two(left[1] - left[0], left[1] + left[0], S, W, gini)
            else:
                score = _score_many(left, totals, gini)
            if score > best + tie:
                best, best_column = score, j
                best_place = b if kind[j] == EXACT else bins[first_bin[j] + b + 1] - 1
    return best, best_place, best_column


@jit
def _look_into_bins(which, tables, firsts, cells, kind, bins, first_bin, rows, ends, signed, totals, gini, found):  # type: ignore[no-untyped-def]
    """The best threshold inside bins, where it is better than the one found between them."""
    best, best_place, best_column = found
    S, W = totals[1] - totals[0], totals[1] + totals[0]
    for t in range(which.shape[0]):
        j = which[t]
        if kind[j] != COARSE:
            continue
        # as good in a column before counts as better: the winner does not depend on how columns are dealt out
        bar = best - 2 * TIE * W if j < best_column else best
        SL = L = 0.0
        for b in range(cells[j]):
            lower, upper = tables[firsts[t] + 2 * b], tables[firsts[t] + 2 * b + 1]
            corner = max(_score_two(SL + upper, L + upper, S, W, gini), _score_two(SL - lower, L + lower, S, W, gini))
            if corner * _SLACK > bar:
                begin, end = bins[first_bin[j] + b], bins[first_bin[j] + b + 1]
                # the end of the bin has been looked at
                score, place = _scan_two(rows, ends, begin, end - 1, signed, SL, L, S, W, gini, bar, False)
                if place >= 0:
                    best, best_place, best_column = score, place, j
                    bar = best
            SL += upper - lower
            L += upper + lower
    return best, best_place, best_column


class SplitSearch:
    """Search of the same columns again and again, with other weights."""

    def __init__(self, columns: Columns, criterion: str) -> None:
        self.columns, self._gini = columns, criterion == "gini"
        self.signs = np.where(columns.label == 1, 1.0, -1.0)
        self.tasks = []
        for task in columns.tasks:
            coded = task[columns.kind[task] != ENTRIES]
            firsts = np.concatenate([[0], np.cumsum(columns.tables[coded])]) * columns.classes
            tables = np.empty((2, int(firsts[-1])))
            self.tasks.append((coded, columns.place[coded], tables, firsts, task[columns.kind[task] == ENTRIES]))

    def best(self, weights: np.ndarray) -> Split:
        """The best threshold; of equally good ones that of the first column."""
        c = self.columns
        if c.classes == 2:
            signed = weights * self.signs
            S, W = signed.sum(), weights.sum()
            totals = np.array([(W - S) / 2, (W + S) / 2])
        else:
            signed, totals = weights, _class_sums(weights, c.label, c.classes)
        found = run_parallel(self._task, [(*task, weights, signed, totals) for task in self.tasks])
        splits = [split for task in found for split in task]
        top = max((split.score for split in splits), default=0.0) - TIE * float(totals.sum())
        return min((split for split in splits if split.score >= top), key=lambda s: s.column, default=NO_SPLIT)

    def _task(
        self,
        coded: np.ndarray,
        places: np.ndarray,
        tables: np.ndarray,
        firsts: np.ndarray,
        others: np.ndarray,
        weights: np.ndarray,
        signed: np.ndarray,
        totals: np.ndarray,
    ) -> list[Split]:
        c, found = self.columns, []
        if len(coded):
            add_up(c.codes, places, weights, tables[0], tables[1], firsts)
            about = (coded, tables[0], firsts, c.tables, c.kind, c.bins, c.first_bin)
            best = _best_of_tables(*about, totals, self._gini)
            if c.classes == 2:
                best = _look_into_bins(*about, c.rows, c.ends, signed, totals, self._gini, best)
            found.append(best)
        if len(others):
            entries = (others, c.rows, c.ends, c.begin, c.gap, c.end)
            found.append(best_of_entries(*entries, weights, signed, c.label, totals, self._gini))
        return [Split(int(column), int(place), float(score)) for score, place, column in found if column >= 0]

    def right(self, split: Split, side: np.ndarray) -> None:
        """Write which rows are on the right of a threshold: 1 there, 0 on the left."""
        c, j, place = self.columns, split.column, split.place
        if j < 0:
            side[:] = 0
        elif c.kind[j] == EXACT:
            _right_of_code(c.codes[c.place[j]], (place + 1) * c.classes, side)
        elif c.kind[j] == COARSE and 2 * place > c.begin[j] + c.end[j]:
            side[:] = 0
            side[c.rows[place + 1 : c.end[j]]] = 1
        else:
            below = c.kind[j] == COARSE or place < c.gap[j]
            side[:] = below
            side[c.rows[c.begin[j] if below else c.gap[j] : place + 1]] = not below


@jit
def _right_of_code(codes, first, side):  # type: ignore[no-untyped-def]
    for i in range(codes.shape[0]):
        side[i] = np.uint8(codes[i] >= first)
