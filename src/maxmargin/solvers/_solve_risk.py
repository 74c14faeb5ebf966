"""Solve a linear problem, prove, and go on until the proof meets the tolerance.

A solver stops when it believes that the relative gap is small enough. What is returned is judged by the gap recomputed
from its variables. If that is larger than the tolerance, the solver goes on from there and aims ten times lower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import RiskEvidence, Status, evaluate_linear
from ._driver import IterativeSolver
from ._monitor import Monitor
from ._solution import Solution
from ._solver import Solver
from ._table import choose_solver
from ._zeros import with_exact_zeros
from .linear.newton import Newton
from .linear.stochastic import StochasticGradient, is_perceptron

_ROUNDS = 8
_ALMOST_ZERO = 1e-6  # an objective a sample that may be one of zero, but for rounding
# What small problems are solved to by solvers that can.
_EXACT = 1e-15

# Newton's method on a large problem starts from the answer for one sample in so many, whose steps cost as much less.
_SKETCH = 16
_SKETCH_ROWS = 20  # samples a feature, at least: a sketch of fewer is no start
_SKETCH_TOLERANCE = 1e-3


def solve_risk(
    problem: Any,
    solver: str | type[Solver] | Callable[..., Any] | tuple[type[Solver], ...] = "auto",
    start: np.ndarray | None = None,
    tolerance: float = 1e-4,
    budget: int | None = None,
    monitor: Monitor | None = None,
    slopes: np.ndarray | None = None,
    **options: Any,
) -> Solution:
    """Minimise a linear problem until the relative duality gap is *proven* to be at most `tolerance`.

    Parameters
    ----------
    problem : Risk, HardMarginRisk, MultinomialRisk or CrammerSingerRisk
        What is minimised.
    solver : str, class, function, or tuple of classes
        "auto", a name, a solver of one's own, or what `choose_solver` has found.
    start, slopes : ndarray, optional
        Variables of the problem and of its dual to start from.
    tolerance : float
        Of the relative duality gap.
    budget : int, optional
        Iterations (of `steps_an_iteration` steps each); None is the solver's own number.
    monitor : Monitor, optional
        Hears how far it is and may stop it.
    **options
        Of the (first) solver.

    Returns
    -------
    Solution
        With evidence. It is about the variables alone if ``slopes`` is None: then they prove enough by themselves.

    """
    solvers = solver if isinstance(solver, tuple) else choose_solver(problem, solver)
    if len(solvers) == 1:
        found = _certified(problem, solvers[0], start, tolerance, budget, monitor, slopes, **options)
    else:
        found = _in_two_goes(problem, solvers, start, tolerance, budget, monitor, slopes, **options)
    if found.status is Status.STALLED and problem.kind == "risk" and problem.loss.kind == "regression":
        found = _without_weights(problem, solvers[-1], found, tolerance)
    if found.evidence.unbounded and found.status is Status.CONVERGED:
        found = replace(found, status=Status.STALLED)
    return found


def _in_two_goes(
    problem: Any,
    solvers: tuple[type[Solver], ...],
    start: np.ndarray | None,
    tolerance: float,
    budget: int | None,
    monitor: Monitor | None,
    slopes: np.ndarray | None,
    **options: Any,
) -> Solution:
    """The first solver for up to half of the budget, then the one that its troubles do not touch.

    Coordinate ascent is quick on most sparse data (a9a: a third of the interior point's time), hopeless on some.
    """
    first, second = solvers
    few = first.first_budget if budget is None else min(first.first_budget, budget // 2)
    found = _certified(problem, first, start, tolerance, few, monitor, slopes, **options)
    if found.status is not Status.BUDGET_EXHAUSTED:
        return found
    rest = None if budget is None else min(budget - found.iterations, second.budget)
    start = found.variables if second.resumes else start
    before = found.iterations * max(1, first.steps_an_iteration)
    again = _certified(problem, second, start, tolerance, rest, monitor, slopes, before)
    if not again.evidence.gap <= found.evidence.gap:
        again = replace(again, variables=found.variables, slopes=found.slopes, evidence=found.evidence)
    return replace(again, iterations=found.iterations + again.iterations)


def _certified(
    problem: Any,
    solver: type[Solver],
    start: np.ndarray | None,
    tolerance: float,
    budget: int | None,
    monitor: Monitor | None,
    slopes: np.ndarray | None,
    before: int = 0,
    **options: Any,
) -> Solution:
    """One solver, until the proof meets the tolerance; `before` are iterations of an earlier one, for a trace."""
    many = solver.steps_an_iteration
    budget = solver.budget if budget is None or not many else many * budget
    if start is None and solver is Newton and _worth_a_sketch(problem):
        other = None if monitor is None else monitor.untraced()
        sketch = _certified(problem.thinned(_SKETCH), solver, None, _SKETCH_TOLERANCE, budget, other, None)
        if sketch.keyboard:
            theta, evidence = _proven(problem, sketch.variables, None, tolerance)
            return replace(sketch, variables=theta, evidence=evidence)
        start = sketch.variables
    theta, u, used = problem.start() if start is None else start, slopes, 0
    rule = solver is StochasticGradient and is_perceptron(problem)  # shall take its steps
    if start is not None or (problem.kind == "risk" and not rule and problem.loss_at(np.zeros(problem.n)) == 0):
        # no loss at the origin: it is the minimum
        evidence = evaluate_linear(problem, theta, u)
        if evidence.relative_gap <= tolerance:
            theta, evidence = with_exact_zeros(problem, theta, u, evidence)
            if issubclass(solver, IterativeSolver):
                solver(problem, theta, tolerance, u, **options)  # type: ignore[call-arg]  # looks at the options
            found = Solution(theta, Status.CONVERGED, 0, slopes=u, evidence=evidence, solver=solver.name)
            return _kept(problem, solver, found, tolerance)
    target = min(tolerance, _EXACT) if 0 < problem.stored <= solver.exact_up_to else tolerance
    best: Solution | None = None
    for _ in range(_ROUNDS):
        if issubclass(solver, IterativeSolver):
            options["before"] = before + used
        solution = solver.solve(problem, theta, target, budget - used, monitor, slopes=u, **options)
        used += solution.iterations
        theta, evidence = _proven(problem, solution.variables, solution.slopes, tolerance)
        met = evidence.relative_gap <= tolerance
        status = Status.CONVERGED if met else solution.status
        iterations = -(-used // many) if many else used
        found = replace(
            solution, variables=theta, status=status, iterations=iterations, evidence=evidence, solver=solver.name
        )
        if met or solution.status is not Status.CONVERGED:
            return _kept(problem, solver, found, tolerance)
        if evidence.rounding > max(tolerance, 0.5 * evidence.relative_gap):  # no theta proves less
            return _kept(problem, solver, replace(found, status=Status.STALLED), tolerance)
        if best is None or evidence.gap < best.evidence.gap:
            best = found
        theta, u, target = solution.variables, solution.slopes, min(target, tolerance) / 10
    assert best is not None
    return _kept(problem, solver, replace(best, status=Status.STALLED, iterations=iterations), tolerance)


def _proven(problem: Any, theta: np.ndarray, u: np.ndarray | None, tolerance: float) -> tuple[np.ndarray, RiskEvidence]:
    """The evidence at theta, or at a point beside it where the objective is exactly zero.

    An optimum of zero is met exactly or not at all: relative to it every other value is far away. Without a penalty
    weights that are longer by 1e-6 leave a separated sample no loss; the perceptron's loss is zero at the origin.
    """
    theta, evidence = with_exact_zeros(problem, theta, u, evaluate_linear(problem, theta, u))
    if evidence.relative_gap <= tolerance or evidence.dual > 0 or not evidence.primal < _ALMOST_ZERO * problem.n:
        return theta, evidence
    for other in ((1 + 1e-6) * theta, np.zeros_like(theta)):
        found = evaluate_linear(problem, other, u)
        if found.relative_gap <= tolerance:
            return other, found
    return theta, evidence


def _kept(problem: Any, solver: type[Solver], found: Solution, tolerance: float) -> Solution:
    """The solution with the slopes that a model has to keep, and evidence about what is kept.

    None are kept where the weights alone prove enough: of a smooth loss, unless the solver worked in the dual and
    proves more by its slopes.
    """
    if found.slopes is None:
        return found
    if problem.smooth:
        alone = evaluate_linear(problem, found.variables)
        if not solver.works_in_dual or alone.relative_gap <= tolerance:
            return replace(found, slopes=None, evidence=alone)
    return replace(found, slopes=found.evidence.u)


def _without_weights(problem: Any, solver: type[Solver], found: Solution, tolerance: float) -> Solution:
    """The constant that is best, where that is the answer: weights that are nearly zero would not prove it."""
    theta, flat = problem.start(), np.zeros(problem.n)
    theta[-1] = float(np.median(problem.y)) if problem.fit_intercept else 0.0
    evidence = evaluate_linear(problem, theta, flat)
    if not evidence.relative_gap <= tolerance:
        return found
    constant = replace(found, variables=theta, evidence=evidence, slopes=flat, status=Status.CONVERGED)
    return _kept(problem, solver, constant, tolerance)


def _worth_a_sketch(problem: Any) -> bool:
    return problem.l2 > 0 and problem.n >= max(_SKETCH * _SKETCH_ROWS * problem.d, 50_000)
