"""Weighted points, and what k-means asks of them by tiles on all threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import Rows
from ..engine import run_parallel, thread_count
from ._passes import LANES, assign_pass, bounds_pass, distances_pass, own_squares_pass, sums_pass

_WIDTH = 512  # centres of a tile, as in the kernels' tiles
# Squared distances below this part of the squared lengths have lost half of their digits.
_CANCELLED = 1e-8


class Points:
    """Rows about an origin, with weights.

    Distances do not change when the origin moves, and cancel least when it lies amid the points: dense rows are taken
    about `origin` (their mean, unless given), tile by tile and without a copy. CSR rows stay where they are.
    """

    def __init__(self, X: Any, weights: np.ndarray | None = None, origin: np.ndarray | None = None) -> None:
        self.rows = Rows(X)
        n, d = self.rows.n, self.rows.d
        self.n, self.d, self.dtype = n, d, self.rows.dtype
        self.weights = np.ones(n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.origin = np.zeros(d)
        if not self.rows.sparse:
            self.origin = self.rows.mean if origin is None else np.asarray(origin, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            self.norms = self.rows.squared_norms(self.origin)
            usable = np.isfinite(self.norms.astype(self.dtype)).all() and np.isfinite(4 * self.norms.sum())
        if not usable:
            raise ValueError(
                f"X has values so large that squared distances overflow {np.dtype(self.dtype).name}. Scale X."
            )
        self.all = np.arange(n)
        self.strips = self.rows.strips(thread_count(None), outputs=8)

    @property
    def slack(self) -> float:
        """How far a squared distance may be off, relative to the square of the two lengths added."""
        return float((8 + 2 * np.sqrt(self.d)) * np.finfo(self.dtype).eps)

    def variance(self) -> float:
        """Mean of the variances of the columns."""
        mass = self.weights.sum()
        centre = self.sums(np.zeros(self.n, np.int32), 1)[0] / mass
        return max(float(self.weights @ self.norms / mass - centre @ centre), 0.0) / self.d

    def at(self, index: np.ndarray | int) -> np.ndarray:
        """The chosen points about the origin, dense and in float64."""
        return self.rows.dense(np.atleast_1d(index), self.origin, np.float64)

    def squared_distances(self, centres: np.ndarray) -> np.ndarray:
        """Squared distances of all points from centres (about the origin), in float64."""
        panels, norms = _panels(centres, np.float64)
        out = np.empty((self.n, len(centres)))
        shared = (self.origin, self.norms, panels, norms, _height(self.d), out)
        run_parallel(distances_pass, [(self.rows.arrays, self.all, a, b, *shared) for a, b in self.strips])
        return out

    def distances(self, centres: np.ndarray) -> np.ndarray:
        """Distances of all points from centres, those anew, by differences, that cancellation has left few digits."""
        out = self.squared_distances(centres)
        lengths = np.einsum("ij,ij->i", centres, centres)
        row, column = np.nonzero(out < _CANCELLED * (self.norms[:, None] + lengths))
        step = max(1, 2**20 // max(1, self.d))
        for begin in range(0, len(row), step):
            i, j = row[begin : begin + step], column[begin : begin + step]
            block = self.at(i) - centres[j]
            out[i, j] = np.einsum("ij,ij->i", block, block)
        return np.sqrt(out, out=out)

    def own_squares(self, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Squared distances of the points from their own centres."""
        out = np.empty(self.n)
        shared = (self.origin, self.norms, centres, np.einsum("ij,ij->i", centres, centres), labels, out)
        run_parallel(own_squares_pass, [(self.rows.arrays, a, b, *shared) for a, b in self.strips])
        return out

    def sums(self, labels: np.ndarray, k: int) -> np.ndarray:
        """Weighted sum of each cluster, added up afresh."""
        parts = [np.zeros((k, self.d)) for _ in self.strips]
        run_parallel(
            sums_pass,
            [
                (self.rows.arrays, a, b, self.origin, self.weights, labels, part)
                for (a, b), part in zip(self.strips, parts, strict=True)
            ],
        )
        return np.sum(parts, axis=0)

    def masses(self, labels: np.ndarray, k: int) -> np.ndarray:
        """Weight of each cluster."""
        return np.bincount(labels, weights=self.weights, minlength=k)


