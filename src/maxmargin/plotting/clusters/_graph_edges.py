"""The edges of a similarity graph, the heaviest if they are too many to draw, and the thresholds that cut it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...cluster import prefix_ncuts

# Rows of a full graph that are looked at together: so many values at most (32 MB).
_VALUES_A_BLOCK = 2**22


@dataclass(frozen=True)
class Edges:
    """Pairs of points, each once, with their weights in ascending order, and what they are a selection of.

    Attributes
    ----------
    pairs : ndarray of int of shape (m, 2)
        The two ends.
    weights : ndarray of shape (m,)
        The similarities, lightest first.
    total : int
        Number of all edges of the graph.
    cut : int
        Number of all edges between different clusters.
    cut_share : float
        Their part of the sum of all similarities.

    """

    pairs: np.ndarray
    weights: np.ndarray
    total: int
    cut: int
    cut_share: float


def heaviest_edges(W: Any, label: np.ndarray, most: int) -> Edges:
    """The `most` heaviest edges of the graph W, of equals those that come first; all if they are no more."""
    pairs, weights = np.empty((0, 2), np.int64), np.empty(0)
    total = cut = 0
    cut_weight = 0.0
    for begin, upper in _blocks(W):
        row, column = upper.coords
        row = row + begin
        between = label[row] != label[column]
        total, cut = total + upper.nnz, cut + int(between.sum())
        cut_weight += float(upper.data[between].sum())
        pairs = np.concatenate([pairs, np.column_stack([row, column])])
        weights = np.concatenate([weights, upper.data])
        if len(weights) > most:
            keep = np.sort(np.argsort(-weights, kind="stable")[:most])
            pairs, weights = pairs[keep], weights[keep]
    order = np.argsort(weights, kind="stable")
    whole = float(W.sum()) / 2
    return Edges(pairs[order], weights[order], total, cut, cut_weight / whole if whole > 0 else 0.0)


def _blocks(W: Any) -> Any:
    """The upper triangle of W by blocks of rows, with the number of the first row of each."""
    n = W.shape[0]
    step = max(1, _VALUES_A_BLOCK // n)
    for begin in range(0, n, step):
        upper = sp.coo_array(sp.triu(sp.csr_array(W[begin : begin + step]), k=begin + 1))
        upper.eliminate_zeros()
        yield begin, upper


@dataclass(frozen=True)
class Thresholds:
    """The second eigenvector in ascending order, and what a cut at each place would cost.

    Attributes
    ----------
    order : ndarray of int of shape (m,)
        The points that have similarities, by their entry in the eigenvector.
    values : ndarray of shape (m,)
        Their entries.
    ncuts : ndarray of shape (m - 1,)
        Normalised cut between the first t + 1 of them and the rest.
    place : int
        Number of points below the threshold that is shown.
    used : bool
        Whether this threshold made the clusters; else it is the one with the smallest normalised cut.

    """

    order: np.ndarray
    values: np.ndarray
    ncuts: np.ndarray
    place: int
    used: bool

    @property
    def threshold(self) -> float:
        """Halfway between the entries on both sides."""
        return float(self.values[self.place - 1] + self.values[self.place]) / 2

    @property
    def ncut(self) -> float:
        """The normalised cut at the threshold."""
        return float(self.ncuts[self.place - 1])

    @property
    def smallest(self) -> float:
        """The smallest normalised cut of all thresholds."""
        return float(self.ncuts.min())


def thresholds(W: Any, vector: np.ndarray, label: np.ndarray) -> Thresholds:
    """The cuts in two along an eigenvector, and the one that made the clusters if one did."""
    alive = np.flatnonzero(np.asarray(W.sum(axis=1)).ravel() > 0)
    order = alive[np.argsort(vector[alive], kind="stable")]
    # points without similarities stay at the end, where they change no cut
    everyone = np.concatenate([order, np.setdiff1d(np.arange(len(vector)), alive)])
    ncuts = prefix_ncuts(W, everyone)[: len(order) - 1]
    changes = np.flatnonzero(np.diff(label[order]))
    used = len(changes) == 1 and len(np.unique(label)) == 2
    place = 1 + int(changes[0] if used else ncuts.argmin())
    return Thresholds(order, vector[order], ncuts, place, used)
