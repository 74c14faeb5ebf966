"""Sparse factors of a symmetric matrix, and what they would cost.

Breadth-first search puts the points of a graph on levels, and only points of the same or of neighbouring levels are
joined. Elimination level by level is that of a block tridiagonal matrix: with w_l points on level l about

    sum_l w_l^3

multiplications. Graphs of points on curves and surfaces have many narrow levels and cheap factors; in many dimensions
a few levels hold all points, and factors are as good as dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import splu


@dataclass(frozen=True)
class Levels:
    """Number of points on each level, seen from a point at the border."""

    widths: np.ndarray

    @property
    def count(self) -> int:
        return len(self.widths)

    @property
    def work(self) -> float:
        """Multiplications of an elimination; measured, a second is enough for 1e10 of them or more."""
        return float((self.widths.astype(np.float64) ** 3).sum())


def levels(W: Any) -> Levels:
    """Of a connected sparse graph: from the point that is farthest from the first one, which makes them many."""
    far = int(dijkstra(W, unweighted=True, indices=0).argmax())
    return Levels(np.bincount(dijkstra(W, unweighted=True, indices=far).astype(np.int64)))


def elimination_work(W: Any, part: np.ndarray) -> float:
    """Multiplications for a graph in parts, each of them eliminated for itself."""
    work = 0.0
    for number, size in enumerate(np.bincount(part)):
        if size < 100:
            work += float(size) ** 3
        else:
            index = np.flatnonzero(part == number)
            work += levels(W if len(index) == W.shape[0] else W[index][:, index]).work
    return work


def factorised(A: sp.csc_array) -> Any:
    """Sparse factors of a symmetric matrix, with pivots from the diagonal: far fewer values than otherwise."""
    return splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
