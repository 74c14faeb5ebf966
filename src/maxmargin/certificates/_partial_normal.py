"""How well normal equations hold, from figures of parts of the rows; `_normal_equations` says what that proves.

Each part is a `LeastSquares` problem of its own that is centred at the means of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import product_magnitudes, sum_depth, sum_magnitudes
from ..problems import LeastSquares
from ._bounded_sums import BoundedSum
from ._linear_bounds import ROOM
from ._normal_equations import NormalEvidence
from ._rounding import TINY, U, bounded_squares, gamma


@dataclass(frozen=True)
class NormalPart:
    """Sums over some of the rows, or over all where parts are added; arrays have a column (an entry) a target.

    Attributes
    ----------
    products, total : BoundedSum
        ``A'R`` and ``sum sqrt(s) r``.
    lengths, offs : BoundedSum
        ``sum sqrt(s) |r|``, and what the roundings of the residuals may add to it.
    factors, weights : BoundedSum
        Bounds of the errors of the products: of each row's own, and for a unit of what the mean is off by.
    squares, crossed : BoundedSum
        ``sum r^2``, and what roundings of the residuals may add to it.
    size, targets, weight, rows : BoundedSum
        ``sum s (||x||^2 + 1)``, ``sum s y^2``, ``sum s`` and the number of rows.

    """

    products: BoundedSum
    total: BoundedSum
    lengths: BoundedSum
    offs: BoundedSum
    factors: BoundedSum
    weights: BoundedSum
    squares: BoundedSum
    crossed: BoundedSum
    size: BoundedSum
    targets: BoundedSum
    weight: BoundedSum
    rows: BoundedSum

    def __add__(self, other: NormalPart) -> NormalPart:
        return NormalPart(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@np.errstate(over="ignore", invalid="ignore")
def normal_part(problem: LeastSquares, W: np.ndarray, b: np.ndarray) -> NormalPart:
    """The sums of one part of the rows at weights W of shape (d, k) and intercepts b."""
    rows, roots, threads = problem.rows, problem.roots[:, None], problem.threads
    R, products = problem.residual(W, problem.intercept(W) - b)
    w, r, mu = np.abs(W), np.abs(R), np.abs(problem.mu)
    terms = product_magnitudes(rows, np.vstack([w, b]), threads) + np.abs(problem.targets)
    off = gamma(rows.d + 16) * ROOM * roots * (terms + 3 * (mu @ w) + 3 * np.abs(problem.nu)) + TINY
    factors = roots * (gamma(sum_depth(rows, threads) + 8) * r + off)
    return NormalPart(
        BoundedSum(products, np.zeros_like(products)),
        BoundedSum(problem.roots @ R, np.zeros(problem.k)),
        BoundedSum(problem.roots @ r, np.zeros(problem.k)),
        BoundedSum(problem.roots @ off, np.zeros(problem.k)),
        BoundedSum(sum_magnitudes(rows, factors, threads), np.zeros((rows.d + 1, problem.k))),
        BoundedSum(sum_magnitudes(rows, problem.weights, threads), np.zeros(rows.d + 1)),
        BoundedSum(*bounded_squares(r)),
        BoundedSum((2 * (r * off).sum(axis=0) + (off * off).sum(axis=0)), np.zeros(problem.k)),
        BoundedSum(problem.squared_size(), 0.0),
        BoundedSum(np.square(roots * problem.targets).sum(axis=0), np.zeros(problem.k)),
        BoundedSum(float(problem.weights.sum()), 0.0),
        BoundedSum(float(problem.n), 0.0),
    )


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def evidence_of_normal_parts(
    sums: NormalPart, W: np.ndarray, b: np.ndarray, alpha: np.ndarray, mu: np.ndarray, fit_intercept: bool
) -> NormalEvidence:
    """What the sums over all rows prove; the gap of a target without a penalty is infinite."""
    e = sums.total.value if fit_intercept else np.zeros(len(b))
    g = alpha * W - sums.products.value
    n, total = float(sums.rows.high), float(sums.weight.low)
    many, w, most = gamma(int(n) + 8), np.abs(W), np.abs(mu)
    rest = slack = np.zeros(len(b))
    factors = sums.factors.high
    if fit_intercept:
        slack = np.abs(e) + sums.total.error + (many * sums.lengths.high + sums.offs.high * (1 + many)) * ROOM
        rest = slack * slack / (total * (1 - many))
        factors = factors + sums.weights.high[:, None] * (slack * many * ROOM / total)
    factors = factors * ROOM * (1 + many)
    wide = np.abs(g) + sums.products.error + factors[:-1] + most[:, None] * factors[-1] + 4 * U * alpha * w
    square, error = sums.squares.value, sums.squares.error + sums.crossed.high * (1 + many) * ROOM
    penalty, more = bounded_squares(w)
    error = error + alpha * more + 4 * U * (square + alpha * penalty)
    objective = np.nextafter(square + alpha * penalty + error * ROOM, np.inf)
    gap = np.full(len(b), np.inf)
    ridge = alpha > 0
    gap[ridge] = (rest[ridge] + np.einsum("jk,jk->k", wide, wide)[ridge] / alpha[ridge]) * ROOM
    gap = gap + 2.01 * error
    residual = np.sqrt(np.einsum("jk,jk->k", g, g) + e**2)
    length, size = np.sqrt(np.einsum("jk,jk->k", W, W) + b**2), float(sums.size.value)
    scale = size * length + np.sqrt(size) * np.sqrt(sums.targets.value) + alpha * length
    relative = np.divide(residual, scale, out=np.zeros_like(residual), where=scale > 0)
    relative[~(np.isfinite(residual) & np.isfinite(scale))] = np.inf
    finite = np.isfinite(objective)
    figures = np.where(finite, objective, np.inf), np.where(finite, gap, np.inf)
    top, apart = (float(np.sum(values)) * (1 + gamma(len(b))) for values in figures)
    return NormalEvidence(top, apart, float(residual.max(initial=0.0)), float(relative.max(initial=0.0)))
