"""The multinomial logistic problem by Newton's method with conjugate gradients.

    H S = -grad J   by conjugate gradients,   theta <- theta + t S,

with the losses' Hessian applied through two products with X (see `maxmargin.problems`), never formed. With an L1 part
it is an accelerated proximal gradient instead; on sparse and wide data, coordinate ascent in the dual
(`multinomial_dual`). Intercepts shift together freely: their sum is set to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..certificates import Status, evaluate_multinomial
from ..data import square_pass
from ..engine import keep_interrupt
from ..problems import MultinomialRisk
from . import multinomial_dual
from ._monitor import Monitor
from ._risk_registry import NARROW
from ._risk_solution import CertifiedRiskSolution
from .newton import believed_gap

BUDGET = 300
_ROUNDS = 8
_EXACT_STORED = 2_000_000


def solve_multinomial(
    problem: MultinomialRisk,
    start: np.ndarray | None = None,
    tolerance: float = 1e-4,
    budget: int | None = None,
    monitor: Monitor | None = None,
) -> CertifiedRiskSolution:
    """Minimise until the relative duality gap is *proven* to be at most `tolerance`."""
    name, method, most = _method(problem)
    if name == "dual_coordinate":
        sweeps = most if budget is None else min(most, budget // 2)
        found = _solved(problem, name, method, start, tolerance, sweeps, monitor)
        if found.status is not Status.BUDGET_EXHAUSTED:
            return found
        # a large C makes coordinate ascent slow: Newton's method goes on from there
        rest = BUDGET if budget is None else budget - found.iterations
        again = _solved(problem, "newton_cg", _newton, found.theta, tolerance, rest, monitor)
        return replace(again, iterations=found.iterations + again.iterations)
    return _solved(problem, name, method, start, tolerance, most if budget is None else budget, monitor)


def _solved(
    problem: MultinomialRisk,
    name: str,
    method: Callable,
    start: np.ndarray | None,
    tolerance: float,
    budget: int,
    monitor: Monitor | None,
) -> CertifiedRiskSolution:
    """Solve, prove, and go on ten times more strictly until the proof meets the tolerance."""
    theta, used = problem.start() if start is None else start, 0
    if start is not None:
        evidence = evaluate_multinomial(problem, theta)
        if evidence.relative_gap <= tolerance:
            return CertifiedRiskSolution(theta, Status.CONVERGED, 0, evidence, name)
    # small problems to rounding: equal problems written in different ways then have equal answers
    target = min(tolerance, 1e-15) if problem.stored <= _EXACT_STORED and method is _newton else tolerance
    for _ in range(_ROUNDS):
        theta, status, steps, keyboard = method(problem, theta, target, budget - used, monitor)
        used += steps
        theta = _centred(problem, theta)
        evidence = evaluate_multinomial(problem, theta)
        if evidence.relative_gap <= tolerance:
            return CertifiedRiskSolution(theta, Status.CONVERGED, used, evidence, name, keyboard)
        if status is not Status.CONVERGED:
            return CertifiedRiskSolution(theta, status, used, evidence, name, keyboard)
        target = min(target, tolerance) / 10
    return CertifiedRiskSolution(theta, Status.STALLED, used, evidence, name)


def _method(problem: MultinomialRisk) -> tuple[str, Callable, int]:
    """Name, function and default budget of the method for this penalty and shape."""
    if problem.penalty.l1 > 0:
        return "proximal_gradient", _proximal, 20 * BUDGET
    if problem.rows.sparse and problem.d > NARROW and problem.penalty.l2 > 0:
        return "dual_coordinate", multinomial_dual.solve, multinomial_dual.BUDGET
    return "newton_cg", _newton, BUDGET


def _centred(problem: MultinomialRisk, theta: np.ndarray) -> np.ndarray:
    """The same probabilities with intercepts (and, without a penalty, weights) that sum to zero over the classes."""
    theta = theta.copy()
    theta[-1] -= theta[-1].mean()
    if problem.penalty.l2 <= 0 and problem.penalty.l1 <= 0:
        theta[:-1] -= theta[:-1].mean(axis=1, keepdims=True)
    return theta


def _newton(
    problem: MultinomialRisk, start: np.ndarray, tolerance: float, budget: int, monitor: Monitor | None
) -> tuple[np.ndarray, Status, int, bool]:
    theta, F = start.copy(), problem.decision(start)
    ridge = np.full((problem.d + 1, 1), problem.penalty.l2)
    ridge[-1] = 0.0
    loss, P = problem.probabilities(F)
    value, first = loss + problem.penalty.value(theta[:-1]), 0.0
    step = 0
    with keep_interrupt() as interrupt:
        for step in range(budget):
            gradient = problem.transposed(problem.residual(P)) + ridge * theta
            norm = float(np.linalg.norm(gradient))
            first = first or norm
            if norm == 0:
                return theta, Status.CONVERGED, step, False
            S = _conjugate_gradients(problem, P, ridge, gradient, min(0.25, (norm / first) ** 0.5))
            promise = -float((gradient * S).sum())
            if believed_gap(gradient, problem.penalty.l2, promise) <= 0.5 * tolerance * abs(value):
                return theta, Status.CONVERGED, step, False
            last = promise <= 1e-11 * abs(value)  # the convergence is quadratic: one more step is exact to rounding
            if monitor is not None and monitor.report(
                step, float(np.abs(gradient).max()), promise / 2 / max(abs(value), 1e-300)
            ):
                return theta, Status.INTERRUPTED, step, False
            along, t = problem.decision(S), 1.0
            while True:
                new = theta + t * S
                loss, P_new = problem.probabilities(F + t * along)
                new_value = loss + problem.penalty.value(new[:-1])
                if new_value <= value - 1e-4 * t * promise:
                    break
                t /= 2
                if t < 1e-12:
                    done = promise <= max(tolerance, 1e-10) * abs(value)
                    return theta, Status.CONVERGED if done else Status.STALLED, step, False
            theta, F, P, value = new, F + t * along, P_new, new_value
            if last:
                return theta, Status.CONVERGED, step + 1, False
    if interrupt.kept:
        return theta, Status.INTERRUPTED, step, True
    return theta, Status.BUDGET_EXHAUSTED, budget, False


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


def _proximal(
    problem: MultinomialRisk, start: np.ndarray, tolerance: float, budget: int, monitor: Monitor | None
) -> tuple[np.ndarray, Status, int, bool]:
    """FISTA with backtracking and restarts (Beck and Teboulle 2009; O'Donoghue and Candes 2015)."""
    theta, ahead, momentum, L = start.copy(), start.copy(), 1.0, 1.0
    step = 0
    with keep_interrupt() as interrupt:
        for step in range(budget):
            loss, P = problem.probabilities(problem.decision(ahead))
            gradient = problem.transposed(problem.residual(P))
            while True:
                new = ahead - gradient / L
                new[:-1] = problem.penalty.prox(new[:-1], 1 / L)
                change = new - ahead
                model = loss + float((gradient * change).sum()) + 0.5 * L * float((change * change).sum())
                if problem.probabilities(problem.decision(new))[0] <= model + 1e-12 * abs(loss):
                    break
                L *= 2
            if float(((ahead - new) * (new - theta)).sum()) > 0:
                momentum = 1.0
            longer = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead, momentum, theta = new + (momentum - 1) / longer * (new - theta), longer, new
            L *= 0.95
            if step % 20 == 19:
                evidence = evaluate_multinomial(problem, theta)
                if evidence.relative_gap <= tolerance:
                    return theta, Status.CONVERGED, step + 1, False
                if monitor is not None and monitor.report(step, evidence.kkt_violation, evidence.relative_gap):
                    return theta, Status.INTERRUPTED, step + 1, False
    if interrupt.kept:
        return theta, Status.INTERRUPTED, step, True
    return theta, Status.BUDGET_EXHAUSTED, budget, False
