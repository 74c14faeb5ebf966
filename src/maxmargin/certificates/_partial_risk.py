"""Both objectives of a regularised risk from figures of parts of its rows.

Each part of the rows is a `Risk` of its own, of which the sums over samples are formed as `_risk` and `_risk_bound`
form them; `BoundedSum` adds the parts up. What is said about the whole is the interval that those two state: the primal
rounded up, the dual rounded down. For penalties with an L2 part, slopes by a `SlopeRule` or given one a sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, nextafter

import numpy as np

from ..data import compensated_sums
from ..penalties import Penalty
from ..problems import Risk
from ._bounded_sums import BoundedSum
from ._duality import relative
from ._linear_bounds import (
    ROOM,
    VALUE,
    WEIGHT,
    capped,
    compensated_errors,
    conjugate_bound,
    decision_errors,
    largest_losses,
    penalty_bounds,
    signed_sides,
)
from ._risk import RiskEvidence, subgradients
from ._risk_bound import SLOPES, conjugate_sum
from ._risk_slopes import in_domain
from ._rounding import TINY, U, bounded_dot, upper
from ._slope_rule import SlopeRule

# Objectives below this may be sums of subnormal numbers, whose errors are absolute: of them nothing is said.
_SMALL = 2.0**-900


@dataclass(frozen=True)
class RiskPart:
    """Sums over some of the rows: of losses, and of slopes u and their conjugates; or over all, where parts are added.

    Attributes
    ----------
    losses, plain : BoundedSum
        ``sum c loss``: the largest it may be, and as it was computed.
    dual, sizes : BoundedSum
        ``- sum c loss*(u)``, and the sum of the sizes of its terms.
    v, v_sizes : BoundedSum of arrays
        ``- sum c u x``, and the sums of absolute terms.
    total, u_sizes, positive, negative : BoundedSum
        ``sum c u``, its absolute terms, and lower bounds of the sums of positive and of negative terms, as sizes.

    """

    losses: BoundedSum
    plain: BoundedSum
    dual: BoundedSum
    sizes: BoundedSum
    v: BoundedSum
    v_sizes: BoundedSum
    total: BoundedSum
    u_sizes: BoundedSum
    positive: BoundedSum
    negative: BoundedSum

    def __add__(self, other: RiskPart) -> RiskPart:
        return RiskPart(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def rule_part(problem: Risk, f: np.ndarray, rule: SlopeRule) -> tuple[BoundedSum, BoundedSum, BoundedSum]:
    """``sum c u`` of the slopes of a rule, and the sums of its positive and of its negative terms, as sizes."""
    terms = problem.weights * rule.slopes(problem, f)
    total = bounded_dot(problem.weights, rule.slopes(problem, f))
    sides = float(terms[terms > 0].sum()), -float(terms[terms < 0].sum())
    return BoundedSum(*total), BoundedSum(sides[0], 0.0), BoundedSum(sides[1], 0.0)


def balanced_rule(rule: SlopeRule, total: float, positive: float, negative: float) -> SlopeRule:
    """The rule whose slopes sum to zero but for rounding: those of the heavier sign are scaled."""
    if total > 0 and positive > 0:
        return replace(rule, positive=rule.positive * (1 - min(1.0, total / positive)))
    if total < 0 and negative > 0:
        return replace(rule, negative=rule.negative * (1 - min(1.0, -total / negative)))
    return rule


def risk_part(problem: Risk, theta: np.ndarray, slopes: SlopeRule | np.ndarray) -> RiskPart:
    """The sums of one part of the rows, `slopes` being taken as they are."""
    c, f = problem.weights, problem.decision(theta)
    losses = largest_losses(problem.loss, f, decision_errors(problem.rows, theta, problem.threads), problem.y)
    losses[c <= 0] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        value, error = bounded_dot(c, losses)
        error += (VALUE + WEIGHT) * ROOM * value + TINY * float(losses.sum())
    u = slopes.slopes(problem, f) if isinstance(slopes, SlopeRule) else np.asarray(slopes, dtype=np.float64)
    u = np.where(c > 0, in_domain(problem, u), 0.0)
    dual, off, sizes = conjugate_sum(problem, u)
    v, v_sizes = compensated_sums(problem.rows, -(c * u), problem.threads)
    v_errors = compensated_errors(v, v_sizes, problem.n, SLOPES)
    total = bounded_dot(c, u)
    positive, negative = signed_sides(c, u)
    return RiskPart(
        BoundedSum(value, error),
        BoundedSum(problem.loss_at(f), 0.0),
        BoundedSum(dual, off),
        BoundedSum(sizes, 0.0),
        BoundedSum(v, np.where(np.isfinite(v_sizes), v_errors, inf)),
        BoundedSum(v_sizes, 0.0),
        BoundedSum(*total),
        BoundedSum(float(c @ np.abs(u)) * ROOM, 0.0),
        BoundedSum(positive, 0.0),
        BoundedSum(negative, 0.0),
    )


def evidence_of_parts(penalty: Penalty, theta: np.ndarray, fit_intercept: bool, sums: RiskPart) -> RiskEvidence:
    """What the sums over all rows prove; of the slopes of the samples it holds none."""
    nothing = np.empty(0)
    primal, rounding = _primal(penalty, theta, sums)
    if not isfinite(primal):
        return RiskEvidence(inf, 0.0, inf, inf, inf, nothing, nothing)
    dual, more = _dual(penalty, fit_intercept, sums)
    # no loss and no penalty is negative: the optimum is at least 0
    dual = max(dual, 0.0) if not 0 < primal < _SMALL else 0.0
    low, high = subgradients(theta[:-1], penalty.l1, penalty.l2)
    v = sums.v.value
    violation = float(np.abs(v - np.clip(v, low, high)).max(initial=0.0))
    gap = primal - dual
    rounded = relative(min(rounding + more, gap), primal, dual)
    errors = float(np.max(sums.v.error, initial=0.0))
    return RiskEvidence(primal, dual, gap, relative(gap, primal, dual), violation, nothing, nothing, rounded, errors)


def _primal(penalty: Penalty, theta: np.ndarray, sums: RiskPart) -> tuple[float, float]:
    """An upper bound of the objective at theta, and how much of it is rounding."""
    if not np.isfinite(theta).all():
        return inf, inf
    value, error = float(sums.losses.value), float(sums.losses.error)
    size, more = penalty_bounds(penalty, theta[:-1])
    total = upper(value + size, (error + more + 2 * U * (value + size)) * ROOM)
    if not isfinite(total):
        return inf, inf
    return total, max(total - (float(sums.plain.value) + penalty.value(theta[:-1])), 0.0)


def _dual(penalty: Penalty, fit_intercept: bool, sums: RiskPart) -> tuple[float, float]:
    """A lower bound of the optimum at slopes near those of the sums that are exactly feasible; what of it is rounding.

    The slopes of one sign are scaled by 1 - t, as `_risk_bound` explains.
    """
    value, error = float(sums.dual.value), float(sums.dual.error)
    if not (isfinite(value) and isfinite(error) and np.isfinite(sums.v.error).all()):
        return 0.0, 0.0
    wobble = float(sums.sizes.high)

    def at(t: float) -> tuple[float, float, float]:
        errors, cost = (sums.v.error + t * sums.v_sizes.high) * ROOM, error + t * wobble
        penalised, more = conjugate_bound(penalty, sums.v.value, errors)
        return value - cost - penalised, cost + more, abs(value) + cost + more

    t, rounded = _imbalance(sums) if fit_intercept else (0.0, 0.0)
    bound, cost, terms = at(t)
    if rounded < t:
        cost = at(rounded)[1]
    bound = nextafter(bound - 4 * U * (terms + abs(bound)), -inf)
    return (bound, cost) if isfinite(bound) else (0.0, 0.0)


def _imbalance(sums: RiskPart) -> tuple[float, float]:
    """The part t of the slopes of one sign that has to go so that the weighted sum is zero; what of it is rounding."""
    total, error = abs(float(sums.total.value)), float(sums.total.error)
    if total == 0 and error == 0 and float(sums.u_sizes.value) == 0:
        return 0.0, 0.0
    least = float(min(sums.positive.low, sums.negative.low))
    if least <= 0:
        return inf, inf
    error += WEIGHT * float(sums.u_sizes.high)
    return (total + error) / least * ROOM, float(capped(total, error)) / least * ROOM
