"""Damped Newton for smooth losses: the d x d system, formed and solved.

    (H + l2 I) p = -(g + l2 w),      theta <- theta + t p,      t by halving until J falls enough (Armijo),

H and g being the losses' (generalised) Hessian and gradient. One pass over the rows gives value, gradient and Hessian
at the new point; a full step is almost always taken, so that a step costs one pass. Needs: a loss with a derivative, a
penalty without an L1 part. The generalised Hessian of the squared hinge makes it a semismooth Newton method (Keerthi
and DeCoste 2005), which ends after finitely many steps: the active samples stop changing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ..certificates import Status
from ..engine import keep_interrupt
from ..problems import Risk
from ._monitor import Monitor
from ._needs import Needs
from ._risk_solution import RiskSolution

NEEDS = Needs(smooth=True, no_l1=True)
BUDGET = 200
_ARMIJO = 1e-4
_HALVINGS = 40
# The convergence is quadratic: after a step that promises so little of the objective, the next one is below rounding.
_LAST = 1e-11
_NEAR = 1e-3


def solve(
    problem: Risk,
    start: np.ndarray,
    tolerance: float,
    budget: int = BUDGET,
    monitor: Monitor | None = None,
    slopes: Any = None,
) -> RiskSolution:
    """Minimise; the Newton decrement is what it believes of the gap."""
    theta, l2 = start, problem.penalty.l2
    ridge = np.full(problem.d + 1, l2)
    ridge[-1] = 0.0
    loss, gradient, H = problem.second_order(theta)
    value = loss + problem.penalty.value(theta[:-1])
    step = 0
    with keep_interrupt() as interrupt:
        for step in range(budget):
            slope = gradient + ridge * theta
            p = _direction(H, ridge, slope)
            decrement = -float(slope @ p)
            if believed_gap(slope, l2, decrement) <= 0.5 * tolerance * abs(value):
                return RiskSolution(theta, None, Status.CONVERGED, step)
            if monitor is not None and monitor.report(
                step, float(np.abs(slope).max()), decrement / 2 / max(abs(value), 1e-300)
            ):
                return RiskSolution(theta, None, Status.INTERRUPTED, step)
            new = theta + p
            if decrement <= _LAST * abs(value):
                return RiskSolution(new, None, Status.CONVERGED, step + 1)
            near = tolerance > 1e-8 and decrement <= _NEAR * abs(value)
            if near:  # likely the last one: the Hessian, two thirds of a pass, waits until it is asked for
                loss, gradient = problem.loss_and_gradient(new)
            else:
                loss, gradient, H = problem.second_order(new)
            new_value = loss + problem.penalty.value(new[:-1])
            if not new_value <= value - _ARMIJO * decrement:
                new, found = _shorter(problem, theta, p, value, decrement)
                if not found:  # rounding allows no descent: this is the minimum, or as near as float64 comes
                    done = decrement <= max(tolerance, 1e-12) * abs(value)
                    return RiskSolution(theta, None, Status.CONVERGED if done else Status.STALLED, step)
                loss, gradient, H = problem.second_order(new)
                new_value = loss + problem.penalty.value(new[:-1])
            theta, value = new, new_value
            if near and believed_gap(gradient + ridge * theta, l2, np.inf) > 0.5 * tolerance * abs(value):
                H = problem.second_order(theta)[2]
    if interrupt.kept:
        return RiskSolution(theta, None, Status.INTERRUPTED, step, keyboard=True)
    return RiskSolution(theta, None, Status.BUDGET_EXHAUSTED, budget)


def believed_gap(slope: np.ndarray, l2: float, decrement: float) -> float:
    """The duality gap at this slope: |slope|^2 / (2 l2) (see `maxmargin.certificates`), if there is an L2 part.

    Without one, the Newton decrement, well below what is asked for.
    """
    return float(slope.ravel() @ slope.ravel()) / (2 * l2) if l2 > 0 else 1e3 * decrement


def _direction(H: np.ndarray, ridge: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The Newton direction; where the Hessian is singular (no penalty, or no active sample) the shortest one."""
    A = H.copy()
    A.flat[:: len(A) + 1] += ridge
    dead = A.diagonal() <= 0
    if dead.any():
        A[dead, dead] = 1.0
    # LAPACK itself: the checks of scipy.linalg cost more than a system of 50 unknowns
    _, p, failed = scipy.linalg.lapack.dposv(A, -slope)
    if not failed:
        return p
    values, vectors = scipy.linalg.eigh(A)
    kept = values > 1e-13 * values[-1]
    p = -vectors[:, kept] @ ((vectors[:, kept].T @ slope) / values[kept])
    # what the null space leaves of the slope is followed by a gradient step: a flat piece of a squared hinge
    rest = slope - vectors[:, kept] @ (vectors[:, kept].T @ slope)
    return p - rest / values[-1] if float(np.abs(rest).max()) > 1e-9 * float(np.abs(slope).max()) else p


def _shorter(
    problem: Risk, theta: np.ndarray, p: np.ndarray, value: float, decrement: float
) -> tuple[np.ndarray, bool]:
    """A step along p that lowers J enough, by decision values alone: no further pass over the rows."""
    f, along = problem.decision(theta), problem.decision(p)
    t = 1.0
    for _ in range(_HALVINGS):
        t /= 2
        new = theta + t * p
        if problem.value_at(f + t * along, new) <= value - _ARMIJO * t * decrement:
            return new, True
    return theta, False
