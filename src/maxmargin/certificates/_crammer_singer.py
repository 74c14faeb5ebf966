"""Both objectives of a Crammer-Singer machine and the gap between them, see `maxmargin.problems`.

As in `_risk`, the primal is rounded up and the dual down. Multipliers that do not meet their equations are moved until
they do, exactly; `_simplex_bounds` says how, with alpha_i = c_i (e_{y_i} - p_i).
"""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from ..problems import CrammerSingerRisk
from ._duality import relative
from ._linear_bounds import ROOM, WEIGHT
from ._risk import RiskEvidence
from ._rounding import U, bounded_sum
from ._simplex_bounds import dual_bound, image_errors, imbalance, largest_decision_errors, primal_bound


def evaluate_crammer_singer(problem: CrammerSingerRisk, W: np.ndarray, alpha: np.ndarray | None) -> RiskEvidence:
    """Primal, dual and gap at W and alpha, which is made feasible (zero if there are none of the right shape).

    ``u`` of the evidence are the multipliers of the lower bound; the violation is how far the weights are from theirs.
    """
    if alpha is None or alpha.shape != (problem.n, problem.classes):
        alpha = np.zeros((problem.n, problem.classes))
    alpha = rows_balanced(problem, alpha)
    primal, rounding = _primal(problem, W)
    if not isfinite(primal):
        return RiskEvidence(inf, 0.0, inf, inf, inf, alpha, np.empty(0))
    V = problem.transposed(alpha)[:, :-1]
    dual, more = _dual(problem, alpha, V) if np.isfinite(alpha).all() else (0.0, inf)
    dual = max(dual, 0.0)  # no loss and no penalty is negative
    gap = primal - dual
    # a dual that proves nothing is not a matter of rounding
    rounded = relative(min(rounding + (more if isfinite(more) else 0.0), gap), primal, dual)
    violation = float(np.abs(W[:, :-1] - V).max(initial=0.0))
    return RiskEvidence(primal, dual, gap, relative(gap, primal, dual), violation, alpha, np.empty(0), rounded)


def _primal(problem: CrammerSingerRisk, W: np.ndarray) -> tuple[float, float]:
    """An upper bound of the objective, and how much of it is rounding."""
    f = problem.decision(W)
    if not (np.isfinite(W).all() and np.isfinite(f).all()):
        return inf, inf
    losses = problem.losses(f)
    errors = 2 * largest_decision_errors(problem.rows, np.ascontiguousarray(W.T), problem.threads)
    errors += 4 * U * (1 + 2 * np.abs(f).max(axis=1))
    return primal_bound(losses, errors, problem.weights, problem.penalty, W[:, :-1])


def _dual(problem: CrammerSingerRisk, alpha: np.ndarray, V: np.ndarray) -> tuple[float, float]:
    """A lower bound of the optimum at multipliers near alpha, and how much of it is rounding."""
    c, k = problem.weights, problem.classes
    own = alpha[np.arange(problem.n), problem.labels]
    value, error = bounded_sum(own, (k + 2) * U)
    t, rounded = 0.0, 0.0
    if problem.fit_intercept:
        slack = (k + 2) * U * ROOM * np.abs(alpha).sum(axis=0)
        t, rounded = imbalance(alpha, slack, np.bincount(problem.labels, weights=c, minlength=k))
    if not isfinite(t):
        return 0.0, inf
    sizes = np.abs(alpha).max(axis=1)

    def at(t: float) -> tuple[float, float]:
        # the own class holds what the others sum to, but for k roundings; alpha moves by at most 2 t c
        moved = image_errors(problem.rows, sizes, 0.0, (k + 2) * U * own + 2 * t * c, problem.threads)
        return dual_bound(value, error, t, problem.penalty, V.T, moved)

    bound, cost = at(t)
    return bound, at(rounded)[1] if rounded < t else cost


def rows_balanced(problem: CrammerSingerRisk, alpha: np.ndarray) -> np.ndarray:
    """Multipliers within their bounds that sum to zero over the classes: the own class takes what the others leave.

    The others stay a few units in the last place below the weight, so that their exact sum is not above the exact one.
    Balanced multipliers stay as they are: those that are shortened end below the limit, whatever the rounding.
    """
    alpha = np.minimum(alpha, 0.0)
    own = np.arange(problem.n), problem.labels
    alpha[own] = 0.0
    total = -alpha.sum(axis=1)
    most = problem.weights * (1 - WEIGHT - (2 * problem.classes + 8) * U)
    over = total > most
    alpha[over] *= (most[over] * (1 - (problem.classes + 8) * U) / total[over])[:, None]
    alpha[own] = -alpha.sum(axis=1)
    return alpha
