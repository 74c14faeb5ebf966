"""Lloyd's method: points to their nearest centres, centres to the means of their points, until neither changes.

minimise over centres c and labels a:  J = sum_i s_i ||x_i - c_{a_i}||^2

Each of the two steps minimises J over one of the two, so that J never rises and, there being finitely many labellings,
a fixed point is reached after finitely many steps. It is a local minimum of J, in general not the best one.

The first step is spared most distances by bounds, and decides as if all were computed (see `_assignment`). The second
is an update of the sums of those clusters that have won or lost a point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...certificates import Status
from ._assignment import Assignment, Outliers
from ._points import Points

# Moves up to this, relative to the mean distance from the origin, are rounding of sums that were long updated.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class LloydRun:
    """Centres (about the origin of the points), labels, and how they came about.

    ``history[t]`` is J after the centres of step t + 1 have moved to the means.
    """

    centres: np.ndarray
    labels: np.ndarray
    inertia: float
    history: np.ndarray
    steps: int
    status: Status
    distances: int


class Assigned(Protocol):
    """Points and their clusters, wherever they are, as Lloyd's method asks for them.

    ``sums`` are those of the clusters, about the origin; ``distances`` how many were computed; ``labels`` the clusters
    of all points in the end.
    """

    sums: np.ndarray

    @property
    def labels(self) -> np.ndarray: ...

    @property
    def distances(self) -> int: ...

    def update(self, centres: np.ndarray) -> int: ...

    def refresh(self) -> None: ...

    def clusters(self) -> tuple[np.ndarray, np.ndarray]: ...

    def inertia(self, centres: np.ndarray) -> float: ...

    def outliers(self, centres: np.ndarray, count: int) -> Outliers: ...


def lloyd(
    points: Points,
    start: np.ndarray,
    max_iter: int,
    tolerance: float,
    verbose: bool = False,
    watch: Callable[[np.ndarray], None] | None = None,
) -> LloydRun:
    """Steps from the given centres until no label changes, or the squared moves add up to at most `tolerance`.

    These are scikit-learn's rules, so that the same start takes the same way. `watch` is shown the centres (about the
    origin of the points, an array of its own each time): those of the start, then those after each step.
    """
    total, mass = float(points.weights @ points.norms), float(points.weights.sum())
    size = (total, mass, float(np.finfo(points.dtype).eps))
    return descend(Assignment(points, len(start)), size, start, max_iter, tolerance, verbose, watch)


def descend(
    assignment: Assigned,
    size: tuple[float, float, float],
    start: np.ndarray,
    max_iter: int,
    tolerance: float,
    verbose: bool = False,
    watch: Callable[[np.ndarray], None] | None = None,
) -> LloydRun:
    """`lloyd` for points that may be elsewhere.

    `size` has the weighted sum of their squared lengths, that of the weights, and the precision of the rows.
    """
    total, mass, eps = size
    rounding = max(_ROUNDING, 8 * eps) ** 2 * total / mass
    centres, history = start, []
    status, strict, steps = Status.BUDGET_EXHAUSTED, False, 0
    if watch is not None:
        watch(start.copy())
    while steps < max_iter and status is not Status.CONVERGED:
        changed = assignment.update(centres)
        if changed == 0:
            assignment.refresh()
        new, explained = _means(assignment, centres, eps)
        history.append(max(total - explained, 0.0))
        shift = float(np.square(new - centres).sum())
        centres, steps = new, steps + 1
        if watch is not None:
            watch(centres.copy())
        if verbose:
            print(f"Iteration {steps - 1}, inertia {history[-1]}.")
        # without a change the sums are fresh: should the centres move for that, the way goes on
        strict = changed == 0 and shift <= rounding
        if strict or shift <= tolerance:
            status = Status.CONVERGED
            if verbose:
                reason = "strict convergence" if strict else f"center shift {shift} within tolerance {tolerance}"
                print(f"Converged at iteration {steps - 1}: {reason}.")
    if not strict:
        assignment.update(centres)  # labels of the last centres
    found = assignment.inertia(centres)
    return LloydRun(centres, assignment.labels, found, np.array(history), steps, status, assignment.distances)


def inertia(points: Points, centres: np.ndarray, labels: np.ndarray) -> float:
    """J of centres and labels, difference by difference."""
    return float(points.weights @ points.own_squares(centres, labels))


def _means(assignment: Assigned, centres: np.ndarray, eps: float) -> tuple[np.ndarray, float]:
    """New centres, and by how much they lower J from that of a single centre at the origin."""
    sums, (masses, counts) = assignment.sums, assignment.clusters()
    empty = np.flatnonzero(masses == 0)
    if len(empty):
        sums = sums.copy()
        sums[empty] = 0.0  # rounding may have left a trace of the last point
        _relocate(assignment.outliers(centres, len(empty)), empty, sums, masses, counts, eps)
    filled = masses > 0
    new = np.empty_like(centres)
    new[filled] = sums[filled] / masses[filled, None]
    # a centre without points stands where the heaviest one does, out of the way
    new[~filled] = new[masses.argmax()]
    return new, float(np.einsum("ij,ij->", sums[filled], new[filled]))


def _relocate(
    far: Outliers, empty: np.ndarray, sums: np.ndarray, masses: np.ndarray, left: np.ndarray, eps: float
) -> None:
    """Centres without points go to the points that are farthest from their own centres, as in scikit-learn."""
    if far.squares.max() <= (8 * eps) ** 2 * far.longest:  # fewer distinct points than centres: there is nowhere to go
        return
    for k, old, weight, point in zip(empty, far.labels, far.weights, far.points, strict=True):
        left[old] -= 1
        moved = weight * point
        sums[k], masses[k] = moved, weight
        sums[old] -= moved
        masses[old] -= weight
        if left[old] == 0:  # its only point
            sums[old], masses[old] = 0.0, 0.0
