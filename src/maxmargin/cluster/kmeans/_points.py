"""Weighted points, and what k-means asks of them by tiles on all threads."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...data import Rows
from ...engine import run_parallel, thread_count
from ._passes import distances_pass
from ._row_passes import moves_pass, own_squares_pass, sums_pass

_WIDTH = 512  # centres of a tile, as in the kernels' tiles
_PIECE = 10**9  # multiplications of a piece of work: some 0.03 s
# Squared distances below this part of the squared lengths have lost half of their digits.
_CANCELLED = 1e-8


class Points:
    """Rows about an origin, with weights.

    Distances do not change when the origin moves, and cancel least when it lies amid the points: dense rows are taken
    about `origin` (their mean, unless given), tile by tile and without a copy. CSR rows stay where they are.

    Rows that are looked at again and again bring their squared lengths about that origin as `norms`.
    """

    def __init__(
        self,
        X: Any,
        weights: np.ndarray | None = None,
        origin: np.ndarray | None = None,
        *,
        norms: np.ndarray | None = None,
        threads: int | None = None,
    ) -> None:
        self.rows = Rows(X)
        n, d = self.rows.n, self.rows.d
        self.n, self.d, self.dtype = n, d, self.rows.dtype
        self.weights = np.ones(n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.all = np.arange(n)
        self.strips = self.rows.strips(thread_count(threads), outputs=8)
        with np.errstate(over="ignore", invalid="ignore"):
            # rounded to the precision of the rows, where tiles can subtract it without a detour by float64
            self.shift = self._middle(origin).astype(self.dtype)
            self.origin = self.shift.astype(np.float64)
            self.norms = self._squared_lengths() if norms is None else norms
            usable = np.isfinite(self.norms.astype(self.dtype)).all() and np.isfinite(4 * self.norms.sum())
            # weighted lengths are below this, too: |x| <= 1 + |x|^2
            summable = np.isfinite(4 * (self.weights.sum() + self.weights @ self.norms))
        if not usable:
            raise ValueError(
                f"X has values so large that squared distances overflow {np.dtype(self.dtype).name}. Scale X."
            )
        if not summable:
            raise ValueError(
                "sample_weight has values so large that sums of weighted squared distances overflow float64. Divide it "
                "by its largest value."
            )

    def _middle(self, origin: np.ndarray | None) -> np.ndarray:
        if self.rows.sparse or origin is not None:
            return np.zeros(self.d) if self.rows.sparse else np.asarray(origin, dtype=np.float64)
        self.origin = np.zeros(self.d)
        return self._summed(np.ones(self.n), np.zeros(self.n, np.int32), 1)[0] / self.n

    def _squared_lengths(self) -> np.ndarray:
        if self.rows.sparse:
            return self.rows.squared_norms(self.origin)
        self.norms = np.zeros(self.n)
        return self.own_squares(np.zeros((1, self.d)), np.zeros(self.n, np.int32))

    @property
    def slack(self) -> float:
        """How far a squared distance may be off, relative to the square of the two lengths added."""
        return float((8 + 2 * np.sqrt(self.d)) * np.finfo(self.dtype).eps)

    def pieces(self, ranges: list[tuple[int, int]], outputs: int) -> list[tuple[int, int]]:
        """Ranges of rows cut so that a pass for so many outputs over each ends soon: Ctrl-C waits for its end."""
        most = max(1024, int(_PIECE * self.n / max(1, outputs * self.rows.stored)))
        return [(a, min(a + most, end)) for begin, end in ranges for a in range(begin, end, most)]

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
        panels, norms = panels_of(centres, np.float64)
        out = np.empty((self.n, len(centres)))
        shared = (self.origin, self.norms, by_columns(panels), norms, tile_height(self.d), out)
        run_parallel(distances_pass, [(self.rows.arrays, self.all, a, b, *shared) for a, b in self.strips])
        return out

    def distances(self, centres: np.ndarray) -> np.ndarray:
        """Distances of all points from centres, recomputed exactly where cancellation lost precision."""
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
        return self._summed(self.weights, labels, k)

    def _summed(self, weights: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
        parts = [np.zeros((k, self.d)) for _ in self.strips]
        tasks = [
            (self.rows.arrays, a, b, self.origin, weights, labels, part)
            for (a, b), part in zip(self.strips, parts, strict=True)
        ]
        run_parallel(sums_pass, tasks)
        return np.sum(parts, axis=0)

    def moved_sums(self, moved: np.ndarray, before: np.ndarray, labels: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """The sums of the clusters after the rows `moved` have changed hands, from those before."""
        if 2 * len(moved) >= self.n:  # as cheap, and without what rounding has left
            return self.sums(labels, len(sums))
        threads = min(len(self.strips), 1 + len(moved) // 1000)
        parts = [np.zeros_like(sums) for _ in range(threads)]
        cuts = pairwise(len(moved) * p // threads for p in range(threads + 1))
        tasks = [
            (self.rows.arrays, moved, a, b, self.origin, self.weights, before, labels, part)
            for (a, b), part in zip(cuts, parts, strict=True)
        ]
        run_parallel(moves_pass, tasks)
        return sums + np.sum(parts, axis=0)

    def masses(self, labels: np.ndarray, k: int) -> np.ndarray:
        """Weight of each cluster."""
        return np.bincount(labels, weights=self.weights, minlength=k)


def tile_height(d: int) -> int:
    """Rows of a tile."""
    return 64 if d < 128 else 256


def panels_of(centres: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Centres times -2 as panels (chunks, width, d), and squared lengths; centres that pad are infinitely far."""
    k, d = centres.shape
    chunks = max(1, -(-k // _WIDTH))
    width = -(-k // chunks)
    panels, norms = np.zeros((chunks, width, d), dtype), np.full((chunks, width), np.inf, dtype)
    panels.reshape(-1, d)[:k] = -2 * centres
    norms.reshape(-1)[:k] = np.einsum("ij,ij->i", centres, centres)
    return panels, norms


def by_columns(panels: np.ndarray) -> np.ndarray:
    """Panels with a column for each centre."""
    return np.ascontiguousarray(panels.transpose(0, 2, 1))
