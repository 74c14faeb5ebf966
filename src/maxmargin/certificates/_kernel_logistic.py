"""Both objectives of kernel logistic regression at given variables (see `maxmargin.problems`), and their gap.

Nothing of a solver is used: K beta is computed again, with a bound of its error; the primal objective is rounded up,
the dual one down. Three things besides the arithmetic need room:

- variables add up to zero only to rounding. There is a point next to them that does so exactly: one variable takes what
  is missing, and the bound is that point's objective;
- bounds c_i that are products of C and weights are rounded, which changes both objectives by that fraction at most;
- the kernel matrix, where it is semi-definite only up to a shift (`of_widths`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import Definiteness
from ..problems import KernelLogisticProblem
from ._duality import Evidence, difference, relative
from ._image import bounded_image, extended_work
from ._indefinite import of_widths
from ._rounding import U, bounded_dot, bounded_sum, gamma, lower, upper

# Operations up to which a product is computed in extended precision, in a fit whose tolerance is met and elsewhere, if
# float64 leaves more than this open.
_EXTENDED_WORK, _AUDIT_WORK, _NOTICEABLE = 3e5, 2e7, 1e-12
# Exponentials, logarithms and their arguments are off by so many roundings of themselves.
_FUNCTIONS = 16 * U


def evaluate_kernel_logistic(
    problem: KernelLogisticProblem, beta: np.ndarray, b: float, definiteness: Definiteness, wanted: float = 0.0
) -> Evidence:
    """Figures at variables beta and the intercept b; more time is taken where the relative gap is above `wanted`."""
    found = _figures(problem, beta, b, False)
    most = _AUDIT_WORK if found.relative_gap > wanted else _EXTENDED_WORK
    if found.gap > _NOTICEABLE * abs(found.primal) and extended_work(problem, beta) <= most:  # type: ignore[arg-type]
        sharper = _figures(problem, beta, b, True)
        found = sharper if sharper.gap < found.gap else found
    return of_widths(found, problem.c, definiteness)


def _figures(problem: KernelLogisticProblem, beta: np.ndarray, b: float, extended: bool) -> Evidence:
    shape: Any = problem
    c = problem.c
    with np.errstate(all="ignore"):
        image = bounded_image(shape, beta, extended)
        f = np.asarray(image.values, dtype=np.float64)
        off = image.errors + 4 * U * (np.abs(f) + abs(b))
        F = f + b
        losses = problem.losses(F)
        loss, loss_error = bounded_dot(c, losses)
        loss_error += float(c @ (off + _FUNCTIONS * (losses + np.exp(-np.abs(F))))) * (1 + 1e-9) + 3 * U * loss
        square, square_error = image.square
        primal = 0.5 * float(square) + loss
        primal_error = 0.5 * square_error + loss_error + gamma(3) * (0.5 * abs(float(square)) + loss)
        high = upper(primal, primal_error * (1 + 1e-9)) if np.isfinite(primal) else np.inf
        violation = float((np.abs(beta - problem.slopes(F)) / c).max(initial=0.0))
        dual, dual_error = _dual(problem, beta, f, image.square)
    proven = bool(np.isfinite(dual) and np.isfinite(dual_error))
    low = max(lower(dual, dual_error), 0.0) if proven else 0.0  # no loss and no length is negative
    gap = difference(high, low)
    figures = high, low, gap, relative(gap, high, low), violation if np.isfinite(violation) else np.inf
    rounding = float(primal_error + (dual_error if proven else 0.0))
    return Evidence(*figures, (b,), f, rounding=rounding if np.isfinite(rounding) else 0.0)


def _dual(problem: KernelLogisticProblem, beta: np.ndarray, f: np.ndarray, square: Any) -> tuple[float, float]:
    """D and a bound of its error; -inf for variables outside their box."""
    y, c = problem.y, problem.c
    alpha = y * beta
    if not ((alpha >= 0) & (alpha <= c)).all():
        return -np.inf, 0.0
    p, q = alpha / c, (c - alpha) / c  # each to three roundings of itself
    entropy = -np.where(p > 0, p * np.log(p), 0.0) - np.where(q > 0, q * np.log(q), 0.0)
    total, error = bounded_dot(c, entropy)
    error += float(c @ (_FUNCTIONS * (entropy + 1))) * (1 + 1e-9)
    dual = total - 0.5 * float(square[0])
    error += 0.5 * square[1] + gamma(3) * (abs(total) + 0.5 * abs(float(square[0]))) + 4 * U * abs(dual)
    if problem.fit_intercept:
        error += _missing(problem, beta, alpha, f)
    return dual, error * (1 + 1e-9)


def _missing(problem: KernelLogisticProblem, beta: np.ndarray, alpha: np.ndarray, f: np.ndarray) -> float:
    """What D may lose on the way to variables that add up to zero exactly; inf if none has the room."""
    total, error = bounded_sum(beta)
    if abs(total) > 1e-9 * float(np.abs(beta).sum()):
        return np.inf
    most = (abs(total) + error) * (1 + 1e-9)
    if most == 0:
        return 0.0
    room = np.minimum(alpha, problem.c - alpha)
    j = int(np.argmax(room))
    if not room[j] >= 2 * most:
        return np.inf
    # within `most` of alpha_j both p and 1 - p stay above half of what they are
    slope = abs(float(np.log(alpha[j] / (problem.c[j] - alpha[j])))) + 2 * np.log(2.0) + abs(float(f[j]))
    here = np.array([j])
    curve = abs(float(problem.gram.block(here, here, np.float64)[0, 0]))
    return most * (slope * 1.01 + 1e-6) + most * most * curve
