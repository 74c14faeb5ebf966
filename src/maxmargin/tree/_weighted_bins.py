"""Bins of equal weight, where rows have weights.

Bins of equal numbers of rows are blind where weight gathers on few of them: boosting moves it to the rows that are hard
to predict, often the outermost ones, and a bin may then hold half of it. So the columns that have more values than bins
are cut again, with weights in the place of numbers of rows: weight k does the same as k repetitions of a row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..engine import jit, jit_inner
from ._binning import MAX_BINS, Bins


class SortedColumns:
    """Rows ready to be binned again and again for other weights: the columns that need it are sorted once."""

    def __init__(self, bins: Bins, X: Any) -> None:
        self.bins = bins
        last = np.arange(MAX_BINS + 1) < bins.binned.n_bins[:, None]
        shared = (bins.low < bins.high) & last  # bins of several values
        self.columns = np.flatnonzero(shared.any(axis=1) & ~bins.binned.categorical)
        columnwise = X.tocsc() if sp.issparse(X) else X
        self.order = np.empty((len(self.columns), X.shape[0]), dtype=np.int32)
        self.values = np.empty(self.order.shape)
        for place, j in enumerate(self.columns):
            x = columnwise[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]
            self.order[place] = np.argsort(x, kind="stable")
            self.values[place] = x[self.order[place]]

    def bins_of(self, weight: np.ndarray) -> Bins:
        """The bins for weights, none of them zero; those of the last call are not to be used any more."""
        if not len(self.columns):
            return self.bins
        binned = self.bins.binned
        _cut_all(
            self.columns,
            self.order,
            self.values,
            weight,
            self.bins.codes,
            self.bins.codes_by_row,
            binned.n_bins,
            self.bins.low,
            self.bins.high,
        )
        return replace(self.bins, binned=binned._replace(common=_commons(self.bins, self.columns)))


def bins_of_weighted(bins: Bins, X: Any, weight: np.ndarray) -> Bins:
    """Bins of equal weight; the given ones, of equal numbers of rows, are used up."""
    if (weight == weight[0]).all():
        return bins
    return SortedColumns(bins, X).bins_of(weight)


def _commons(bins: Bins, columns: np.ndarray) -> np.ndarray:
    """Columns cut by weight have no bin that is taken for most of the rows."""
    common = bins.binned.common.copy()
    common[columns] = -1
    return common


@jit
def _cut_all(
    columns: Any, order: Any, values: Any, weight: Any, codes: Any, by_row: Any, n_bins: Any, low: Any, high: Any
) -> None:
    """Write the ranges of the bins of some columns, and their rows' codes."""
    n = weight.size
    sorted_weight = np.empty(n)
    for place in range(columns.size):
        j, x, known = columns[place], values[place], n
        while known and x[known - 1] != x[known - 1]:  # missing values are sorted to the end
            known -= 1
        for i in range(n):
            sorted_weight[i] = weight[order[place, i]]
        for k in range(low.shape[1]):
            low[j, k] = high[j, k] = np.inf
        m = _cut_by_weight(x[:known], sorted_weight[:known], low[j], high[j])
        n_bins[j] = m
        at = 0
        for i in range(n):
            while i < known and at + 1 < m and low[j, at + 1] <= x[i]:
                at += 1
            code = at if i < known else m
            codes[j, order[place, i]] = code
            by_row[order[place, i], j] = code


@jit_inner
def _cut_by_weight(x: Any, weight: Any, low: Any, high: Any) -> int:
    """Bins of about equal weight for sorted values of which there are more than bins; their number."""
    n, distinct, total = x.size, 1, weight[0]
    for i in range(1, n):
        distinct += x[i] != x[i - 1]
        total += weight[i]
    m, held, used, i = 0, 0.0, 0.0, 0
    low[0] = x[0]
    end, here = _weight_of_value(x, weight, 0)
    while True:
        held += here
        distinct -= 1
        high[m] = x[i]
        if end == n:
            return m + 1
        after, there = _weight_of_value(x, weight, end)
        left = MAX_BINS - m - 1
        share = (total - used) / (left + 1)
        if left > 0 and (held >= share or there >= share or distinct <= left):
            used += held
            held = 0.0
            m += 1
            low[m] = x[end]
        i, end, here = end, after, there


@jit_inner
def _weight_of_value(x: Any, weight: Any, first: int) -> tuple[int, float]:
    """Where the next value begins, and the weight of this one."""
    end, total = first, 0.0
    while end < x.size and x[end] == x[first]:
        total += weight[end]
        end += 1
    return end, total
