"""Both objectives of kernel ridge regression at given coefficients (see `maxmargin.problems`), and their gap.

Nothing of a solver is used: f = K a is computed again, with a bound of its error; the primal objective is rounded up,
the dual one down, and where the kernel matrix is positive semi-definite the optimum lies between them. No squared error
is negative: 0 is a lower bound as well, and the only one for alpha = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import Definiteness
from ..problems import KernelRidgeProblem
from ._duality import Evidence, difference, relative
from ._image import Image, bounded_image, bounded_images, extended_work, product_rounding
from ._rounding import U, bounded_dot, gamma, lower, upper

# Operations up to which a product is computed in extended precision, in a fit and where a proof is checked, if float64
# leaves more than such a share of the objective open. In a fit of 100 rows it takes three times as long as the rest.
_EXTENDED_WORK, _AUDIT_WORK = 3e5, 2e7
_LARGE, _NOTICEABLE = 1e-9, 1e-12


def evaluate_kernel_ridge(
    problem: KernelRidgeProblem, A: np.ndarray, definiteness: Definiteness, *, audit: bool = False
) -> list[Evidence]:
    """Figures at coefficients of shape (n, k), one a target; an `audit` takes more time to narrow the intervals."""
    known = definiteness.without_bounds()
    shape: Any = problem
    with np.errstate(all="ignore"):
        images = bounded_images(shape, A)
    return [_of_target(problem, np.ascontiguousarray(A[:, k]), k, images[k], known, audit) for k in range(problem.k)]


def hold_to_rounding(problem: KernelRidgeProblem, a: np.ndarray, k: int, image: np.ndarray) -> bool:
    """Whether the equations of a target hold but for what rounding does to ``K a``, which `image` is.

    Coefficients are float64 numbers: where K is large, those next to the solution leave as much.
    """
    y, off = problem.targets[:, k], float(problem.alpha[k]) * a / problem.weights
    with np.errstate(all="ignore"):
        room = product_rounding(problem.gram, a) + 4 * U * (np.abs(y) + np.abs(image) + np.abs(off))
        return bool((np.abs(y - image - off) <= room).all())


def _of_target(
    problem: KernelRidgeProblem, a: np.ndarray, k: int, image: Image, known: Definiteness, audit: bool
) -> Evidence:
    shape: Any = problem
    found = _figures(problem, a, k, image)
    most, share = (_AUDIT_WORK, _NOTICEABLE) if audit else (_EXTENDED_WORK, _LARGE)
    if found.gap > share * found.primal and extended_work(shape, a) <= most:
        with np.errstate(all="ignore"):
            sharper = _figures(problem, a, k, bounded_image(shape, a, extended=True))
        found = sharper if sharper.gap < found.gap else found
    if known.fails:
        dual, gap = -np.inf, np.inf
    else:
        dual, gap = found.dual, found.gap
    figures = found.primal, dual, gap, relative(gap, found.primal, dual), found.kkt_violation
    return Evidence(*figures, (0.0,), found.image, known.basis, found.rounding)


def _figures(problem: KernelRidgeProblem, a: np.ndarray, k: int, image: Image) -> Evidence:
    y, s, alpha = problem.targets[:, k], problem.weights, float(problem.alpha[k])
    with np.errstate(all="ignore"):
        r = y - image.values
        off = image.errors + 2 * U * (np.abs(y) + np.abs(image.values).astype(np.float64))
        size = np.abs(r).astype(np.float64)
        losses, loss_error = bounded_dot(s.astype(r.dtype), r * r)
        loss_error += float(s @ (2 * size * off + off * off)) * (1 + 1e-9) + 4 * U * float(losses)
        square, square_error = image.square
        primal = float(losses) + alpha * float(square)
        primal_error = loss_error + alpha * square_error + gamma(4) * (float(losses) + alpha * abs(float(square)))
        # A large alpha takes coefficients so small that their squares underflow: in units of alpha, they do not.
        unit, times, b = (alpha, 1.0, a) if alpha <= 1 else (1.0, alpha, alpha * a)
        linear, linear_error = bounded_dot(y, b)
        linear_error += 2 * U * float(np.abs(y) @ np.abs(b))
        own, own_error = bounded_dot(b / s, b)
        own_error += 6 * U * abs(own)
        rest, rest_error = times * float(square), times * square_error
        dual = unit * (2 * linear - unit * own - rest)
        terms = 2 * abs(linear) + unit * abs(own) + abs(rest)
        dual_error = unit * (2 * linear_error + unit * own_error + rest_error + gamma(8) * terms)
        underflow = max(alpha, 1.0) * 4 * (len(a) + 1.0) ** 2 * 2.0**-1074
        primal_error, dual_error = primal_error + underflow, dual_error + underflow
        violation = float(np.abs(r - alpha * a / s).max(initial=0.0))
    high = upper(primal, primal_error * (1 + 1e-9)) if np.isfinite(primal) else np.inf
    low = max(lower(dual, dual_error * (1 + 1e-9)), 0.0) if np.isfinite(dual) else 0.0
    gap = difference(high, low)
    figures = high, low, gap, relative(gap, high, low), violation if np.isfinite(violation) else np.inf
    return Evidence(*figures, (0.0,), np.asarray(image.values, dtype=np.float64), rounding=primal_error + dual_error)
