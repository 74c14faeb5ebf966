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

from ...certificates import Status
from ...problems import Risk
from .._driver import IterativeSolver
from .._measured import measured
from .._needs import Needs
from .._trace import Figures

_ARMIJO = 1e-4
_HALVINGS = 40
# The convergence is quadratic: after a step that promises so little of the objective, the next one is below rounding.
_LAST = 1e-11
_NEAR = 1e-3


class Newton(IterativeSolver):
    """Damped Newton; the Newton decrement is what it believes of the gap."""

    name = "newton"
    needs = Needs(smooth=True, no_l1=True)
    budget = 200
    exact_up_to = 20_000

    def __init__(self, problem: Risk, start: np.ndarray, tolerance: float, slopes: Any = None) -> None:
        self.problem, self.theta, self.tolerance = problem, start, tolerance
        self.l2 = problem.l2
        self.ridge = np.full(problem.d + 1, self.l2)
        self.ridge[-1] = 0.0
        loss, self.gradient, self.H = problem.second_order(start)
        self.value, self.decrement = loss + problem.penalty.value(start[:-1]), np.nan

    def finished(self, last: bool) -> Status | None:
        self.slope = self.gradient + self.ridge * self.theta
        if self._is_enough(self.slope, np.inf):
            return Status.CONVERGED
        if last:
            return None
        self.p = _direction(self.H, self.ridge, self.slope)
        self.decrement = -float(self.slope @ self.p)
        # with an L2 part the slope alone has decided
        return Status.CONVERGED if self.l2 <= 0 and self._is_enough(self.slope, self.decrement) else None

    def step(self, most: int) -> Status | None:
        problem, decrement = self.problem, self.decrement
        new = self.theta + self.p
        if decrement <= _LAST * abs(self.value):
            self.theta, self.iterations = new, self.iterations + 1
            return Status.CONVERGED
        near = self.tolerance > 1e-8 and decrement <= _NEAR * abs(self.value)
        if near:  # likely the last one: the Hessian, two thirds of a pass, waits until it is asked for
            loss, gradient = problem.loss_and_gradient(new)
        else:
            loss, gradient, self.H = problem.second_order(new)
        value = loss + problem.penalty.value(new[:-1])
        if not value <= self.value - _ARMIJO * decrement:
            new, found = _shorter(problem, self.theta, self.p, self.value, decrement)
            if not found:  # rounding allows no descent: this is the minimum, or as near as float64 comes
                done = decrement <= max(self.tolerance, 1e-12) * abs(self.value)
                return Status.CONVERGED if done else Status.STALLED
            loss, gradient, self.H = problem.second_order(new)
            value = loss + problem.penalty.value(new[:-1])
        self.theta, self.gradient, self.value = new, gradient, value
        if near and not self._is_enough(gradient + self.ridge * new, np.inf):
            self.H = problem.second_order(new)[2]
        self.iterations += 1
        return None

    def _is_enough(self, slope: np.ndarray, decrement: float) -> bool:
        return believed_gap(slope, self.l2, decrement) <= 0.5 * self.tolerance * abs(self.value)

    def figures(self) -> Figures:
        if self.traced:
            return measured(self.problem, self.variables())
        gap = self.decrement / 2
        return Figures(
            float(np.abs(self.slope).max()), gap / max(abs(self.value), 1e-300), self.value, self.value - gap
        )


def believed_gap(slope: np.ndarray, l2: float, decrement: float) -> float:
    """The duality gap at this slope: |slope|^2 / (2 l2) (see `maxmargin.certificates`), if there is an L2 part.

    Without one, the Newton decrement, well below what is asked for; infinite where that is not known yet.
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
