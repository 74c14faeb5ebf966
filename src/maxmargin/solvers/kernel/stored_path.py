"""Solutions along C on a matrix in memory, each with its proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...certificates import Evidence, Status, evaluate_tube
from ...kernels import StoredMatrix
from .._solution import Solution
from ._along_c import solve_path
from .decomposition import automatic_budget
from .stored_matrix import ROUNDS, improve, restore_sum

# The solver aims a little below the tolerance: r is followed, the proof recomputes it.
_AIM = 0.9
# Repairs in float32 and in float64 of a solution that the proof did not confirm
_REPAIRS = (False, False, True, True, True)


@dataclass(frozen=True, eq=False)
class PathProblem:
    """One problem along C: its box for C = 1, ascending values of C, and a feasible start for the first of them."""

    low: np.ndarray
    high: np.ndarray
    Cs: np.ndarray
    start: np.ndarray | None = None


def solve_stored_paths(
    matrix: StoredMatrix,
    p: np.ndarray,
    problems: Sequence[PathProblem],
    *,
    epsilon: float = 0.0,
    tolerance: float = 1e-3,
    budget: int | None = None,
    stop: np.ndarray | None = None,
    polish: bool = False,
) -> list[list[Solution]]:
    """Solve ``1/2 beta' K beta - p' beta + epsilon |beta|_1``, ``C low <= beta <= C high``, sum 0, for each C.

    Parameters
    ----------
    matrix : StoredMatrix
        Kernel values of all samples, also of those with an empty box, whose values are then in ``evidence.image``.
    p : ndarray of shape (n,)
        Linear term.
    problems : sequence of PathProblem
        The folds: boxes on the same matrix.
    epsilon, tolerance : float
        Half the width of the tube (0: a classifier), and the largest violation of optimality.
    budget : int or None
        Largest number of SMO steps for each C; None is an automatic one.
    stop : ndarray of one uint8, optional
        Set to 1 by another thread, it ends the work; solutions found so far are returned.
    polish : bool
        Go on to rounding errors, as far as a few rounds bring it: a weight of 2 is then the same as the row twice to
        nine digits or so.

    Returns
    -------
    list of list of Solution
        For each problem, one for each C: coefficients of all samples (0 for those that take no part), with evidence.

    """
    n = len(p)
    budget = automatic_budget(n) if budget is None else budget
    stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
    steps, done = [], []
    ends = np.cumsum([0, *(len(problem.Cs) for problem in problems)])
    betas = np.zeros((ends[-1], n))
    for problem, begin, end in zip(problems, ends[:-1], ends[1:], strict=True):
        steps.append(np.zeros(end - begin, dtype=np.int64))
        beta = np.zeros(n) if problem.start is None else problem.start.copy()
        box = problem.low, problem.high, problem.Cs
        aims = epsilon, _AIM * tolerance, budget
        found = betas[begin:end], steps[-1]
        done.append(solve_path(matrix.exact, matrix.coarse, p, *box, *aims, beta, stop, polish, *found))
    # One product proves them all: thirty of them on 1458 samples take 6 ms, one by one 20
    images, errors = betas @ matrix.exact, matrix.image_errors(betas)
    out = []
    for problem, begin, count, taken in zip(problems, ends[:-1], done, steps, strict=True):
        points = []
        for k in range(count):
            lower, upper, place = problem.Cs[k] * problem.low, problem.Cs[k] * problem.high, begin + k
            figures = betas[place], images[place], epsilon, errors[place], matrix.length
            evidence = evaluate_tube(p, lower, upper, *figures)
            point = Solution(betas[place], Status.CONVERGED, int(taken[k]), evidence=evidence)
            if not evidence.kkt_violation <= tolerance and not stop[0]:
                point = _repaired(matrix, p, lower, upper, point, epsilon, tolerance, budget, stop)
            points.append(point)
        out.append(points)
    return out


def _evidence(
    matrix: StoredMatrix, p: np.ndarray, lower: np.ndarray, upper: np.ndarray, beta: np.ndarray, epsilon: float
) -> Evidence:
    errors = matrix.image_errors(beta[None])[0]
    return evaluate_tube(p, lower, upper, beta, matrix.exact @ beta, epsilon, errors, matrix.length)


def _repaired(
    matrix: StoredMatrix,
    p: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    point: Solution,
    epsilon: float,
    tolerance: float,
    budget: int,
    stop: np.ndarray,
) -> Solution:
    """Go on from recomputed values where the proof fell short, at last in float64."""
    beta, evidence, steps = point.variables.copy(), point.evidence, point.iterations
    for precise in _REPAIRS:
        if steps >= budget or stop[0]:
            break
        coarse = matrix.exact if precise else matrix.coarse
        if not np.isfinite(evidence.gap):  # rounding errors have carried the sum away
            restore_sum(beta, 0.0, lower, upper)
            evidence = _evidence(matrix, p, lower, upper, beta, epsilon)
        r = p - evidence.image
        # tolerances that rounding errors of a long sum may reach need a finer aim
        more, _, _ = improve(
            matrix.exact, coarse, beta, lower, upper, r, 0.0, epsilon, tolerance / 2, budget - steps, stop, ROUNDS
        )
        steps += int(more)
        evidence = _evidence(matrix, p, lower, upper, beta, epsilon)
        if evidence.kkt_violation <= tolerance:
            return Solution(beta, Status.CONVERGED, steps, evidence=evidence)
    status = Status.INTERRUPTED if stop[0] else Status.BUDGET_EXHAUSTED if steps >= budget else Status.STALLED
    return Solution(beta, status, steps, evidence=evidence)
