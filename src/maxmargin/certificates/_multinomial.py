"""Both objectives of a multinomial problem and the gap between them, from theta alone."""

from __future__ import annotations

import numpy as np
import scipy.special

from ..problems import MultinomialRisk
from ._duality import relative
from ._risk import RiskEvidence, subgradients


def evaluate_multinomial(problem: MultinomialRisk, theta: np.ndarray) -> RiskEvidence:
    """Primal, dual, gap and violation at theta. ``u`` of the evidence are the slopes, shape (n, k)."""
    F = problem.decision(theta)
    W, c, penalty = theta[:-1], problem.weights, problem.penalty
    loss, _ = problem.probabilities(F)
    primal = loss + penalty.value(W)
    P = _balanced(problem, F)
    U = problem.residual(P)
    sums = problem.transposed(U)
    V = -sums[:-1]
    if penalty.l2 <= 0 and penalty.l1 > 0:
        # towards the labels themselves (u = 0) until the conjugate is finite
        largest = float(np.abs(V).max(initial=0.0))
        scale = min(1.0, penalty.l1 / largest * (1 - 1e-15)) if largest > 0 else 1.0
        P *= scale
        P[np.arange(problem.n), problem.label] += 1 - scale
        U, sums, V = scale * U, scale * sums, scale * V
    if penalty.l2 <= 0 and penalty.l1 <= 0:
        # without a penalty V has to vanish; what rounding leaves of it costs |V| |W|, which is part of the gap
        size = problem.transposed(np.abs(U))
        small = np.abs(V) <= 1e-9 * (np.abs(size[:-1]) + size[-1])
        leftover, V = float(np.abs(np.where(small, V, 0.0) * W).sum()), np.where(small, 0.0, V)
    else:
        leftover = 0.0
    entropy = -float(c @ scipy.special.entr(P).sum(axis=1))  # sum c p log p
    dual = -entropy - penalty.conjugate(V)
    balanced = np.abs(sums[-1]) <= 1e-9 * max(float(c.sum()), 1e-300)
    if not (np.isfinite(dual) and np.isfinite(primal) and balanced.all()):
        return RiskEvidence(primal, -np.inf, np.inf, np.inf, np.inf, U, F)
    gap = max(loss + entropy - float((U * F).sum()), 0.0) + leftover
    gap += max(penalty.value(W) + penalty.conjugate(V) - float((V * W).sum()), 0.0)
    gap += float(np.abs(theta[-1] * sums[-1]).sum())
    violation = float(np.abs(V - np.clip(V, *subgradients(W, penalty.l1, penalty.l2))).max(initial=0.0))
    return RiskEvidence(primal, dual, gap, relative(gap, primal, dual), violation, U, F)


def _balanced(problem: MultinomialRisk, F: np.ndarray) -> np.ndarray:
    """Probabilities whose weighted sums are those of the labels, as the best intercepts make them (Newton's steps)."""
    loss, P = problem.probabilities(F)
    if not problem.fit_intercept:
        return P
    t, c = np.zeros(problem.classes), problem.weights
    for _ in range(50):
        gradient = problem.residual(P).sum(axis=0)
        if not np.isfinite(gradient).all():
            break
        if np.abs(gradient).max() <= 1e-12 * max(float(c.sum()), 1e-300):
            break
        H = np.diag(c @ P) - (P * c[:, None]).T @ P
        step = -np.linalg.lstsq(H, gradient, rcond=1e-14)[0]
        length, decrease = 1.0, -float(gradient @ step)
        while True:
            new_loss, new_P = problem.probabilities(F + (t + length * step))
            if new_loss <= loss - 1e-4 * length * decrease or length < 1e-9:
                break
            length /= 2
        if not new_loss <= loss:
            break
        t, loss, P = t + length * step, new_loss, new_P
    return P
