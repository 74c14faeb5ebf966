"""Weights that an L1 penalty makes zero are set to zero, where the proof becomes no worse by it.

A weight of 1e-18 has one subgradient, and zero has an interval of them: the violation of the two is not the same. With
v the slopes of the dual, a weight's part of the duality gap is

    l1 |w_j| + l2/2 w_j^2 - v_j w_j  (+ the conjugate at v_j)  >=  |w_j| (l1 - |v_j|),

so that a small gap beside a large violation means a weight that is next to zero and should be zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..certificates import RiskEvidence, evaluate_linear

# Of l1: violations that are not worth a step, which costs a few passes over the rows.
_SEEN = 1e-9
# Of l1: how far v must be from the subgradient at w where there is no doubt that the weight should be zero.
_CLEAR = 0.1


def with_exact_zeros(
    problem: Any, theta: np.ndarray, u: np.ndarray | None, evidence: RiskEvidence
) -> tuple[np.ndarray, RiskEvidence]:
    """Theta with zeros where zero is what the dual says, and its evidence: neither gap nor violation is larger.

    But for rounding: of weights whose parts of the gap are below that of the bounds, so may be the gap's change.
    """
    if problem.kind not in ("risk", "multinomial"):
        return theta, evidence
    l1, l2 = problem.penalty.separable or (0.0, 0.0)
    if l1 <= 0 or not _SEEN * l1 < evidence.kkt_violation < np.inf:
        return theta, evidence
    factors = evidence.u if problem.kind == "multinomial" else problem.weights * evidence.u
    w, v = theta[:-1], -problem.transposed(factors)[:-1]
    rounding = evidence.rounding * max(evidence.primal, evidence.dual)
    value = evidence.primal
    for gone, rounded in _candidates(w, v, l1, l2, problem.penalty.positive, rounding):
        other = theta.copy()
        other[:-1][gone] = 0.0
        slack = rounding if rounded else 0.0
        if problem.value_at(problem.decision(other), other) > value + slack:
            continue
        found = evaluate_linear(problem, other, u)
        if found.kkt_violation <= evidence.kkt_violation and found.gap <= evidence.gap + slack:
            return other, found
    return theta, evidence


def _candidates(
    w: np.ndarray, v: np.ndarray, l1: float, l2: float, positive: bool, rounding: float
) -> Iterator[tuple[np.ndarray, bool]]:
    """Sets of weights that may be zero, the largest first, and whether rounding decides about them."""
    size = np.abs(w)
    with np.errstate(over="ignore", invalid="ignore"):
        pull = l1 + l2 * size - np.sign(w) * v  # how far v is from the subgradient at w, on the side of zero
        beyond = np.maximum(v if positive else np.abs(v), l1) - l1  # and from the subgradients at zero
        wrong = (w != 0) & (pull > beyond + _SEEN * l1)
        tiny = wrong & (size * pull <= rounding)
        small = wrong & (size * l1 < pull * size.max(initial=0.0))
        clear = wrong & (pull > _CLEAR * l1)
    # where the pull is less clear a weight may be small and right
    for gone in ((small & clear) | (tiny & (small | clear)), tiny & clear):
        if gone.any():
            yield gone, bool(tiny[gone].all())


__all__ = ["with_exact_zeros"]
