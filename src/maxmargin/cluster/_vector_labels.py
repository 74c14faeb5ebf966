"""Labels from several eigenvectors at once: by k-means, or by a pivoted QR factorisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ..engine import one_blas_thread
from ._cuts import ncut
from ._lloyd import lloyd
from ._points import Points
from ._seeding import plus_plus

_STEPS = 300


def by_kmeans(
    W: Any, v: np.ndarray, degree: np.ndarray, k: int, starts: int, random_state: np.random.RandomState
) -> np.ndarray:
    """k-means of the rows of v, each counted by its degree; of several starts the one with the smallest Ncut.

    With these weights, and all K vectors v of ``v' D v = I``, the inertia of indicators is what the Ncut is relaxed to.
    """
    with one_blas_thread():
        points = Points(np.ascontiguousarray(v), degree / degree.mean())
        best: tuple[float, float] | None = None
        for _ in range(starts):
            run = lloyd(points, points.at(plus_plus(points, k, random_state)), _STEPS, 0.0)
            # clusters that have got lost would make the cut look better than it is
            value = ncut(W, run.labels, k) + k - len(np.unique(run.labels))
            if best is None or (value, run.inertia) < best:
                best, labels = (value, run.inertia), run.labels
    return labels.astype(np.int64)


def by_qr(u: np.ndarray, k: int) -> np.ndarray:
    """The largest entry of each row after a rotation that k well separated rows determine (Damle et al., 2019)."""
    pivots = scipy.linalg.qr(u.T, pivoting=True)[2][:k]
    left, _, right = scipy.linalg.svd(u[pivots].T)
    return np.abs(u @ (left @ right)).argmax(axis=1)
