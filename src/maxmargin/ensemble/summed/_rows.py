"""Rows of a part as a forest sees them: codes of bins, and labels, targets and weights in whole numbers.

Sums of whole numbers are the same in whatever order they are added up: so the forest depends neither on how rows are
divided nor on who adds up what. A weight s is the whole number round(s 2^a). Of a target y the product of its distance
from the middle c of all targets and its weight is taken,

    p = round(s (y - c) 2^b),   |p| <= 2^51,

as two numbers of 26 bits, so that sums over 2^30 rows fit into 64 bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...tree import MAX_BINS, encode_column
from ._bags import is_sampled

LOW_BITS = 26
_HALF = 51
_SAMPLE_SEED = 0x5A17
# Values and rows that edges of bins are found from.
_VALUES, _FEWEST, _MOST = 2**24, 5_000, 200_000
_BLOCK = 4096  # sparse rows that are made dense at a time


@dataclass(frozen=True)
class Scales:
    """What weights and products are multiplied by, and the middle of the targets; `classes` is 0 for targets."""

    weight: float
    product: float
    middle: float
    classes: int

    @classmethod
    def of(cls, n: int, copies: int, heaviest: float, whole: bool, low: float, high: float, classes: int) -> Scales:
        """For n rows, each at most so often in a bag; `whole` weights stay as they are."""
        room = 62 - math.ceil(math.log2(n * copies))
        weight = 1.0 if whole and heaviest * n * copies < 2.0**62 else _power(room, heaviest)
        middle = low / 2 + high / 2
        largest = max(high - middle, middle - low) * heaviest
        return cls(weight, _power(_HALF, largest) if largest > 0 else 1.0, middle, classes)


def _power(bits: int, size: float) -> float:
    """A power of two that makes a number of so many bits of this size."""
    return 2.0 ** (bits - math.frexp(size)[1])


@dataclass(frozen=True)
class CodedRows:
    """Rows of a part.

    Attributes
    ----------
    codes : ndarray of shape (rows, columns)
        uint8.
    label : ndarray of int64
        Numbers of classes; 0 for targets.
    numbers : ndarray of shape (rows, 1) or (rows, 3)
        int64: weights, and of targets the high and the low half of products.
    target : ndarray
        Numbers of classes (int32), or targets.
    start : int
        The number of the first row.

    """

    codes: np.ndarray
    label: np.ndarray
    numbers: np.ndarray
    target: np.ndarray
    start: int

    @classmethod
    def of(
        cls, codes: np.ndarray, target: np.ndarray, weight: np.ndarray | None, start: int, scales: Scales
    ) -> CodedRows:
        s = np.ones(len(target)) if weight is None else weight
        w = np.rint(s * scales.weight).astype(np.int64)
        if scales.classes:
            return cls(codes, target.astype(np.int64), w[:, None], target, start)
        p = np.rint(s * (target - scales.middle) * scales.product).astype(np.int64)
        high, low = p >> LOW_BITS, p & (2**LOW_BITS - 1)
        return cls(codes, np.zeros(len(target), dtype=np.int64), np.column_stack([w, high, low]), target, start)

    @property
    def used(self) -> np.ndarray:
        """Rows that have a weight."""
        return self.numbers[:, 0] > 0


@dataclass(frozen=True)
class RawRows:
    """Rows of a part as they come: checked X, numbers of classes (int32) or targets, weights or None, first number."""

    X: Any
    target: np.ndarray
    weight: np.ndarray | None
    start: int


class Survey:
    """What has to be known of all rows first: a sample of them, and the sizes of weights and targets."""

    def __init__(self, sample: list[np.ndarray], heaviest: float, whole: bool, low: float, high: float) -> None:
        self.sample, self.heaviest, self.whole, self.low, self.high = sample, heaviest, whole, low, high

    @classmethod
    def of(cls, raw: RawRows, n: int) -> tuple[Survey]:
        """Of the rows of a part, of n rows in all."""
        weight = np.ones(1) if raw.weight is None else raw.weight
        whole = bool((weight == np.rint(weight)).all())
        low, high = float(raw.target.min()), float(raw.target.max())
        return (cls([sample_of(raw.X, raw.start, n)], float(weight.max()), whole, low, high),)

    def __add__(self, other: Survey) -> Survey:
        heaviest, whole = max(self.heaviest, other.heaviest), self.whole and other.whole
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Survey(self.sample + other.sample, heaviest, whole, low, high)


def sample_of(X: Any, start: int, n: int) -> np.ndarray:
    """The rows of a part that edges of bins are found from: those of a small hash among all n rows."""
    rows = min(n, max(_FEWEST, min(_MOST, _VALUES // max(1, X.shape[1]))))
    bound = np.uint64(min(2**64 - 1, int(rows / n * 2.0**64)))
    chosen = is_sampled(np.uint64(_SAMPLE_SEED), np.uint64(start), X.shape[0], bound)
    found = X[np.flatnonzero(chosen)]
    return np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64)


def code_rows(raw: RawRows, edges: np.ndarray, bins: np.ndarray, scales: Scales) -> tuple[CodedRows, Ranges]:
    """The rows of a part as codes, and the ranges of their bins."""
    codes = coded(raw.X, edges, bins)
    rows = CodedRows.of(codes, raw.target, raw.weight, raw.start, scales)
    return rows, ranges_of(raw.X, codes)


class Ranges:
    """The smallest and the largest value of each bin."""

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self.low, self.high = low, high

    def __add__(self, other: Ranges) -> Ranges:
        return Ranges(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def padded(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """With bins that hold nothing at their edges; infinity stands after the last bin."""
        empty = self.low > self.high
        return np.where(empty, edges, self.low), np.where(empty, edges, self.high)


def coded(X: Any, edges: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Codes of rows; `edges` are the beginnings of bins by column."""
    n, d = X.shape
    codes = np.empty((n, d), dtype=np.uint8)
    for first in range(0, n, _BLOCK):
        block = X[first : first + _BLOCK]
        block = block.toarray() if sp.issparse(block) else block
        column = np.empty(len(block), dtype=np.uint8)
        for j in range(d):
            encode_column(np.ascontiguousarray(block[:, j], dtype=np.float64), edges[j], int(bins[j]), column)
            codes[first : first + len(block), j] = column
    return codes


def ranges_of(X: Any, codes: np.ndarray) -> Ranges:
    """The ranges of values by column and code."""
    d = codes.shape[1]
    low, high = np.full((d, MAX_BINS + 1), np.inf), np.full((d, MAX_BINS + 1), -np.inf)
    for first in range(0, len(codes), _BLOCK):
        block = X[first : first + _BLOCK]
        block = np.asarray(block.toarray() if sp.issparse(block) else block, dtype=np.float64)
        for j in range(d):
            column = codes[first : first + len(block), j]
            np.minimum.at(low[j], column, block[:, j])
            np.maximum.at(high[j], column, block[:, j])
    return Ranges(low, high)
