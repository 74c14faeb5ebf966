"""What is in the roots before anything is grown, and how far targets are from the means of their leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import jit
from ._bags import drawn
from ._rows import LOW_BITS, CodedRows


def root_contents(rows: CodedRows, seeds: np.ndarray, bounds: np.ndarray, classes: int) -> tuple:
    """Contents of the bags of trees in whole numbers, and the number of rows in each."""
    width = classes if classes else rows.numbers.shape[1]
    totals, many = np.zeros((len(seeds), width), dtype=np.int64), np.zeros(len(seeds), dtype=np.int64)
    _fill_roots(rows.label, rows.numbers, np.uint64(rows.start), seeds, bounds, classes > 0, totals, many)
    return totals, many


@jit
def _fill_roots(
    label: Any, numbers: Any, start: Any, seeds: Any, bounds: Any, classes: bool, totals: Any, many: Any
) -> None:
    for t in range(seeds.size):
        for i in range(label.size):
            if numbers[i, 0] <= 0:
                continue
            count = drawn(seeds[t], start + np.uint64(i), bounds)
            many[t] += count > 0
            if classes:
                totals[t, label[i]] += count * numbers[i, 0]
            else:
                for v in range(numbers.shape[1]):
                    totals[t, v] += count * numbers[i, v]


def leaf_squares(
    rows: CodedRows, seeds: np.ndarray, bounds: np.ndarray, tables: tuple, means: np.ndarray, scale: float
) -> tuple:
    """Squares about the means of leaves, by node, as the high and the low halves of whole numbers."""
    out = np.zeros((len(means), 2), dtype=np.int64)
    _fill_squares(
        rows.codes, rows.numbers[:, 0].copy(), rows.target, np.uint64(rows.start), seeds, bounds, *tables, means, scale,
        out,
    )  # fmt: skip
    return (out,)


@jit
def _fill_squares(
    codes: Any, weight: Any, target: Any, start: Any, seeds: Any, bounds: Any, left: Any, feature: Any, below: Any,
    means: Any, scale: float, out: Any,
) -> None:  # fmt: skip
    for t in range(seeds.size):
        for i in range(target.size):
            if weight[i] <= 0:
                continue
            count = drawn(seeds[t], start + np.uint64(i), bounds)
            if count == 0:
                continue
            node = t
            while left[node] >= 0:
                node = left[node] + (codes[i, feature[node]] > below[node])
            far = target[i] - means[node]
            square = np.int64(np.rint(np.float64(weight[i]) * far * far * scale))
            out[node, 0] += count * (square >> LOW_BITS)
            out[node, 1] += count * (square & ((1 << LOW_BITS) - 1))
