"""Solve, prove, and go on until the proof meets the tolerance.

A solver stops when it believes that the relative gap is small enough. What is returned is judged by the gap recomputed
from theta. If that is larger than the tolerance, the solver goes on from there and aims ten times lower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import RiskEvidence, Status, evaluate_risk
from ..problems import Risk
from ._monitor import Monitor
from ._risk_registry import NARROW, RISK_SOLVERS, SMALL, check_solver, choose_solver, solver_of
from ._risk_solution import CertifiedRiskSolution

_ROUNDS = 8
_ALMOST_ZERO = 1e-6  # an objective a sample that may be one of zero, but for rounding
_SWEEPS = 500  # of coordinate ascent, before the interior point takes over
# Second-order solvers make small problems exact to rounding at the cost of a step or two more: equal problems that are
# written in different ways (a weight of two, a row twice) then have equal answers.
_EXACT = 1e-15
_SECOND_ORDER = {"newton", "interior_point", "proximal_newton", "newton_cg"}


# Newton's method on a large problem starts from the answer for one sample in so many, whose steps cost as much less.
_SKETCH = 16
_SKETCH_ROWS = 20  # samples a feature, at least: a sketch of fewer is no start
_SKETCH_TOLERANCE = 1e-3


def _worth_a_sketch(problem: Risk) -> bool:
    return problem.penalty.l2 > 0 and problem.n >= max(_SKETCH * _SKETCH_ROWS * problem.d, 50_000)


def _second_choice(problem: Risk) -> str | None:
    """What goes on where coordinate ascent is too slow, if anything can."""
    if problem.loss.smoothness < float("inf"):
        return "newton_cg"
    return "interior_point" if problem.d <= NARROW else None


def _proven(
    problem: Risk, theta: np.ndarray, u: np.ndarray | None, tolerance: float
) -> tuple[np.ndarray, RiskEvidence]:
    """The evidence at theta, or at a point beside it where the objective is exactly zero.

    An optimum of zero is met exactly or not at all: relative to it every other value is far away. Without a penalty
    weights that are longer by 1e-6 leave a separated sample no loss; the perceptron's loss is zero at the origin.
    """
    evidence = evaluate_risk(problem, theta, u)
    if evidence.relative_gap <= tolerance or evidence.dual > 0 or not evidence.primal < _ALMOST_ZERO * problem.n:
        return theta, evidence
    for other in ((1 + 1e-6) * theta, np.zeros_like(theta)):
        found = evaluate_risk(problem, other, u)
        if found.relative_gap <= tolerance:
            return other, found
    return theta, evidence


def _in_two_goes(
    problem: Risk,
    solvers: tuple[str, str],
    start: np.ndarray | None,
    tolerance: float,
    budget: int | None,
    monitor: Monitor | None,
    slopes: np.ndarray | None,
    **options: Any,
) -> CertifiedRiskSolution:
    """Coordinate ascent for up to half of the budget, then the solver that its troubles do not touch.

    The first is quick on most sparse data (a9a: a third of the interior point's time), hopeless on some.
    """
    sweeps = _SWEEPS if budget is None else min(_SWEEPS, budget // 2)
    found = solve_risk(problem, solvers[0], start, tolerance, sweeps, monitor, slopes, **options)
    if found.status is not Status.BUDGET_EXHAUSTED:
        return found
    rest = None if budget is None else min(budget - found.iterations, RISK_SOLVERS[solvers[1]].BUDGET)
    again = solve_risk(problem, solvers[1], start, tolerance, rest, monitor, slopes)
    if not again.evidence.gap <= found.evidence.gap:
        again = replace(again, theta=found.theta, evidence=found.evidence)
    return replace(again, iterations=found.iterations + again.iterations)


def solve_risk(
    problem: Risk,
    solver: str | Callable[..., Any] = "auto",
    start: np.ndarray | None = None,
    tolerance: float = 1e-4,
    budget: int | None = None,
    monitor: Monitor | None = None,
    slopes: np.ndarray | None = None,
    **options: Any,
) -> CertifiedRiskSolution:
    """Minimise a regularised risk until the relative duality gap is *proven* to be at most `tolerance`.

    `budget` is the number of iterations (None: the solver's own default), `slopes` those of the dual to start from,
    and `options` go to the solver, which may be a user's function (see `CustomSolver`).
    """
    if solver == "auto":
        solver = choose_solver(problem)
        second = _second_choice(problem) if solver == "dual_coordinate" else None
        if second is not None:
            return _in_two_goes(problem, (solver, second), start, tolerance, budget, monitor, slopes, **options)
    else:
        check_solver(solver, problem.loss, problem.penalty)
    module = solver_of(solver)
    solver = solver if isinstance(solver, str) else module.name
    budget = module.BUDGET if budget is None else budget
    if start is None and solver == "newton" and _worth_a_sketch(problem):
        sketch = solve_risk(problem.thinned(_SKETCH), solver, None, _SKETCH_TOLERANCE, budget, monitor)
        if sketch.keyboard:
            theta, evidence = _proven(problem, sketch.theta, None, tolerance)
            return replace(sketch, theta=theta, evidence=evidence)
        start = sketch.theta
    theta, u, used = problem.start() if start is None else start, slopes, 0
    if start is not None or problem.loss_at(np.zeros(problem.n)) == 0:  # no loss at the origin: it is the minimum
        evidence = evaluate_risk(problem, theta, u)
        if evidence.relative_gap <= tolerance:
            return CertifiedRiskSolution(theta, Status.CONVERGED, 0, evidence, solver)
    target = tolerance
    if solver in _SECOND_ORDER and problem.stored <= SMALL:
        target = min(tolerance, _EXACT)
    best: CertifiedRiskSolution | None = None
    for _ in range(_ROUNDS):
        solution = module.solve(problem, theta, target, budget - used, monitor, slopes=u, **options)
        used += solution.iterations
        theta, evidence = _proven(problem, solution.theta, solution.u, tolerance)
        met = evidence.relative_gap <= tolerance
        status = Status.CONVERGED if met else solution.status
        found = CertifiedRiskSolution(theta, status, used, evidence, solver, solution.keyboard)
        if met or solution.status is not Status.CONVERGED:
            return found
        if evidence.rounding > max(tolerance, 0.5 * evidence.relative_gap):  # no theta proves less
            return replace(found, status=Status.STALLED)
        if best is None or evidence.gap < best.evidence.gap:
            best = found
        theta, u, target = solution.theta, solution.u, min(target, tolerance) / 10
    assert best is not None
    return replace(best, status=Status.STALLED, iterations=used)
