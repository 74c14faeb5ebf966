"""Pruning of rows that are long beside the number of centres: distances by what rows and centres have in common.

Let Q be an orthonormal basis of the span of the centres as they once were, y = Q'x the coordinates of a row in it, and
rho = ||x - Qy|| what is left. A centre c that has moved since has coordinates a = Q'c and is off the span by sigma, and

    | ||x - c||^2 - (||x||^2 + ||c||^2 - 2 <y, a>) |  <=  2 rho sigma

Products of length k instead of d tell the nearest centre of nearly every row, and rows are not even read. Moves within
the span cost nothing, moves out of it add up as vectors and not as lengths. When as many rows have been read again as
there are, the basis is taken anew: with rows that grow in number step by step, no other time costs less. Fashion-MNIST
(d = 784), 50 centres, 120 steps to the end: rows are read 12.6 times instead of 36, the 6 renewals included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import row_products
from ...engine import jit, run_parallel
from ._points import Points, panels_of, tile_height
from ._two_nearest import two_nearest

_LENGTH = 4  # values of a row, at least, for each centre: the coordinates take at most a quarter of the memory of X
_MOST = 512  # centres
_LEAST = 2**20  # values of X, below which a pass takes no longer than renewing the basis
_TILE = 256
_LOST = 1e-13  # of the squared lengths of centres, when two of them are subtracted
# Rows that have been read since the basis was new, over all rows, before it is taken anew.
_PATIENCE = 1.0


@jit
def coordinates_pass(rows, every, start, stop, shift, norms, basis, slack, height, out):  # type: ignore[no-untyped-def]
    """Coordinates of the rows start..stop in the basis (1, d, r), and behind them the length of what is left."""
    _, d, r = basis.shape
    tile, products = np.empty((height, d), basis.dtype), np.empty((height, r), basis.dtype)
    for first in range(start, stop, height):
        last = min(stop, first + height)
        row_products(rows, every, first, last, shift, basis, 0, tile, products)
        for t in range(last - first):
            i = first + t
            inside = 0.0
            for j in range(r):
                value = products[t, j]
                out[i, j] = value
                inside += np.float64(value) * value
            out[i, r] = np.sqrt(max(norms[i] - inside, 0.0) + slack * norms[i])


@jit
def prune_pass(order, start, stop, coordinates, panel, panel_norms, off, norms, farthest, slack, labels, upper, lower):  # type: ignore[no-untyped-def]
    """Settle what can be settled of order[start:stop]; the others go to order[start:]. Returns how many.

    The products with `panel` are lower bounds, for its last column holds -2 sigma; ``off[j]`` is sigma.
    """
    k, r = panel.shape
    tile, room = np.empty((_TILE, r), panel.dtype), np.empty(_TILE * k, panel.dtype)
    low, next_low = np.empty(_TILE, panel.dtype), np.empty(_TILE, panel.dtype)
    where = np.empty(_TILE, np.int32)
    left = 0
    for first in range(start, stop, _TILE):
        m = min(stop - first, _TILE)
        for t in range(m):
            tile[t] = coordinates[order[first + t]]
        products = room[: k * m].reshape(k, m)
        np.dot(panel, tile[:m].T, products)
        for t in range(m):
            low[t], next_low[t], where[t] = np.inf, np.inf, 0
        two_nearest(products, panel_norms, 0, low, next_low, where)
        for t in range(m):
            i = order[first + t]
            error = slack * (np.sqrt(norms[i]) + farthest) ** 2
            top = low[t] + 4.0 * tile[t, r - 1] * off[where[t]]
            if top + 2 * error < next_low[t]:
                labels[i] = where[t]
                upper[i] = np.sqrt(max(norms[i] + top, 0.0) + error)
                lower[i] = np.sqrt(max(norms[i] + next_low[t] - error, 0.0))
            else:
                order[start + left] = i
                left += 1
    return left


class Pruning:
    """Coordinates of all points in a basis that is renewed when too many rows come through."""

    def __init__(self, points: Points, k: int) -> None:
        self.points, self.k = points, k
        # errors of the k coordinates may all point the same way
        self._slack = (1 + np.sqrt(k)) * points.slack
        self.renewals = 0
        self._through = points.n
        self._basis: np.ndarray | None = None

    @staticmethod
    def suits(points: Points, k: int) -> bool:
        """Whether rows are long enough for it to pay."""
        stored = points.rows.stored
        return k <= _MOST and stored >= max(_LEAST, _LENGTH * k * points.n)

    def prune(self, order: np.ndarray, ranges: list[tuple[int, int]], centres: np.ndarray, *state: Any) -> list[int]:
        """Settle rows of the ranges of `order` and leave the others in front; returns how many in each."""
        points = self.points
        if self._through >= _PATIENCE * points.n:
            self._renew(centres)
        assert self._basis is not None
        inside = centres @ self._basis
        squares = np.einsum("ij,ij->i", centres, centres)
        off = np.sqrt(np.maximum(squares - np.einsum("ij,ij->i", inside, inside), 0.0) + _LOST * squares.max())
        panels, norms = panels_of(np.column_stack([inside, off]), points.dtype)
        farthest = float(np.sqrt(squares.max()))
        shared = (self._coordinates, panels[0], norms[0], off, points.norms, farthest, self._slack, *state)
        left = run_parallel(prune_pass, [(order, a, b, *shared) for a, b in ranges])
        self._through += sum(left)
        return left

    def _renew(self, centres: np.ndarray) -> None:
        points = self.points
        if self._basis is None:
            self._coordinates = np.empty((points.n, self.k + 1), points.dtype)
        self._basis = np.linalg.qr(centres.T)[0]
        panel = np.ascontiguousarray(self._basis, points.dtype)[None]
        shared = (points.shift, points.norms, panel, self._slack, tile_height(points.d), self._coordinates)
        tasks = [(points.rows.arrays, points.all, a, b, *shared) for a, b in points.pieces(points.strips, self.k)]
        run_parallel(coordinates_pass, tasks)
        self._through, self.renewals = 0, self.renewals + 1
