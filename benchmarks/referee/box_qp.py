"""The gap of a box QP at given variables.

    minimise  1/2 b'K b - p'b   subject to  lower <= b <= upper,  sum b = 0

with f = K b and r = p - f - intercept has the partner  1/2 b'f + sum_i max(upper_i r_i, lower_i r_i),  and the gap

    sum_i (upper_i - b_i) max(r_i, 0) + (b_i - lower_i) max(-r_i, 0)

is a sum of terms none of which is negative. The intercept is the one that makes the primal least: for it,
sum_i max(upper_i r_i, lower_i r_i) is convex and piecewise linear, so its minimum is a weighted quantile of p - f.

The epsilon-insensitive regressor is the same problem with two variables a sample, alpha in [0, C] with p = y - epsilon
and -alpha* in [-C, 0] with p = y + epsilon, which share f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """Figures of one problem.

    ``sum_residual`` is |sum b| / sum |b|. A sum that is not 0 makes the multipliers infeasible; what that is worth,
    |intercept * sum b|, is added to the gap. ``violation`` is what the ``tol`` of LIBSVM and its kin bounds.
    """

    primal: float
    dual: float
    gap: float
    intercept: float
    sum_residual: float
    violation: float

    @property
    def relative_gap(self) -> float:
        return self.gap / abs(self.primal) if self.primal else float("inf") if self.gap else 0.0


def best_intercept(target: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """The minimiser of ``sum_i max(upper_i (target_i - t), lower_i (target_i - t))`` over t.

    Right of the k-th smallest target the slope is sum of (upper - lower) up to k, minus the sum of all upper.
    """
    order = np.argsort(target, kind="stable")
    passed = np.cumsum((upper - lower)[order])
    k = int(np.searchsorted(passed, upper.sum()))
    return float(target[order[min(k, len(order) - 1)]])


def violation(r: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """Largest r of a variable that may rise minus the smallest of one that may fall; 0 at the optimum."""
    may_rise, may_fall = r[b < upper], r[b > lower]
    if not may_rise.size or not may_fall.size:
        return 0.0
    return max(0.0, float(may_rise.max() - may_fall.min()))


def judge(f: np.ndarray, b: np.ndarray, p: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Verdict:
    """Both objectives and the gap at b, given f = K b; b has to be inside the box."""
    intercept = best_intercept(p - f, lower, upper)
    r = p - f - intercept
    over, under = np.maximum(r, 0.0), np.maximum(-r, 0.0)
    quadratic, total = float(b @ f), float(b.sum())
    primal = quadratic / 2 + float(upper @ over - lower @ under)
    dual = float(p @ b) - quadratic / 2
    gap = float((upper - b) @ over + (b - lower) @ under) + abs(intercept * total)
    residual = abs(total) / max(float(np.abs(b).sum()), 1e-300)
    return Verdict(primal, dual, gap, intercept, residual, violation(r, b, lower, upper))
