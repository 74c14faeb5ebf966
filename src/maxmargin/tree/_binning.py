"""Columns as small whole numbers: every value is replaced by the number of the bin that it falls into.

A column of at most 255 distinct values has one bin for each: nothing is lost. Of more values, neighbours share a bin,
so that all bins hold about the same number of rows and a value that is frequent enough has a bin to itself. Missing
values have a bin of their own after the others; the categories of a categorical column are its bins.

Trees search for splits among bins alone. The threshold they report lies midway between the largest value of the bins
on its left and the smallest of those on its right, as it does in a search of all values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..engine import jit, raise_interrupt, run_portions, thread_count
from ._bundles import Bundles, NoBundles, find_bundles

MAX_BINS = 255
# Columns that a task copies at once: rows of X are contiguous, and a cache line holds sixteen values of float32.
_BLOCK = 16
_SLOTS = 1024
# Bytes that the codes of sparse rows may take.
_LARGEST = 4 * 10**9
# Rows that tell whether a bin is common.
_SAMPLE = 4096


class Binned(NamedTuple):
    """What the compiled search needs of the columns.

    The codes are there twice: ``codes[:n * d]`` column by column, for nodes of many rows, and the rest row by row, for
    nodes of few, whose rows then stay in the cache while the nodes below are grown (a forest takes three quarters of
    the time). A missing value of column j is ``n_bins[j]``; ``common[j]`` is the bin of most rows, or -1.
    """

    codes: np.ndarray
    n_bins: np.ndarray
    missing: np.ndarray
    categorical: np.ndarray
    common: np.ndarray
    bundles: Bundles | NoBundles


@dataclass(frozen=True)
class Bins:
    """The bins of all columns: their rows' codes, and the smallest and largest value in each bin."""

    binned: Binned
    low: np.ndarray
    high: np.ndarray

    @property
    def codes(self) -> np.ndarray:
        """Codes of shape (columns, rows)."""
        d = len(self.low)
        return self.binned.codes[: self.binned.codes.size // 2].reshape(d, -1)

    @property
    def codes_by_row(self) -> np.ndarray:
        """Codes of shape (rows, columns)."""
        d = len(self.low)
        return self.binned.codes[self.binned.codes.size // 2 :].reshape(-1, d)

    @classmethod
    def of(cls, X: Any, categorical: np.ndarray | None = None, n_jobs: int | None = None) -> Bins:
        """Bins of X, dense or CSR; in a categorical column the values are the codes of categories, NaN if missing."""
        n, d = X.shape
        if sp.issparse(X):
            if 2 * n * d > _LARGEST:
                raise ValueError(
                    f"X is sparse, and its {d} columns would take {2 * n * d / 1e9:.1f} GB as dense codes; at "
                    f"most {_LARGEST / 1e9:.0f} GB are taken. Use fewer columns."
                )
            X = X.tocsc()
        if categorical is None:
            categorical = np.zeros(d, dtype=bool)
        both = np.empty(2 * n * d, dtype=np.uint8)
        codes, by_row = both[: n * d].reshape(d, n), both[n * d :].reshape(n, d)
        n_bins, missing = np.zeros(d, dtype=np.int32), np.zeros(d, dtype=bool)
        common = np.full(d, -1)
        low, high = np.full((d, MAX_BINS + 1), np.inf), np.full((d, MAX_BINS + 1), np.inf)
        block = _BLOCK if thread_count(n_jobs) == 1 else max(1, min(_BLOCK, -(-d // (2 * thread_count(n_jobs)))))

        def work(first: int) -> None:
            if sp.issparse(X):
                columns = np.array(X[:, first : first + block].toarray().T, dtype=np.float64, order="C")
            else:
                columns = np.empty((min(block, d - first), n))
                _transpose(X, first, columns)
            for j, x in enumerate(columns, start=first):
                raise_interrupt()
                n_bins[j], missing[j] = _bin_column(x, bool(categorical[j]), codes[j], low[j], high[j])
                common[j] = _common_code(codes[j])
            by_row[:, first : first + block] = codes[first : first + block].T

        run_portions(work, [(first,) for first in range(0, d, block)], thread_count(n_jobs), long=True)
        bundles = find_bundles(codes, n_bins, missing)
        return cls(Binned(both, n_bins, missing, categorical, common, bundles), low, high)


@jit
def _transpose(X: Any, first: int, columns: Any) -> None:
    """Columns of X from one on, side by side."""
    for i in range(X.shape[0]):
        for j in range(len(columns)):
            columns[j, i] = X[i, first + j]


def _common_code(codes: np.ndarray) -> int:
    """The code that more than three quarters of the rows have, or -1."""
    counts = np.bincount(codes[:: max(1, len(codes) // _SAMPLE)])
    return int(np.argmax(counts)) if counts.max() > 0.75 * counts.sum() else -1


def _bin_column(x: np.ndarray, categorical: bool, codes: Any, low: Any, high: Any) -> tuple[int, bool]:
    """Write the codes and ranges of one column; its number of bins, and whether something is missing."""
    if categorical:
        known = x[~np.isnan(x)]
        m = int(known.max(initial=-1)) + 1
        low[:m] = high[:m] = np.arange(m)
    else:
        values = np.empty(MAX_BINS)
        m = _few_values(x, values)
        if m >= 0:
            low[:m] = high[:m] = np.sort(values[:m])
        else:
            m = _cut(np.sort(x[~np.isnan(x)]), low, high)
    return m, bool(encode_column(x, low, m, codes))


@jit
def _few_values(x: Any, values: Any) -> int:
    """The distinct values that are not missing, in any order, and their number; -1 if they are more than MAX_BINS."""
    slots = np.zeros(_SLOTS, dtype=np.int32)
    bits = x.view(np.uint64)
    m, last = 0, np.nan
    for i in range(x.size):
        value = x[i]
        if value != value or value == last:
            continue
        last = value
        # -0.0 and 0.0 are one value
        key = bits[i] if value != 0.0 else np.uint64(0)
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(54))
        while slots[slot] and values[slots[slot] - 1] != value:
            slot = (slot + 1) % _SLOTS
        if not slots[slot]:
            if m == MAX_BINS:
                return -1
            values[m] = value
            m += 1
            slots[slot] = m
    return m


@jit
def _cut(x: Any, low: Any, high: Any) -> int:
    """Bins of about equal numbers of rows for sorted values of which there are more than bins; their number."""
    n, distinct = x.size, 1
    for i in range(1, n):
        distinct += x[i] != x[i - 1]
    m, held, used, i = 0, 0, 0, 0
    low[0] = x[0]
    while i < n:
        end = i + 1
        while end < n and x[end] == x[i]:
            end += 1
        held += end - i
        distinct -= 1
        high[m] = x[i]
        if end == n:
            break
        after = end + 1
        while after < n and x[after] == x[end]:
            after += 1
        left = MAX_BINS - m - 1
        share = (n - used) / (left + 1)
        if left > 0 and (held >= share or after - end >= share or distinct <= left):
            used += held
            held = 0
            m += 1
            low[m] = x[end]
        i = end
    return m + 1


@jit
def encode_column(x: Any, low: Any, m: int, codes: Any) -> bool:
    """The code of each value: the last bin that begins at or below it; m if missing, and whether one is."""
    first = 1
    while first < m:
        first *= 2
    first //= 2
    missing, before, at = False, np.nan, 0
    for i in range(x.size):
        value = x[i]
        if value != value:
            codes[i] = m
            missing = True
            continue
        if value == before:  # as it often is in columns of few values
            codes[i] = at
            continue
        before, at, step = value, 0, first
        while step:
            at += step * (low[at + step] <= value)  # a branch would be guessed wrong every other time
            step //= 2
        codes[i] = at
    return missing
