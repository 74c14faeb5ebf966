"""Both objectives of a regularised risk and the gap between them, from theta (and slopes u, if a solver has them).

The primal is the objective at theta, rounded up; the dual is a lower bound of the optimum by Fenchel's theorem (see
`maxmargin.problems`), rounded down: whoever found theta and u, and whatever float64 did to the sums, the optimum of the
problem lies between the two. Slopes that a solver does not give are those of the losses, made feasible
(`_risk_slopes`); `_risk_bound` says what the dual pays for slopes that float64 holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import ClassVar

import numpy as np

from ..problems import Risk
from ._custom import assumption, refute_functions
from ._duality import relative
from ._linear_bounds import ROOM, VALUE, WEIGHT, decision_errors, largest_losses, penalty_bounds
from ._risk_bound import Below, lower_bound
from ._risk_slopes import feasible_slopes
from ._rounding import TINY, U, bounded_dot, upper

# Terms of smaller objectives may be subnormal numbers, which have an absolute error.
_SMALL = 2.0**-900


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
        return evidence_of(problem, theta, f, (primal, rounding), lower_bound(problem, f, u, as_given=True))
    below = lower_bound(problem, f, feasible_slopes(problem, f))
    if u is not None:
        given = lower_bound(problem, f, u)
        below = given if given.value > below.value else below
    return evidence_of(problem, theta, f, (primal, rounding), below)


def evidence_of(
    problem: Risk, theta: np.ndarray, f: np.ndarray, primal: tuple[float, float], below: Below
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


def subgradients(w: np.ndarray, l1: float, l2: float) -> tuple[np.ndarray, np.ndarray]:
    """The interval of subgradients of the penalty at each weight."""
    return (
        l2 * w + np.where(w > 0, l1, -l1),
        l2 * w + np.where(w < 0, -l1, l1),
    )
