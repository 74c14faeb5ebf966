"""Both objectives and the gap between them, from the variables alone, in float64.

Nothing of a solver is used: neither its gradient nor its intercept nor its running objective. With
r_i = p_i - f_i - b the gap of the box QP (see `maxmargin.problems`) is a sum of terms that cannot be negative,

    gap = sum_i (upper_i - beta_i) max(r_i, 0) + (beta_i - lower_i) max(-r_i, 0),

which is how it is computed here: P - D would lose the same figure to cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problems import BoxQP


@dataclass(frozen=True)
class Evidence:
    """Figures of one problem, recomputed. ``image`` is K beta, ``intercepts`` one b a group."""

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    intercepts: tuple[float, ...]
    image: np.ndarray
    definiteness: str = "known"


def best_intercept(residual: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float) -> float:
    """The b that minimises ``sum_i max(upper_i (residual_i - b), lower_i (residual_i - b)) + total b``.

    Convex and piecewise linear in b: sort the breakpoints and find where the slope changes its sign. Where the
    slope is zero on an interval (all multipliers at a bound), the middle of the interval.
    """
    order = np.argsort(residual, kind="stable")
    points, weight = residual[order], (upper - lower)[order]
    slope = np.cumsum(weight) + (total - upper.sum())  # slope just right of each breakpoint
    flat = 64 * np.finfo(np.float64).eps * max(float(weight.sum()), abs(total))
    last = len(points) - 1
    left = min(int(np.searchsorted(slope, -flat)), last)  # first breakpoint after which it no longer falls
    right = min(int(np.searchsorted(slope, flat, side="right")), last)  # first after which it rises
    return float(points[left] + (points[right] - points[left]) / 2)


def kkt_violation(problem: BoxQP, beta: np.ndarray, residual: np.ndarray) -> float:
    """Largest violation of the optimality conditions: max over those that may rise minus min over those that may fall.

    The same figure as LIBSVM's m(alpha) - M(alpha), the meaning of scikit-learn's ``tol``.
    """
    worst = 0.0
    for g in range(len(problem.totals)):
        members = problem.members(g)
        b, r = beta[members], residual[members]
        may_rise, may_fall = r[b < problem.upper[members]], r[b > problem.lower[members]]
        if may_rise.size and may_fall.size:
            worst = max(worst, float(may_rise.max() - may_fall.min()))
    return worst


def _violation_at(problem: BoxQP, beta: np.ndarray, residual: np.ndarray, intercepts: list[float]) -> float:
    """How far samples are from their conditions at given intercepts; never more than `kkt_violation` at the best."""
    worst = 0.0
    for g, b in enumerate(intercepts):
        members = problem.members(g)
        value, r = beta[members], residual[members] - b
        worst = max(worst, float(r[value < problem.upper[members]].max(initial=0.0)))
        worst = max(worst, float((-r[value > problem.lower[members]]).max(initial=0.0)))
    return worst


def relative(gap: float, primal: float, dual: float) -> float:
    """The gap as a fraction of the larger objective."""
    return gap / max(abs(primal), abs(dual), 1e-300) if np.isfinite(gap) else np.inf


def is_feasible(problem: BoxQP, beta: np.ndarray) -> bool:
    """Whether beta is in the box and has the right sums; rounding errors of the sums are allowed, nothing else."""
    if not ((beta >= problem.lower) & (beta <= problem.upper)).all():
        return False
    for g, total in enumerate(problem.totals):
        value = beta[problem.members(g)]
        if abs(float(value.sum()) - total) > 1e-9 * max(float(np.abs(value).sum()), abs(total)):
            return False
    return True


def _nothing_proven(image: np.ndarray, primal: float, intercepts: tuple[float, ...]) -> Evidence:
    """Variables that break a constraint bound nothing from below."""
    return Evidence(primal, -np.inf, np.inf, np.inf, np.inf, intercepts, image)


def evaluate(problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...] | None = None) -> Evidence:
    """Primal, dual, gap and violation of a box QP at beta, whoever found it; by default at the best intercepts."""
    f = problem.image(beta)
    residual = problem.p - f
    quadratic = float(beta @ f)
    dual = float(problem.p @ beta) - quadratic / 2
    primal, gap, used = quadratic / 2, 0.0, []
    for g, total in enumerate(problem.totals):
        members = problem.members(g)
        lower, upper, value = problem.lower[members], problem.upper[members], beta[members]
        b = best_intercept(residual[members], lower, upper, total) if intercepts is None else intercepts[g]
        r = residual[members] - b
        over, under = np.maximum(r, 0.0), np.maximum(-r, 0.0)
        primal += float(upper @ over - lower @ under) + total * b
        gap += float((upper - value) @ over + (value - lower) @ under)
        # rounding may leave the sum of beta off its total by a few ulp; the bound it costs is part of the gap
        gap += abs(b * (total - float(value.sum())))
        used.append(b)
    if not is_feasible(problem, beta):
        return _nothing_proven(f, primal, tuple(used))
    violation = max(kkt_violation(problem, beta, residual), _violation_at(problem, beta, residual, used))
    return Evidence(primal, dual, gap, relative(gap, primal, dual), violation, tuple(used), f)


def evaluate_hard_margin(problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...] | None = None) -> Evidence:
    """The hard-margin machine at signed multipliers beta of a classifier's problem (its upper bounds ignored).

    The dual is sum |beta| - 1/2 ||w||^2. For the primal the direction w is scaled until the closest sample has
    margin 1, which makes it feasible: P = 1/2 ||w||^2 / m^2 with m the smallest margin.
    """
    f = problem.image(beta)
    positive = problem.p > 0
    lowest, highest = float(f[positive].min()), float(f[~positive].max())
    b = -(lowest + highest) / 2 if intercepts is None else intercepts[0]
    m = min(lowest + b, -(highest + b))
    quadratic = float(beta @ f)
    dual = float(np.abs(beta).sum()) - quadratic / 2
    primal = quadratic / 2 / m**2 if m > 0 else np.inf
    signed = (problem.p * beta >= 0).all() and abs(float(beta.sum())) <= 1e-9 * float(np.abs(beta).sum())
    if not signed:
        return _nothing_proven(f, primal, (b,))
    gap = max(primal - dual, 0.0)
    support = beta != 0
    margins = problem.p * (f + b)
    # samples off the kerb: too close for any sample, too far for one with a multiplier
    violation = max(0.0, float((1 - margins).max()), float((margins[support] - 1).max(initial=0.0)))
    return Evidence(primal, dual, gap, relative(gap, primal, dual), violation, (b,), f)
