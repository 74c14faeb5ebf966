"""The best split of each node of a question, from its merged histograms.

Scores are those of `maxmargin.tree`: of classes up to terms that are the same for all splits of a node; of targets the
gain itself, |L| |R| / |S| (mean of L - mean of R)^2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine import jit, jit_inner
from ._histograms import BINS, Histograms
from ._rows import LOW_BITS

GINI, ENTROPY, VARIANCE = 0, 1, 2
NOTHING = -1e300
BETTER = 1e-12
# Means that differ by less than this, relatively, do not differ.
_SAME = 1e-14


class Rules(NamedTuple):
    """What a split has to keep to; of targets there is one class."""

    criterion: int
    classes: int
    min_samples_leaf: int


class Splits(NamedTuple):
    """For each node of a question its best split, what goes left, and which of its columns vary.

    ``seen[r, s]`` is 0 if column s was not looked at, 1 if it is constant in the node, 2 if it varies.
    """

    score: np.ndarray
    column: np.ndarray
    below: np.ndarray
    above: np.ndarray
    left: np.ndarray
    left_rows: np.ndarray
    seen: np.ndarray


def best_splits(
    found: Histograms,
    first: int,
    last: int,
    columns: np.ndarray,
    wanted: np.ndarray,
    needed: np.ndarray,
    totals: np.ndarray,
    rows: np.ndarray,
    least: np.ndarray,
    rules: Rules,
) -> Splits:
    """The splits of the nodes from `first` to `last`, of which `totals` and `rows` are the contents.

    Of these columns as many are looked at as are `needed`, beside constant ones; a side weighs at `least` so much.
    """
    m, most = last - first, columns.shape[1]
    out = Splits(
        np.full(m, NOTHING),
        np.full(m, -1, dtype=np.int32),
        np.full(m, -1, dtype=np.int32),
        np.full(m, -1, dtype=np.int32),
        np.zeros((m, totals.shape[1]), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros((m, most), dtype=np.uint8),
    )
    width, size = totals.shape[1], BINS * rules.classes
    ends = np.searchsorted(found.keys, (np.arange(first * most, last * most + 1)) * size)
    part = slice(first, last)
    _search(
        found.keys, found.sums, ends, columns[part], wanted[part], needed[part], totals[part], rows[part], least[part],
        *rules, np.zeros(width, dtype=np.int64), out.score, out.column, out.below, out.above, out.left, out.left_rows,
        out.seen,
    )  # fmt: skip
    return out


@jit_inner
def _whole(high: int, low: int) -> float:
    return np.float64(high) * np.float64(1 << LOW_BITS) + np.float64(low)


@jit_inner
def _log_term(x: float) -> float:
    return x * np.log2(x) if x > 0.0 else 0.0


@jit_inner
def _score(criterion: int, classes: int, left: Any, total: Any) -> float:
    """The score of what goes left, the rest going right; NOTHING where targets do not differ."""
    if criterion == VARIANCE:
        a, b = np.float64(left[0]), np.float64(total[0] - left[0])
        x, y = _whole(left[1], left[2]) / a, _whole(total[1] - left[1], total[2] - left[2]) / b
        if abs(x - y) <= _SAME * max(abs(x), abs(y)):
            return NOTHING
        return a * b / (a + b) * (x - y) * (x - y)
    on_left, on_right, left_part, right_part = 0.0, 0.0, 0.0, 0.0
    for k in range(classes):
        u, v = float(left[k]), float(total[k] - left[k])
        on_left += u
        on_right += v
        left_part += u * u if criterion == GINI else _log_term(u)
        right_part += v * v if criterion == GINI else _log_term(v)
    if criterion == GINI:
        return left_part / on_left + right_part / on_right
    return left_part - _log_term(on_left) + right_part - _log_term(on_right)


@jit
def own_scores(criterion: int, classes: int, totals: Any, out: Any) -> None:
    """The scores of nodes that are not split."""
    for r in range(totals.shape[0]):
        weight, parts = 0.0, 0.0
        if criterion != VARIANCE:
            for k in range(classes):
                x = np.float64(totals[r, k])
                weight += x
                parts += x * x if criterion == GINI else _log_term(x)
            parts = parts / weight if criterion == GINI else parts - _log_term(weight)
        out[r] = parts


@jit
def _search(
    keys: Any, sums: Any, ends: Any, columns: Any, wanted: Any, needed: Any, totals: Any, rows: Any, least: Any,
    criterion: int, classes: int, min_rows: int, left: Any, score: Any, column: Any, below: Any, above: Any,
    best_left: Any, best_rows: Any, seen: Any,
) -> None:  # fmt: skip
    most, width = columns.shape[1], totals.shape[1]
    size = np.int64(256) * classes
    for r in range(columns.shape[0]):
        varying, weight = 0, 0.0
        for k in range(classes):
            weight += totals[r, k]
        for s in range(wanted[r]):
            if varying == needed[r]:
                break
            a, b = ends[r * most + s], ends[r * most + s + 1]
            seen[r, s] = 1
            if (keys[a] % size) // classes == (keys[b - 1] % size) // classes:
                continue
            seen[r, s] = 2
            varying += 1
            for v in range(width):
                left[v] = 0
            left_rows, left_weight, at = 0, 0.0, a
            while at < b:
                code = (keys[at] % size) // classes
                while at < b and (keys[at] % size) // classes == code:
                    if criterion == VARIANCE:
                        for v in range(width):
                            left[v] += sums[at, v]
                    else:
                        left[keys[at] % classes] += sums[at, 0]
                    left_weight += sums[at, 0]
                    left_rows += sums[at, sums.shape[1] - 1]
                    at += 1
                if at == b or rows[r] - left_rows < min_rows or weight - left_weight < least[r]:
                    break
                if left_rows < min_rows or left_weight < least[r]:
                    continue
                value = _score(criterion, classes, left, totals[r])
                if value > score[r] + BETTER * abs(score[r]):
                    score[r] = value
                    column[r] = columns[r, s]
                    below[r] = code
                    above[r] = (keys[at] % size) // classes
                    best_rows[r] = left_rows
                    for v in range(width):
                        best_left[r, v] = left[v]
