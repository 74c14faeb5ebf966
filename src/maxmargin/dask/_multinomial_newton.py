"""Newton's method for the multinomial problem whose rows are elsewhere: one sum of matrices of side k (d + 1) a step.

The Hessian is singular along equal shifts of all intercepts, which change nothing: a multiple of the projection on them
is added, and the direction has none of it. Of many columns or classes it is not formed: conjugate gradients ask for its
products.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certificates import RiskEvidence, SlopeRule, Status, evidence_of_classes
from ..penalties import Penalty
from ._conjugate import conjugate_direction
from ._multinomial_tasks import (
    Balance,
    JointAlong,
    JointFirstOrder,
    JointProof,
    JointSecondOrder,
    JointTimes,
    MultinomialSpec,
)
from ._newton import BUDGET, INEXACT, LEFT, Found, direction

__all__ = ["JointFigures", "MultinomialSpec", "solved_jointly"]

_ARMIJO = 1e-4
_STEPS = 2.0 ** -np.arange(1, 13)
_ROUNDS = 4
_LAST = 1e-11
_SHIFTS = 50


@dataclass(frozen=True)
class JointFigures:
    """What the solver has to know beside what it asks the partitions; `totals` are the weights of the classes.

    ``wide`` says that there are too many columns and classes for a matrix of their number.
    """

    penalty: Penalty
    fit_intercept: bool
    totals: np.ndarray
    wide: bool = False


def solved_jointly(
    figures: JointFigures,
    start: np.ndarray,
    tolerance: float,
    budget: int | None,
    report: Callable[[int, float, float], Any],
) -> Generator[Any, Any, Found]:
    """Minimise until the relative gap is proven to be at most the tolerance."""
    budget = BUDGET if budget is None else budget
    theta, target, used = start, tolerance, 0
    best: Found | None = None
    for _ in range(_ROUNDS):
        theta, status, used = yield from _minimised(figures, theta, target, budget, used, report)
        evidence = yield from _proven(figures, theta)
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


def _minimised(
    figures: JointFigures,
    theta: np.ndarray,
    target: float,
    budget: int,
    used: int,
    report: Callable[[int, float, float], Any],
) -> Generator[Any, Any, tuple[np.ndarray, Status, int]]:
    """Newton's steps until the gap is believed to be at most half the target."""
    penalty, before = figures.penalty, None
    while True:
        (value, gradient, H), stop = yield (JointFirstOrder if figures.wide else JointSecondOrder)(theta)
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
        believed = _missed(penalty, slope, theta) / max(J, 1e-300)
        stop = report(used, float(np.abs(slope).max()), believed) or stop
        if believed <= 0.5 * target:
            return theta, Status.CONVERGED, used
        if stop or used >= budget or not np.isfinite(J):
            status = Status.INTERRUPTED if stop else Status.BUDGET_EXHAUSTED if np.isfinite(J) else Status.STALLED
            return theta, status, used
        if figures.wide:
            S = yield from _inexact(figures, H, slope, theta, target * J)
        else:
            S = _direction(figures, H, slope)
        decrement = -float(np.vdot(slope, S))
        if decrement <= 1e-16 * abs(J):
            return theta, Status.CONVERGED, used
        before = (theta, S, J, decrement)
        theta, used = theta + S, used + 1


def _missed(penalty: Penalty, slope: np.ndarray, theta: np.ndarray) -> float:
    """What a gradient that is not zero leaves of the gap."""
    return float(np.vdot(slope, slope)) / (2 * penalty.l2) + abs(float(slope[-1] @ theta[-1]))


def _inexact(
    figures: JointFigures, diagonal: np.ndarray, slope: np.ndarray, theta: np.ndarray, aim: float
) -> Generator[Any, Any, np.ndarray]:
    """Newton's direction by products with the Hessian, as exactly as the gap asks for."""
    penalty, ridge = figures.penalty, np.full_like(diagonal, figures.penalty.l2)
    ridge[-1] = 0.0 if figures.fit_intercept else 1.0
    enough = max(LEFT * aim, INEXACT * _missed(penalty, slope, theta))
    S = yield from conjugate_direction(
        lambda s: JointTimes(theta, s),
        ridge,
        slope,
        diagonal + ridge,
        lambda r: _missed(penalty, r, theta) <= enough,
    )
    S[-1] -= S[-1].mean()
    return S


def _direction(figures: JointFigures, H: np.ndarray, slope: np.ndarray) -> np.ndarray:
    side, k = slope.shape
    A = H.copy()
    ridge = np.full((k, side), figures.penalty.l2)
    ridge[:, -1] = 0.0 if figures.fit_intercept else 1.0
    last = np.arange(k) * side + side - 1
    if figures.fit_intercept:
        A[np.ix_(last, last)] += float(figures.totals.sum()) / k**2
    return np.ascontiguousarray(direction(A, ridge.ravel(), slope.T.ravel()).reshape(k, side).T)


def _shorter(penalty: Penalty, before: tuple) -> Generator[Any, Any, np.ndarray | None]:
    """The best of shorter steps from the point before; None if none lowers the objective."""
    theta, S, J, decrement = before
    (values,), _ = yield JointAlong(theta, S, _STEPS)
    totals = values + [penalty.value((theta + t * S)[:-1]) for t in _STEPS]
    enough = totals <= J - _ARMIJO * _STEPS * decrement
    if not enough.any():
        return None
    return theta + _STEPS[int(np.argmin(np.where(enough, totals, np.inf)))] * S


def _proven(figures: JointFigures, theta: np.ndarray) -> Generator[Any, Any, RiskEvidence]:
    """What theta proves, by probabilities whose sums are those of the labels."""
    shift = np.zeros(theta.shape[1])
    if figures.fit_intercept:
        shift = yield from balanced_shift(theta, float(figures.totals.sum()))
    (sums,), _ = yield JointProof(theta, shift)
    return evidence_of_classes(figures.penalty, theta, figures.fit_intercept, sums)


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
