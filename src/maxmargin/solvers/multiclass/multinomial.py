"""The multinomial logistic problem by Newton's method with conjugate gradients.

    H S = -grad J   by conjugate gradients,   theta <- theta + t S,

with the losses' Hessian applied through two products with X (see `maxmargin.problems`), never formed. With an L1 part
it is an accelerated proximal gradient instead; on sparse and wide data, coordinate ascent in the dual
(`multinomial_dual`). Intercepts shift together freely: their sum is set to zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...certificates import Status, evaluate_multinomial
from ...data import square_pass
from ...problems import MultinomialRisk
from .._driver import IterativeSolver
from .._needs import Needs
from .._trace import Figures
from ..linear._inexact_newton import InexactNewton

# Proximal steps between two gaps, which cost a few of them.
_APART = 20


class MultinomialNewton(InexactNewton):
    """Newton's method for the weights of all classes together."""

    name = "newton_cg"
    budget = 300
    exact_up_to = 2_000_000

    def __init__(self, problem: MultinomialRisk, start: np.ndarray, tolerance: float, slopes: Any = None) -> None:
        self.problem, self.theta, self.tolerance, self.l2 = problem, start.copy(), tolerance, problem.penalty.l2
        self.F = problem.decision(start)
        self.ridge = np.full((problem.d + 1, 1), problem.penalty.l2)
        self.ridge[-1] = 0.0
        loss, self.P = problem.probabilities(self.F)
        self.value = loss + problem.penalty.value(self.theta[:-1])

    def _slope(self) -> np.ndarray:
        return self.problem.transposed(self.problem.residual(self.P)) + self.ridge * self.theta

    def _direction(self, fallen: float) -> np.ndarray:
        return _conjugate_gradients(self.problem, self.P, self.ridge, self.gradient, min(0.25, fallen))

    def step(self, most: int) -> Status | None:
        problem, S, promise, value = self.problem, self.direction, self.promise, self.value
        along, t = problem.decision(S), 1.0
        while True:
            new = self.theta + t * S
            loss, P = problem.probabilities(self.F + t * along)
            new_value = loss + problem.penalty.value(new[:-1])
            if new_value <= value - 1e-4 * t * promise:
                break
            t /= 2
            if t < 1e-12:
                return self._without_descent()
        self.theta, self.F, self.P, self.value = new, self.F + t * along, P, new_value
        self.iterations += 1
        # the convergence is quadratic: after this step the next one is below rounding
        return Status.CONVERGED if promise <= 1e-11 * abs(value) else None

    def variables(self) -> np.ndarray:
        return centred(self.problem, self.theta)


class MultinomialProximal(IterativeSolver):
    """FISTA with backtracking and restarts (Beck and Teboulle 2009; O'Donoghue and Candes 2015)."""

    name = "proximal_gradient"
    needs = Needs(smooth=True)
    budget = 6000
    steps_an_iteration = 20

    def __init__(self, problem: MultinomialRisk, start: np.ndarray, tolerance: float, slopes: Any = None) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.theta, self.ahead, self.momentum, self.L = start.copy(), start.copy(), 1.0, 1.0
        self.known = Figures()

    def step(self, most: int) -> Status | None:
        problem, ahead = self.problem, self.ahead
        loss, P = problem.probabilities(problem.decision(ahead))
        gradient = problem.transposed(problem.residual(P))
        while True:
            new = ahead - gradient / self.L
            new[:-1] = problem.penalty.prox(new[:-1], 1 / self.L)
            change = new - ahead
            model = loss + float((gradient * change).sum()) + 0.5 * self.L * float((change * change).sum())
            if problem.probabilities(problem.decision(new))[0] <= model + 1e-12 * abs(loss):
                break
            self.L *= 2
            if not np.isfinite(self.L):  # no step is short enough for figures that overflow
                return Status.STALLED
        if float(((ahead - new) * (new - self.theta)).sum()) > 0:
            self.momentum = 1.0
        longer = (1 + np.sqrt(1 + 4 * self.momentum**2)) / 2
        self.ahead = new + (self.momentum - 1) / longer * (new - self.theta)
        self.momentum, self.theta = longer, new
        self.L *= 0.95
        self.iterations += 1
        return None

    def finished(self, last: bool) -> Status | None:
        if not self.iterations or self.iterations % _APART:
            return None
        e = evaluate_multinomial(self.problem, self.theta)
        self.known = Figures(e.kkt_violation, e.relative_gap, e.primal, e.dual)
        return Status.CONVERGED if e.relative_gap <= self.tolerance else None

    def figures(self) -> Figures:
        return self.known

    def variables(self) -> np.ndarray:
        return centred(self.problem, self.theta)


def centred(problem: MultinomialRisk, theta: np.ndarray) -> np.ndarray:
    """The same probabilities with intercepts (and, without a penalty, weights) that sum to zero over the classes."""
    theta = theta.copy()
    theta[-1] -= theta[-1].mean()
    if problem.penalty.l2 <= 0 and problem.penalty.l1 <= 0:
        theta[:-1] -= theta[:-1].mean(axis=1, keepdims=True)
    return theta


def _conjugate_gradients(
    problem: MultinomialRisk, P: np.ndarray, ridge: np.ndarray, gradient: np.ndarray, accuracy: float
) -> np.ndarray:
    """Steps in columns scaled to a curvature of one: they do not depend on the columns' units."""
    scale = _column_curvatures(problem, P, ridge)
    S, r = np.zeros_like(gradient), -gradient
    z = r / scale
    s, rr = z.copy(), float((r * z).sum())
    limit = accuracy**2 * rr
    for _ in range(gradient.size + 20):
        Hs = problem.hessian_product(P, s) + ridge * s
        curvature = float((s * Hs).sum())
        if curvature <= 1e-16 * float((scale * s * s).sum()):
            return S if S.any() else s
        t = rr / curvature
        S += t * s
        r -= t * Hs
        z = r / scale
        before, rr = rr, float((r * z).sum())
        if rr <= limit:
            break
        s = z + (rr / before) * s
    return S


def _column_curvatures(problem: MultinomialRisk, P: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """``sum_i c_i x_ij^2 p (1 - p) + l2`` for each weight, p (1 - p) being the mean over the classes; never zero."""
    h = problem.weights * (P * (1 - P)).mean(axis=1)
    curvature = np.zeros(problem.d + 1)
    square_pass(problem.rows.arrays, 0, problem.n, h, curvature)
    curvature = curvature[:, None] + ridge
    return np.where(curvature > 0, curvature, 1.0)
