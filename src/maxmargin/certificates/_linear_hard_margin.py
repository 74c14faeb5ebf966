"""Both objectives of a linear machine with a hard margin, rounding included.

    minimise 1/2 ||w||^2  subject to  y_i (<x_i, w> + b) >= 1,     maximise sum_i |beta_i| - 1/2 ||sum_i beta_i x_i||^2

over beta_i y_i >= 0 with sum 0, or with any sum where there is no intercept b. Samples of weight zero take no part.
"""

from __future__ import annotations

from math import inf, isfinite, nextafter

import numpy as np

from ..data import compensated_sums
from ..problems import HardMarginRisk
from ._duality import relative
from ._linear_bounds import ROOM, compensated_errors, decision_errors, signed_sides
from ._risk import RiskEvidence
from ._rounding import U, bounded_dot, bounded_sum


def evaluate_linear_hard_margin(problem: HardMarginRisk, theta: np.ndarray, beta: np.ndarray | None) -> RiskEvidence:
    """Evidence from the weights and signed multipliers; multipliers of the wrong sign prove nothing.

    The direction of the weights is scaled until the closest sample has margin 1, which makes it feasible. Multipliers
    of the heavier sign are scaled by 1 - t until their sum is exactly zero, where there is an intercept.
    """
    beta = np.zeros(problem.n) if beta is None else beta
    f = problem.decision(theta)
    kept = problem.weights > 0
    primal, smallest, rounding = inf, -inf, inf
    if np.isfinite(theta).all() and np.isfinite(f).all() and (problem.fit_intercept or theta[-1] == 0):
        lowest = problem.y * f - decision_errors(problem.rows, theta, problem.threads)
        smallest = float(lowest[kept].min())
        square, error = bounded_dot(theta[:-1], theta[:-1])
        if smallest > 0:
            primal = (square + error) / 2 / smallest / smallest * (1 + 8 * U)
            plain = float((problem.y * f)[kept].min())
            rounding = max(primal - square / 2 / plain**2, 0.0)
    dual, more = 0.0, 0.0
    if np.isfinite(beta).all() and (problem.y * beta >= 0).all() and not beta[~kept].any():
        dual, more = _dual(problem, beta)
    if not isfinite(primal):
        return RiskEvidence(inf, dual, inf, inf, inf, beta, f)
    gap = primal - dual
    rounded = relative(min(rounding + more, gap), primal, dual)
    return RiskEvidence(primal, dual, gap, relative(gap, primal, dual), abs(1 - smallest), beta, f, rounded)


def _dual(problem: HardMarginRisk, beta: np.ndarray) -> tuple[float, float]:
    """A lower bound of the optimum at feasible multipliers near beta, and how much of it is rounding."""
    sums, sizes = compensated_sums(problem.rows, beta, problem.threads)
    size, off = bounded_sum(np.abs(beta))
    t = _scaled_off(beta) if problem.fit_intercept else 0.0
    if not (isfinite(t) and np.isfinite(sizes).all()):
        return 0.0, 0.0
    wide = np.abs(sums) + compensated_errors(sums, sizes, problem.n, t)
    square, more = bounded_dot(wide, wide)
    cost = off + t * size * ROOM
    bound = (size - cost) - (square + more) / 2 * (1 + 4 * U)
    bound = nextafter(bound - 4 * U * (size + abs(bound)), -inf)
    rounding = max(size - float(sums @ sums) / 2 - bound, 0.0)
    return (bound, rounding) if bound > 0 else (0.0, rounding)


def _scaled_off(beta: np.ndarray) -> float:
    """A bound of the t by which multipliers of the heavier sign are scaled; infinite where one sign has none."""
    total, error = bounded_sum(beta)
    least = min(signed_sides(np.ones(len(beta)), beta))
    return (abs(total) + error) / least * ROOM if least > 0 else inf
