"""Rows in an order that keeps near ones together: halved again and again at the median of their widest coordinate.

The order is cut into leaves of equal size, all full but the last one. A part of more than 16**h leaves is divided at a
multiple of 16**h of them, as near to its middle as may be, so that each run of 16, 256, ... leaves is a part, too.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner, run_parallel
from ._simd import LANES

# Rows below which a second thread costs more than it brings.
_WORTH_A_THREAD = 20_000


@jit_inner
def _swap(points, index, i, j):  # type: ignore[no-untyped-def]
    for k in range(points.shape[1]):
        points[i, k], points[j, k] = points[j, k], points[i, k]
    index[i], index[j] = index[j], index[i]


@jit_inner
def _median_of_three(points, a, b, axis):  # type: ignore[no-untyped-def]
    x, y, z = points[a, axis], points[(a + b) // 2, axis], points[b, axis]
    return max(min(x, y), min(max(x, y), z))


@jit_inner
def _select(points, index, start, stop, middle, axis):  # type: ignore[no-untyped-def]
    """Move the rows with the smallest coordinates to start:middle (Hoare's selection)."""
    a, b = start, stop - 1
    while a < b:
        pivot = _median_of_three(points, a, b, axis)
        i, j = a, b
        while i <= j:
            while points[i, axis] < pivot:
                i += 1
            while points[j, axis] > pivot:
                j -= 1
            if i <= j:
                _swap(points, index, i, j)
                i += 1
                j -= 1
        if middle <= j:
            b = j
        elif middle >= i:
            a = i
        else:
            return


@jit_inner
def _widest(points, start, stop):  # type: ignore[no-untyped-def]
    """The coordinate with the largest variance, and whether all rows are equal."""
    d = points.shape[1]
    total, squares = np.zeros(d), np.zeros(d)
    first = points[start]
    for i in range(start, stop):
        for k in range(d):
            difference = np.float64(points[i, k] - first[k])
            total[k] += difference
            squares[k] += difference * difference
    count = stop - start
    best, axis = -1.0, 0
    for k in range(d):
        spread = squares[k] - total[k] * total[k] / count
        if spread > best:
            best, axis = spread, k
    return axis, squares.max() == 0.0


@jit_inner
def _cut(leaves):  # type: ignore[no-untyped-def]
    """How many of a part's leaves go to its first half."""
    block = 1
    while block * LANES < leaves:
        block *= LANES
    return max(1, (leaves // block + 1) // 2) * block


@jit
def _halve(points, index, start, stop, leaf):  # type: ignore[no-untyped-def]
    """Divide rows in two; where the second half begins, 0 if they are not to be divided."""
    axis, equal = _widest(points, start, stop)
    if equal:
        index[start:stop].sort()  # the order of the indices is then that of the search, too
        return 0
    middle = start + leaf * _cut((stop - start + leaf - 1) // leaf)
    _select(points, index, start, stop, middle, axis)
    return middle


@jit
def _divide(points, index, start, stop, leaf):  # type: ignore[no-untyped-def]
    """Halve rows down to leaves, in which the indices ascend."""
    starts, stops = np.empty(128, np.int64), np.empty(128, np.int64)
    starts[0], stops[0] = start, stop
    depth = 1
    while depth:
        depth -= 1
        a, b = starts[depth], stops[depth]
        if b - a <= leaf:
            continue
        middle = _halve(points, index, a, b, leaf)
        if middle:
            starts[depth], stops[depth] = a, middle
            starts[depth + 1], stops[depth + 1] = middle, b
            depth += 2


def partition(points: np.ndarray, leaf: int, threads: int) -> np.ndarray:
    """Bring rows into such an order, in place; their indices before.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Finite; overwritten.
    leaf : int
        Rows of a leaf.
    threads : int

    """
    n = len(points)
    index = np.arange(n)
    parts = [(0, n)]
    # portions of a fraction of a second, so that Ctrl-C is heard, and several for each thread
    while max((b - a for a, b in parts), default=0) > max(_WORTH_A_THREAD, n // (4 * threads)):
        largest = [part for part in parts if part[1] - part[0] > _WORTH_A_THREAD]
        parts = [part for part in parts if part[1] - part[0] <= _WORTH_A_THREAD]
        for first in range(0, len(largest), threads):
            group = largest[first : first + threads]
            middles = run_parallel(_halve, [(points, index, a, b, leaf) for a, b in group])
            for (a, b), middle in zip(group, middles, strict=True):
                if middle:
                    parts += [(a, middle), (middle, b)]
    for first in range(0, len(parts), threads):
        run_parallel(_divide, [(points, index, a, b, leaf) for a, b in parts[first : first + threads]])
    return index
