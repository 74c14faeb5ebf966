"""Labels from several eigenvectors at once: by k-means, or by a pivoted QR factorisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...engine import Stopwatch, one_blas_thread
from ...solvers import Figures, Trace, TracePoint
from ..kmeans import LloydRun, Points, lloyd, plus_plus
from ._cuts import two_way
from ._polish import polished

_STEPS = 300
# Points that starts are made with, at least and for each cluster, and how many of the best go on with all points.
_FEW, _FEW_A_CLUSTER = 2000, 100
_GO_ON = 3


class Course:
    """Notes the steps of k-means, start by start, and the cuts that they lead to."""

    def __init__(self, watch: Stopwatch) -> None:
        self.watch, self.trace = watch, Trace()
        self._times: list[float] = []

    def __call__(self, centres: np.ndarray) -> None:
        self._times.append(self.watch.seconds())

    def steps(self, start: str, inertia: np.ndarray) -> None:
        """Add the steps that were made since the last call."""
        times, self._times = self._times[1:], []  # the first one is the start itself
        self.trace.extend(start, times, {"inertia": inertia})

    def note(self, start: str, ncut: float) -> None:
        """Add a normalised cut after the last step."""
        before = self.trace.of(start)
        last = before[-1].iteration if before else 0
        self.trace.points.append(TracePoint(start, last, Figures(others=(("ncut", ncut),)), self.watch.seconds()))


def by_kmeans(
    W: Any,
    v: np.ndarray,
    degree: np.ndarray,
    k: int,
    starts: int,
    random_state: np.random.RandomState,
    course: Course | None = None,
) -> np.ndarray:
    """k-means of the rows of v, each counted by its degree; of several starts the one with the smallest Ncut, polished.

    With these weights, and all K vectors v of ``v' D v = I``, the inertia of indicators is what the Ncut is relaxed to.
    For two clusters the best threshold of the second vector is one more start: k-means parts a long cluster in the
    middle rather than at a gap near its end. Of two vectors the first is constant, and k-means has nothing but
    thresholds of the second to offer: then the best one is all there is to look at.
    """
    v, weights = np.ascontiguousarray(v), degree / degree.mean()
    candidates = {}
    if k == 2 and v.shape[1] > 1:
        candidates["best threshold"] = two_way(W, v[:, 1], "best_ncut").astype(np.int64)
    if not (k == v.shape[1] == 2):
        with one_blas_thread():
            points = Points(v, weights)
            for number, centres in enumerate(_starts(points, v, weights, k, starts, random_state)):
                run = lloyd(points, centres - points.origin, _STEPS, 0.0, watch=course)
                name = f"start {number + 1}"
                candidates[name] = run.labels
                if course is not None:
                    course.steps(name, run.history)
    ends = []
    for name, labels in candidates.items():
        ends.append(polished(W, labels, k))
        if course is not None:
            course.note(name, ends[-1][1])
    # clusters that have got lost would make the cut look better than it is
    values = [value + k - len(np.unique(labels)) for labels, value in ends]
    return ends[int(np.argmin(values))][0].astype(np.int64)


def _starts(
    points: Points, v: np.ndarray, weights: np.ndarray, k: int, starts: int, random_state: np.random.RandomState
) -> list[np.ndarray]:
    """Centres to start from: where there are many points, those that some of them have come to rest at."""
    n, few = len(v), max(_FEW, _FEW_A_CLUSTER * k)
    if n < 2 * few:
        return [points.at(plus_plus(points, k, random_state)) + points.origin for _ in range(starts)]
    chosen = np.sort(random_state.permutation(n)[:few])
    sample = Points(v[chosen], weights[chosen])
    runs = [lloyd(sample, sample.at(plus_plus(sample, k, random_state)), _STEPS, 0.0) for _ in range(starts)]
    runs.sort(key=lambda run: run.inertia)
    # starts that have come to the same end are one
    ends = [run for last, run in zip([None, *runs], runs, strict=False) if last is None or _other_end(last, run)]
    return [run.centres + sample.origin for run in ends[:_GO_ON]]


def _other_end(one: LloydRun, two: LloydRun) -> bool:
    return abs(one.inertia - two.inertia) > 1e-6 * abs(one.inertia)


def by_qr(u: np.ndarray, k: int) -> np.ndarray:
    """The largest entry of each row after a rotation that k well separated rows determine (Damle et al., 2019)."""
    pivots = scipy.linalg.qr(u.T, pivoting=True)[2][:k]
    left, _, right = scipy.linalg.svd(u[pivots].T)
    return np.abs(u @ (left @ right)).argmax(axis=1)
