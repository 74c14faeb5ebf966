"""Newton's method for the multinomial problem whose rows are elsewhere: one sum of matrices of side k (d + 1) a step.

The Hessian is singular along equal shifts of all intercepts, which change nothing: a multiple of the projection on them
is added, and the direction has none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ..certificates import RiskEvidence, SlopeRule, Status, evidence_of_classes
from ..penalties import Penalty
from ._multinomial_tasks import Balance, JointAlong, JointProof, JointSecondOrder, MultinomialSpec
from ._newton import BUDGET, Found, direction

__all__ = ["MultinomialSpec", "solved_jointly"]

_ARMIJO = 1e-4
_STEPS = 2.0 ** -np.arange(1, 13)
_ROUNDS = 4
_LAST = 1e-11
_SHIFTS = 50


def solved_jointly(
    penalty: Penalty,
    fit_intercept: bool,
    start: np.ndarray,
    totals: np.ndarray,
    tolerance: float,
    budget: int | None,
    report: Callable[[int, float, float], Any],
) -> Generator[Any, Any, Found]:
    """Minimise until the relative gap is proven to be at most the tolerance; `totals` are weights of classes."""
    budget = BUDGET if budget is None else budget
    theta, target, used = start, tolerance, 0
    best: Found | None = None
    for _ in range(_ROUNDS):
        theta, status, used = yield from _minimised(penalty, fit_intercept, theta, totals, target, budget, used, report)
        evidence = yield from _proven(penalty, fit_intercept, theta, totals)
        met = evidence.relative_gap <= tolerance
        found = Found(theta, SlopeRule(), evidence, Status.CONVERGED if met else status, used)
        if best is None or met or evidence.gap < best.evidence.gap:
            best = found
        if met or status is not Status.CONVERGED or evidence.rounding > max(tolerance, 0.5 * evidence.relative_gap):
            break
        target /= 10
    assert best is not None
    met = best.evidence.relative_gap <= tolerance
    status = best.status if met or best.status is not Status.CONVERGED else Status.STALLED
    return Found(best.theta, best.rule, best.evidence, status, used)


def _minimised(  # type: ignore[no-untyped-def]
    penalty: Penalty, fit_intercept: bool, theta, totals, target: float, budget: int, used: int, report
) -> Generator[Any, Any, tuple[np.ndarray, Status, int]]:
    """Newton's steps until the gap is believed to be at most half the target."""
    before: tuple | None = None
    while True:
        (value, gradient, H), stop = yield JointSecondOrder(theta)
        J = value + penalty.value(theta[:-1])
        if before is not None and not J <= before[2] - _ARMIJO * before[3] and not before[3] <= _LAST * abs(before[2]):
            shorter = yield from _shorter(penalty, before)
            if shorter is None:
                done = before[3] <= 1e-9 * abs(before[2])
                return before[0], Status.CONVERGED if done else Status.STALLED, used
            theta, before = shorter, None
            continue
        slope = gradient.copy()
        slope[:-1] += penalty.l2 * theta[:-1]
        believed = (float(np.vdot(slope, slope)) / (2 * penalty.l2) + abs(float(slope[-1] @ theta[-1]))) / max(
            J, 1e-300
        )
        stop = report(used, float(np.abs(slope).max()), believed) or stop
        if believed <= 0.5 * target:
            return theta, Status.CONVERGED, used
        if stop or used >= budget or not np.isfinite(J):
            status = Status.INTERRUPTED if stop else Status.BUDGET_EXHAUSTED if np.isfinite(J) else Status.STALLED
            return theta, status, used
        S = _direction(penalty, fit_intercept, H, slope, totals)
        decrement = -float(np.vdot(slope, S))
        if decrement <= 1e-16 * abs(J):
            return theta, Status.CONVERGED, used
        before = (theta, S, J, decrement)
        theta, used = theta + S, used + 1


def _direction(
    penalty: Penalty, fit_intercept: bool, H: np.ndarray, slope: np.ndarray, totals: np.ndarray
) -> np.ndarray:
    side, k = slope.shape
    A = H.copy()
    ridge = np.full((k, side), penalty.l2)
    ridge[:, -1] = 0.0 if fit_intercept else 1.0
    last = np.arange(k) * side + side - 1
    if fit_intercept:
        A[np.ix_(last, last)] += float(totals.sum()) / k**2
    return direction(A, ridge.ravel(), slope.T.ravel()).reshape(k, side).T


def _shorter(penalty: Penalty, before: tuple) -> Generator[Any, Any, np.ndarray | None]:
    """The best of shorter steps from the point before; None if none lowers the objective."""
    theta, S, J, decrement = before
    (values,), _ = yield JointAlong(theta, S, _STEPS)
    totals = values + [penalty.value((theta + t * S)[:-1]) for t in _STEPS]
    enough = totals <= J - _ARMIJO * _STEPS * decrement
    if not enough.any():
        return None
    return theta + _STEPS[int(np.argmin(np.where(enough, totals, np.inf)))] * S


def _proven(
    penalty: Penalty, fit_intercept: bool, theta: np.ndarray, totals: np.ndarray
) -> Generator[Any, Any, RiskEvidence]:
    """What theta proves, by probabilities whose sums are those of the labels."""
    shift = np.zeros(theta.shape[1])
    if fit_intercept:
        shift = yield from balanced_shift(theta, float(totals.sum()))
    (sums,), _ = yield JointProof(theta, shift)
    return evidence_of_classes(penalty, theta, fit_intercept, sums)


def balanced_shift(theta: np.ndarray, size: float) -> Generator[Any, Any, np.ndarray]:
    """The change of the intercepts that makes the sums of the probabilities those of the labels: Newton's steps."""
    t, size = np.zeros(theta.shape[1]), max(size, 1e-300)
    (loss, gradient, H), _ = yield Balance(theta, t)
    for _ in range(_SHIFTS):
        largest = float(np.abs(gradient).max())
        if not np.isfinite(gradient).all() or largest <= 1e-16 * size:
            break
        step = -np.linalg.lstsq(H, gradient, rcond=1e-14)[0]
        length, decrease, near = 1.0, -float(gradient @ step), largest <= 1e-8 * size
        while True:
            (new_loss, found, new_H), _ = yield Balance(theta, t + length * step)
            if near or new_loss <= loss - 1e-4 * length * decrease or length < 1e-9:
                break
            length /= 2
        if not (np.abs(found).max() < 0.5 * largest if near else new_loss <= loss):
            break
        t, loss, gradient, H = t + length * step, new_loss, found, new_H
    return t
