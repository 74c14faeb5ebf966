"""Compiled passes of k-means: rows against all centres by tiles, and the bounds that spare most rows one."""

from __future__ import annotations

import numpy as np

from ...data import row_products
from ...engine import jit
from ._two_nearest import centre_products, two_nearest

_LABELS = 64  # centres whose distances from all others are at hand at a time


@jit
def assign_pass(  # type: ignore[no-untyped-def]
    rows, order, start, stop, shift, norms, panels, panel_norms, farthest, slack, labels, upper, lower, height
):
    """Give the rows order[start:stop] to their nearest centres.

    ``panels`` holds the centres times -2 (see `centre_products`), ``farthest`` the length of the longest. Bounds of the
    distances to the nearest and the second nearest centre go to `upper` and `lower`, widened by `slack` for rounding.
    """
    chunks, width = panel_norms.shape
    tile, room = np.empty((height, shift.shape[0]), panels.dtype), np.empty(height * width, panels.dtype)
    low, next_low = np.empty(height, panels.dtype), np.empty(height, panels.dtype)
    where = np.empty(height, np.int32)
    for first in range(start, stop, height):
        m = min(stop - first, height)
        for t in range(m):
            low[t], next_low[t], where[t] = np.inf, np.inf, 0
        for chunk in range(chunks):
            products = centre_products(rows, order, first, first + m, shift, panels, chunk, tile, room)
            two_nearest(products, panel_norms[chunk], chunk * width, low, next_low, where)
        for t in range(m):
            i = order[first + t]
            error = slack * (np.sqrt(norms[i]) + farthest) ** 2
            upper[i] = np.sqrt(max(norms[i] + low[t], 0.0) + error)
            lower[i] = np.sqrt(max(norms[i] + next_low[t] - error, 0.0))
            labels[i] = where[t]


@jit
def surroundings_pass(centres, squares, lost, moves, by_move, start, stop, gaps, radii, longest):  # type: ignore[no-untyped-def]
    """Of the centres a = start..stop: distance to the nearest other one, and the longest moves around them.

    ``longest[a, r]`` becomes the longest of the `moves` of the other centres within ``radii[a, r]``, which comes in
    without the distance to the nearest and leaves with it; `by_move` has the longest move first. Distances err on the
    small side: `lost` is what rounding may have added to their squares.
    """
    k = centres.shape[0]
    apart, near = np.empty(k * _LABELS), np.empty(_LABELS)
    for first in range(start, stop, _LABELS):
        m = min(stop - first, _LABELS)
        table = apart[: k * m].reshape(k, m)
        np.dot(centres, centres[first : first + m].T, table)
        mine = squares[first : first + m]
        for t in range(m):
            near[t] = np.inf
        for j in range(k):
            row = table[j]
            for t in range(m):
                value = mine[t] + squares[j] - 2 * row[t] - lost
                row[t] = np.sqrt(value if value > 0.0 else 0.0)
            if first <= j < first + m:
                row[j - first] = np.inf
            for t in range(m):
                near[t] = row[t] if row[t] < near[t] else near[t]
        for t in range(m):
            a = first + t
            gaps[a] = near[t]
            for r in range(radii.shape[1]):
                radii[a, r] += near[t]
                place = 0
                while place < k and moves[by_move[place]] > 0 and not table[by_move[place], t] <= radii[a, r]:
                    place += 1
                longest[a, r] = moves[by_move[place]] if place < k else 0.0


@jit
def bounds_pass(start, stop, labels, upper, lower, moves, most, next_most, mover, gaps, radii, longest, order):  # type: ignore[no-untyped-def]
    """Carry the bounds over to centres that have moved; rows that may have a new nearest go to order[start:].

    ``most`` is the longest move, of the centre `mover`, and ``next_most`` the longest of the others. The lower bound
    falls by that; or by the longest move within a radius of the own centre, if it lies below what is beyond the radius.
    Within half of ``gaps[a]`` of centre a no other centre can be nearer. Returns how many rows are left.
    """
    count = 0
    for i in range(start, stop):
        a = labels[i]
        u, v = upper[i] + moves[a], lower[i]
        w = v - (next_most if a == mover else most)
        for r in range(radii.shape[1]):
            inside, beyond = v - longest[a, r], radii[a, r] - u
            inside = inside if inside < beyond else beyond
            w = inside if inside > w else w
        upper[i], lower[i] = u, w
        if not (u < w or u < gaps[a] / 2):  # equality too: of equally near centres the one with the lower number wins
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
