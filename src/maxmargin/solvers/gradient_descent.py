"""Gradient descent, the plain reference.

    theta <- theta - t g,      g = gradient of J = sum_i c_i loss(f_i) + l2/2 ||w||^2.

The step t is found by backtracking until J falls enough, J(theta - t g) <= J(theta) - sigma t ||g||^2 (Armijo 1966;
Nocedal and Wright 2006, algorithm 3.1), from twice the last one, so that it can grow; or it is fixed, at 1/L with L
a bound of the Hessian's largest eigenvalue. Trials cost no pass over the rows: the decision values along the ray are
f + t (X~ p). Needs: a loss with a derivative, a penalty without an L1 part. The number of steps grows with the
condition of the Hessian: columns of very different units are not for this solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..problems import Risk
from ._iterates import run
from ._monitor import Monitor
from ._needs import Needs
from ._risk_solution import RiskSolution

NEEDS = Needs(smooth=True, no_l1=True)
BUDGET = 20_000
_SIGMA = 1e-4
_HALVINGS = 60
# Decision values are updated, not recomputed; a pass over the rows now and then forgets the rounding.
REFRESH = 100


def solve(
    problem: Risk,
    start: np.ndarray,
    tolerance: float,
    budget: int = BUDGET,
    monitor: Monitor | None = None,
    slopes: Any = None,
    *,
    step: str | float = "line_search",
) -> RiskSolution:
    """Minimise.

    Parameters
    ----------
    problem, start, tolerance, budget, monitor, slopes
        As for every solver.
    step : "line_search", "fixed" or float
        Backtracking; 1/L; or a number, with which it is up to you that the method does not diverge.

    Returns
    -------
    RiskSolution

    """
    if step == "line_search":
        iterates = _by_line_search(problem, start)
    elif step == "fixed":
        L = problem.lipschitz_gradient() + problem.penalty.l2
        iterates = _by_fixed_step(problem, start, 1.0 / L if L > 0 else 1.0)
    elif isinstance(step, (int, float)) and 0 < step < np.inf:
        iterates = _by_fixed_step(problem, start, float(step))
    else:
        raise ValueError(f"step must be 'line_search', 'fixed' or a positive number; got {step!r}.")
    return run(problem, start, iterates, tolerance, budget, monitor, slopes)


def _by_fixed_step(problem: Risk, theta: np.ndarray, t: float) -> Iterator[tuple[np.ndarray, float]]:
    while True:
        g = slope_at(problem, problem.decision(theta), theta)
        with np.errstate(over="ignore"):  # a step that is too long diverges: the last finite point is the answer
            new = theta - t * g
        if not np.isfinite(new).all() or np.array_equal(new, theta):
            return
        theta = new
        yield theta, float(np.abs(g).max())


def _by_line_search(problem: Risk, theta: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    f = problem.decision(theta)
    value, t, k = problem.value_at(f, theta), None, 0
    while True:
        g = slope_at(problem, f, theta)
        square = float(g @ g)
        if square == 0:
            return
        along = problem.decision(g)
        if t is None:  # the minimum along the ray if the curvature were at its bound everywhere: never too long
            bend = problem.loss.smoothness * float(problem.weights @ along**2) + problem.penalty.l2 * square
            t = square / bend if bend > 0 else 1.0
        else:
            t *= 2
        for _ in range(_HALVINGS):
            new = theta - t * g
            new_f = f - t * along
            new_value = problem.value_at(new_f, new)
            if new_value <= value - _SIGMA * t * square:
                break
            t /= 2
        else:  # rounding allows no descent
            return
        k += 1
        theta, f, value = new, problem.decision(new) if k % REFRESH == 0 else new_f, new_value
        yield theta, float(np.abs(g).max())


def slope_at(problem: Risk, f: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Gradient of J from decision values that are known, by one pass over the rows."""
    g = problem.transposed(problem.weights * problem.loss.derivative(f, problem.y))
    g[:-1] += problem.penalty.l2 * theta[:-1]
    return g
