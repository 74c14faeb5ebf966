"""Zeros of an L1 penalty from an interior point, whose weights are never zero themselves.

Near the optimum a weight is tiny or its multiplier is far from the limits. Those that are tiny are set to zero, and the
others move with them by the least change in the metric of Newton's equations, A: samples on the margin boundary, whose
part of A is the largest, keep their decision values. With d_Z = -w_Z given,

    A_RR d_R = -A_RZ d_Z        for the rest R of the weights, and the intercept.

What is returned has an objective that is no larger than before, but for a few units in the last place.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ...problems import Risk

# Of l1: distances of a multiplier from its limits at which a weight is surely zero, and likely to be.
_CLEAR = 0.1, 1e-3
# Of the unit diagonal: keeps the equations definite.
_SHIFT = 1e-13
# Of the objective, a sum that is rounded by more.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
# Tries between a number of zeros that raises the objective and one that does not.
_BETWEEN = 2


def with_zeros(
    problem: Risk,
    theta: np.ndarray,
    figures: tuple[float, float],
    hinges: tuple[np.ndarray, np.ndarray],
    room: np.ndarray,
    equations: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Theta with as many zeros as do not raise the objective.

    Parameters
    ----------
    problem : Risk
        With an L1 part.
    theta : ndarray of shape (d + 1,)
        The interior point's answer.
    figures : floats
        The objective there, and what it may be above its minimum.
    hinges : ndarrays a, s of shape (h, n)
        The losses as sums of ``c max(0, a - s f)``.
    room : ndarray of shape (d,)
        How far the multiplier of each weight is from its limits.
    equations : ndarrays A, scale of shape (d + 1, d + 1), (d + 1,)
        The matrix of Newton's equations, its rows and columns times a scale.

    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = np.abs(theta[:-1]) / room
    order = np.argsort(ratio, kind="stable")
    value, sizes = figures[0] * (1 + _ROUNDING), problem.l1 * np.abs(theta[:-1])

    def tried(count: int) -> np.ndarray | None:
        return _no_worse(problem, _moved(theta, order[:count], *equations), hinges, value)

    if sizes.sum() < value * float(room.min(initial=np.inf)) / problem.l1:  # next to nothing: perhaps no weights at all
        none = tried(len(order))
        if none is not None:
            return none
    best, low, high = theta, 0, len(order) + 1
    for count in _counts(ratio[order], room[order] / problem.l1, sizes[order], figures[1]):
        other = tried(count)
        if other is None:
            high = count
            break
        best, low = other, count
    for _ in range(_BETWEEN if low else 0):
        middle = (low + high) // 2
        if middle == low or high > len(order):
            break
        other = tried(middle)
        best, low, high = (best, low, middle) if other is None else (other, middle, high)
    return best


def _no_worse(
    problem: Risk, theta: np.ndarray, hinges: tuple[np.ndarray, np.ndarray], value: float
) -> np.ndarray | None:
    """Theta, if the objective is at most `value`; without any weights, with the intercept that is best."""
    f = problem.decision(theta)
    if problem.value_at(f, theta) <= value:
        return theta
    if not problem.fit_intercept or theta[:-1].any():
        return None
    a, s = hinges
    shift = _best_shift(a - s * f, s, problem.weights)
    theta[-1] += shift
    return theta if problem.value_at(f + shift, theta) <= value else None


def _counts(ratio: np.ndarray, room: np.ndarray, sizes: np.ndarray, gap: float) -> list[int]:
    """How many of the ordered weights may be zero, the surest number first.

    Those whose multipliers say so; those before the largest jump; those that are no more than the gap together.
    """
    positive = np.maximum(ratio, 1e-300)
    jump = int(np.argmax(positive[1:] / positive[:-1])) + 1 if len(ratio) > 1 else len(ratio)
    sure, likely = (int((room > share).sum()) for share in _CLEAR)
    within = int(np.searchsorted(np.cumsum(sizes), gap, side="right"))
    return sorted({count for count in (sure, likely, min(jump, within)) if count >= max(sure, 1)})


def _moved(theta: np.ndarray, zero: np.ndarray, A: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Zeros, and the others moved with them, where the equations have a solution to speak of."""
    other, rest = theta.copy(), np.ones(len(theta), dtype=bool)
    other[zero], rest[zero] = 0.0, False
    M, right = A[np.ix_(rest, rest)], A[np.ix_(rest, ~rest)] @ (theta / scale)[~rest]
    M.flat[:: len(M) + 1] += _SHIFT
    try:
        factor = scipy.linalg.cho_factor(M, lower=True, check_finite=False, overwrite_a=True)
    except np.linalg.LinAlgError:
        return other
    change = scale[rest] * scipy.linalg.cho_solve(factor, right, check_finite=False)
    if np.isfinite(change).all():
        other[rest] += change
    return other


def _best_shift(left: np.ndarray, s: np.ndarray, c: np.ndarray) -> float:
    """The t of the least ``sum c max(0, left - s t)``: where the slope, which rises at each hinge, changes its sign."""
    used = (s != 0) & (c > 0)
    left, s, rises = left[used], s[used], np.broadcast_to(c, s.shape)[used] * np.abs(s[used])
    ends = left / s
    order = np.argsort(ends, kind="stable")
    slopes = np.cumsum(rises[order]) - float(rises[s > 0].sum())
    place = int(np.searchsorted(slopes, 0.0))
    return float(ends[order[place]]) if place < len(order) and np.isfinite(ends[order[place]]) else 0.0
