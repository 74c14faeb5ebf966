"""How well the normal equations of least squares hold, and what that proves about the objective.

With g = alpha w - sum_i s_i r_i (x_i - mu) and e = sum_i s_i r_i (see `maxmargin.problems`), J is at most e^2 / sum_i
s_i above its minimum in b, and there it is a quadratic that curves by at least 2 alpha, with the gradient 2 g:

    J - J* <= e^2 / sum_i s_i + ||g||^2 / alpha.

For alpha > 0 this is the duality gap, too: the dual of the ridge is 2 y's u - u's u - ||X's u||^2 / alpha, and u = r
gives it. With a rounded mean mu + eps in place of mu the same holds for g - e eps.

Without a penalty J is a quadratic of (w, b) with the Hessian 2 H, H = sum_i s_i (x_i - m, 1)(x_i - m, 1)' for any m: a
shift of the rows is one of b. It is (g, e)'H^-1 (g, e) above its minimum. `scaled_inverse` bounds the inverse where
float64 can show that there is one, which is to say that the weights are unique.

Every figure that a bound is made of is widened by its rounding error: J is an upper bound of the objective at the
model's weights, J - gap a lower bound of the least possible one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import product_magnitudes, sum_depth, sum_magnitudes
from ..engine import one_blas_thread_for
from ..problems import LeastSquares
from ._linear_bounds import ROOM, scaled_inverse
from ._rounding import TINY, U, bounded_squares, gamma

# Features up to which the inverse of the Hessian is bounded where there is no penalty.
_INVERTED = 1000


@dataclass(frozen=True)
class NormalEvidence:
    """Figures of a least-squares problem, recomputed; sums over the targets, residuals the largest of any target.

    ``relative_residual`` compares the residual of the normal equations with the rounding errors of its terms.
    """

    objective: float
    gap: float
    residual: float
    relative_residual: float


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def evaluate_normal_equations(
    problem: LeastSquares, W: np.ndarray, b: np.ndarray, *, full_rank: bool = False
) -> NormalEvidence:
    """Figures at weights W of shape (d, k) and intercepts b of shape (k,).

    The gap of a target without a penalty is infinite, unless `full_rank` asks to show that its minimum is unique.
    """
    roots, alpha = problem.roots, problem.alpha
    # sqrt(s) r; the offset is what the model's own intercept differs from the best one
    offset = problem.intercept(W) - b
    R, transposed = problem.residual(W, offset)
    g = alpha * W - transposed
    e = roots @ R if problem.fit_intercept else np.zeros(problem.k)
    squares = np.einsum("jk,jk->k", g, g)
    inverse = _inverse(problem) if full_rank and (alpha <= 0).any() else (np.inf, np.empty(0))
    figures = _bounds(problem, W, b, R, g, e, inverse)
    residual = np.sqrt(squares + e**2)
    size2 = problem.squared_size()
    length = np.sqrt(np.einsum("jk,jk->k", W, W) + b**2)
    targets = np.linalg.norm(roots[:, None] * problem.targets, axis=0)
    scale = size2 * length + np.sqrt(size2) * targets + alpha * length
    relative = np.divide(residual, scale, out=np.zeros_like(residual), where=scale > 0)
    relative[~(np.isfinite(residual) & np.isfinite(scale))] = np.inf  # beyond float64 nothing is small
    objective, gap = (float(np.sum(values)) * (1 + gamma(problem.k)) for values in figures)
    return NormalEvidence(objective, gap, float(residual.max(initial=0.0)), float(relative.max(initial=0.0)))


def _bounds(
    problem: LeastSquares,
    W: np.ndarray,
    b: np.ndarray,
    R: np.ndarray,
    g: np.ndarray,
    e: np.ndarray,
    inverse: tuple[float, np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Upper bounds of the objective of each target and of what it is above the least possible one."""
    rows, roots, threads = problem.rows, problem.roots[:, None], problem.threads
    w, r, mu = np.abs(W), np.abs(R), np.abs(problem.mu)
    # a residual is (y - nu) - <x - mu, w> + (nu - <mu, w> - b), times the root of the weight
    terms = product_magnitudes(rows, np.vstack([w, b]), threads) + np.abs(problem.targets)
    off = gamma(rows.d + 16) * ROOM * roots * (terms + 3 * (mu @ w) + 3 * np.abs(problem.nu)) + TINY
    rest = slack = np.zeros(problem.k)
    factors = roots * (gamma(sum_depth(rows, threads) + 8) * r + off)
    if problem.fit_intercept:
        many, total = gamma(problem.n + 8), float(problem.weights.sum())
        slack = np.abs(e) + (many * (problem.roots @ r) + problem.roots @ off) * ROOM
        rest = slack * slack / (total * (1 - many))
        factors += slack * many * ROOM / total * problem.weights[:, None]  # of the mean
    sums = sum_magnitudes(rows, factors, threads) * ROOM
    wide = np.abs(g) + sums[:-1] + mu[:, None] * sums[-1] + 4 * U * problem.alpha * w
    square, error = bounded_squares(r)
    penalty, more = bounded_squares(w)
    error += (2 * np.einsum("ik,ik->k", r, off) + np.einsum("ik,ik->k", off, off)) * (1 + gamma(problem.n + 4)) * ROOM
    error += problem.alpha * more + 4 * U * (square + problem.alpha * penalty)
    objective = square + problem.alpha * penalty
    objective = np.where(error == 0, objective, np.nextafter(objective + error * ROOM, np.inf))
    # the stated objective is above that of the weights by up to twice its error, and so is the gap
    gap = np.full(problem.k, np.inf)
    ridge = problem.alpha > 0
    gap[ridge] = (rest[ridge] + np.einsum("jk,jk->k", wide, wide)[ridge] / problem.alpha[ridge]) * ROOM
    if np.isfinite(inverse[0]):
        slopes = inverse[1][:, None] * (np.vstack([wide, slack]) if problem.fit_intercept else wide)
        gap[~ridge] = inverse[0] * np.einsum("jk,jk->k", slopes, slopes)[~ridge] * ROOM
    gap = gap + 2.01 * error
    finite = np.isfinite(objective)
    return np.where(finite, objective, np.inf), np.where(finite, gap, np.inf)


def _inverse(problem: LeastSquares) -> tuple[float, np.ndarray]:
    """A bound of the scaled inverse of the Hessian in (w, b), and the scales."""
    n, d = problem.n, problem.d
    if d > _INVERTED or n < d + problem.fit_intercept:
        return np.inf, np.empty(0)
    side = d + problem.fit_intercept
    H, height = np.zeros((side, side)), problem.tile_height(256)
    with one_blas_thread_for(float(n) * side * side):
        if problem.whole is not None:
            height = n
        for low in range(0, n, height):
            high = min(n, low + height)
            tile = problem.tile(low, high) if problem.whole is None else problem.whole
            if problem.fit_intercept:
                tile = np.column_stack([tile, problem.roots[low:high]])
            H += tile.T @ tile
        return scaled_inverse(H, n + 16)