class Assignment:
    """Which centre each point belongs to, the bounds that spare work, and the sums of the clusters, kept up to date."""

    def __init__(self, points: Points, k: int) -> None:
        self.points, self.k = points, k
        self.labels = np.full(points.n, -1, np.int32)
        self.sums = np.zeros((k, points.d))
        self.looked_at = 0  # rows that a distance was computed for
        self._upper, self._lower = np.full(points.n, np.inf), np.zeros(points.n)
        self._order = points.all.copy()
        self._centres: np.ndarray | None = None

    def update(self, centres: np.ndarray) -> int:
        """Give every point to its nearest centre; returns how many changed hands."""
        points = self.points
        counts = [b - a for a, b in points.strips] if self._centres is None else self._carry_bounds(centres)
        panels, panel_norms = _panels(centres, points.dtype)
        farthest = float(np.sqrt(np.einsum("ij,ij->i", centres, centres).max()))
        parts = [np.zeros_like(self.sums) for _ in points.strips]
        tasks = [
            (points.rows.arrays, self._order, a, a + count, points.origin, points.norms, panels, panel_norms)
            + (farthest, points.slack, points.weights, self.labels, self._upper, self._lower, part, _height(points.d))
            for (a, _), count, part in zip(points.strips, counts, parts, strict=True)
        ]
        changed = sum(run_parallel(assign_pass, tasks))
        for part in parts:
            self.sums += part
        self.looked_at += sum(counts)
        self._centres = centres.copy()
        return changed

    def refresh(self) -> None:
        """Add the sums up afresh: rounding adds up in sums that are updated again and again."""
        self.sums = self.points.sums(self.labels, self.k)

    def _carry_bounds(self, centres: np.ndarray) -> list[int]:
        assert self._centres is not None
        moves = np.sqrt(np.square(centres - self._centres).sum(axis=1)) * (1 + 1e-12)
        mover = int(moves.argmax())
        next_most = float(np.delete(moves, mover).max(initial=0.0))
        shared = (self.labels, self._upper, self._lower, moves, float(moves[mover]), next_most, mover)
        safe = _half_gaps(centres)
        return run_parallel(bounds_pass, [(a, b, *shared, safe, self._order) for a, b in self.points.strips])


def nearest(points: Points, centres: np.ndarray) -> np.ndarray:
    """Number of the nearest centre (about the origin) of each point."""
    assignment = Assignment(points, len(centres))
    assignment.update(centres)
    return assignment.labels


def _height(d: int) -> int:
    return 64 if d < 128 else 256


def _panels(centres: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Centres times -2 as panels (chunks, d, width), and squared lengths; padded columns are infinitely far."""
    k, d = centres.shape
    chunks = -(-k // _WIDTH)
    width = -(-k // chunks)
    if k >= LANES:
        width = -(-width // LANES) * LANES
    panels = np.zeros((chunks, d, width), dtype)
    norms = np.full((chunks, width), np.inf, dtype)
    squares = np.einsum("ij,ij->i", centres, centres)
    for chunk in range(chunks):
        part = slice(chunk * width, min((chunk + 1) * width, k))
        count = max(0, part.stop - part.start)
        panels[chunk, :, :count] = -2 * centres[part].T
        norms[chunk, :count] = squares[part]
    return panels, norms


def _half_gaps(centres: np.ndarray) -> np.ndarray:
    """Half the distance of each centre from the nearest other one, less what rounding may have added."""
    squares = np.einsum("ij,ij->i", centres, centres)
    least = np.full(len(centres), np.inf)
    step = max(1, 2**20 // len(centres))
    for begin in range(0, len(centres), step):
        block = squares[begin : begin + step, None] + squares - 2 * centres[begin : begin + step] @ centres.T
        block[np.arange(len(block)), np.arange(begin, begin + len(block))] = np.inf
        least[begin : begin + step] = block.min(axis=1)
    return 0.5 * np.sqrt(np.maximum(least - 1e-13 * squares.max(), 0.0))
