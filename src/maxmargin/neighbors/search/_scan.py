"""One pass over columns: which of them are among the k nearest of each row.

The squared distance is |x|^2 + |z|^2 - 2<x, z>, and rounding moves a product of `terms` terms by at most
gamma |x| |z| with gamma about terms * u, whatever the order of its sum (Higham, Accuracy and Stability of Numerical
Algorithms, section 3.1). So

    |x|^2 + |z|^2 (1 - 8u) - <x, 2z> - 2 gamma |x| |z|

is a lower bound of it. A pair whose lower bound exceeds the k-th distance so far is out; any other is asked for its
distance in float64. About k (1 + log(n / k)) pairs a row are asked when columns come in no particular order, and the
answer is that of asking all of them, to the last bit, whether tiles are in float32 or float64.
"""

from __future__ import annotations

import numpy as np

from ...data import row_products
from ...engine import jit, jit_inner
from ._distances import squared_distance
from ._heap import offer


@jit_inner
def _limit(square, floor, growth, u):  # type: ignore[no-untyped-def]
    """The score above which a pair is out, rounded up: `square` - |x|^2 with the rounding errors of both."""
    limit = square * (1.0 + growth) - floor
    return limit + 4.0 * u * abs(limit)


@jit
def scan_tiles(  # type: ignore[no-untyped-def]
    rows, order, start, stop, shift, floors, reach, columns, ids, panels, lows, lengths, growth, own, height, out, end
):
    """Offer the columns `ids` to the heaps of the rows r = order[t], t in start:stop; the number of pairs asked.

    Parameters
    ----------
    floors, reach : per row r, |x|^2 rounded down and 2 gamma |x|
    panels, lows, lengths : per column in chunks, -2z, |z|^2 rounded down and |z|
    growth : relative error of a distance in float64
    own : whether rows are columns, of which each leaves out itself
    out : the heaps, (squares, index), each of shape (len(order), k)
    end : with ``end[0]`` it ends after a tile, and the heaps are of no use

    """
    squares, index = out
    chunks, d, width = panels.shape
    u = np.finfo(panels.dtype).eps
    tile = np.empty((height, d), panels.dtype)
    values = np.empty((height, width), panels.dtype)
    asked = 0
    for first in range(start, stop, height):
        last = min(stop, first + height)
        for chunk in range(chunks):
            if end[0]:
                return asked
            row_products(rows, order, first, last, shift, panels, chunk, tile, values)
            begin = chunk * width
            m = min(width, ids.shape[0] - begin)
            low, length = lows[chunk], lengths[chunk]
            for t in range(last - first):
                r = order[first + t]
                score, best, found = values[t], squares[first + t], index[first + t]
                far = panels.dtype.type(reach[r])
                limit = panels.dtype.type(_limit(best[0], floors[r], growth, u))
                out_of_reach = 0
                for j in range(m):  # vectorised; most rows end here
                    score[j] += low[j] - far * length[j]
                    out_of_reach += score[j] > limit
                if out_of_reach == m:
                    continue
                for j in range(m):
                    i = ids[begin + j]
                    if score[j] > limit or (own and i == r):  # false for NaN, which proves nothing
                        continue
                    if best[0] == 0.0 and i > found[0]:  # nothing is nearer than a copy
                        continue
                    asked += 1
                    offer(best, found, squared_distance(rows, r, columns, i), i)
                    limit = panels.dtype.type(_limit(best[0], floors[r], growth, u))
    return asked


@jit
def scan_all(rows, order, columns, ids, own, out):  # type: ignore[no-untyped-def]
    """As `scan_tiles`, asking every pair: for a few rows, which would not repay the panels."""
    squares, index = out
    for t in range(order.shape[0]):
        for j in range(ids.shape[0]):
            if not (own and ids[j] == order[t]):
                offer(squares[t], index[t], squared_distance(rows, order[t], columns, ids[j]), ids[j])
