"""The referee's own proof of how good a linear model can be at best, from which the gaps of all contenders are taken.

It starts from the solution of a contender and goes on by methods of its own until the bound is sharp: Newton's method
where the loss is smooth, the same for ever narrower smoothings of the hinge, and L-BFGS-B in w = p - q with p, q >= 0
for the l1 penalty. How it gets there does not matter: any point proves a bound, see `linear_problem`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from scipy.optimize import brentq, minimize

from .linear_problem import Binary, LinearProblem, with_loss
from .margin_losses import Hinge, SmoothedHinge

SHARP = 2e-6  # of the primal: a bound this close to it is as good as the optimum
WIDTHS = tuple(2.0 * 4.0**-k for k in range(10))  # of the smoothed hinge
WARM = 3  # the first of them from a start that is not zero


@dataclass(frozen=True)
class Proof:
    """No model has an objective below ``dual``; ``theta`` is where this was found."""

    dual: float
    theta: np.ndarray


def lower_bound(problem: LinearProblem, start: np.ndarray) -> Proof:
    """A bound that is sharp to `SHARP`, unless the problem is very badly conditioned."""
    given = Proof(problem.dual(start), start)
    primal = problem.value(start)
    if primal - given.dual <= SHARP * primal:
        return given
    found = _of_hinge(problem, start) if _has_hinge(problem) else _of_smooth(problem, start)
    return found if found.dual > given.dual else given


def _has_hinge(problem: LinearProblem) -> TypeGuard[Binary]:
    return isinstance(problem, Binary) and isinstance(problem.loss, Hinge)


def _of_smooth(problem: LinearProblem, start: np.ndarray) -> Proof:
    theta = minimise_l1(problem, start) if problem.penalty == "l1" else minimise(problem, start)
    return Proof(problem.dual(theta), theta)


def _of_hinge(problem: Binary, theta: np.ndarray) -> Proof:
    best = Proof(-np.inf, theta)
    for width in WIDTHS[WARM if theta.any() else 0 :]:
        smooth = with_loss(problem, SmoothedHinge(width))
        theta = minimise(smooth, theta)
        last, best = best, Proof(problem.dual_of(smooth.slopes(theta)), theta)
        if best.dual - last.dual <= SHARP * abs(best.dual):  # what is missing falls at least as fast as the width
            break
    return max(last, best, key=lambda proof: proof.dual)


def minimise(problem: LinearProblem, theta: np.ndarray, steps: int = 100) -> np.ndarray:
    """Newton's method with steps of the best length, until the bound that theta proves is sharp.

    With an l2 penalty that bound is the value less half the square of the gradient. The best length costs only sums
    over the scores, and spares the smoothed hinge most of its steps.
    """
    scores, ridge = problem.scores(theta), problem.ridge(theta)
    for _ in range(steps):
        point = problem.at(theta, scores)
        if 0.5 * float(point.gradient @ point.gradient) <= SHARP / 4 * abs(point.value):
            break
        step = problem.newton_step(point)
        length = _best_length(problem, scores, problem.scores(step), ridge * theta, ridge * step, step)
        theta = theta + length * step
        scores = problem.scores(theta)
    return theta


def _best_length(
    problem: LinearProblem,
    scores: np.ndarray,
    change: np.ndarray,
    pull: np.ndarray,
    stiffness: np.ndarray,
    step: np.ndarray,
) -> float:
    """Where the objective is least along a step: a root of its derivative, to a hundredth."""
    start, rise = float(pull @ step), float(stiffness @ step)

    def derivative(length: float) -> float:
        return problem.slope_along(scores + length * change, change) + start + length * rise

    longest = 1.0
    while derivative(longest) < 0 and longest < 1e6:
        longest *= 2
    if not derivative(0.0) < 0 < derivative(longest):  # rounding errors: there is nowhere to go
        return longest if derivative(longest) <= 0 else 0.0
    return float(brentq(derivative, 0.0, longest, rtol=1e-2, xtol=1e-12))


def minimise_l1(problem: LinearProblem, theta: np.ndarray, rounds: int = 10) -> np.ndarray:
    """L-BFGS-B on the coefficients that are not 0 or may have to leave it, until no other wants to leave it."""
    assert isinstance(problem, Binary)
    for _ in range(rounds):
        pull = np.abs(problem.rows.T @ (problem.C * problem.sign * problem.loss.slope(problem.scores(theta))))
        chosen = (theta != 0) | (pull > 0.95)
        if problem.free_intercept:
            chosen[-1] = True
        before = problem.value(theta)
        theta = _on_columns(problem, theta, np.flatnonzero(chosen))
        if before - problem.value(theta) <= 1e-9 * before:
            break
    return theta


def _on_columns(problem: Binary, theta: np.ndarray, columns: np.ndarray) -> np.ndarray:
    rows = problem.rows[:, columns]
    cost = np.ones(len(columns))
    if problem.free_intercept:
        cost[columns == len(theta) - 1] = 0.0

    def objective(split: np.ndarray) -> tuple[float, np.ndarray]:
        p, q = split[: len(columns)], split[len(columns) :]
        z = problem.sign * (rows @ (p - q))
        slope = rows.T @ (-problem.C * problem.sign * problem.loss.slope(z))
        value = problem.C * float(problem.loss.value(z).sum()) + float(cost @ (p + q))
        return value, np.concatenate([cost + slope, cost - slope])

    w = theta[columns]
    found = minimize(
        objective,
        np.concatenate([np.maximum(w, 0.0), np.maximum(-w, 0.0)]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * len(columns)),
        options={"maxiter": 5000, "maxfun": 10000, "ftol": 1e-15, "gtol": 1e-7, "maxcor": 20},
    ).x
    out = np.zeros_like(theta)
    out[columns] = found[: len(columns)] - found[len(columns) :]
    return out
