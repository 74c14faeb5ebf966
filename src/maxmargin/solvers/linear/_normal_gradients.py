"""Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, CGLS)."""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...problems import LeastSquares
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures

_RESTARTS = 12
_EPS = float(np.finfo(np.float64).eps)


class NormalGradients(IterativeSolver):
    """Conjugate gradients on the normal equations of one target, restarted from true residuals until rounding."""

    def __init__(
        self,
        problem: LeastSquares,
        start: np.ndarray,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        target: int,
    ) -> None:
        self.problem, self.tolerance, self.w = problem, tolerance, start
        self.alpha, self.right = float(problem.alpha[target]), problem.right[:, target : target + 1]
        self.scale = float(np.linalg.norm(problem.transposed(self.right)))
        self.size, self.length = np.sqrt(problem.rounding_size()), float(np.linalg.norm(self.right))
        self.best, self.reached, self.square = np.inf, start, 0.0
        self.restarts, self.drifted = 0, True

    @classmethod
    def budget_for(cls, problem: LeastSquares) -> int:
        return 1000 + 10 * min(problem.n, problem.d)

    def _true_residual(self) -> float:
        """Recompute residual and slope, and keep w if its slope is the smallest so far; the length of the slope."""
        self.r = self.right - self.problem.image(self.w)
        self.s = self.problem.transposed(self.r) - self.alpha * self.w
        length = float(np.linalg.norm(self.s))
        before = self.best
        if length < self.best:
            self.best, self.reached = length, self.w
        self.halved = length < before / 2
        return length

    def finished(self, last: bool) -> Status | None:
        if self.scale == 0 and not self.w.any():
            return Status.CONVERGED
        if not (self.drifted or last):
            return None
        length = self._true_residual()
        self.restarts += 1
        # a restart from the true residual that brings nothing: this is rounding
        if not self.halved or length == 0 or self.restarts > _RESTARTS or last:
            self.square = self.best**2
            met = self.scale == 0 or self.best <= self.tolerance * self.scale
            return Status.CONVERGED if met else None if last else Status.STALLED
        self.p, self.square, self.drifted = self.s, length**2, False
        return None

    def step(self, most: int) -> Status | None:
        problem, alpha, p = self.problem, self.alpha, self.p
        q = problem.image(p)
        step = self.square / (float(np.sum(q * q)) + alpha * float(np.sum(p * p)))
        self.w = self.w + step * p
        self.r = self.r - step * q
        self.s = problem.transposed(self.r) - alpha * self.w
        self.iterations += 1
        new = float(np.sum(self.s * self.s))
        length = float(np.linalg.norm(self.w))
        rounding = _EPS * (self.size * (self.size * length + self.length) + alpha * length)
        # down to rounding, or time for a true residual: that of the recurrence drifts from it
        self.drifted = bool(new <= rounding**2 or new <= 1e-16 * self.best**2 or new > 1e16 * self.best**2)
        self.p, self.square = self.s + (new / self.square) * p, new
        return None

    def figures(self) -> Figures:
        return Figures(float(np.sqrt(self.square)) / (self.scale or 1.0))

    def variables(self) -> np.ndarray:
        return self.reached[:, 0]

    def result(self, status: Status, keyboard: bool) -> Solution:
        if status is Status.INTERRUPTED and not keyboard:
            self.reached = self.w
        return Solution(self.variables(), status, self.iterations, keyboard=keyboard)
