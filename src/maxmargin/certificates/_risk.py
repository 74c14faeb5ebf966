"""Both objectives of a regularised risk and the gap between them, from theta (and slopes u, if a solver has them).

Whoever found theta, the gap is recomputed as a sum of terms that cannot be negative (Fenchel and Young, see
`maxmargin.problems`): one a sample, c_i [loss(f_i) + loss*(u_i) - u_i f_i], and one a feature,
R_j(w_j) + R_j*(v_j) - v_j w_j. Slopes that a solver does not give are those of the losses, made feasible here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problems import Risk
from ._duality import relative

# Without any penalty the dual has d + 1 equations; beyond this many features they are not solved.
_EQUATIONS = 4000
# A weighted sum of slopes below this fraction of its terms is zero; rounding leaves about 1e-14 of a million terms.
_BALANCED = 1e-13


@dataclass(frozen=True)
class RiskEvidence:
    """Figures of one risk, recomputed. ``u`` are the slopes of the lower bound, ``decision`` the values f."""

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    u: np.ndarray
    decision: np.ndarray


def evaluate_risk(problem: Risk, theta: np.ndarray, u: np.ndarray | None = None) -> RiskEvidence:
    """Primal, dual, gap and violation at theta; of given and derived slopes the ones that prove more."""
    f = problem.decision(theta)
    evidence = _with_slopes(problem, theta, f, _feasible_slopes(problem, f))
    if u is not None and not evidence.gap <= 0:
        given = _with_slopes(problem, theta, f, _in_domain(problem, u))
        evidence = given if given.gap < evidence.gap or not np.isfinite(evidence.gap) else evidence
    if not np.isfinite(evidence.gap) and np.isfinite(evidence.primal):
        evidence = _with_slopes(problem, theta, f, np.zeros_like(f))  # no loss is below its least value
    return evidence


def _with_slopes(problem: Risk, theta: np.ndarray, f: np.ndarray, u: np.ndarray) -> RiskEvidence:
    w, b, c, penalty = theta[:-1], float(theta[-1]), problem.weights, problem.penalty
    primal = problem.value_at(f, theta)
    sums = problem.transposed(c * u)
    u, sums = _within_penalty(problem, f, u, sums)
    v = -sums[:-1]
    conjugates = np.where(c > 0, problem.loss.conjugate(u, problem.y), 0.0)
    dual = -float(c @ conjugates) - penalty.conjugate(v)
    # rounding leaves the sum of slopes off zero by a few ulp; the bound that it costs is part of the gap
    if abs(sums[-1]) > 1e-9 * max(float(c @ np.abs(u)), 1e-300):
        dual = -np.inf
    if not (np.isfinite(dual) and np.isfinite(primal)):
        return RiskEvidence(primal, -np.inf, np.inf, np.inf, np.inf, u, f)
    terms = problem.loss.value(f, problem.y) + conjugates - u * f
    gap = float(c @ np.maximum(terms, 0.0)) + max(penalty.value(w) + penalty.conjugate(v) - float(v @ w), 0.0)
    gap += abs(b * float(sums[-1]))
    violation = float(np.abs(v - np.clip(v, *subgradients(w, penalty.l1, penalty.l2))).max(initial=0.0))
    return RiskEvidence(primal, dual, gap, relative(gap, primal, dual), violation, u, f)


def subgradients(w: np.ndarray, l1: float, l2: float) -> tuple[np.ndarray, np.ndarray]:
    """The interval of subgradients of the penalty at each weight."""
    return (
        l2 * w + np.where(w > 0, l1, -l1),
        l2 * w + np.where(w < 0, -l1, l1),
    )


def _in_domain(problem: Risk, u: np.ndarray) -> np.ndarray:
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


def _within_penalty(problem: Risk, f: np.ndarray, u: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes for which the penalty's conjugate is finite: any with an L2 part, scaled for L1, corrected for none."""
    penalty = problem.penalty
    if penalty.l2 > 0:
        return u, sums
    if penalty.l1 > 0:
        largest = float(np.abs(sums[:-1]).max(initial=0.0))
        scale = min(1.0, penalty.l1 / largest) if largest > 0 else 1.0
        while largest * scale > penalty.l1:
            scale = np.nextafter(scale, 0.0)
        return scale * u, scale * sums
    return _balanced(problem, f, u, sums)


def _balanced(problem: Risk, f: np.ndarray, u: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes with ``sum_i c_i u_i (x_i, 1) = 0``: the least change, where a sample's slope may change by its curvature.

    The change is that of a Newton step, small near the optimum, and smallest where a slope is near its limits.
    """
    if problem.d > _EQUATIONS:
        return u, sums
    room = problem.loss.curvature(f, problem.y)
    if not room.any():  # piecewise linear: the distance from the limits
        lower, upper = problem.loss.dual_lower(problem.y), problem.loss.dual_upper(problem.y)
        room = np.minimum(np.minimum(u - lower, upper - u), 1.0)  # a squared loss within its tube has no limits
    H = problem.weighted_gram(problem.weights * room)
    for _ in range(3):  # refinement of rounding
        change = np.linalg.lstsq(H, -sums, rcond=1e-14)[0]
        u = _in_domain(problem, u + room * problem.decision(change))
        sums = problem.transposed(problem.weights * u)
    scale = problem.transposed(problem.weights * np.abs(u))
    tiny = np.abs(sums[:-1]) <= 1e-9 * (np.abs(scale[:-1]) + np.abs(scale[-1]))
    return u, np.where(np.append(tiny, False), 0.0, sums)
