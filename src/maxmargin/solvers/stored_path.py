"""Solutions along C on a matrix in memory, each with its proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..certificates import Evidence, Status, evaluate_tube
from ..kernels import StoredMatrix
from .decomposition import automatic_budget
from .stored_matrix import improve, solve_path

# The solver aims a little below the tolerance: r is followed, the proof recomputes it.
_AIM = 0.9
# Repairs in float32 and in float64 of a solution that the proof did not confirm
_REPAIRS = (False, False, True, True, True)


@dataclass(frozen=True, eq=False)
class PathPoint:
    """One solution: coefficients of all samples (0 for those that take no part), proof and counts."""

    beta: np.ndarray
    evidence: Evidence
    status: Status
    iterations: int


def solve_stored_path(
    matrix: StoredMatrix,
    p: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    Cs: np.ndarray,
    epsilon: float = 0.0,
    tolerance: float = 1e-3,
    budget: int | None = None,
    start: np.ndarray | None = None,
    stop: np.ndarray | None = None,
    polish: bool = False,
) -> list[PathPoint]:
    """Solve ``1/2 beta' K beta - p' beta + epsilon |beta|_1``, ``C low <= beta <= C high``, sum 0, for each C.

    Parameters
    ----------
    matrix : StoredMatrix
        Kernel values of all samples, also of those with an empty box, whose values are then in ``evidence.image``.
    p, low, high : ndarray of shape (n,)
        Linear term, and the box for C = 1.
    Cs : ndarray
        Ascending.
    epsilon, tolerance : float
        Half the width of the tube (0: a classifier), and the largest violation of optimality.
    budget : int or None
        Largest number of SMO steps for each C; None is an automatic one.
    start : ndarray, optional
        A feasible start for the first C.
    stop : ndarray of one uint8, optional
        Set to 1 by another thread, it ends the work; solutions found so far are returned.
    polish : bool
        Go on to rounding errors, as far as a few rounds bring it: a weight of 2 is then the same as the row twice to
        nine digits or so.

    """
    n, count = len(p), len(Cs)
    budget = automatic_budget(n) if budget is None else budget
    stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
    beta = np.zeros(n) if start is None else start.copy()
    betas, steps, violations = np.empty((count, n)), np.zeros(count, dtype=np.int64), np.empty(count)
    rest = (epsilon, _AIM * tolerance, budget, beta, stop, polish, betas, steps, violations)
    done = solve_path(matrix.exact, matrix.coarse, p, low, high, Cs, *rest)
    images = betas[:done] @ matrix.exact  # one product proves them all
    points = []
    for k in range(done):
        evidence = evaluate_tube(p, Cs[k] * low, Cs[k] * high, betas[k], images[k], epsilon)
        point = PathPoint(betas[k], evidence, Status.CONVERGED, int(steps[k]))
        if not evidence.kkt_violation <= tolerance and not stop[0]:
            point = _repaired(matrix, p, Cs[k] * low, Cs[k] * high, point, epsilon, tolerance, budget, stop)
        points.append(point)
    return points


def _repaired(
    matrix: StoredMatrix,
    p: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    point: PathPoint,
    epsilon: float,
    tolerance: float,
    budget: int,
    stop: np.ndarray,
) -> PathPoint:
    """Go on from recomputed values where the proof fell short, at last in float64."""
    beta, evidence, steps = point.beta.copy(), point.evidence, point.iterations
    for precise in _REPAIRS:
        if steps >= budget or stop[0]:
            break
        coarse = matrix.exact if precise else matrix.coarse
        r = p - evidence.image
        # tolerances that rounding errors of a long sum may reach need a finer aim
        more, _, _ = improve(
            matrix.exact, coarse, beta, lower, upper, r, 0.0, epsilon, tolerance / 2, budget - steps, stop
        )
        steps += int(more)
        evidence = evaluate_tube(p, lower, upper, beta, matrix.exact @ beta, epsilon)
        if evidence.kkt_violation <= tolerance:
            return PathPoint(beta, evidence, Status.CONVERGED, steps)
    status = Status.INTERRUPTED if stop[0] else Status.BUDGET_EXHAUSTED if steps >= budget else Status.STALLED
    return PathPoint(beta, evidence, status, steps)
