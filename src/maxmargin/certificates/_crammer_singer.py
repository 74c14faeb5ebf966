"""Both objectives of a Crammer-Singer machine and the gap between them, as a sum of terms that cannot be negative.

With m_i = max_k (e_ik + f_ik) the gap is

    sum_ik (C_ik - alpha_ik) (m_i - e_ik - f_ik)  +  1/2 sum_k ||w_k - v_k||^2,

see `maxmargin.problems`: sum_k alpha_ik = 0 lets m_i in, and sum_i alpha_ik = 0 takes the intercepts out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problems import CrammerSingerRisk
from ._duality import relative


@dataclass(frozen=True)
class CrammerSingerEvidence:
    """Figures of one machine, recomputed in float64. ``alpha`` are the multipliers of the lower bound."""

    primal: float
    dual: float
    gap: float
    relative_gap: float
    alpha: np.ndarray


def evaluate_crammer_singer(problem: CrammerSingerRisk, W: np.ndarray, alpha: np.ndarray) -> CrammerSingerEvidence:
    """Primal, dual and gap at W and alpha; multipliers that are not feasible prove nothing."""
    f = problem.decision(W)
    primal = float((problem.weights * problem.losses(f)).sum()) + 0.5 * float(np.square(W[:, :-1]).sum())
    alpha, C = _rows_balanced(problem, alpha), problem.bounds()
    sums = problem.transposed(alpha)
    dual = float(alpha[np.arange(problem.n), problem.labels].sum()) - 0.5 * float(np.square(sums[:, :-1]).sum())
    unbalanced = np.abs(sums[:, -1]).max(initial=0.0) > 1e-9 * max(float(np.abs(alpha).sum()), 1e-300)
    if unbalanced or not (np.isfinite(primal) and np.isfinite(dual)):
        return CrammerSingerEvidence(primal, -np.inf, np.inf, np.inf, alpha)
    g = problem.margins(f)
    gap = float(((C - alpha) * (g.max(axis=1, keepdims=True) - g)).sum())
    gap += 0.5 * float(np.square(W[:, :-1] - sums[:, :-1]).sum())
    gap += float(np.abs(W[:, -1] * sums[:, -1]).sum())  # the sums are zero but for rounding
    return CrammerSingerEvidence(primal, dual, gap, relative(gap, primal, dual), alpha)


def _rows_balanced(problem: CrammerSingerRisk, alpha: np.ndarray) -> np.ndarray:
    """Multipliers within their bounds that sum to zero over the classes: the own class takes what the others leave."""
    alpha = np.minimum(alpha, 0.0)
    own = np.arange(problem.n), problem.labels
    alpha[own] = 0.0
    total = -alpha.sum(axis=1)
    over = total > problem.weights
    alpha[over] *= (problem.weights[over] / total[over])[:, None]
    alpha[own] = np.minimum(-alpha.sum(axis=1), problem.weights)
    return alpha
