"""Ridge regression of many columns on a cluster: conjugate gradients on the centred normal equations.

    (A'A + alpha I) w = A't,      preconditioned by the diagonal, all targets at once,

until the residual is a small part of what `tol` allows, relative to the size of the rows and targets. The residual is
recomputed from A itself, and the method started again from there, as long as that gains digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..certificates import Status
from ..data import square_pass
from ._part import Part
from ._partitions import Partitions
from ._ridge_tasks import Means, centred_problem, residual_sums

# Products that a fit takes at most if max_iter says nothing; starts from recomputed residuals; the part of `tol`.
_BUDGET = 5000
_STARTS = 6
_PART = 0.1


def solved_by_products(
    samples: Partitions, alpha: np.ndarray, means: Means, fit_intercept: bool, tolerance: float, budget: int | None
) -> tuple[np.ndarray, Status, int]:
    """Weights of shape (d, k), how it ended, and the number of products."""
    left, used = _BUDGET if budget is None else budget, 0
    sums = samples.cluster.total("ridge-sizes", _sizes, samples.used_parts, means, fit_intercept)
    right, squares, weight, targets = sums
    enough = _PART * tolerance * np.sqrt((squares.sum() + weight) * targets)
    centred = np.maximum(squares - weight * means.mu**2, 0.0)
    diagonal = centred[:, None] + alpha

    def image(S: np.ndarray) -> np.ndarray:
        (found,) = samples.cluster.total("ridge-product", _products, samples.used_parts, S, means, fit_intercept)
        return np.asarray(found + alpha * S)

    W, rest, least = np.zeros_like(right), right, np.inf
    for _ in range(_STARTS):
        step, more = _conjugate(image, rest, diagonal, enough, left - used)
        used += more
        trial = W + step
        (products,) = samples.cluster.total(
            "ridge-refine", residual_sums, samples.used_parts, trial, means, fit_intercept
        )
        rest = products - alpha * trial
        lengths = np.linalg.norm(rest, axis=0)
        off = float(np.max(lengths / np.maximum(enough, 1e-300)))
        if not off < least:
            return W, Status.STALLED, used
        W, improved, least = trial, off < 0.5 * least, off
        if off <= 1:
            return W, Status.CONVERGED, used
        if used >= left or not improved:
            break
    return W, Status.BUDGET_EXHAUSTED if used >= left else Status.STALLED, used


def _conjugate(
    image: Callable[[np.ndarray], np.ndarray], right: np.ndarray, diagonal: np.ndarray, enough: np.ndarray, most: int
) -> tuple[np.ndarray, int]:
    """Steps for all targets, until each residual is short enough, and the number of products."""
    X, R = np.zeros_like(right), right.copy()
    Z = R / diagonal
    S, size = Z, np.einsum("jk,jk->k", R, Z)
    for k in range(most):
        open_ = np.linalg.norm(R, axis=0) > 0.5 * enough
        if not open_.any():
            return X, k
        AS = image(S)
        curvature = np.einsum("jk,jk->k", S, AS)
        going = open_ & (curvature > 0)
        if not going.any():
            return X, k + 1
        t = np.where(going, size, 0.0) / np.where(going, curvature, 1.0)
        X, R = X + t * S, R - t * AS
        Z = R / diagonal
        before, size = size, np.einsum("jk,jk->k", R, Z)
        S = Z + (size / np.where(before > 0, before, 1.0)) * S
    return X, most


# ---------------------------------------------------------------- on the partitions


def _sizes(part: Part, means: Means, fit_intercept: bool) -> tuple[Any, ...]:
    """``A't``, weighted squares of the columns of X, the weight, and weighted squares of the targets."""
    problem = centred_problem(part, np.ones(len(means.nu)), means, fit_intercept)
    squares = np.zeros(problem.d + 1)
    square_pass(problem.rows.arrays, 0, problem.n, problem.weights, squares)
    targets = np.square(problem.roots[:, None] * problem.targets).sum(axis=0)
    return problem.transposed(problem.right), squares[:-1], float(problem.weights.sum()), targets


def _products(part: Part, S: np.ndarray, means: Means, fit_intercept: bool) -> tuple[np.ndarray]:
    """``A'(A S)``."""
    problem = centred_problem(part, np.ones(len(means.nu)), means, fit_intercept)
    return (problem.transposed(problem.image(S)),)
