"""Compiled pass of k-means for many centres: a row meets only those near its own (Newling and Fleuret, ICML 2016).

A row x at the distance u from its centre a can be nearer to another centre j only if ``||c_a - c_j|| <= 2u``, for
``||x - c_j|| >= ||c_a - c_j|| - u``. The second nearest lies within 2u + s, where s is the distance from c_a to the
nearest other centre. Rows come grouped by their label and, within a group, in the order of u, so that the rows of a
tile have much the same centres near. Covertype, 1000 centres: 50 to 80 of them a row.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner, jit_sums
from ._two_nearest import two_nearest

_LABELS = 64  # whose distances from all centres are at hand at a time
_PIECE, _TILE, _LEAST = 512, 128, 16  # rows of a cluster at a time; most and fewest rows of a tile
_WIDER = 1.2  # how much wider than for its first row the ball of a tile may be


@jit
def grouped(order, labels, ends):  # type: ignore[no-untyped-def]
    """The rows of `order` by label, each group in the order it had; `ends` has room for one number more than labels."""
    for j in range(ends.shape[0]):
        ends[j] = 0
    for i in order:
        ends[labels[i] + 1] += 1
    for a in range(1, ends.shape[0]):
        ends[a] += ends[a - 1]
    out = np.empty_like(order)
    for i in order:
        out[ends[labels[i]]] = i
        ends[labels[i]] += 1
    return out


@jit_sums
def _product(x, c):  # type: ignore[no-untyped-def]
    total = x.dtype.type(0)
    for k in range(x.shape[0]):
        total += x[k] * c[k]
    return total


@jit_inner
def _doubtful(X, order, shift, norms, c, square, safe, slack, upper, lower, tile, reach, who):  # type: ignore[no-untyped-def]
    """Distances from the own centre c; rows that the bounds do not settle now are left in `tile`. Returns how many."""
    count = 0
    for i in order:
        x = tile[count]
        for k in range(x.shape[0]):
            x[k] = X[i, k] - shift[k]
        error = slack * (np.sqrt(norms[i]) + np.sqrt(square)) ** 2
        u = np.sqrt(max(norms[i] + square - 2 * _product(x, c), 0.0) + error)
        upper[i] = u
        if not (u < lower[i] or u < safe):
            reach[count], who[count] = u, i
            count += 1
    return count


@jit_inner
def _near(apart, radius, centres, squares, near, panel, panel_norms):  # type: ignore[no-untyped-def]
    """Centres at most `radius` apart, times -2, and their squared lengths. Returns how many, and the longest."""
    count, far = 0, 0.0
    for j in range(apart.shape[0]):
        if apart[j] <= radius:
            c, p = centres[j], panel[count]
            for m in range(c.shape[0]):
                p[m] = -2 * c[m]
            near[count], panel_norms[count] = j, squares[j]
            far = max(far, squares[j])
            count += 1
    return count, np.sqrt(far)


@jit
def near_pass(  # type: ignore[no-untyped-def]
    X, order, start, stop, shift, norms, centres, squares, gaps, lost, slack, labels, upper, lower
):
    """Give the rows order[start:stop], grouped by label, to their nearest centres; returns the distances computed.

    ``gaps[a]`` is s, and `lost` what rounding may have added to the square of a distance between centres.
    """
    k, d = centres.shape
    between, apart = np.empty((_LABELS, k)), np.empty(k)
    tile, block = np.empty((_PIECE, d), X.dtype), np.empty((_TILE, d), X.dtype)
    reach, who, near = np.empty(_PIECE), np.empty(_PIECE, np.int64), np.empty(k, np.int32)
    panel, panel_norms, room = np.empty((k, d), X.dtype), np.empty(k, X.dtype), np.empty(k * _TILE, X.dtype)
    low, next_low, where = np.empty(_TILE, X.dtype), np.empty(_TILE, X.dtype), np.empty(_TILE, np.int32)
    computed, known, first = 0, -_LABELS, start
    while first < stop:
        a, last = labels[order[first]], first + 1
        while last < stop and last < first + _PIECE and labels[order[last]] == a:
            last += 1
        c, square, gap = centres[a].astype(X.dtype), squares[a], gaps[a]
        group = order[first:last]
        count = _doubtful(X, group, shift, norms, c, square, gap / 2, slack, upper, lower, tile, reach, who)
        computed += last - first
        first = last
        if count == 0:
            continue
        if a >= known + _LABELS:
            known = a
            np.dot(centres[a : a + _LABELS], centres.T, between[: min(_LABELS, k - a)])
        row = between[a - known]
        for j in range(k):
            value = square + squares[j] - 2 * row[j] - lost
            apart[j] = np.sqrt(value if value > 0.0 else 0.0)
        by_reach, t = np.argsort(reach[:count]), 0
        while t < count:
            m, most = 0, _WIDER * (2 * reach[by_reach[t]] + gap)
            while t + m < count and m < _TILE and (m < _LEAST or 2 * reach[by_reach[t + m]] + gap <= most):
                block[m] = tile[by_reach[t + m]]
                m += 1
            radius = 2 * reach[by_reach[t + m - 1]] + gap
            width, far = _near(apart, radius, centres, squares, near, panel, panel_norms)
            products = room[: width * m].reshape(width, m)
            np.dot(panel[:width], block[:m].T, products)
            computed += width * m
            for s in range(m):
                low[s], next_low[s], where[s] = np.inf, np.inf, 0
            two_nearest(products, panel_norms, 0, low, next_low, where)
            for s in range(m):
                i, u = who[by_reach[t + s]], reach[by_reach[t + s]]
                error = slack * (np.sqrt(norms[i]) + far) ** 2
                labels[i] = near[where[s]]
                upper[i] = np.sqrt(max(norms[i] + low[s], 0.0) + error)
                # centres that were left out are farther than radius - u
                lower[i] = min(np.sqrt(max(norms[i] + next_low[s] - error, 0.0)), radius - u)
            t += m
    return computed
