"""Rows as codes of bins, side by side, for histograms of gradients: a byte for a column, or for a bundle of columns.

Columns of two values that exclude each other share a byte, as the indicators of the levels of something do: one pass
gives the sums of all of them. The codes are there twice, row by row for the histograms and column by column for parting
rows, which asks for one column alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...engine import jit, run_portions, thread_count
from ...tree import NoBundles, find_bundles

# Rows that a task encodes.
_ROWS = 16384


class Packed(NamedTuple):
    """What the compiled search needs of n rows and d columns, which take p bytes a row.

    ``first[k]`` is where the bins of byte k begin among those of all, ``place[j]`` the byte of column j. Of a column in
    a bundle, ``level[j]`` is the code that stands for it and ``value[j]`` (0 or 1) its bin then; else the level is -1.
    A missing value of column j has the code ``n_bins[j]``.
    """

    rows: np.ndarray
    columns: np.ndarray
    first: np.ndarray
    place: np.ndarray
    level: np.ndarray
    value: np.ndarray
    n_bins: np.ndarray
    missing: np.ndarray
    categorical: np.ndarray


@dataclass(frozen=True)
class Codes:
    """The packed rows, the thresholds of the columns, and how many categories the others have."""

    packed: Packed
    edges: list[np.ndarray]

    @property
    def n(self) -> int:
        return self.packed.rows.size // (len(self.packed.first) - 1)

    @property
    def bins(self) -> int:
        """Entries of a histogram of all columns."""
        return int(self.packed.first[-1])


def bin_counts(edges: list[np.ndarray], categories: np.ndarray) -> np.ndarray:
    """The bins of each column without that of missing values; `categories` is 0 for columns of numbers."""
    return np.array([k if k else len(e) + 1 for e, k in zip(edges, categories, strict=True)], dtype=np.int64)


def encode(X: np.ndarray, edges: list[np.ndarray], categories: np.ndarray) -> np.ndarray:
    """Codes of shape (columns, rows) of values of X."""
    n, d = X.shape
    counts = bin_counts(edges, categories)
    starts = np.concatenate([[0], np.cumsum([len(e) for e in edges])]).astype(np.int64)
    flat = np.concatenate([*edges, np.empty(0)])
    codes = np.empty((d, n), dtype=np.uint8)
    portions = [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]

    def work(start: int, end: int) -> None:
        _encode(X[start:end], flat, starts, categories, counts, codes, start)

    run_portions(work, portions, thread_count(None), long=True)
    return codes


@jit
def _encode(X: Any, edges: Any, starts: Any, categories: Any, counts: Any, codes: Any, at: int) -> None:
    """The number of thresholds below each value; of categorical columns the values are codes already."""
    n, d = X.shape
    block = 64
    for begin in range(0, n, block):
        stop = min(begin + block, n)
        for j in range(d):
            missing = np.uint8(counts[j])
            if categories[j]:
                for i in range(begin, stop):
                    x = X[i, j]
                    known = x >= 0.0 and x < counts[j]
                    codes[j, at + i] = np.uint8(x) if known else missing
                continue
            first, m = starts[j], starts[j + 1] - starts[j]
            top = np.int64(1)
            while 2 * top <= m:
                top *= 2
            for i in range(begin, stop):
                x = np.float64(X[i, j])
                place, step = np.int64(0), top
                # the number of thresholds below x, by halving; comparisons with NaN are false
                while step > 0:
                    probe = place + step
                    inside = probe <= m
                    below = edges[first + (probe if inside else m) - 1] < x if m else False
                    place += step if (inside and below) else 0
                    step >>= 1
                codes[j, at + i] = missing if x != x else np.uint8(place)


def pack(codes: np.ndarray, counts: np.ndarray, edges: list[np.ndarray], categorical: np.ndarray) -> Codes:
    """Pack codes of shape (columns, rows)."""
    d, n = codes.shape
    missing = np.array([bool((codes[j] == counts[j]).any()) for j in range(d)])
    plain = np.where(categorical, 3, counts).astype(np.int32)  # those of categorical columns are not numbers
    bundles = find_bundles(codes, plain, missing)
    level, value = np.full(d, -1, dtype=np.int64), np.zeros(d, dtype=np.int64)
    place, lone = np.zeros(d, dtype=np.int64), np.arange(d)
    parts, sizes = codes, counts + missing
    if not isinstance(bundles, NoBundles):
        lone = np.flatnonzero(bundles.bundle < 0)
        inside = np.flatnonzero(bundles.bundle >= 0)
        extra = bundles.codes.reshape(len(bundles.first) - 1, n)
        parts = np.concatenate([codes[lone], extra])
        sizes = np.concatenate([sizes[lone], np.diff(bundles.first)])
        place[inside] = len(lone) + bundles.bundle[inside]
        level[inside], value[inside] = bundles.level[inside], bundles.value[inside]
    place[lone] = np.arange(len(lone))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.empty((n, len(parts)), dtype=np.uint8)
    portions = [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]
    run_portions(lambda start, end: _side_by_side(parts, rows, start, end), portions, thread_count(None), long=True)
    packed = Packed(
        rows.ravel(), parts.ravel(), first, place, level, value, counts.astype(np.int64), missing, categorical
    )
    return Codes(packed, edges)


@jit
def _side_by_side(parts: Any, rows: Any, start: int, end: int) -> None:
    for begin in range(start, end, 64):
        stop = min(begin + 64, end)
        for k in range(len(parts)):
            for i in range(begin, stop):
                rows[i, k] = parts[k, i]
