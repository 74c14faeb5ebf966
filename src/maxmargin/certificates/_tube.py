"""The figures of `evaluate` for one variable a sample, compiled: a search has thousands of small problems.

    minimise  1/2 beta' K beta - p' beta + epsilon |beta|_1   subject to  lower <= beta <= upper,  sum beta = 0,

a classifier with epsilon = 0, a regressor else. With s_i = p_i - (K beta)_i - b its partner is
1/2 beta' K beta + sum_i upper_i max(s_i - epsilon, 0) - lower_i max(-s_i - epsilon, 0). As in `evaluate` nothing of a
solver is used: the image K beta is recomputed by the caller in float64, everything else here; and the interval is
widened by a bound of its rounding error, a little more generously: sums are plain, and the error of the image is the
caller's.
"""

from __future__ import annotations

import numpy as np

from ..engine import jit, jit_inner, sort_pairs
from ._duality import Evidence, difference, relative
from ._rounding import U, lower as round_down, upper as round_up

_U = U
_BOX = 6 * U  # bounds that are products of C and weights are off by this fraction


@jit_inner
def _extremes(residual, beta, lower, upper, epsilon):  # type: ignore[no-untyped-def]
    """Highest slope of those that may rise, and lowest of those that may fall."""
    highest, lowest = -np.inf, np.inf
    for k in range(beta.shape[0]):
        if beta[k] < upper[k]:
            highest = max(highest, residual[k] + (-epsilon if beta[k] >= 0 else epsilon))
        if beta[k] > lower[k]:
            lowest = min(lowest, residual[k] + (-epsilon if beta[k] > 0 else epsilon))
    return highest, lowest


@jit_inner
def _best_intercept(residual, lower, upper, epsilon, first, last):  # type: ignore[no-untyped-def]
    """The b that minimises the partner, known to lie between `first` and `last`; the middle where many do.

    Its slope in b jumps by upper_i at residual_i - epsilon and by -lower_i at residual_i + epsilon.
    """
    n = residual.shape[0]
    points, jumps, count = np.empty(2 * n), np.empty(2 * n), 0
    slope, size = 0.0, 0.0
    for k in range(n):
        size += upper[k] - lower[k]
        for side in range(2):
            at = residual[k] - epsilon if side == 0 else residual[k] + epsilon
            jump = upper[k] if side == 0 else -lower[k]
            if side == 0 and at >= first:
                slope -= jump
            if side == 1 and at < first:
                slope += jump
            if jump > 0 and first <= at <= last:
                points[count], jumps[count] = at, jump
                count += 1
    if count == 0:
        return first if np.isfinite(first) else 0.0
    flat = 128 * _U * size
    sort_pairs(points[:count], jumps[:count])
    left, right, found = points[count - 1], points[count - 1], False
    for k in range(count):
        slope += jumps[k]
        if not found and slope >= -flat:
            left, found = points[k], True
        if slope > flat:
            right = points[k]
            break
    return left + (right - left) / 2


@jit_inner
def _terms(residual, error, beta, lower, upper, epsilon, b):  # type: ignore[no-untyped-def]
    """Loss, its largest error from the image, and the violation at an intercept."""
    loss, slack, violation = 0.0, 0.0, 0.0
    for k in range(beta.shape[0]):
        s, value = residual[k] - b, beta[k]
        over, under = max(s - epsilon, 0.0), max(-s - epsilon, 0.0)
        loss += upper[k] * over - lower[k] * under
        slack += max(upper[k], -lower[k]) * (error[k] + 3 * _U * (abs(residual[k]) + abs(b) + epsilon))
        if value < upper[k]:
            violation = max(violation, s + (-epsilon if value >= 0 else epsilon))
        if value > lower[k]:
            violation = max(violation, -s + (epsilon if value > 0 else -epsilon))
    return loss, slack, violation


@jit_inner
def _repair(residual, error, beta, lower, upper, epsilon, total, most):  # type: ignore[no-untyped-def]
    """The smallest slope at which some variable can take what the sum lacks, in the worse of the directions it may be.

    Where no variable has room in a direction, the sum is at the end of its range.
    """
    rise, fall = np.inf, np.inf
    for k in range(beta.shape[0]):
        slope = abs(residual[k]) + error[k] + epsilon
        if upper[k] - beta[k] >= 2 * most:
            rise = min(rise, slope)
        if beta[k] - lower[k] >= 2 * most:
            fall = min(fall, slope)
    if abs(total) > most / 2:  # its sign is known
        rise, fall = (rise, 0.0) if total < 0 else (0.0, fall)
    return max(rise if rise < np.inf else 0.0, fall if fall < np.inf else 0.0)


@jit
def _figures(p, lower, upper, beta, image, error, epsilon):  # type: ignore[no-untyped-def]
    residual = np.empty(p.shape[0])
    for k in range(p.shape[0]):
        residual[k] = p[k] - image[k]
    quadratic, linear, total, size, inside = 0.0, 0.0, 0.0, 0.0, True
    terms, image_slack = 0.0, 0.0  # sizes of the terms, for the errors of their sums
    for k in range(beta.shape[0]):
        quadratic += beta[k] * image[k]
        linear += p[k] * beta[k] - epsilon * abs(beta[k])
        total += beta[k]
        size += abs(beta[k])
        terms += abs(beta[k]) * (abs(image[k]) + abs(p[k]) + epsilon)
        image_slack += abs(beta[k]) * error[k]
        inside = inside and lower[k] <= beta[k] <= upper[k]
    highest, lowest = _extremes(residual, beta, lower, upper, epsilon)
    b = _best_intercept(residual, lower, upper, epsilon, min(highest, lowest), max(highest, lowest))
    loss, loss_slack, violation = _terms(residual, error, beta, lower, upper, epsilon, b)
    feasible = inside and abs(total) <= 1e-9 * size
    gamma = (beta.shape[0] + 8) * _U * 1.01
    most = (abs(total) + gamma * size) * 1.01
    repair = most * _repair(residual, error, beta, lower, upper, epsilon, total, most)
    rounding = gamma * terms + image_slack / 2
    primal_error = (rounding + loss_slack + 2 * gamma * loss) * 1.01
    dual_error = (rounding + repair + _BOX * terms) * 1.01
    return (
        quadratic / 2 + loss,
        primal_error,
        linear - quadratic / 2,
        dual_error,
        most,
        max(violation, highest - lowest),
        b,
        feasible,
    )


def evaluate_tube(
    p: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    beta: np.ndarray,
    image: np.ndarray,
    epsilon: float = 0.0,
    errors: np.ndarray | None = None,
    length: float = 1.0,
) -> Evidence:
    """Primal, dual, gap, violation and best intercept of a problem with one variable a sample, at beta.

    Samples with an empty box (``lower == upper == 0``) take no part. `image` is ``K beta`` in float64, off by at most
    `errors` (exact if None); `length` is the largest length of a sample in feature space.
    """
    errors = np.zeros(len(p)) if errors is None else errors
    primal, over, dual, under, most, violation, b, feasible = _figures(p, lower, upper, beta, image, errors, epsilon)
    primal, under = round_up(primal, over), under + (most * length) ** 2
    if not feasible or np.isnan(primal):  # variables that break a constraint bound nothing from below
        return Evidence(primal, -np.inf, np.inf, np.inf, np.inf, (b,), image)
    dual = round_down(dual, under)
    gap = difference(primal, dual)
    figures = primal, dual, gap, relative(gap, primal, dual), violation
    return Evidence(*figures, (b,), image, rounding=float(over + under))
