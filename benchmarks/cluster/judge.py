"""The referee's word on clusters, in float64 from centres or labels alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..side_by_side import Verdict
from ..table import small
from .cases import KMeansCase, SpectralCase
from .contenders import Centres

KMEANS_FIGURES = ("steps", "inertia", "change", "move")
SPECTRAL_FIGURES = ("ncut", "sizes")
# Runs from one start may part where rounding decides; this much of the inertia is the same end.
SAME_INERTIA = 1e-5
# Of the points, and of the root mean square distance from the centres: float32 sums leave no more than that.
AT_REST = 1e-4
SAME_NCUT = 1e-9
_BLOCK_BYTES = 2**27


class KMeansJudge:
    """Inertia of the centres, how many points would change their cluster, and how far centres would move."""

    def __init__(self, case: KMeansCase, X: np.ndarray) -> None:
        self.case, self.X = case, X

    def __call__(self, name: str, found: Centres) -> Verdict:
        centres, labels = np.asarray(found.centres, dtype=np.float64), np.asarray(found.labels)
        k, n = len(centres), len(self.X)
        if k != self.case.k or labels.shape != (n,):
            raise ValueError(f"{k} centres and {labels.shape} labels")
        if not np.isfinite(centres).all() or labels.min() < 0 or labels.max() >= k:
            raise ValueError("centres that are not finite, or labels of no centre")
        inertia, changes, sums, counts = self._passed(centres, labels)
        move = float(np.sqrt(np.square(sums / np.maximum(counts, 1)[:, None] - centres)[counts > 0].sum(axis=1).max()))
        change, move = changes / n, move / np.sqrt(inertia / n)
        at_rest = change <= AT_REST and move <= AT_REST
        flaw = ""
        if found.steps != self.case.steps and not at_rest:  # who is there earlier need not go on
            flaw = "no fixed point" if self.case.steps is None else f"{found.steps} steps"
        shown = (str(found.steps), f"{inertia:.8g}", small(change), small(move))
        numbers = {"steps": found.steps, "inertia": inertia, "change": change, "move": move}
        return Verdict(inertia, shown, flaw, SAME_INERTIA, numbers)

    def _passed(self, centres: np.ndarray, labels: np.ndarray) -> tuple[float, int, np.ndarray, np.ndarray]:
        """Inertia, changes, and sums and numbers of the points of each label, by one pass through the rows."""
        k, d = centres.shape
        lengths = np.einsum("kd,kd->k", centres, centres)
        inertia, changes, sums = 0.0, 0, np.zeros((k, d))
        step = max(1, _BLOCK_BYTES // (8 * k))
        for start in range(0, len(self.X), step):
            X, own = self.X[start : start + step].astype(np.float64), labels[start : start + step]
            far = lengths - 2 * (X @ centres.T)
            nearest = far.argmin(axis=1)
            difference = X - centres[nearest]
            inertia += float(np.einsum("id,id->", difference, difference))
            # as near up to what products in the type of the data can tell: no reason to change
            margin = 16 * np.finfo(self.X.dtype).eps * (np.einsum("id,id->i", X, X) + lengths[own])
            rows = np.arange(len(X))
            changes += int(np.count_nonzero(far[rows, own] > far[rows, nearest] + margin))
            member = sp.csr_array((np.ones(len(X)), (own, rows)), shape=(k, len(X)))
            sums += member @ X
        return inertia, changes, sums, np.bincount(labels, minlength=k)


class SpectralJudge:
    """The normalised cut of labels in scikit-learn's graph of neighbours, without its loops."""

    def __init__(self, case: SpectralCase, X: np.ndarray) -> None:
        from sklearn.neighbors import kneighbors_graph

        self.case = case
        A = sp.coo_array(kneighbors_graph(X, case.neighbours, include_self=True, n_jobs=-1))
        row, column = A.coords
        edge = row != column
        weights = np.full(int(edge.sum()), 0.5)
        self.row = np.concatenate([row[edge], column[edge]])
        self.column = np.concatenate([column[edge], row[edge]])
        self.weights = np.concatenate([weights, weights])

    def __call__(self, name: str, labels: Any) -> Verdict:
        labels, k = np.asarray(labels), self.case.k
        if labels.min() < 0 or labels.max() >= k:
            raise ValueError("labels of no cluster")
        volume = np.bincount(labels[self.row], weights=self.weights, minlength=k)
        leaves = labels[self.row] != labels[self.column]
        cut = np.bincount(labels[self.row[leaves]], weights=self.weights[leaves], minlength=k)
        sizes = np.bincount(labels, minlength=k)
        flaw = "" if (volume > 0).all() else f"{np.count_nonzero(volume > 0)} clusters"
        value = float((cut[volume > 0] / volume[volume > 0]).sum())
        shown = (f"{value:.6g}", f"{sizes.min()} to {sizes.max()}")
        return Verdict(value, shown, flaw, SAME_NCUT, {"ncut": value, "sizes": sizes.tolist()})
