"""Where the bins of a column end: thresholds between which values are told apart no more.

A column of at most `max_bins` distinct values has one bin for each. Of more, bins hold about the same weight of rows,
and a value that is frequent enough has a bin to itself. A threshold lies midway between the neighbouring values, and a
value up to it, and above the threshold before it, is in its bin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import jit, jit_inner, raise_interrupt, run_portions, thread_count

# Rows from which thresholds are made; of more, so many are drawn.
SAMPLE = 200_000
_LARGEST = 1e300


def column_edges(
    X: np.ndarray, weight: np.ndarray | None, categorical: np.ndarray, max_bins: int, seed: int
) -> list[np.ndarray]:
    """The thresholds of each column of X, rising; none of a categorical one, whose codes are its bins.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        NaN where missing.
    weight : ndarray of shape (n_rows,) or None
        Positive. Bins hold about the same weight.
    categorical : ndarray of bool of shape (n_columns,)
        Columns without thresholds.
    max_bins : int
        Largest number of bins of a column, without that of missing values.
    seed : int
        Of the rows that are drawn.

    """
    n, d = X.shape
    rows = None
    if n > SAMPLE:
        rows = np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False))
        weight = None if weight is None else weight[rows]

    def edges(j: int) -> np.ndarray:
        raise_interrupt()
        if categorical[j]:
            return np.empty(0)
        x = np.ascontiguousarray(X[:, j] if rows is None else X[rows, j], dtype=np.float64)
        return edges_of(x, weight, max_bins)

    return run_portions(edges, [(j,) for j in range(d)], thread_count(None), long=True)


def edges_of(x: np.ndarray, weight: np.ndarray | None, max_bins: int) -> np.ndarray:
    """The thresholds of one column."""
    known = ~np.isnan(x)
    if weight is None:
        values = np.sort(x if known.all() else x[known])
        mass = np.ones(0)
    else:
        x, weight = x[known], weight[known]
        order = np.argsort(x, kind="stable")
        values, mass = x[order], weight[order]
    out = np.empty(max_bins)
    return out[: _cut(values, mass, max_bins, out)]


@jit_inner
def _midway(below: float, above: float) -> float:
    """The middle of two values, that is not the upper one, and never infinite: only missing values are above it."""
    middle = below / 2 + above / 2
    if not (below <= middle < above):  # of opposite infinities, or neighbouring floats
        middle = below if below > -np.inf else 0.0
    return min(middle, _LARGEST)


@jit
def _cut(values: Any, mass: Any, max_bins: int, out: Any) -> int:
    """Write the thresholds of sorted values; their number. No mass: every value weighs 1."""
    n = values.size
    if n == 0:
        return 0
    starts, sums = np.empty(n + 1, dtype=np.int64), np.empty(n)
    m = 0
    for i in range(n):
        if i == 0 or values[i] != values[i - 1]:
            starts[m] = i
            sums[m] = 0.0
            m += 1
        sums[m - 1] += mass[i] if mass.size else 1.0
    if m <= max_bins:
        for k in range(m - 1):
            out[k] = _midway(values[starts[k]], values[starts[k + 1]])
        return m - 1
    total = 0.0
    for k in range(m):
        total += sums[k]
    made, held, used = 0, 0.0, 0.0
    for k in range(m - 1):
        held += sums[k]
        left = max_bins - made - 1
        if left == 0:
            break
        share = (total - used) / (left + 1)
        # half of what would be too much is better than too little
        if held + sums[k + 1] / 2 > share or sums[k + 1] >= share or m - 1 - k <= left:
            out[made] = _midway(values[starts[k]], values[starts[k + 1]])
            made += 1
            used += held
            held = 0.0
    return made
