"""Lower bounds whose variables are points of a simplex, one a sample: the multinomial and the joint hinge machine.

With p_i on the simplex and u_i = c_i (p_i - e_{y_i}) both duals are -sum_i c_i h(p_i) - R*(V), V = -X'u, with an h that
is convex, at most 0 on the simplex and 0 at the label e_{y_i} (minus the entropy; minus the mass off the label).
Intercepts ask for sum_i u_ik = 0 for every class k. With s_k what float64 leaves of those sums and N_k the weight of
class k, p' = (1 - t) p + t Q meets them exactly for t = max_k |s_k| / N_k and

    Q_k = (N_k + s_k - s_k / t) / sum_k N_k,

which lies on the simplex. By convexity -sum c h(p') is at least 1 - t times the value at p, as h(Q) <= 0.
"""

from __future__ import annotations

from math import inf, isfinite, nextafter

import numpy as np

from ..data import Rows, product_depth, product_magnitudes, sum_depth, sum_magnitudes
from ..penalties import Penalty
from ._linear_bounds import ROOM, VALUE, WEIGHT, capped, conjugate_bound, penalty_bounds
from ._rounding import TINY, U, bounded_dot, bounded_sum, gamma, upper


def largest_decision_errors(rows: Rows, W: np.ndarray, threads: int) -> np.ndarray:
    """Bounds of the errors of ``x_i W + b``, the largest over the classes; W has shape (d + 1, classes)."""
    depth = product_depth(rows)
    sizes = product_magnitudes(rows, np.abs(W).max(axis=1, initial=0.0), threads)
    return gamma(depth) * ROOM * sizes + depth * TINY


def primal_bound(
    losses: np.ndarray, errors: np.ndarray, c: np.ndarray, penalty: Penalty, W: np.ndarray
) -> tuple[float, float]:
    """An upper bound of ``sum_i c_i loss_i + R(W)`` for losses with these errors, and how much of it is rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        kept = c > 0
        value, error = bounded_dot(c[kept], losses[kept], errors[kept])
        error += (VALUE + WEIGHT) * ROOM * abs(value) + TINY * float(np.abs(losses[kept]).sum())
    size, more = penalty_bounds(penalty, W)
    total = upper(value + size, (error + more + 2 * U * (abs(value) + size)) * ROOM)
    return (total, 2 * (error + more)) if isfinite(total) and isfinite(error) else (inf, inf)


def imbalance(u: np.ndarray, relative: np.ndarray, class_weight: np.ndarray) -> tuple[float, float]:
    """The t that makes the sums of u over the samples zero, at most; `relative` bounds by class what u is off by.

    And what of t is a matter of rounding.
    """
    if not (class_weight > 0).all():
        return inf, inf
    found = [bounded_sum(u[:, k]) for k in range(u.shape[1])]
    sums, errors = np.abs([value for value, _ in found]), np.array([error for _, error in found]) + relative
    least = class_weight * (1 - 1e-9)
    t = float(((sums + errors) / least).max()) * ROOM
    return (t, float((capped(sums, errors) / least).max()) * ROOM) if t < 1 else (inf, inf)


def image_errors(rows: Rows, sizes: np.ndarray, relative: float, moved: np.ndarray, threads: int) -> np.ndarray:
    """Bounds of the errors of ``sum_i u_ik x_ij``, the same for all classes k, as a vector over the features j.

    `sizes` are the largest |u_ik| of each sample, off by `relative` of them; `moved` bounds what the exact u_ik differ
    from the stored ones beside.
    """
    depth = sum_depth(rows, threads)
    a = ((gamma(depth) + relative) * sizes + moved) * ROOM
    return sum_magnitudes(rows, a, threads)[:-1] * ROOM + depth * TINY


def dual_bound(value: float, error: float, t: float, penalty: Penalty, V: np.ndarray, errors: np.ndarray):  # type: ignore[no-untyped-def]
    """A lower bound of ``-sum_i c_i h(p'_i) - R*(V')`` and how much of it is rounding."""
    lowest = (1 - t) * (value - error)
    cost = error + t * abs(value)
    if penalty.l2 > 0:
        penalised, more = conjugate_bound(penalty, V, np.broadcast_to(errors[:, None], V.shape))
        bound, cost = lowest - penalised, cost + more
    else:  # towards the labels, where h is 0, until no |V_jk| is above l1
        largest = float((np.abs(V) + errors[:, None]).max(initial=0.0)) * (1 + 4 * U)
        shrink = min(1.0, penalty.l1 / largest * (1 - 4 * U)) if largest > 0 else 1.0
        bound, cost = shrink * lowest, cost + (1 - shrink) * abs(value)
    bound = nextafter(bound - 8 * U * (abs(value) + abs(bound) + cost), -inf)
    return (bound, cost) if isfinite(bound) else (0.0, inf)
