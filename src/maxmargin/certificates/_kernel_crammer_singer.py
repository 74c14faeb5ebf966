"""Both objectives of a Crammer-Singer machine with a kernel (see `maxmargin.problems`), and the gap between them.

Nothing of a solver is used: K alpha is computed again, class by class, with a bound of its error; the primal objective
is rounded up, the dual one down. Multipliers whose sums over the samples are zero only to rounding are moved, by at
most 2 t c_i each, to some whose sums are zero exactly (`_simplex_bounds`), and the bound is that point's objective.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..kernels import Definiteness
from ..problems import KernelCrammerSinger
from ._crammer_singer import rows_balanced
from ._duality import Evidence, difference, relative
from ._image import bounded_images
from ._indefinite import of_widths
from ._linear_bounds import ROOM
from ._rounding import U, bounded_dot, bounded_sum, gamma, lower, upper
from ._simplex_bounds import imbalance


def evaluate_kernel_crammer_singer(
    problem: KernelCrammerSinger, alpha: np.ndarray, b: np.ndarray, definiteness: Definiteness
) -> Evidence:
    """Figures at multipliers alpha (n, classes), made feasible row by row, and intercepts b."""
    shape: Any = problem
    c, k = problem.weights, problem.classes
    feasible = bool(np.array_equal(alpha, rows_balanced(shape, alpha)))
    with np.errstate(all="ignore"):
        images = bounded_images(shape, alpha)
        f = np.column_stack([np.asarray(image.values, dtype=np.float64) for image in images])
        errors = np.column_stack([image.errors for image in images])
        square = sum(float(image.square[0]) for image in images)
        square_error = sum(float(image.square[1]) for image in images) + gamma(k) * abs(square)
        F = f + b
        g = problem.margins(F)
        losses = g.max(axis=1) - F[np.arange(problem.n), problem.labels]
        off = 2 * errors.max(axis=1) + 8 * U * (1 + np.abs(F).max(axis=1) + np.abs(b).max(initial=0.0))
        loss, loss_error = bounded_dot(c, losses)
        loss_error += float(c @ off) * ROOM + 3 * U * loss
        primal = 0.5 * square + loss
        primal_error = (0.5 * square_error + loss_error + gamma(4) * (0.5 * abs(square) + loss)) * ROOM
        high = upper(primal, primal_error) if isfinite(primal) else np.inf
        nothing = -np.inf, 0.0, 0.0
        dual, dual_error, rounded = _dual(problem, alpha, f, square, square_error) if feasible else nothing
    low = max(lower(dual, dual_error), 0.0) if isfinite(dual) and isfinite(dual_error) else 0.0
    gap = difference(high, low)
    # conditions of optimality say nothing of multipliers that are not feasible, and next to none that are
    violation = problem.violation(F, alpha) if isfinite(dual) and isfinite(dual_error) else np.inf
    figures = high, low, gap, relative(gap, high, low), violation if isfinite(violation) else np.inf
    rounding = float(primal_error + rounded)
    found = Evidence(*figures, tuple(b.tolist()), f.ravel(), rounding=rounding if isfinite(rounding) else 0.0)
    return of_widths(found, np.sqrt(2.0) * c, definiteness)


def _dual(
    problem: KernelCrammerSinger, alpha: np.ndarray, f: np.ndarray, square: float, square_error: float
) -> tuple[float, float, float]:
    """D at multipliers next to alpha that meet every constraint, a bound of its error, and what of it is rounding."""
    c, k = problem.weights, problem.classes
    own, error = bounded_sum(alpha[np.arange(problem.n), problem.labels], (k + 2) * U)
    slack = (k + 2) * U * ROOM * np.abs(alpha).sum(axis=0)
    t, rounded = imbalance(alpha, slack, np.bincount(problem.labels, weights=c, minlength=k))
    if not isfinite(t):
        return -np.inf, np.inf, 0.0
    dual = own - 0.5 * square
    error += 0.5 * square_error + gamma(4) * (abs(own) + 0.5 * abs(square))
    lengths = np.sqrt(np.maximum(problem.gram.diagonal(), 0.0))

    def at(t: float) -> float:
        # what the own class holds is rounded too
        moved = 2 * t * c + (k + 2) * U * np.abs(alpha).max(axis=1)
        length = float(moved @ lengths)
        shift = float(moved.sum()) + float((moved[:, None] * np.abs(f)).sum()) + 0.5 * k * (length * length)
        return (error + shift * (1 + 1e-6)) * ROOM

    cost = at(t)
    return dual, cost, at(rounded) if rounded < t else cost
