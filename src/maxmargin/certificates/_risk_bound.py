"""A lower bound of the optimum of a regularised risk, from slopes of its losses.

The slopes of the bound are real numbers near those that float64 holds. Where they have to meet an equation, they do so
after a change that is proven to exist, and that the bound pays for:

- an intercept asks for sum_i c_i u_i = 0. Scaling the slopes of the heavier sign by 1 - t does it, for a t of a few
  units in the last place. 0 is a slope of every loss, with the conjugate 0, hence by convexity a conjugate rises by at
  most t times its size.
- an L1 penalty alone asks for |v| <= l1: all slopes are scaled.
- no penalty asks for v = 0: see `exact_corrections`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nextafter

import numpy as np

from ..data import compensated_sums, sum_depth, sum_magnitudes
from ..penalties import CustomPenalty, Penalty
from ..problems import Risk
from ._linear_bounds import (
    ROOM,
    WEIGHT,
    capped,
    compensated_errors,
    conjugate_bound,
    conjugates,
    constrained,
    exact_corrections,
    signed_sides,
)
from ._risk_slopes import EQUATIONS, balanced, in_domain, with_sum_zero
from ._rounding import U, bounded_dot

# Rounding that takes more than this share of a bound is worth another one.
_UNCERTAIN = 1e-6
# Relative error of a product c_i u_i: that of c_i, its own rounding, and that of u where it was scaled.
SLOPES = WEIGHT + 4 * U


@dataclass(frozen=True)
class Below:
    """A lower bound of the optimum, what of it is rounding, its slopes, v = -X'(c u), and bounds of v's errors."""

    value: float
    rounding: float
    u: np.ndarray
    v: np.ndarray
    errors: np.ndarray


def lower_bound(problem: Risk, f: np.ndarray, u: np.ndarray, as_given: bool = False) -> Below:
    """The dual at slopes near u that are exactly feasible; `as_given` ones were made so before."""
    nothing = Below(0.0, 0.0, np.zeros_like(f), np.zeros(problem.d), np.zeros(problem.d))
    c, penalty, threads = problem.weights, problem.penalty, problem.threads
    u = np.where(c > 0, in_domain(problem, u), 0.0)
    if not as_given:
        u = with_sum_zero(problem, u)
    if not np.isfinite(u).all():
        return nothing
    l1, l2 = penalty.separable or (0.0, inf)  # a custom penalty has a conjugate by itself, like one with an L2 part
    free = l1 <= 0 and l2 <= 0
    if free and not as_given:
        u = balanced(problem, f, u, problem.transposed(c * u))
    v, size = compensated_sums(problem.rows, -(c * u), threads)
    if not np.isfinite(size).all():
        return nothing
    if penalty.separable is None:
        u, v, size = _within_domain(problem, u, v, size, SLOPES + 2 * _imbalance(problem, u)[0])
    elif l2 <= 0 and not free:
        u, v, size = _within_l1(penalty, l1, u, v, size)
    found = _bound_at(problem, u, v, size, l1, l2, free)
    if min(l1, l2) > 0 and isfinite(l2) and (found is None or not found.rounding <= _UNCERTAIN * abs(found.value)):
        # the squares of the roundings of v, over a small l2, are all there is to see: of more than an L1 penalty alone
        # the objective is no less than with it
        u, v, size = _within_l1(penalty, l1, u, v, size)
        other = _bound_at(problem, u, v, size, l1, 0.0, False)
        if other is not None and (found is None or other.value > found.value):
            found = other
    return nothing if found is None else found


def _bound_at(
    problem: Risk, u: np.ndarray, v: np.ndarray, size: np.ndarray, l1: float, l2: float, free: bool
) -> Below | None:
    """The dual at slopes u, where ``v = -A'diag(c) u`` has terms of `size`; nothing, if it is not finite."""
    penalty = problem.penalty
    value, error, wobble = conjugate_sum(problem, u)
    if free:
        errors = compensated_errors(v, size, problem.n, SLOPES)
        moved, rounded = _correction(problem, u, v, errors)
        return _below(value - error - moved, error + rounded, abs(value) + error + moved, u, v, errors)

    def at(t: float) -> tuple[float, float, float, np.ndarray]:
        """The bound if slopes of one sign have to be scaled by 1 - t, what it costs, its terms, and errors of v."""
        errors, cost = compensated_errors(v, size, problem.n, SLOPES + t), error + t * wobble
        if l2 > 0:
            penalised, more = conjugate_bound(penalty, v, errors)
            return value - cost - penalised, cost + more, abs(value) + cost + more, errors
        largest = float((constrained(penalty, v) + errors).max(initial=0.0)) * (1 + 4 * U)
        shrink = min(1.0, l1 / largest * (1 - 4 * U)) if largest > 0 else 1.0
        more = (1 - shrink) * abs(value)
        return shrink * (value - cost), cost + more, abs(value) + cost + more, errors

    t, rounded = _imbalance(problem, u)
    bound, cost, terms, errors = at(t)
    if rounded < t:
        _, cost, _, errors = at(rounded)
    return _below(bound, cost, terms, u, v, errors)


