"""Both objectives of a regularised risk and the gap between them, from theta (and slopes u, if a solver has them).

The primal is the objective at theta, rounded up; the dual is a lower bound of the optimum by Fenchel's theorem (see
`maxmargin.problems`), rounded down: whoever found theta and u, and whatever float64 did to the sums, the optimum of the
problem lies between the two. Slopes that a solver does not give are those of the losses, made feasible here.

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
from typing import ClassVar

import numpy as np

from ..data import compensated_sums, sum_depth, sum_magnitudes
from ..losses import Loss
from ..penalties import CustomPenalty, Penalty
from ..problems import Risk
from ._custom import assumption, refute_functions
from ._duality import relative
from ._linear_bounds import (
    ROOM,
    VALUE,
    WEIGHT,
    capped,
    compensated_errors,
    conjugate_bound,
    conjugates,
    constrained,
    decision_errors,
    exact_corrections,
    largest_losses,
    penalty_bounds,
    signed_sides,
)
from ._rounding import TINY, U, bounded_dot, upper

# Without any penalty the dual has d + 1 equations; beyond this many features they are not solved.
_EQUATIONS = 4000
# Terms of smaller objectives may be subnormal numbers, which have an absolute error.
_SMALL = 2.0**-900
# A weighted sum of slopes below this fraction of its terms is zero; rounding leaves about 1e-14 of a million terms.
_BALANCED = 1e-13
# Rounding that takes more than this share of a bound is worth another one.
_UNCERTAIN = 1e-6
# Relative error of a product c_i u_i: that of c_i, its own rounding, and that of u where it was scaled.
_SLOPES = WEIGHT + 4 * U


@dataclass(frozen=True)
class RiskEvidence:
    """Figures of one linear problem, recomputed. ``u`` are the slopes (multipliers) of the lower bound.

    ``decision`` are the values f. ``rounding`` is the part of the relative gap that bounds rounding errors: no theta
    proves less. What slopes cost that do not meet their equations is no part of it, as far as it is more than rounding.
    ``violation_rounding`` bounds those of the violation. ``assumes`` says what the bounds rest on besides arithmetic: a
    user's functions. ``unbounded``: theta itself proves that the losses have an infimum and no minimum.
    """

    definiteness: ClassVar[str] = "known"  # there is no kernel
    confidence: ClassVar[float] = 1.0  # all bounds are proven

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    u: np.ndarray
    decision: np.ndarray
    rounding: float = 0.0
    violation_rounding: float = 0.0
    assumes: str = ""
    unbounded: bool = False


@dataclass(frozen=True)
class _Below:
    """A lower bound of the optimum, what of it is rounding, its slopes, v = -X'(c u), and bounds of v's errors."""

    value: float
    rounding: float
    u: np.ndarray
    v: np.ndarray
    errors: np.ndarray


def evaluate_risk(
    problem: Risk, theta: np.ndarray, u: np.ndarray | None = None, *, as_given: bool = False
) -> RiskEvidence:
    """Primal, dual, gap and violation at theta; of given and derived slopes the ones that prove more.

    Slopes `as_given` come from earlier evidence. They are taken as they are, and no others are tried: made feasible
    once more they would be others, with another violation, and figures that were stated of them not found again.
    """
    f = problem.decision(theta)
    primal, rounding = _primal(problem, theta, f)
    if not isfinite(primal):
        return RiskEvidence(inf, 0.0, inf, inf, inf, np.zeros_like(f), f)
    if as_given and u is not None:
        return evidence_of(problem, theta, f, (primal, rounding), _lower_bound(problem, f, u, as_given=True))
    below = _lower_bound(problem, f, _feasible_slopes(problem, f))
    if u is not None:
        given = _lower_bound(problem, f, u)
        below = given if given.value > below.value else below
    return evidence_of(problem, theta, f, (primal, rounding), below)


def evidence_of(
    problem: Risk, theta: np.ndarray, f: np.ndarray, primal: tuple[float, float], below: _Below
) -> RiskEvidence:
    """Evidence from both bounds. No loss and no penalty is negative: the optimum is at least 0."""
    value, rounding = primal
    dual = max(below.value, 0.0)
    if 0 < value < _SMALL:
        underflow = _underflow(problem)
        value, dual, rounding = value + underflow, max(dual - underflow, 0.0), rounding + underflow
    gap = value - dual
    violation = _violation(problem, theta[:-1], below.v)
    rounded = min(rounding + below.rounding, gap)
    errors = float(below.errors.max(initial=0.0))
    assumes = ""
    if problem.is_custom:
        refute_functions(problem, theta, f, below.u, below.v)
        assumes = assumption(problem)
    figures = value, dual, gap, relative(gap, value, dual), violation
    unbounded = _has_no_minimum(problem, f)
    return RiskEvidence(*figures, below.u, f, relative(rounded, value, dual), errors, assumes, unbounded)


def _underflow(problem: Risk) -> float:
    """What losses, conjugates and squares of weights that are subnormal numbers may be off by, all terms together."""
    l2 = (problem.penalty.separable or (0.0, 0.0))[1]
    factors = 1 + float(problem.weights.max(initial=0.0)) + l2 + (1 / l2 if l2 > 0 else 0.0)
    return 8 * (problem.n + problem.d + 4) * factors * TINY


def _has_no_minimum(problem: Risk, f: np.ndarray) -> bool:
    """A loss that falls for ever, no penalty, and every sample on its side: longer weights are always better."""
    if problem.penalty.separable != (0.0, 0.0):
        return False
    falls_for_ever = problem.loss.kind == "classification" and problem.loss.twice_differentiable
    return falls_for_ever and bool((problem.y * f > 0)[problem.weights > 0].all())


def _violation(problem: Risk, w: np.ndarray, v: np.ndarray) -> float:
    """How far v is from being a subgradient of the penalty at w: the largest distance of an entry.

    Of a custom penalty, whose subgradients are not known: how far a proximal step of length 1 along v moves w.
    """
    penalty = problem.penalty
    if penalty.separable is None:
        return float(np.abs(w - penalty.prox(w + v, 1.0)).max(initial=0.0))
    low, high = subgradients(w, *penalty.separable)
    if penalty.positive:
        low = np.where(w > 0, low, -inf)
    return float(np.abs(v - np.clip(v, low, high)).max(initial=0.0))


def _primal(problem: Risk, theta: np.ndarray, f: np.ndarray) -> tuple[float, float]:
    """An upper bound of the objective at theta, and how much of it is rounding."""
    c = problem.weights
    if not np.isfinite(theta).all():
        return inf, inf
    losses = largest_losses(problem.loss, f, decision_errors(problem.rows, theta, problem.threads), problem.y)
    losses[c <= 0] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        value, error = bounded_dot(c, losses)
        error += (VALUE + WEIGHT) * ROOM * value + TINY * float(losses.sum())
    penalty, more = penalty_bounds(problem.penalty, theta[:-1])
    total = upper(value + penalty, (error + more + 2 * U * (value + penalty)) * ROOM)
    if not isfinite(total):
        return inf, inf
    return total, max(total - problem.value_at(f, theta), 0.0)


def _lower_bound(problem: Risk, f: np.ndarray, u: np.ndarray, as_given: bool = False) -> _Below:
    """The dual at slopes near u that are exactly feasible; `as_given` ones were made so before."""
    nothing = _Below(0.0, 0.0, np.zeros_like(f), np.zeros(problem.d), np.zeros(problem.d))
    c, penalty, threads = problem.weights, problem.penalty, problem.threads
    u = np.where(c > 0, _in_domain(problem, u), 0.0)
    if not as_given:
        u = _with_sum_zero(problem, u)
    if not np.isfinite(u).all():
        return nothing
    l1, l2 = penalty.separable or (0.0, inf)  # a custom penalty has a conjugate by itself, like one with an L2 part
    free = l1 <= 0 and l2 <= 0
    if free and not as_given:
        u = _balanced(problem, f, u, problem.transposed(c * u))
    v, size = compensated_sums(problem.rows, -(c * u), threads)
    if not np.isfinite(size).all():
        return nothing
    if penalty.separable is None:
        u, v, size = _within_domain(problem, u, v, size, _SLOPES + 2 * _imbalance(problem, u)[0])
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
) -> _Below | None:
    """The dual at slopes u, where ``v = -A'diag(c) u`` has terms of `size`; nothing, if it is not finite."""
    penalty = problem.penalty
    value, error, wobble = _conjugate_sum(problem, u)
    if free:
        errors = compensated_errors(v, size, problem.n, _SLOPES)
        moved, rounded = _correction(problem, u, v, errors)
        return _below(value - error - moved, error + rounded, abs(value) + error + moved, u, v, errors)

    def at(t: float) -> tuple[float, float, float, np.ndarray]:
        """The bound if slopes of one sign have to be scaled by 1 - t, what it costs, its terms, and errors of v."""
        errors, cost = compensated_errors(v, size, problem.n, _SLOPES + t), error + t * wobble
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
) -> _Below | None:
    """A bound whose last subtractions, of such terms, round themselves; nothing, if it is not finite."""
    bound = nextafter(bound - 4 * U * (terms + abs(bound)), -inf)
    return _Below(bound, rounding, u, v, errors) if isfinite(bound) else None


