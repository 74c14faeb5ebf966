"""Lloyd's method on a cluster: what `maxmargin.cluster.descend` asks of points whose rows are in partitions.

What a partition knows after a step (clusters, bounds of distances, its sums) stays where it is, as the result of a pure
function of the rows, of what was known before, and of the centres. So Dask makes it again where a worker dies. Lest it
had to take all steps again, every few steps all rows meet all centres, and what was known before is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cluster import Outliers
from ..messages import InputError
from ._kmeans_tasks import (
    Extent,
    changes,
    column_sums,
    extent,
    first_step,
    inertia_of,
    labels_of_step,
    next_step,
    outliers_of,
    refreshed,
    step_sums,
    whole_labels,
    whole_step,
)
from ._partitions import Partitions

# Steps after which a chain of states begins anew: what a dead worker held is made again by so many steps at most.
_CHAIN = 16
_STATE = 32.0  # bytes a row: cluster, two bounds, a squared length, rounded up


@dataclass(frozen=True)
class Spread:
    """How large the rows are: the origin amid them, and about it the sums that `Extent` has of a partition."""

    origin: np.ndarray
    square: float
    mass: float
    total: np.ndarray

    @property
    def variance(self) -> float:
        """Mean of the variances of the columns."""
        centre = self.total / self.mass
        return max(self.square / self.mass - float(centre @ centre), 0.0) / len(centre)


def spread_of(samples: Partitions) -> Spread:
    """The origin (that of CSR rows is 0), and how large the rows are about it."""
    origin = np.zeros(samples.d)
    if not samples.sparse:
        sums, n = samples.cluster.total("k-means-mean", column_sums, samples.parts)
        with np.errstate(over="ignore"):
            origin = (sums / n).astype(samples.dtype).astype(np.float64)
    found: list[Extent] = samples.cluster.each("k-means-extent", extent, samples.parts, origin)
    for number, one in zip(samples.numbers, found, strict=True):
        if one.fault:
            raise InputError(f"partition {number}: {one.fault}", argument="X")
    square, mass = sum(one.square for one in found), sum(one.mass for one in found)
    if not np.isfinite(4 * square) or not np.isfinite(4 * mass):
        raise InputError("X or sample_weight has values so large that sums of squared distances overflow float64.")
    return Spread(origin, square, mass, np.sum([one.total for one in found], axis=0))


def remembers(samples: Partitions) -> bool:
    """Whether there is room for what partitions remember from step to step, beside the rows if these are kept."""
    held = samples.size if samples.cluster.has_room(samples.size) else 0.0
    return samples.cluster.has_room(held + _STATE * samples.n)


class DistributedAssignment:
    """Points in partitions and their clusters, with as few distances as bounds leave where there is room for these."""

    def __init__(self, samples: Partitions, origin: np.ndarray, k: int) -> None:
        self.samples, self.origin, self.k = samples, origin, k
        self.sums = np.zeros((k, samples.d))
        self.distances = 0
        self._remembers = remembers(samples)
        self._steps: list[Any] | None = None
        self._age, self._before = 0, 0  # steps of this chain, and distances of those before
        self._masses, self._counts = np.zeros(k), np.zeros(k, np.int64)
        self._centres: np.ndarray | None = None
        self._labels: list[Any] | None = None

    # ---------------------------------------------------------------- steps

    def update(self, centres: np.ndarray) -> int:
        """Give every point to its nearest centre; returns how many changed hands.

        Where nothing is remembered 0 is said of centres that stand where they stood, and else 1.
        """
        self._labels = None
        if self._remembers:
            return self._update(centres)
        same = self._centres is not None and np.array_equal(centres, self._centres)
        self._centres = centres.copy()
        met, *found = self._cluster.total("k-means-step", whole_step, self.samples.parts, self.origin, centres)
        self.distances += met
        self.sums, self._masses, self._counts = found
        return 0 if same else 1

    def _update(self, centres: np.ndarray) -> int:
        last, parts, cluster = self._steps, self.samples.parts, self._cluster
        if last is None or self._age >= _CHAIN:
            tasks = cluster.mapped("k-means-step", first_step, parts, self.origin, centres)
            self._age, self._before = 0, self.distances
        else:
            tasks = cluster.paired("k-means-step", next_step, parts, last, self.origin, centres)
        self._steps, self._age = cluster.kept(tasks, 0.0), self._age + 1
        changed, met, *found = cluster.total("k-means-sums", step_sums, self._steps)
        if self._age == 1 and last is not None:
            (changed,) = cluster.summed(
                "k-means-changes", cluster.paired("k-means-changes", changes, self._steps, last)
            )
        self.distances = self._before + met
        self.sums, self._masses, self._counts = found
        return int(changed)

    def refresh(self) -> None:
        """Add the sums up afresh: rounding adds up in sums that are updated again and again."""
        if self._steps is not None:
            tasks = self._cluster.paired("k-means-refresh", refreshed, self.samples.parts, self._steps, self.origin)
            self._steps = self._cluster.kept(tasks, 0.0)
            self.sums = self._cluster.total("k-means-sums", step_sums, self._steps)[2]

    # ---------------------------------------------------------------- what is known after a step

    def clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """Weight of each cluster, and the number of its points."""
        return self._masses.copy(), self._counts.copy()

    @property
    def label_tasks(self) -> list[Any]:
        """Clusters of the rows of each partition, where these are."""
        cluster, name = self._cluster, "k-means-labels"
        if self._labels is None and self._steps is not None:
            self._labels = cluster.mapped(name, labels_of_step, self._steps)
        elif self._labels is None:
            tasks = cluster.mapped(name, whole_labels, self.samples.parts, self.origin, self._centres)
            self._labels = cluster.kept(tasks, 4.0 * self.samples.n)
        return self._labels

    @property
    def labels(self) -> np.ndarray:
        """Clusters of all rows, four bytes each, which come to the client."""
        return np.concatenate(self._cluster.gathered("k-means-labels", self.label_tasks))

    def inertia(self, centres: np.ndarray) -> float:
        """The weighted sum of squared distances from these centres, difference by difference."""
        tasks = self._with_labels("k-means-inertia", inertia_of, self.origin, centres)
        return float(self._cluster.summed("k-means-inertia", tasks)[0])

    def outliers(self, centres: np.ndarray, count: int) -> Outliers:
        """So many points that are farthest from their own centres."""
        tasks = self._with_labels("k-means-outliers", outliers_of, self.origin, centres, count)
        found: Sequence[Outliers] = self._cluster.gathered("k-means-outliers", tasks)
        squares, labels, weights, points = (
            np.concatenate([getattr(one, name) for one in found]) for name in ("squares", "labels", "weights", "points")
        )
        first = np.argsort(-squares, kind="stable")[:count]
        longest = max(one.longest for one in found)
        return Outliers(squares[first], labels[first], weights[first], points[first], longest)

    def _with_labels(self, name: str, function: Any, *shared: Any) -> list[Any]:
        return self._cluster.paired(name, function, self.samples.parts, self.label_tasks, *shared)

    @property
    def _cluster(self) -> Any:
        return self.samples.cluster
