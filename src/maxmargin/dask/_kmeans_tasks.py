"""What partitions are asked by k-means: pure functions of rows, of centres, and of what the last step has left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..cluster import Assignment, Look, Outliers, Points, look
from ..engine import one_blas_thread
from ._part import Part


class Step(NamedTuple):
    """A partition after a step: what the next step depends on, and what this one adds to the sums of all.

    ``state`` has labels, bounds, centres and sums (`Assignment.state`), ``norms`` squared lengths of the rows about the
    origin, ``met`` the distances that were computed so far.
    """

    state: tuple
    norms: np.ndarray
    changed: int
    met: int
    masses: np.ndarray
    counts: np.ndarray


def points_of(part: Part, origin: np.ndarray, norms: np.ndarray | None = None) -> Points:
    """The rows of a partition about an origin, for one thread: sums do not depend on where they are computed."""
    return Points(part.X, part.weight, origin, norms=norms, threads=1)


# ---------------------------------------------------------------- a look at all rows


def column_sums(part: Part) -> tuple:
    """Sums of the columns, and the number of rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return part.X.sum(axis=0, dtype=np.float64), part.n


class Extent(NamedTuple):
    """Weighted sums of the squared lengths of rows about the origin, of rows and of 1; or what is wrong with them."""

    square: float
    mass: float
    total: np.ndarray
    fault: str


def extent(part: Part, origin: np.ndarray) -> Extent:
    """How large the rows of a partition are."""
    with one_blas_thread():
        try:
            points = points_of(part, origin)
        except ValueError as error:
            return Extent(0.0, 0.0, np.zeros(len(origin)), str(error))
        square, mass = float(points.weights @ points.norms), float(points.weights.sum())
        return Extent(square, mass, points.sums(np.zeros(points.n, np.int32), 1)[0], "")


# ---------------------------------------------------------------- steps


def first_step(part: Part, origin: np.ndarray, centres: np.ndarray) -> Step:
    """Every row meets every centre."""
    with one_blas_thread():
        points = points_of(part, origin)
        return _step(Assignment(points, len(centres), pruned=False), centres, 0)


def next_step(part: Part, last: Step, origin: np.ndarray, centres: np.ndarray) -> Step:
    """Rows whose bounds leave a doubt meet the centres."""
    with one_blas_thread():
        points = points_of(part, origin, last.norms)
        return _step(Assignment.resumed(points, last.state), centres, last.met)


def _step(assignment: Assignment, centres: np.ndarray, met: int) -> Step:
    changed = assignment.update(centres)
    masses, counts = assignment.clusters()
    return Step(assignment.state, assignment.points.norms, changed, met + assignment.distances, masses, counts)


def refreshed(part: Part, step: Step, origin: np.ndarray) -> Step:
    """The same with sums that are added up afresh."""
    labels, *bounds, sums = step.state
    sums = points_of(part, origin, step.norms).sums(labels, len(sums))
    return step._replace(state=(labels, *bounds, sums))


def step_sums(step: Step) -> tuple:
    """What a step adds to the sums of all partitions."""
    return step.changed, step.met, step.state[-1], step.masses, step.counts


def changes(step: Step, last: Step) -> tuple:
    """Rows of another cluster than before."""
    return (int((step.state[0] != last.state[0]).sum()),)


def labels_of_step(step: Step) -> np.ndarray:
    """Clusters of the rows of a partition."""
    labels: np.ndarray = step.state[0]
    return labels


# ---------------------------------------------------------------- without what was left


def whole_step(part: Part, origin: np.ndarray, centres: np.ndarray) -> tuple:
    """`step_sums` of a partition that remembers nothing; whether rows have changed is not known then."""
    return step_sums(first_step(part, origin, centres))[1:]


def whole_labels(part: Part, origin: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Clusters of the rows of a partition."""
    return labels_of_step(first_step(part, origin, centres))


# ---------------------------------------------------------------- with labels


def inertia_of(part: Part, labels: np.ndarray, origin: np.ndarray, centres: np.ndarray) -> tuple:
    """The part of a partition in the inertia, difference by difference."""
    points = points_of(part, origin)
    return (float(points.weights @ points.own_squares(centres, labels)),)


def masses_of(part: Part, labels: np.ndarray, k: int) -> tuple:
    """Weights of the clusters."""
    return (np.bincount(labels, part.weight, minlength=k).astype(np.float64),)


def outliers_of(part: Part, labels: np.ndarray, origin: np.ndarray, centres: np.ndarray, count: int) -> Outliers:
    """The rows of a partition that are farthest from their centres."""
    points = points_of(part, origin)
    assignment = Assignment(points, len(centres), pruned=False)
    assignment.labels = labels
    return assignment.outliers(centres, count)


def look_at(part: Part, labels: np.ndarray, centres: np.ndarray, origin: np.ndarray) -> tuple[Look]:
    """The part of a partition in the proof."""
    weights = np.ones(part.n) if part.weight is None else part.weight
    with one_blas_thread():
        return (look(part.X, weights, centres, labels.astype(np.int32, copy=False), origin, 1)[0],)
