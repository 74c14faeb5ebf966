"""Newton with conjugate gradients for smooth losses and many features: the system is never formed.

    (X~' diag(h) X~ + ridge) p = -grad J      by conjugate gradients, preconditioned by the diagonal,

to a relative residual of min(1/2, sqrt(|grad| / |grad_0|)) (Eisenstat and Walker 1996, choice 2), which makes the
convergence superlinear. The step length is found on decision values alone. Needs: a loss with a derivative, a penalty
without an L1 part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificates import Status
from ..engine import keep_interrupt
from ..problems import Risk
from ._monitor import Monitor
from ._needs import Needs
from ._risk_solution import RiskSolution
from .newton import believed_gap

NEEDS = Needs(smooth=True, no_l1=True)
BUDGET = 500
_ARMIJO = 1e-4


def solve(
    problem: Risk,
    start: np.ndarray,
    tolerance: float,
    budget: int = BUDGET,
    monitor: Monitor | None = None,
    slopes: Any = None,
) -> RiskSolution:
    """Minimise; the decrease that Newton's model promises is what it believes of the gap."""
    theta, f = start.copy(), problem.decision(start)
    ridge = np.full(problem.d + 1, problem.penalty.l2)
    ridge[-1] = 0.0
    value, first = problem.value_at(f, theta), 0.0
    step = 0
    with keep_interrupt() as interrupt:
        for step in range(budget):
            gradient = problem.transposed(problem.weights * problem.loss.derivative(f, problem.y)) + ridge * theta
            norm = float(np.linalg.norm(gradient))
            first = first or norm
            if norm == 0:
                return RiskSolution(theta, None, Status.CONVERGED, step)
            h = problem.curvature_weights(f)
            accuracy = min(0.5, (norm / first) ** 0.5, 0.1 if step else 0.5)
            p = _conjugate_gradients(problem, h, ridge, gradient, accuracy)
            promise = -float(gradient @ p)
            if believed_gap(gradient, problem.penalty.l2, promise) <= 0.5 * tolerance * abs(value):
                return RiskSolution(theta, None, Status.CONVERGED, step)
            if monitor is not None and monitor.report(
                step, float(np.abs(gradient).max()), promise / 2 / max(abs(value), 1e-300)
            ):
                return RiskSolution(theta, None, Status.INTERRUPTED, step)
            along, t = problem.decision(p), 1.0
            while problem.value_at(f + t * along, theta + t * p) > value - _ARMIJO * t * promise:
                t /= 2
                if t < 1e-12:  # rounding allows no descent
                    done = promise <= max(tolerance, 1e-10) * abs(value)
                    return RiskSolution(theta, None, Status.CONVERGED if done else Status.STALLED, step)
            theta, f = theta + t * p, f + t * along
            if step % 10 == 9:
                f = problem.decision(theta)  # free of the drift of ten sums
            value = problem.value_at(f, theta)
    if interrupt.kept:
        return RiskSolution(theta, None, Status.INTERRUPTED, step, keyboard=True)
    return RiskSolution(theta, None, Status.BUDGET_EXHAUSTED, budget)


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
