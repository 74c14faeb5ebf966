"""Slopes of the losses that are feasible in the dual of a regularised risk, but for rounding."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from ..losses import Loss
from ..problems import Risk
from ._rounding import bounded_dot

# Without any penalty the dual has d + 1 equations; beyond this many features they are not solved.
EQUATIONS = 4000
# A weighted sum of slopes below this fraction of its terms is zero; rounding leaves about 1e-14 of a million terms.
_BALANCED = 1e-13


def in_domain(problem: Risk, u: np.ndarray) -> np.ndarray:
    if isinstance(problem.loss, Loss) and problem.loss.facts.slopes == (-inf, inf):
        return u
    return np.clip(u, problem.loss.dual_lower(problem.y), problem.loss.dual_upper(problem.y))


def feasible_slopes(problem: Risk, f: np.ndarray) -> np.ndarray:
    """Slopes of the losses whose weighted sum is zero.

    Those at f + t are, for the t where the sum (which rises with t) crosses zero. A loss with kinks may jump over zero
    there: both sides of the jump are slopes, and so is every mixture of the two.
    """
    loss, y, c = problem.loss, problem.y, problem.weights
    if not problem.fit_intercept:
        return loss.derivative(f, y)

    def slopes(t: float) -> tuple[np.ndarray, float]:
        u = loss.derivative(f + t, y)
        return u, float(c @ u)

    u, total = slopes(0.0)
    size = float(c @ np.abs(u))
    if abs(total) <= _BALANCED * size:
        return u
    other, other_total, low, high = _bracket(problem, slopes, u, total)
    if total * other_total > 0:  # one class alone: no such t
        return np.zeros_like(f)
    at_low, at_high = ((u, total), (other, other_total)) if total < 0 else ((other, other_total), (u, total))
    for k in range(200):
        if high - low <= 1e-15 * max(abs(low), abs(high), 1e-300) or at_high[1] - at_low[1] <= 1e-16 * size:
            break
        # false position finds a smooth crossing, halving a jump
        middle = low + (high - low) * (-at_low[1] / (at_high[1] - at_low[1]) if k % 2 else 0.5)
        if not low < middle < high:
            middle = low + (high - low) / 2
        found = slopes(middle)
        if abs(found[1]) <= _BALANCED * size:
            return found[0]
        if found[1] < 0:
            low, at_low = middle, found
        else:
            high, at_high = middle, found
    share = -at_low[1] / (at_high[1] - at_low[1]) if at_high[1] > at_low[1] else 0.5
    return (1 - share) * at_low[0] + share * at_high[0]


def _bracket(problem: Risk, slopes, u: np.ndarray, total: float):  # type: ignore[no-untyped-def]
    """A second t at which the sum has the other sign, and the interval between the two."""
    step = -np.sign(total) * 1e-3
    other, other_total = u, total
    for _ in range(60):
        other, other_total = slopes(step)
        if total * other_total <= 0:
            break
        step *= 2
    return other, other_total, min(step, 0.0), max(step, 0.0)


def with_sum_zero(problem: Risk, u: np.ndarray) -> np.ndarray:
    """Slopes whose weighted sum is zero but for rounding: those of the heavier sign are scaled."""
    if not problem.fit_intercept:
        return u
    c = problem.weights
    for _ in range(3):
        terms = c * u
        total, error = bounded_dot(c, u)
        if not isfinite(error) or abs(total) <= 2 * error:
            break
        heavier = terms > 0 if total > 0 else terms < 0
        side = float(np.abs(terms[heavier]).sum())
        if side == 0:
            break
        u = np.where(heavier, (1 - min(1.0, abs(total) / side)) * u, u)
    return u


def balanced(problem: Risk, f: np.ndarray, u: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Slopes with ``sum_i c_i u_i (x_i, 1) = 0``: the least change, where a sample's slope may change by its curvature.

    The change is that of a Newton step, small near the optimum, and smallest where a slope is near its limits.
    """
    if problem.d > EQUATIONS:
        return u
    room = problem.loss.curvature(f, problem.y)
    if not room.any():  # piecewise linear: the distance from the limits
        lower, upper = problem.loss.dual_lower(problem.y), problem.loss.dual_upper(problem.y)
        room = np.minimum(np.minimum(u - lower, upper - u), 1.0)  # a squared loss within its tube has no limits
    H = problem.weighted_gram(problem.weights * room)
    for _ in range(3):  # refinement of rounding
        if not (np.isfinite(H).all() and np.isfinite(sums).all()):  # rows whose squares overflow: no such slopes
            break
        change = np.linalg.lstsq(H, -sums, rcond=1e-14)[0]
        u = in_domain(problem, u + room * problem.decision(change))
        sums = problem.transposed(problem.weights * u)
    return u
