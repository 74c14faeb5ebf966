"""How well the normal equations of least squares hold, and what that proves about the objective.

With g = alpha w - sum_i s_i r_i (x_i - mu) and e = sum_i s_i r_i (see `maxmargin.problems`), J is at most e^2 / sum_i
s_i above its minimum in b, and there it is a quadratic that curves by at least 2 alpha, with the gradient 2 g:

    J - J* <= e^2 / sum_i s_i + ||g||^2 / alpha.

For alpha > 0 this is the duality gap, too: the dual of the ridge is 2 y's u - u's u - ||X's u||^2 / alpha, and u = r
gives it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problems import LeastSquares


@dataclass(frozen=True)
class NormalEvidence:
    """Figures of a least-squares problem, recomputed; sums over the targets, residuals the largest of any target.

    ``relative_residual`` compares the residual of the normal equations with the rounding errors of its terms.
    """

    objective: float
    gap: float
    residual: float
    relative_residual: float


def evaluate_normal_equations(problem: LeastSquares, W: np.ndarray, b: np.ndarray) -> NormalEvidence:
    """Figures at weights W of shape (d, k) and intercepts b of shape (k,)."""
    roots, alpha = problem.roots, problem.alpha
    # sqrt(s) r; the offset is what the model's own intercept differs from the best one
    offset = problem.intercept(W) - b
    R, transposed = problem.residual(W, offset)
    g = alpha * W - transposed
    e = roots @ R if problem.fit_intercept else np.zeros(problem.k)
    total = float(problem.weights.sum())
    objective = np.einsum("ik,ik->k", R, R) + alpha * np.einsum("jk,jk->k", W, W)
    squares = np.einsum("jk,jk->k", g, g)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = e**2 / total + np.where(squares > 0, squares / alpha, 0.0)
    residual = np.sqrt(squares + e**2)
    size2 = problem.squared_size()
    length = np.sqrt(np.einsum("jk,jk->k", W, W) + b**2)
    targets = np.linalg.norm(roots[:, None] * problem.targets, axis=0)
    scale = size2 * length + np.sqrt(size2) * targets + alpha * length
    relative = np.divide(residual, scale, out=np.zeros_like(residual), where=scale > 0)
    return NormalEvidence(
        float(objective.sum()), float(gap.sum()), float(residual.max(initial=0.0)), float(relative.max(initial=0.0))
    )
