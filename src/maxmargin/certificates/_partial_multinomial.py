"""Both objectives of a multinomial problem from figures of parts of its rows; see also `_partial_risk`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from ..data import sum_depth, sum_magnitudes
from ..penalties import Penalty
from ..problems import MultinomialRisk
from ._bounded_sums import BoundedSum
from ._duality import relative
from ._linear_bounds import ROOM, VALUE, WEIGHT, capped, penalty_bounds
from ._multinomial import SLOPES, bounded_entropy, bounded_losses, off_labels
from ._risk import RiskEvidence, subgradients
from ._rounding import TINY, U, bounded_dot, bounded_sum, gamma, upper
from ._simplex_bounds import dual_bound


@dataclass(frozen=True)
class MultinomialPart:
    """Sums over some of the rows, or over all where parts are added.

    Attributes
    ----------
    losses, entropy : BoundedSum
        ``sum c loss`` and ``- sum c sum_k p_k log p_k``.
    V, V_moved : BoundedSum of arrays
        ``- X'u`` of shape (d, k), and by how much it moves for a unit of t, of shape (d,).
    sums, class_weights, slack : BoundedSum of arrays
        By class: ``sum u_k``, the weights of its samples, and what the terms of the first are off by.

    """

    losses: BoundedSum
    entropy: BoundedSum
    V: BoundedSum
    V_moved: BoundedSum
    sums: BoundedSum
    class_weights: BoundedSum
    slack: BoundedSum

    def __add__(self, other: MultinomialPart) -> MultinomialPart:
        return MultinomialPart(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def multinomial_part(problem: MultinomialRisk, theta: np.ndarray, shift: np.ndarray) -> MultinomialPart:
    """The sums of one part of the rows; `shift` are what intercepts change by for the probabilities of the dual."""
    F, c, k, threads = problem.decision(theta), problem.weights, problem.classes, problem.threads
    losses, errors = bounded_losses(problem, theta, F)
    with np.errstate(over="ignore", invalid="ignore"):
        kept = c > 0
        value, error = bounded_dot(c[kept], losses[kept], errors[kept])
        error += (VALUE + WEIGHT) * ROOM * abs(value) + TINY * float(np.abs(losses[kept]).sum())
    others, u = off_labels(problem, problem.probabilities(F + shift)[1])
    V = -problem.transposed(u)[:-1]
    _, entropy, entropy_error = bounded_entropy(problem, others)
    off = SLOPES + k * U
    depth = sum_depth(problem.rows, threads)
    a = (gamma(depth) + off) * np.abs(u).max(axis=1) * ROOM
    moved = sum_magnitudes(problem.rows, a, threads)[:-1] * ROOM + depth * TINY
    by_class = [bounded_sum(np.ascontiguousarray(u[:, j])) for j in range(k)]
    return MultinomialPart(
        BoundedSum(value, error),
        BoundedSum(entropy, entropy_error),
        BoundedSum(V, np.broadcast_to(moved[:, None], V.shape)),
        BoundedSum(sum_magnitudes(problem.rows, c, threads)[:-1], 0.0),
        BoundedSum(np.array([found for found, _ in by_class]), np.array([bound for _, bound in by_class])),
        BoundedSum(np.bincount(problem.label, weights=c, minlength=k), 0.0),
        BoundedSum(off * ROOM * np.abs(u).sum(axis=0), 0.0),
    )


def evidence_of_classes(
    penalty: Penalty, theta: np.ndarray, fit_intercept: bool, sums: MultinomialPart
) -> RiskEvidence:
    """What the sums over all rows prove, for a penalty with an L2 part; it holds no slopes of samples."""
    nothing, W = np.empty(0), theta[:-1]
    primal, rounding = _primal(penalty, theta, sums)
    if not isfinite(primal):
        return RiskEvidence(inf, 0.0, inf, inf, inf, nothing, nothing)
    t, rounded = _imbalance(sums) if fit_intercept else (0.0, 0.0)
    value, error = float(sums.entropy.value), float(sums.entropy.error)
    dual, more = 0.0, 0.0
    if isfinite(t) and isfinite(error) and np.isfinite(sums.V.error).all():
        dual, more = _bound(penalty, sums, value, error, t)
        more = _bound(penalty, sums, value, error, rounded)[1] if rounded < t else more
    dual, V = max(dual, 0.0), sums.V.value
    gap = primal - dual
    violation = float(np.abs(V - np.clip(V, *subgradients(W, penalty.l1, penalty.l2))).max(initial=0.0))
    off = relative(min(rounding + (more if isfinite(more) else 0.0), gap), primal, dual)
    return RiskEvidence(primal, dual, gap, relative(gap, primal, dual), violation, nothing, nothing, off)


def _bound(penalty: Penalty, sums: MultinomialPart, value: float, error: float, t: float) -> tuple[float, float]:
    # what t moves of each p_i is at most t c_i in an entry, whose image is a sum over the samples
    errors = (sums.V.error.max(axis=1) + t * sums.V_moved.high * (1 + 1e-6)) * ROOM
    return dual_bound(value, error, t, penalty, sums.V.value, errors)


def _primal(penalty: Penalty, theta: np.ndarray, sums: MultinomialPart) -> tuple[float, float]:
    """An upper bound of the objective, and how much of it is rounding."""
    if not np.isfinite(theta).all():
        return inf, inf
    value, error = float(sums.losses.value), float(sums.losses.error)
    size, more = penalty_bounds(penalty, theta[:-1])
    total = upper(value + size, (error + more + 2 * U * (abs(value) + size)) * ROOM)
    return (total, 2 * (error + more)) if isfinite(total) and isfinite(error) else (inf, inf)


def _imbalance(sums: MultinomialPart) -> tuple[float, float]:
    """The t that makes the sums of u by class zero, at most; and what of it is a matter of rounding."""
    least = sums.class_weights.low * (1 - 1e-9)
    if not (least > 0).all():
        return inf, inf
    totals, errors = np.abs(sums.sums.value), sums.sums.error + sums.slack.high
    t = float(((totals + errors) / least).max()) * ROOM
    return (t, float((capped(totals, errors) / least).max()) * ROOM) if t < 1 else (inf, inf)
