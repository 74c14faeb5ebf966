"""Projected gradient: the plain reference.

    beta <- project(beta - (K beta - p) / L),   accelerated with restarts (Beck and Teboulle 2009, eq. 4.1-4.3;
    O'Donoghue and Candes 2015, section 3.2),

L the largest eigenvalue of K. It needs the whole Gram matrix and many steps, and shares no code with the solver that
users get, apart from the problem: that is its use.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh

from ..certificates import Status
from ..problems import BoxQP
from ._monitor import Monitor
from ._projection import feasible
from ._solution import Solution


def solve(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    budget: int = 100_000,
    monitor: Monitor | None = None,
) -> Solution:
    """Minimise a box QP of moderate size until the largest KKT violation is at most `tolerance`."""
    everything = np.arange(problem.n)
    rows = problem.rows_of(everything)
    K = problem.gram.block(rows, rows, np.float64)
    L = _largest_eigenvalue(K)
    beta = problem.feasible_start() if start is None else feasible(problem, start)
    ahead, momentum = beta, 1.0
    violation = np.inf
    for step in range(budget):
        gradient = K @ ahead - problem.p
        new = feasible(problem, ahead - gradient / L)
        if gradient @ (new - beta) > 0:  # the momentum points uphill: forget it
            ahead, momentum = beta, 1.0
            gradient = K @ ahead - problem.p
            new = feasible(problem, ahead - gradient / L)
        longer = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, momentum, beta = new + (momentum - 1) / longer * (new - beta), longer, new
        if step % 10 == 0:
            violation = _violation(problem, beta, problem.p - K @ beta)
            if violation <= tolerance:
                return Solution(beta, Status.CONVERGED, step + 1, violation)
            if monitor is not None and monitor.report(step, violation, np.nan):
                return Solution(beta, Status.INTERRUPTED, step + 1, violation)
    return Solution(beta, Status.BUDGET_EXHAUSTED, budget, violation)


def _largest_eigenvalue(K: np.ndarray) -> float:
    if len(K) < 64:
        return max(float(np.linalg.eigvalsh(K)[-1]), 1e-300)
    v0 = np.full(len(K), 1 / np.sqrt(len(K)))
    return 1.01 * float(eigsh(K, k=1, tol=1e-3, v0=v0, return_eigenvectors=False)[0])


def _violation(problem: BoxQP, beta: np.ndarray, residual: np.ndarray) -> float:
    # A projected point is at its bound only up to rounding: what is within 1e-12 of it counts as there.
    worst = 0.0
    for g in range(len(problem.totals)):
        m = problem.members(g)
        lower, upper = problem.lower[m], problem.upper[m]
        room = 1e-12 * np.maximum(upper - lower, 1e-300)
        rise, fall = residual[m][beta[m] < upper - room], residual[m][beta[m] > lower + room]
        if rise.size and fall.size:
            worst = max(worst, float(rise.max() - fall.min()))
    return worst
