"""Compiled passes of k-means: the two nearest centres of rows by tiles, and the bounds that spare most rows one.

A tile of rows meets all centres in one matrix product; while the products are in cache, a scan keeps the smallest and
the second smallest of ``||c||^2 - 2 <x, c>`` and the number of the first, with the lower number where two are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from ..data import row_add, row_dot, row_products
from ..engine import jit, jit_sums, wide_vectors

# Columns that are scanned side by side: floats compare lane by lane as vectors, as one minimum they do not.
LANES = 16


def _is_dense(rows: Any) -> bool:
    return isinstance(rows, types.BaseTuple) and len(rows) == 1


def shifted_add(rows, i, tile, t, a, out):  # type: ignore[no-untyped-def]
    """``out += a (x_i - shift)``, where dense rows stand shifted in row t of the tile; CSR rows are never shifted."""
    raise RuntimeError("shifted_add is called from compiled code only")


@overload(shifted_add)
def _shifted_add(rows, i, tile, t, a, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i, tile, t, a, out):  # type: ignore[no-untyped-def]
            x = tile[t]
            for k in range(x.shape[0]):
                out[k] += a * x[k]

        return dense

    def csr(rows, i, tile, t, a, out):  # type: ignore[no-untyped-def]
        row_add(rows, i, a, out)

    return csr


@jit
def _scan(products, norms, best, second, at):  # type: ignore[no-untyped-def]
    """Smallest, second smallest and place of the smallest of ``products + norms``, lane by lane."""
    wide_vectors()
    best[:] = np.inf
    second[:] = np.inf
    at[:] = 0
    for block in range(products.shape[0] // LANES):
        part, part_norms = products[block * LANES :], norms[block * LANES :]
        for lane in range(LANES):
            value, least, next_least = part[lane] + part_norms[lane], best[lane], second[lane]
            smaller = value < least
            other = least if smaller else value
            best[lane] = value if smaller else least
            second[lane] = other if other < next_least else next_least
            at[lane] = block if smaller else at[lane]


@jit
def _two_nearest(products, norms, best, second, at):  # type: ignore[no-untyped-def]
    """Number of the smallest of ``products + norms``, its value, and the second smallest value."""
    low, next_low, where = products.dtype.type(np.inf), products.dtype.type(np.inf), 0
    if products.shape[0] % LANES == 0:
        _scan(products, norms, best, second, at)
        for lane in range(LANES):
            value, place = best[lane], at[lane] * LANES + lane
            if value < low or (value == low and place < where):
                next_low = min(low, second[lane], next_low)
                low, where = value, place
            else:
                next_low = min(next_low, value)
        return where, low, next_low
    for j in range(products.shape[0]):
        value = products[j] + norms[j]
        if value < low:
            next_low, low, where = low, value, j
        elif value < next_low:
            next_low = value
    return where, low, next_low


@jit
def assign_pass(  # type: ignore[no-untyped-def]
    rows,
    order,
    start,
    stop,
    shift,
    norms,
    panels,
    panel_norms,
    farthest,
    slack,
    weights,
    labels,
    upper,
    lower,
    sums,
    height,
):
    """Give the rows order[start:stop] to their nearest centres; returns how many changed hands.

    ``panels`` holds the centres times -2, ``farthest`` the length of the longest. Bounds of the distances to the
    nearest and to the second nearest centre go to `upper` and `lower`, widened by `slack` for rounding. What changes
    hands is taken from the sum of the old cluster (label -1: none) and added to that of the new one.
    """
    chunks, d, width = panels.shape
    tile, products = np.empty((height, d), panels.dtype), np.empty((height, width), panels.dtype)
    best, second = np.empty(LANES, panels.dtype), np.empty(LANES, panels.dtype)
    at = np.empty(LANES, np.int32)
    lows, next_lows = np.empty(height, panels.dtype), np.empty(height, panels.dtype)
    nearest = np.empty(height, np.int64)
    changed = 0
    for first in range(start, stop, height):
        last = min(stop, first + height)
        m = last - first
        for chunk in range(chunks):
            row_products(rows, order, first, last, shift, panels, chunk, tile, products)
            for t in range(m):
                where, low, next_low = _two_nearest(products[t], panel_norms[chunk], best, second, at)
                if chunk == 0:
                    nearest[t], lows[t], next_lows[t] = where, low, next_low
                elif low < lows[t]:
                    nearest[t] = chunk * width + where
                    next_lows[t] = min(lows[t], next_low)
                    lows[t] = low
                else:
                    next_lows[t] = min(next_lows[t], low)
        for t in range(m):
            i = order[first + t]
            error = slack * (np.sqrt(norms[i]) + farthest) ** 2
            upper[i] = np.sqrt(max(norms[i] + lows[t], 0.0) + error)
            lower[i] = np.sqrt(max(norms[i] + next_lows[t] - error, 0.0))
            old, new = labels[i], nearest[t]
            if old != new:
                changed += 1
                labels[i] = new
                if old >= 0:
                    shifted_add(rows, i, tile, t, -weights[i], sums[old])
                shifted_add(rows, i, tile, t, weights[i], sums[new])
    return changed


@jit
def bounds_pass(start, stop, labels, upper, lower, moves, most, next_most, mover, safe, order):  # type: ignore[no-untyped-def]
    """Carry the bounds over to centres that have moved; rows that may have a new nearest go to order[start:].

    ``most`` is the longest move, of the centre `mover`, and ``next_most`` the longest of the others. Within ``safe[k]``
    of centre k no other centre can be nearer. Returns how many rows are left to be looked at.
    """
    count = 0
    for i in range(start, stop):
        k = labels[i]
        u = upper[i] + moves[k]
        v = lower[i] - (next_most if k == mover else most)
        upper[i], lower[i] = u, v
        if not (u < v or u < safe[k]):  # equality too: of equally near centres the one with the lower number wins
            order[start + count] = i
            count += 1
    return count


@jit
def distances_pass(rows, order, start, stop, shift, norms, panels, panel_norms, height, out):  # type: ignore[no-untyped-def]
    """``out[i, j]``: squared distance of row i from centre j, for rows start..stop."""
    chunks, d, width = panels.shape
    tile, products = np.empty((height, d), panels.dtype), np.empty((height, width), panels.dtype)
    for first in range(start, stop, height):
        last = min(stop, first + height)
        for chunk in range(chunks):
            row_products(rows, order, first, last, shift, panels, chunk, tile, products)
            begin = chunk * width
            for t in range(last - first):
                target = out[first + t, begin : min(begin + width, out.shape[1])]
                for j in range(target.shape[0]):
                    target[j] = max(norms[first + t] + panel_norms[chunk, j] + products[t, j], 0.0)


@jit_sums
def _dense_apart(x, shift, c):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        apart = x[k] - shift[k] - c[k]
        total += apart * apart
    return total


def row_apart(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
    """``||x_i - shift - c||^2`` in float64: by differences where they come cheap, that is, for dense rows."""
    raise RuntimeError("row_apart is called from compiled code only")


@overload(row_apart)
def _row_apart(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
    if _is_dense(rows):
        return lambda rows, i, shift, norm, c, c_norm: _dense_apart(rows[0][i], shift, c)

    def csr(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
        return max(norm - 2 * row_dot(rows, i, c) + c_norm, 0.0)

    return csr


@jit
def own_squares_pass(rows, start, stop, shift, norms, centres, centre_norms, labels, out):  # type: ignore[no-untyped-def]
    """Squared distances of the rows from their own centres."""
    for i in range(start, stop):
        k = labels[i]
        out[i] = row_apart(rows, i, shift, norms[i], centres[k], centre_norms[k])


def row_shifted_add(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
    """``out += a (x_i - shift)`` for dense rows; CSR rows are never shifted."""
    raise RuntimeError("row_shifted_add is called from compiled code only")


@overload(row_shifted_add)
def _row_shifted_add(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for k in range(x.shape[0]):
                out[k] += a * (x[k] - shift[k])

        return dense

    def csr(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
        row_add(rows, i, a, out)

    return csr


@jit
def sums_pass(rows, start, stop, shift, weights, labels, sums):  # type: ignore[no-untyped-def]
    """Add the (shifted) rows to the sums of their clusters."""
    for i in range(start, stop):
        row_shifted_add(rows, i, shift, weights[i], sums[labels[i]])