def _conjugate_sum(problem: Risk, u: np.ndarray) -> tuple[float, float, float]:
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


def _with_sum_zero(problem: Risk, u: np.ndarray) -> np.ndarray:
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


def subgradients(w: np.ndarray, l1: float, l2: float) -> tuple[np.ndarray, np.ndarray]:
    """The interval of subgradients of the penalty at each weight."""
    return (
        l2 * w + np.where(w > 0, l1, -l1),
        l2 * w + np.where(w < 0, -l1, l1),
    )


def _in_domain(problem: Risk, u: np.ndarray) -> np.ndarray:
    if isinstance(problem.loss, Loss) and problem.loss.facts.slopes == (-inf, inf):
        return u
    return np.clip(u, problem.loss.dual_lower(problem.y), problem.loss.dual_upper(problem.y))


def _feasible_slopes(problem: Risk, f: np.ndarray) -> np.ndarray:
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


def _balanced(problem: Risk, f: np.ndarray, u: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Slopes with ``sum_i c_i u_i (x_i, 1) = 0``: the least change, where a sample's slope may change by its curvature.

    The change is that of a Newton step, small near the optimum, and smallest where a slope is near its limits.
    """
    if problem.d > _EQUATIONS:
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
        u = _in_domain(problem, u + room * problem.decision(change))
        sums = problem.transposed(problem.weights * u)
    return u


def _correction(problem: Risk, u: np.ndarray, v: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """What it costs at most to move u until ``sum_i c_i u_i (x_i, 1)`` is exactly zero; inf if no proof is found.

    And what of it is a matter of rounding. A slope may move by theta times its distance rho from its limits (and from a
    typical slope's size, where there are no limits), which costs at most theta times the largest rise of its conjugate
    on the way there, by convexity.
    """
    c, y, loss = problem.weights, problem.y, problem.loss
    if problem.d > _EQUATIONS or not u.any():
        return (inf, inf) if u.any() else (0.0, 0.0)
    lower, upper_ = loss.dual_lower(y), loss.dual_upper(y)
    typical = float(c @ np.abs(u)) / float(c.sum())
    rho = np.minimum(np.minimum(u - lower, upper_ - u), typical) * (1 - 1e-9)
    rho = np.where(c > 0, np.maximum(rho, 0.0), 0.0)
    total, error = bounded_dot(c, u)
    sums = np.abs(np.append(v, total))
    off = np.append(errors, error + _SLOPES * float(c @ np.abs(u)))
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
