"""Projected gradient: the plain reference.

    beta <- project(beta - (K beta - p) / L),   accelerated with restarts (Beck and Teboulle 2009, eq. 4.1-4.3;
    O'Donoghue and Candes 2015, section 3.2),

L the largest eigenvalue of K. It needs the whole Gram matrix and many steps, and shares no code with the solver that
users get by default, apart from the problem: that is its use.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh

from ...certificates import Status
from ...problems import BoxQP
from ._box_figures import box_extremes, box_violation
from ._projection import feasible
from ._whole_matrix import WholeMatrixSolver

_APART = 10  # steps between two looks at the violation
# A step along p alone is not longer than 2^26 boxes: longer ones are nothing but rounding when they are projected back.
_SHORTEST = 2.0**-26


class ProjectedGradient(WholeMatrixSolver):
    """Minimises a box QP of moderate size until the largest KKT violation is at most the tolerance."""

    name = "projected_gradient"

    def __init__(
        self, problem: BoxQP, start: np.ndarray | None, tolerance: float, slopes: np.ndarray | None = None
    ) -> None:
        super().__init__(problem, start, tolerance)
        width = float((problem.upper - problem.lower).max())
        least = _SHORTEST * float(np.abs(problem.p).max()) / width if width > 0 else 0.0
        self.L = max(_largest_eigenvalue(self.K), least) or 1.0
        self.ahead, self.momentum = self.theta, 1.0

    def step(self, most: int) -> Status | None:
        problem, beta = self.problem, self.theta
        gradient = self.K @ self.ahead - problem.p
        new = feasible(problem, self.ahead - gradient / self.L)
        if gradient @ (new - beta) > 0:  # the momentum points uphill: forget it
            self.ahead, self.momentum = beta, 1.0
            gradient = self.K @ self.ahead - problem.p
            new = feasible(problem, self.ahead - gradient / self.L)
        longer = (1 + np.sqrt(1 + 4 * self.momentum**2)) / 2
        self.ahead = new + (self.momentum - 1) / longer * (new - beta)
        self.momentum, self.theta = longer, new
        self.iterations += 1
        return None

    def finished(self, last: bool) -> Status | None:
        if last or self.iterations % _APART == 0:
            self.violation = box_violation(box_extremes(self.problem, self.theta, self._fresh_residual()))
        return Status.CONVERGED if self.violation <= self.tolerance else None


def _largest_eigenvalue(K: np.ndarray) -> float:
    if not K.any():
        return 0.0
    if len(K) < 64:
        return max(float(np.linalg.eigvalsh(K)[-1]), 0.0)
    v0 = np.random.default_rng(0).standard_normal(len(K))  # none that a centred matrix maps to 0
    return 1.01 * float(eigsh(K, k=1, tol=1e-3, v0=v0, return_eigenvectors=False)[0])