def _below(
    bound: float, rounding: float, terms: float, u: np.ndarray, v: np.ndarray, errors: np.ndarray
) -> Below | None:
    """A bound whose last subtractions, of such terms, round themselves; nothing, if it is not finite."""
    bound = nextafter(bound - 4 * U * (terms + abs(bound)), -inf)
    return Below(bound, rounding, u, v, errors) if isfinite(bound) else None


def conjugate_sum(problem: Risk, u: np.ndarray) -> tuple[float, float, float]:
    """``-sum_i c_i loss*(u_i)``, a bound of its error, and an upper bound of the sum of the terms' sizes."""
    c = problem.weights
    stars, errors = conjugates(problem.loss, u, problem.y, c)
    with np.errstate(over="ignore", invalid="ignore"):
        value, error = bounded_dot(c, stars, errors + WEIGHT * np.abs(stars))
        size = float(c @ np.abs(stars)) * ROOM
    return (-value, error, size) if isfinite(error) and isfinite(size) else (-inf, inf, inf)


def _imbalance(problem: Risk, u: np.ndarray) -> tuple[float, float]:
    """The part t of the slopes of one sign that has to go so that the weighted sum is zero, at most.

    And what of t is a matter of rounding: slopes that are balanced sum to no more than their own errors.
    """
    if not problem.fit_intercept or not u.any():
        return 0.0, 0.0
    c = problem.weights
    total, error = bounded_dot(c, u)
    size = float(c @ np.abs(u)) * ROOM
    least = min(signed_sides(c, u))
    if least <= 0:
        return inf, inf
    error += WEIGHT * size
    return (abs(total) + error) / least * ROOM, float(capped(abs(total), error)) / least * ROOM


def _within_l1(
    penalty: Penalty | CustomPenalty, l1: float, u: np.ndarray, v: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Slopes, scaled so that no |v_j| (no v_j, where weights must not be negative) is above l1 but for rounding."""
    largest = float(constrained(penalty, v).max(initial=0.0))
    scale = min(1.0, l1 / largest) if largest > 0 else 1.0
    return (scale * u, scale * v, scale * size) if scale < 1 else (u, v, size)


def _within_domain(
    problem: Risk, u: np.ndarray, v: np.ndarray, size: np.ndarray, relative_error: float
) -> tuple[np.ndarray, ...]:
    """Slopes, scaled so that the conjugate of a custom penalty is finite at v, rounding included.

    Its domain is convex and has 0 in it: the scales that do are an interval from 0, whose end is found by halving.
    """
    errors = compensated_errors(v, size, problem.n, relative_error)

    def finite(t: float) -> bool:
        return isfinite(conjugate_bound(problem.penalty, t * v, t * errors)[0])

    if finite(1.0) or not np.isfinite(v).all():
        return u, v, size
    low, high = 0.0, 1.0
    while high - low > 1e-13 * high and high > 1e-300:
        middle = low + (high - low) / 2
        low, high = (middle, high) if finite(middle) else (low, middle)
    return low * u, low * v, low * size


def _correction(problem: Risk, u: np.ndarray, v: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """What it costs at most to move u until ``sum_i c_i u_i (x_i, 1)`` is exactly zero; inf if no proof is found.

    And what of it is a matter of rounding. A slope may move by theta times its distance rho from its limits (and from a
    typical slope's size, where there are no limits), which costs at most theta times the largest rise of its conjugate
    on the way there, by convexity.
    """
    c, y, loss = problem.weights, problem.y, problem.loss
    if problem.d > EQUATIONS or not u.any():
        return (inf, inf) if u.any() else (0.0, 0.0)
    lower, upper_ = loss.dual_lower(y), loss.dual_upper(y)
    typical = float(c @ np.abs(u)) / float(c.sum())
    rho = np.minimum(np.minimum(u - lower, upper_ - u), typical) * (1 - 1e-9)
    rho = np.where(c > 0, np.maximum(rho, 0.0), 0.0)
    total, error = bounded_dot(c, u)
    sums = np.abs(np.append(v, total))
    off = np.append(errors, error + SLOPES * float(c @ np.abs(u)))
    # a column of zeros has nothing to balance
    kept = sum_magnitudes(problem.rows, (c > 0).astype(np.float64), problem.threads) > 0
    kept[-1] = problem.fit_intercept
    H = problem.weighted_gram(c * rho * rho)[np.ix_(kept, kept)]
    least = float(c[rho > 0].min(initial=inf))
    depth = sum_depth(problem.rows, problem.threads) + 4
    residuals = (sums + off)[kept, None], capped(sums, off)[kept, None]
    theta, rounded = exact_corrections(H, depth, least if isfinite(least) else 0.0, *residuals)
    if not theta < 1:
        return inf, inf
    at, _ = conjugates(loss, u, y, c)
    ends = np.maximum(conjugates(loss, u - rho, y, c)[0], conjugates(loss, u + rho, y, c)[0])
    rise = np.maximum(ends - at, 0.0) + 1e-12 * (np.abs(ends) + np.abs(at))
    return theta * float(c @ rise) * ROOM, rounded * float(c @ rise) * ROOM
