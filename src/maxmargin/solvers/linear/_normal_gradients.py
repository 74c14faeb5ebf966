"""Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, CGLS)."""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...data import row_add, row_dot
from ...engine import jit
from ...problems import LeastSquares
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures

_RESTARTS = 12
# Part of the tolerance at which it ends: 5000 x 2000 of CSR takes 12 ms instead of 14, 1e-20 above the minimum.
_ENOUGH = 1e-4
_EPS = float(np.finfo(np.float64).eps)


# Stored values that one call of compiled code reads.
_CALL = 2**23


@jit
def _is_drifted(square, best, least):  # type: ignore[no-untyped-def]
    """Down to what is asked for, or time for a true residual: that of the recurrence drifts from it."""
    return square <= least * least or square <= 1e-16 * best * best or square > 1e16 * best * best


@jit
def _steps(rows, roots, mu, alpha, sizes, enough, w, r, s, p, square, best, most):  # type: ignore[no-untyped-def]
    """Up to `most` steps on rows as they are stored, on one thread; w, r, s and p are kept up to date.

    `sizes` are those of the rows and of the target, by which rounding is told. Returns the number of steps, the square
    of the last slope, and whether it is time for a true residual.
    """
    n, d = r.shape[0], w.shape[0]
    q, sums = np.empty(n), np.empty(d)
    for k in range(most):
        shift, inner = 0.0, 0.0
        for j in range(d):
            shift += mu[j] * p[j]
            inner += p[j] * p[j]
        curved = alpha * inner
        for i in range(n):
            q[i] = roots[i] * (row_dot(rows, i, p) - shift)
            curved += q[i] * q[i]
            if i < d:
                sums[i] = 0.0
        for j in range(n, d):
            sums[j] = 0.0
        step, total = square / curved, 0.0
        for i in range(n):
            r[i] -= step * q[i]
            a = roots[i] * r[i]
            total += a
            row_add(rows, i, a, sums)
        new, length = 0.0, 0.0
        for j in range(d):
            w[j] += step * p[j]
            s[j] = sums[j] - mu[j] * total - alpha * w[j]
            new += s[j] * s[j]
            length += w[j] * w[j]
        length = np.sqrt(length)
        ratio = new / square
        for j in range(d):
            p[j] = s[j] + ratio * p[j]
        square = new
        if _is_drifted(new, best, max(_EPS * (sizes[0] * (sizes[0] * length + sizes[1]) + alpha * length), enough)):
            return k + 1, square, True
    return most, square, False


class NormalGradients(IterativeSolver):
    """Conjugate gradients on the normal equations of one target, restarted from true residuals.

    It ends at rounding, or where the slope is `_ENOUGH` of the tolerance.
    """

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
        self.enough = _ENOUGH * tolerance * self.scale
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
        if not self.halved or length <= self.enough or self.restarts > _RESTARTS or last:
            self.square = self.best**2
            met = self.scale == 0 or self.best <= self.tolerance * self.scale
            return Status.CONVERGED if met else None if last else Status.STALLED
        self.p, self.square, self.drifted = self.s, length**2, False
        return None

    def step(self, most: int) -> Status | None:
        problem = self.problem
        if problem.rows.sparse and problem.mu_rest is None and len(problem.rows.strips(problem.threads)) == 1:
            self._compiled_steps(min(most, 1 if self.traced else max(1, _CALL // max(1, problem.rows.stored))))
            return None
        alpha, p = self.alpha, self.p
        q = problem.image(p)
        step = self.square / (float(np.sum(q * q)) + alpha * float(np.sum(p * p)))
        self.w = self.w + step * p
        self.r = self.r - step * q
        self.s = problem.transposed(self.r) - alpha * self.w
        self.iterations += 1
        new = float(np.sum(self.s * self.s))
        length = float(np.linalg.norm(self.w))
        rounding = _EPS * (self.size * (self.size * length + self.length) + alpha * length)
        self.drifted = bool(_is_drifted(new, self.best, max(rounding, 0.9 * self.enough)))
        self.p, self.square = self.s + (new / self.square) * p, new
        return None

    def _compiled_steps(self, most: int) -> None:
        problem = self.problem
        w, r, s, p = (np.array(vector[:, 0]) for vector in (self.w, self.r, self.s, self.p))
        sizes = np.array([self.size, self.length])
        known = problem.rows.arrays, problem.roots, problem.mu, self.alpha, sizes, 0.9 * self.enough
        count, self.square, drifted = _steps(*known, w, r, s, p, self.square, self.best, most)
        self.w, self.r, self.s, self.p = (vector[:, None] for vector in (w, r, s, p))
        self.iterations += int(count)
        self.drifted = bool(drifted)

    def figures(self) -> Figures:
        return Figures(float(np.sqrt(self.square)) / (self.scale or 1.0))

    def variables(self) -> np.ndarray:
        return self.reached[:, 0]

    def result(self, status: Status, keyboard: bool) -> Solution:
        if status is Status.INTERRUPTED and not keyboard:
            self.reached = self.w
        return Solution(self.variables(), status, self.iterations, keyboard=keyboard)
