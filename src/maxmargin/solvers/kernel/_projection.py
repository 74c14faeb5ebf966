"""The exact projection on a box and a hyperplane.

    minimise ||beta - v||^2   subject to   lower <= beta <= upper,  sum beta = total.

The solution is beta_i = clip(v_i - t, lower_i, upper_i) for the t at which the sum is right. The sum falls
monotonically and piecewise linearly in t, so that t is found by sorting the 2n breakpoints and interpolating
between the two that enclose the total (Kiwiel 2008, problem (1)).
"""

from __future__ import annotations

import numpy as np

from ...certificates import is_feasible
from ...problems import BoxQP


def project(v: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float) -> np.ndarray:
    """The point of the box with the given sum that is closest to v."""
    slack = 1e-9 * max(1.0, abs(total), float(np.abs(lower).sum()), float(np.abs(upper).sum()))
    if not lower.sum() - slack <= total <= upper.sum() + slack:
        raise ValueError(f"no point of the box has the sum {total}: sums range from {lower.sum()} to {upper.sum()}.")
    # slope of the sum in t: each variable contributes -1 between its two breakpoints
    breakpoints = np.concatenate([v - upper, v - lower])
    change = np.concatenate([-np.ones(len(v)), np.ones(len(v))])
    order = np.argsort(breakpoints, kind="stable")
    t = breakpoints[order]
    slopes = np.cumsum(change[order])[:-1]
    sums = np.concatenate([[upper.sum()], upper.sum() + np.cumsum(slopes * np.diff(t))])
    k = int(np.searchsorted(-sums, -total))  # first breakpoint with sum <= total
    if k == 0:
        return upper.copy()
    if k == len(t):
        return lower.copy()
    fall = sums[k - 1] - sums[k]
    share = (sums[k - 1] - total) / fall if fall > 0 else 0.0
    beta = np.clip(v - (t[k - 1] + share * (t[k] - t[k - 1])), lower, upper)
    # cumulated rounding: hand the remainder to variables that have room for it
    free = (beta > lower) & (beta < upper)
    if free.any():
        beta[free] += (total - beta.sum()) / free.sum()
        beta = np.clip(beta, lower, upper)
    return beta


def feasible(problem: BoxQP, v: np.ndarray) -> np.ndarray:
    """The feasible point closest to v, group by group."""
    if is_feasible(problem, v):  # a projection would move it by rounding errors, off its bounds
        return v.copy()
    beta = np.empty(problem.n)
    for g, total in enumerate(problem.totals):
        members = problem.members(g)
        beta[members] = project(v[members], problem.lower[members], problem.upper[members], total)
    return beta
