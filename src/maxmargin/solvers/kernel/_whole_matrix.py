"""What the solvers share that have the whole Gram matrix of a box QP in memory."""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...problems import BoxQP
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures
from ._box_figures import figures_at
from ._projection import feasible


class WholeMatrixSolver(IterativeSolver):
    """Works on a problem of moderate size, from a feasible start, with K in float64.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix of the variables.
    violation : float
        The largest KKT violation, when it was last looked at.

    """

    budget = 100_000

    def __init__(
        self, problem: BoxQP, start: np.ndarray | None, tolerance: float, slopes: np.ndarray | None = None
    ) -> None:
        self.problem, self.tolerance = problem, tolerance
        rows = problem.rows_of(np.arange(problem.n))
        self.K = problem.gram.block(rows, rows, np.float64)
        self.theta = problem.feasible_start() if start is None else feasible(problem, start)
        self.violation = np.inf

    def _fresh_residual(self) -> np.ndarray:
        """``p - K beta``, recomputed."""
        return self.problem.p - self.K @ self.theta

    def figures(self) -> Figures:
        return figures_at(self.problem, self.theta, self._fresh_residual())

    def result(self, status: Status, keyboard: bool) -> Solution:
        return Solution(self.theta, status, self.iterations, self.violation, keyboard=keyboard)
