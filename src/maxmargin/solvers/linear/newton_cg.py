"""Newton with conjugate gradients for smooth losses and many features: the system is never formed.

    (X~' diag(h) X~ + ridge) p = -grad J      by conjugate gradients, preconditioned by the diagonal,

to a relative residual of min(1/2, sqrt(|grad| / |grad_0|)) (Eisenstat and Walker 1996, choice 2), which makes the
convergence superlinear. The step length is found on decision values alone. Needs: a loss with a derivative, a penalty
without an L1 part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...certificates import Status
from ...problems import Risk
from ._inexact_newton import InexactNewton

_ARMIJO = 1e-4


class NewtonCG(InexactNewton):
    """Newton with conjugate gradients for one vector of weights."""

    name = "newton_cg"
    budget = 500
    exact_up_to = 20_000

    def __init__(self, problem: Risk, start: np.ndarray, tolerance: float, slopes: Any = None) -> None:
        self.problem, self.theta, self.tolerance, self.l2 = problem, start.copy(), tolerance, problem.l2
        self.f = problem.decision(start)
        self.ridge = np.full(problem.d + 1, problem.l2)
        self.ridge[-1] = 0.0
        self.value = problem.value_at(self.f, self.theta)

    def _slope(self) -> np.ndarray:
        problem = self.problem
        slopes = problem.weights * problem.loss.derivative(self.f, problem.y)
        return problem.transposed(slopes) + self.ridge * self.theta

    def _direction(self, fallen: float) -> np.ndarray:
        accuracy = min(0.5, fallen, 0.1 if self.iterations else 0.5)
        h = self.problem.curvature_weights(self.f)
        return _conjugate_gradients(self.problem, h, self.ridge, self.gradient, accuracy)

    def step(self, most: int) -> Status | None:
        problem, p, value = self.problem, self.direction, self.value
        along, t = problem.decision(p), 1.0
        while problem.value_at(self.f + t * along, self.theta + t * p) > value - _ARMIJO * t * self.promise:
            t /= 2
            if t < 1e-12:
                return self._without_descent()
        self.theta, self.f = self.theta + t * p, self.f + t * along
        if self.iterations % 10 == 9:
            self.f = problem.decision(self.theta)  # free of the drift of ten sums
        self.value = problem.value_at(self.f, self.theta)
        self.iterations += 1
        return None


def _conjugate_gradients(
    problem: Risk, h: np.ndarray, ridge: np.ndarray, gradient: np.ndarray, accuracy: float
) -> np.ndarray:
    """An inexact Newton direction; always one of descent."""
    diagonal = problem.hessian_diagonal(h) + ridge
    inverse = np.where(diagonal > 0, 1 / np.where(diagonal > 0, diagonal, 1.0), 0.0)
    p, r = np.zeros_like(gradient), -gradient
    z = inverse * r
    s, rz = z.copy(), float(r @ z)
    limit = accuracy**2 * rz
    for _ in range(2 * len(p) + 20):
        Hs = problem.hessian_product(h, s) + ridge * s
        curvature = float(s @ Hs)
        if curvature <= 1e-300:  # no active sample along s: as far as the model goes
            return p if p.any() else s
        t = rz / curvature
        p += t * s
        r -= t * Hs
        z = inverse * r
        before, rz = rz, float(r @ z)
        if rz <= limit:
            break
        s = z + (rz / before) * s
    return p
