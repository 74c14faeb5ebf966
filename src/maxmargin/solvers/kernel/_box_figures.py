"""What a solver of a box QP knows of its objectives, from its variables and residuals r = p - K beta."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...problems import BoxQP
from .._trace import Figures


def box_extremes(problem: BoxQP, beta: np.ndarray, residual: np.ndarray) -> list[tuple[float, float]]:
    """Of each group, the largest residual of those that may rise and the smallest of those that may fall."""
    found = []
    for g in range(len(problem.totals)):
        m = problem.members(g)
        lower, upper, r = problem.lower[m], problem.upper[m], residual[m]
        # a projected point is at its bound only up to rounding: what is within 1e-12 of it counts as there
        room = 1e-12 * np.maximum(np.minimum(upper - lower, np.finfo(np.float64).max), 1e-300)
        rise, fall = r[beta[m] < upper - room], r[beta[m] > lower + room]
        found.append((float(rise.max(initial=-np.inf)), float(fall.min(initial=np.inf))))
    return found


def box_gap(problem: BoxQP, beta: np.ndarray, residual: np.ndarray, extremes: Sequence[tuple[float, float]]) -> float:
    """The duality gap with each group's intercept in the middle between its extremes."""
    gap = 0.0
    for g, (highest, lowest) in enumerate(extremes):
        m = problem.members(g)
        # a class that can only rise, or only fall, has one of the two
        middle = (highest + lowest) / 2 if np.isfinite(highest + lowest) else 0.0
        r = residual[m] - middle
        room = np.where(r > 0, problem.upper[m] - beta[m], problem.lower[m] - beta[m])
        gap += float(room @ r)
    return gap


def box_figures(violation: float, gap: float, dual: float) -> Figures:
    """The figures, of the gap and the dual objective."""
    return Figures(violation, gap / max(abs(dual), abs(dual + gap), 1e-300), dual + gap, dual)


def box_violation(extremes: Sequence[tuple[float, float]]) -> float:
    """By how much the optimality conditions are violated."""
    return max([0.0, *(high - low for high, low in extremes)])


def figures_at(problem: BoxQP, beta: np.ndarray, residual: np.ndarray) -> Figures:
    """All of them, from the variables and their residuals."""
    extremes = box_extremes(problem, beta, residual)
    dual = float(beta @ (problem.p + residual)) / 2
    return box_figures(box_violation(extremes), box_gap(problem, beta, residual, extremes), dual)
