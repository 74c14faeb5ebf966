"""The figures of `evaluate` for one variable a sample, compiled: a search has thousands of small problems.

    minimise  1/2 beta' K beta - p' beta + epsilon |beta|_1   subject to  lower <= beta <= upper,  sum beta = 0,

a classifier with epsilon = 0, a regressor else. With s_i = p_i - (K beta)_i - b its partner is
1/2 beta' K beta + sum_i upper_i max(s_i - epsilon, 0) - lower_i max(-s_i - epsilon, 0), and the gap is a sum of terms
that cannot be negative. As in `evaluate` nothing of a solver is used: the image K beta is recomputed by the caller in
float64, everything else here.
"""

from __future__ import annotations

import numpy as np

from ..engine import jit
from ._duality import Evidence, relative


@jit
def _extremes(residual, beta, lower, upper, epsilon):  # type: ignore[no-untyped-def]
    """Highest slope of those that may rise, and lowest of those that may fall."""
    highest, lowest = -np.inf, np.inf
    for k in range(beta.shape[0]):
        if beta[k] < upper[k]:
            highest = max(highest, residual[k] + (-epsilon if beta[k] >= 0 else epsilon))
        if beta[k] > lower[k]:
            lowest = min(lowest, residual[k] + (-epsilon if beta[k] > 0 else epsilon))
    return highest, lowest


@jit
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
    flat = 64 * np.finfo(np.float64).eps * size
    order = np.argsort(points[:count])
    left, right, found = points[order[-1]], points[order[-1]], False
    for k in range(count):
        slope += jumps[order[k]]
        if not found and slope >= -flat:
            left, found = points[order[k]], True
        if slope > flat:
            right = points[order[k]]
            break
    return left + (right - left) / 2


@jit
def _terms(residual, beta, lower, upper, epsilon, b):  # type: ignore[no-untyped-def]
    """Loss, gap and violation at an intercept."""
    loss, gap, violation = 0.0, 0.0, 0.0
    for k in range(beta.shape[0]):
        s, value = residual[k] - b, beta[k]
        over, under = max(s - epsilon, 0.0), max(-s - epsilon, 0.0)
        loss += upper[k] * over - lower[k] * under
        if value >= 0:
            gap += (upper[k] - value) * over if over > 0 else value * (epsilon - s) - lower[k] * under
        else:
            gap += (value - lower[k]) * under if under > 0 else -value * (epsilon + s) + upper[k] * over
        if value < upper[k]:
            violation = max(violation, s + (-epsilon if value >= 0 else epsilon))
        if value > lower[k]:
            violation = max(violation, -s + (epsilon if value > 0 else -epsilon))
    return loss, gap, violation


@jit
def _figures(p, lower, upper, beta, image, epsilon):  # type: ignore[no-untyped-def]
    residual = p - image
    quadratic, linear, total, size, inside = 0.0, 0.0, 0.0, 0.0, True
    for k in range(beta.shape[0]):
        quadratic += beta[k] * image[k]
        linear += p[k] * beta[k] - epsilon * abs(beta[k])
        total += beta[k]
        size += abs(beta[k])
        inside = inside and lower[k] <= beta[k] <= upper[k]
    highest, lowest = _extremes(residual, beta, lower, upper, epsilon)
    b = _best_intercept(residual, lower, upper, epsilon, min(highest, lowest), max(highest, lowest))
    loss, gap, violation = _terms(residual, beta, lower, upper, epsilon, b)
    feasible = inside and abs(total) <= 1e-9 * size
    return (
        quadratic / 2 + loss,
        linear - quadratic / 2,
        gap + abs(b * total),
        max(violation, highest - lowest),
        b,
        feasible,
    )


def evaluate_tube(
    p: np.ndarray, lower: np.ndarray, upper: np.ndarray, beta: np.ndarray, image: np.ndarray, epsilon: float = 0.0
) -> Evidence:
    """Primal, dual, gap, violation and best intercept of a problem with one variable a sample, at beta.

    Samples with an empty box (``lower == upper == 0``) take no part. `image` is ``K beta`` in float64.
    """
    primal, dual, gap, violation, b, feasible = _figures(p, lower, upper, beta, image, epsilon)
    if not feasible:  # variables that break a constraint bound nothing from below
        return Evidence(primal, -np.inf, np.inf, np.inf, np.inf, (b,), image)
    return Evidence(primal, dual, gap, relative(gap, primal, dual), violation, (b,), image)
