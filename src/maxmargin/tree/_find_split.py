"""The best split of a node, among those of columns that are drawn at random or of all.

A column that is constant in a node is constant below it: such columns stand in front of the others in a permutation of
all of them, and the number of those known is handed down. Columns are drawn from the rest until `max_features` are
found that vary (scikit-learn counts the constant ones as well, and looks at fewer).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import jit_inner, jit_within
from ._binning import Binned
from ._bundles import forget_bundles, in_bundle, try_bundled
from ._few import try_few
from ._split import BETTER, FEW, GINI, NOTHING, VARIANCE, Limits, NodeRows, Room, fill, try_histogram

# Nodes of fewer rows read the codes row by row.
_BY_ROW = 8192


@jit_within
def random_below(state: Any, n: int) -> Any:
    """A whole number below n < 2^32 (splitmix64, its upper half times n)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@jit_within
def place_of(binned: Binned, f: int, n: int) -> tuple[Any, Any]:
    """Distance and beginning of the codes of column f that a node of n rows is better served by."""
    d = binned.n_bins.size
    half = binned.codes.size // 2
    if n < _BY_ROW:
        return np.uint64(d), np.uint64(half + f)
    return np.uint64(1), np.uint64(f * (half // d))


@jit_within
def node_totals(rows: NodeRows, start: int, end: int, centre: bool, limits: Limits, totals: Any) -> bool:
    """Sums over a node's rows; whether its targets differ.

    Values are moved to have the mean zero (unless a kept histogram has them as they are): squares of a mean that is far
    from zero would drown what a split gains.
    """
    for k in range(totals.size):
        totals[k] = 0.0
    weight, differ = rows.weight[start:end], False
    if limits.criterion == VARIANCE:
        target = rows.target[start:end]
        for i in range(target.size):
            totals[0] += weight[i]
            totals[1] += weight[i] * target[i]
            differ |= target[i] != target[0]
        if centre and differ:
            mean = totals[1] / totals[0]
            totals[1] = 0.0
            for i in range(target.size):
                target[i] -= mean
                totals[1] += weight[i] * target[i]
    else:
        label = rows.label[start:end]
        for i in range(label.size):
            totals[label[i]] += weight[i]
            differ |= label[i] != label[0]
    if limits.counted:
        totals[limits.channels] = end - start
    return differ


@jit_within
def best_possible(limits: Limits, totals: Any) -> float:
    """The score, up to rounding, of a split whose sides are pure: there is no need to look for a better one."""
    if limits.criterion == VARIANCE:
        return np.inf
    total = 0.0
    for k in range(limits.channels):
        total += totals[k]
    return total * (1.0 - BETTER) if limits.criterion == GINI else -BETTER * total


@jit_within
def find_split(
    binned: Binned,
    rows: NodeRows,
    start: int,
    end: int,
    constant: int,
    limits: Limits,
    room: Room,
    sums: Any,
    offsets: Any,
) -> int:
    """Try the splits of columns drawn at random, or of all; the number of columns known to be constant.

    `sums` are the histograms of all columns, or empty if there are none.
    """
    room.score[0] = NOTHING
    columns = room.columns
    drawn, varying, d, n = columns.size, 0, columns.size, end - start
    width, bound = limits.channels + limits.counted, best_possible(limits, room.totals)
    while drawn > constant and varying < limits.max_features and room.score[0] < bound:
        j = constant
        if limits.max_features < d:
            j += random_below(room.state, drawn - constant)
        f = columns[j]
        bins, by_set = np.int64(binned.n_bins[f]), binned.categorical[f]
        stride, first = place_of(binned, f, n)
        if sums.size:
            hist = sums[offsets[f] : offsets[f + 1]]
            varies = try_histogram(hist, f, bins, binned.missing[f], by_set, n, limits, room)
        elif in_bundle(binned.bundles, f):
            varies = try_bundled(binned.bundles, f, by_set, rows, start, end, limits, room)
        elif n < FEW and 6 * n < bins * (10 + limits.channels) and not by_set:  # which costs less
            varies = try_few(binned.codes, stride, first, f, bins, rows, start, end, limits, room)
        else:
            hist = room.hist[: (bins + 1) * width]
            fill(binned.codes, stride, first, binned.common[f], rows, start, end, limits, room.totals, hist)
            varies = try_histogram(hist, f, bins, binned.missing[f], by_set, n, limits, room)
            for k in range(hist.size):
                hist[k] = 0.0
        if varies:
            drawn -= 1
            columns[j] = columns[drawn]
            columns[drawn] = f
            varying += 1
        else:
            columns[j] = columns[constant]
            columns[constant] = f
            constant += 1
    forget_bundles(binned.bundles, limits, room)
    return constant


@jit_inner
def fill_all(binned: Binned, rows: NodeRows, start: int, end: int, offsets: Any, limits: Limits, sums: Any) -> None:
    """Histograms of all columns."""
    for k in range(sums.size):
        sums[k] = 0.0
    for f in range(binned.n_bins.size):
        stride, first = place_of(binned, f, end - start)
        fill(binned.codes, stride, first, -1, rows, start, end, limits, sums, sums[offsets[f] : offsets[f + 1]])
