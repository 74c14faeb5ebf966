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

import numpy as np

from ...certificates import Status
from ._assignment import Assignment
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
    assignment = Assignment(points, len(start))
    total, mass = float(points.weights @ points.norms), float(points.weights.sum())
    rounding = max(_ROUNDING, 8 * float(np.finfo(points.dtype).eps)) ** 2 * total / mass
    centres, history = start, []
    status, strict, steps = Status.BUDGET_EXHAUSTED, False, 0
    if watch is not None:
        watch(start.copy())
    while steps < max_iter and status is not Status.CONVERGED:
        changed = assignment.update(centres)
        if changed == 0:
            assignment.refresh()
        new, explained = _means(assignment, centres)
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
    labels = assignment.labels
    return LloydRun(
        centres,
        labels,
        inertia(points, centres, labels),
        np.array(history),
        steps,
        status,
        assignment.distances,
    )


def inertia(points: Points, centres: np.ndarray, labels: np.ndarray) -> float:
    """J of centres and labels, difference by difference."""
    return float(points.weights @ points.own_squares(centres, labels))


def _means(assignment: Assignment, centres: np.ndarray) -> tuple[np.ndarray, float]:
    """New centres, and by how much they lower J from that of a single centre at the origin."""
    points, labels, k = assignment.points, assignment.labels, assignment.k
    sums, masses = assignment.sums, points.masses(labels, k)
    empty = np.flatnonzero(masses == 0)
    if len(empty):
        sums = sums.copy()
        sums[empty] = 0.0  # rounding may have left a trace of the last point
        _relocate(points, labels, centres, empty, sums, masses)
    filled = masses > 0
    new = np.empty_like(centres)
    new[filled] = sums[filled] / masses[filled, None]
    # a centre without points stands where the heaviest one does, out of the way
    new[~filled] = new[masses.argmax()]
    return new, float(np.einsum("ij,ij->", sums[filled], new[filled]))


def _relocate(
    points: Points, labels: np.ndarray, centres: np.ndarray, empty: np.ndarray, sums: np.ndarray, masses: np.ndarray
) -> None:
    """Centres without points go to the points that are farthest from their own centres, as in scikit-learn."""
    squares = points.own_squares(centres, labels)
    rounding = (8 * float(np.finfo(points.dtype).eps)) ** 2 * points.norms.max()
    if squares.max() <= rounding:  # fewer distinct points than centres: there is nowhere to go
        return
    farthest = np.argpartition(squares, -len(empty))[: -len(empty) - 1 : -1]
    left = np.bincount(labels, minlength=len(masses))
    for k, i in zip(empty, farthest, strict=True):
        old = labels[i]
        left[old] -= 1
        moved = points.weights[i] * points.at(i)[0]
        sums[k], masses[k] = moved, points.weights[i]
        sums[old] -= moved
        masses[old] -= points.weights[i]
        if left[old] == 0:  # its only point
            sums[old], masses[old] = 0.0, 0.0
