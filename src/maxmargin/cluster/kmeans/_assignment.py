"""Points to their nearest centres, with as few distances as bounds leave.

Hamerly's bounds (SDM 2010), one above the distance from the own centre and one below that from all others, are carried
over from step to step by how far the centres have moved, and settle a row without a look at it. A single centre that
moves far would spoil the bounds of all rows: moves within several radii of a row's own centre are told apart from those
beyond, for what lies beyond is at least the radius less the row's distance from its centre away, wherever it has moved.

Of the rows that are left, long ones are pruned; others meet the centres near their own only, if there are many centres.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from ...engine import run_parallel
from ._near_pass import grouped, near_pass
from ._passes import assign_pass, bounds_pass, surroundings_pass
from ._points import Points, by_columns, panels_of, tile_height
from ._pruning import Pruning

# Centres from which on those near a row's own are worth looking up.
_MANY = 48
# Radii around a centre within which moves are told apart, in mean distances of its rows from it, beside the distance to
# the nearest other centre. Covertype (40000 rows, 1000 centres, 30 steps; simulated for a tenth of the rows): 8.6 looks
# at each row with these and two wider radii, 9.2 without the first, 16.4 without any.
_RADII = np.array([1.5, 2.0, 3.0])


@dataclass(frozen=True)
class Outliers:
    """The points that are farthest from their own centres, and the length of the longest of all points.

    Squared distances, numbers of the own centres, weights, and the points themselves about the origin.
    """

    squares: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    points: np.ndarray
    longest: float


class Assignment:
    """Which centre each point belongs to, the bounds that spare work, and the sums of the clusters, kept up to date."""

    def __init__(self, points: Points, k: int, *, pruned: bool = True) -> None:
        self.points, self.k = points, k
        self.labels = np.full(points.n, -1, np.int32)
        self.sums = np.zeros((k, points.d))
        self._met = 0  # distances that were computed
        self._upper, self._lower = np.full(points.n, np.inf), np.zeros(points.n)
        self._order = points.all.copy()
        self._centres: np.ndarray | None = None
        self._pruning = Pruning(points, k) if pruned and Pruning.suits(points, k) else None

    @classmethod
    def resumed(cls, points: Points, state: tuple) -> Self:
        """An assignment that goes on from the `state` of an earlier one, without what rows were pruned by."""
        labels, upper, lower, centres, sums = state
        found = cls(points, len(centres), pruned=False)
        found.labels, found._upper, found._lower = labels.copy(), upper.copy(), lower.copy()
        found._centres, found.sums = centres, sums
        return found

    @property
    def state(self) -> tuple:
        """Labels, bounds, and the centres and sums that they belong to: all that the next step depends on."""
        return self.labels, self._upper, self._lower, self._centres, self.sums

    def update(self, centres: np.ndarray) -> int:
        """Give every point to its nearest centre; returns how many changed hands."""
        points, before = self.points, self.labels.copy()
        if self._centres is None:
            self.meet_all(points.strips, centres)
        else:
            squares = np.einsum("ij,ij->i", centres, centres)
            gaps, ranges = self._carry_bounds(centres, squares)
            if self._pruning is not None:
                state = (self.labels, self._upper, self._lower)
                left = self._pruning.prune(self._order, ranges, centres, *state)
                self.meet_all([(a, a + count) for (a, _), count in zip(ranges, left, strict=True)], centres)
            elif self.k >= _MANY and not points.rows.sparse:
                self._meet_near(ranges, centres, squares, gaps)
            else:
                self.meet_all(ranges, centres)
        self._centres = centres.copy()
        moved = np.flatnonzero(before != self.labels)
        self.sums = points.moved_sums(moved, before, self.labels, self.sums)
        return len(moved)

    @property
    def distances(self) -> int:
        """How many were computed; to renew what rows are pruned by takes as many products as all distances do."""
        return self._met + (self._pruning.renewals * self.points.n * self.k if self._pruning is not None else 0)

    def clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """Weight of each cluster, and the number of its points."""
        return self.points.masses(self.labels, self.k), np.bincount(self.labels, minlength=self.k)

    def inertia(self, centres: np.ndarray) -> float:
        """The weighted sum of squared distances from these centres, difference by difference."""
        return float(self.points.weights @ self.points.own_squares(centres, self.labels))

    def outliers(self, centres: np.ndarray, count: int) -> Outliers:
        """So many points that are farthest from their own centres."""
        points = self.points
        squares = points.own_squares(centres, self.labels)
        count = min(count, points.n)
        i = np.argpartition(squares, -count)[: -count - 1 : -1]
        return Outliers(squares[i], self.labels[i], points.weights[i], points.at(i), float(points.norms.max()))

    def refresh(self) -> None:
        """Add the sums up afresh: rounding adds up in sums that are updated again and again."""
        self.sums = self.points.sums(self.labels, self.k)

    def _carry_bounds(self, centres: np.ndarray, squares: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """Distances of centres to the nearest others, and ranges of the order with rows that may have a new nearest."""
        assert self._centres is not None
        strips = self.points.strips
        moves = np.sqrt(np.square(centres - self._centres).sum(axis=1)) * (1 + 1e-12)
        counts = np.maximum(np.bincount(self.labels, minlength=self.k), 1)
        reach = np.bincount(self.labels, weights=self._upper, minlength=self.k) / counts + moves
        gaps, radii = np.empty(self.k), np.outer(reach, _RADII)
        longest = np.empty_like(radii)
        cuts = [self.k * p // len(strips) for p in range(len(strips) + 1)]
        by_move = np.argsort(-moves)
        shared = (centres, squares, _lost(squares), moves, by_move)
        run_parallel(surroundings_pass, [(*shared, a, b, gaps, radii, longest) for a, b in pairwise(cuts)])
        most, next_most = moves[by_move[0]], moves[by_move[1]] if self.k > 1 else 0.0
        how = (moves, most, next_most, by_move[0], gaps, radii, longest, self._order)
        state = (self.labels, self._upper, self._lower)
        left = run_parallel(bounds_pass, [(a, b, *state, *how) for a, b in strips])
        return gaps, [(a, a + count) for (a, _), count in zip(strips, left, strict=True)]

    def meet_all(self, ranges: list[tuple[int, int]], centres: np.ndarray) -> None:
        """Distances of the rows in ranges of the order from all centres."""
        points = self.points
        panels, panel_norms = panels_of(centres, points.dtype)
        panels = by_columns(panels) if points.rows.sparse else panels
        farthest = float(np.sqrt(np.einsum("ij,ij->i", centres, centres).max()))
        shared = (points.shift, points.norms, panels, panel_norms, farthest, points.slack)
        state = (self.labels, self._upper, self._lower, tile_height(points.d))
        pieces = points.pieces(ranges, self.k)
        run_parallel(assign_pass, [(points.rows.arrays, self._order, a, b, *shared, *state) for a, b in pieces])
        self._met += self.k * sum(b - a for a, b in ranges)

    def _meet_near(
        self, ranges: list[tuple[int, int]], centres: np.ndarray, squares: np.ndarray, gaps: np.ndarray
    ) -> None:
        points = self.points
        left = np.concatenate([self._order[a:b] for a, b in ranges])
        order = grouped(left, self.labels, np.empty(self.k + 1, np.int64))
        shared = (points.shift, points.norms, centres, squares, gaps, _lost(squares), points.slack)
        state = (self.labels, self._upper, self._lower)
        threads = len(points.strips)
        cuts = [len(order) * p // threads for p in range(threads + 1)]
        pieces = points.pieces(list(pairwise(cuts)), self.k)
        tasks = [(points.rows.arrays[0], order, a, b, *shared, *state) for a, b in pieces]
        self._met += sum(run_parallel(near_pass, tasks))


def nearest(points: Points, centres: np.ndarray) -> np.ndarray:
    """Number of the nearest centre (about the origin) of each point."""
    assignment = Assignment(points, len(centres))
    assignment.meet_all(points.strips, centres)
    return assignment.labels


def _lost(squares: np.ndarray) -> float:
    """How much a squared distance of two centres may be too large by rounding."""
    return 1e-13 * float(squares.max())
