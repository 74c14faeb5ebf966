"""Slopes of a dual point from the mean of slopes that a stochastic method saw."""

from __future__ import annotations

import numpy as np

from ...certificates import RiskEvidence, evaluate_risk
from ...problems import Risk

_HALVINGS = 100
# Features up to which a d x d system is solved for a dual point, and how often at most.
EQUATIONS = 200
_STEPS = 20
# A slope at an end of its interval may leave it, but less readily than others move.
_STIFF = 0.02


def evidence_of_mean(problem: Risk, theta: np.ndarray, u: np.ndarray) -> RiskEvidence:
    """The best proof of theta from the mean slopes u and from slopes that are made to fit to theta.

    The latter start from u if the loss has kinks, where a mean is all that is known of a slope, and otherwise from the
    slopes at theta, which have none of the noise of the iterates.
    """
    u = feasible_slopes(problem, u)
    smooth, l2 = problem.loss.smoothness < np.inf, problem.l2
    with np.errstate(over="ignore", invalid="ignore"):  # theta after steps that were too long
        evidence = evaluate_risk(problem, theta, u)
        if problem.d <= EQUATIONS and (smooth or l2 > 0) and np.isfinite(evidence.primal):
            base = problem.loss.derivative(evidence.decision, problem.y) if smooth else u
            fitting = evaluate_risk(problem, theta, feasible_slopes(problem, base, theta[:-1] if l2 > 0 else None))
            evidence = fitting if fitting.gap < evidence.gap else evidence
    return evidence


def feasible_slopes(problem: Risk, u: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """The slopes, changed as little as it takes to be a dual point, or nearly so.

    A slope at the end of its interval is there for a reason (an easy sample, a hopeless one): a sample gives way by
    its distance from the ends. What an intercept demands, ``sum_i c_i u_i = 0``, holds afterwards; what a penalty
    without an L2 part demands, |v_j| <= l1, nearly, and the certificate sees to the rest. An L2 part demands nothing;
    with `w`, slopes are sought that fit to it, |v_j - l2 w_j| <= l1, which prove more where l2 is small.
    """
    lower, upper = problem.loss.dual_lower(problem.y), problem.loss.dual_upper(problem.y)
    u = np.clip(u, lower, upper)
    l2 = problem.l2
    if (l2 == 0 or w is not None) and problem.d <= EQUATIONS:
        centre = np.zeros(problem.d + 1)
        if w is not None:
            centre[:-1] = -l2 * w
        u = _within_penalty(problem, u, centre, lower, upper)
    return _balanced(problem, u, lower, upper) if problem.fit_intercept else u


def _room(u: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    room = np.minimum(u - lower, upper - u)
    return np.where(np.isfinite(room), room, 1.0)


def _within_penalty(
    problem: Risk, u: np.ndarray, centre: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """Slopes with ``|sum_i c_i u_i x_i - centre| <= l1`` and ``sum_i c_i u_i = 0``, not far from the given ones.

    The nearest ones (distances weighted by 1/room) to have given sums are clip(u + room * X~ k) for some multipliers
    k, which a semismooth Newton method finds. A sum is given once it has been beyond its limits.
    """
    c, l1 = problem.weights, problem.l1
    room = _room(u, lower, upper) + _STIFF
    reach = np.append(np.full(problem.d, l1), 0.0)
    low, high = centre - reach, centre + reach
    given, target = np.zeros(problem.d + 1, dtype=bool), np.zeros(problem.d + 1)
    multipliers, change = np.zeros(problem.d + 1), np.zeros(problem.d + 1)
    near, best, least, before = u, u, np.inf, np.inf
    scale = max(float(c @ np.abs(u)), l1, 1e-300)
    for _ in range(_STEPS):
        sums = problem.transposed(c * near)
        beyond = sums - np.clip(sums, low, high)
        size = float(np.abs(beyond).max(initial=0.0))
        if size < least:
            best, least = near, size
        if size <= 1e-10 * scale:
            break
        if size > before:  # overshot where slopes met their ends: half of the way back
            change /= 2
            multipliers -= change
            near, before = np.clip(u + room * problem.decision(multipliers), lower, upper), np.inf
            continue
        before = size
        target = np.where(given, target, np.clip(sums, low, high))
        given |= beyond != 0
        index = np.flatnonzero(given)
        free = (near > lower) & (near < upper)
        H = problem.weighted_gram(c * room * free)[np.ix_(index, index)]
        change = np.zeros(problem.d + 1)
        if not (np.isfinite(H).all() and np.isfinite(sums).all()):
            break
        change[index] = np.linalg.lstsq(H, (target - sums)[index], rcond=1e-10)[0]
        multipliers += change
        near = np.clip(u + room * problem.decision(multipliers), lower, upper)
    return best


def _balanced(problem: Risk, u: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Slopes whose weighted sum is 0. If their room is not enough, all move by the same amount as far as they can."""
    c = problem.weights
    total = float(c @ u)
    room = _room(u, lower, upper)
    available = float(c @ room)
    if abs(total) <= available:
        return np.clip(u - total / available * room, lower, upper) if total != 0 else u
    high = float(np.abs(u).max())  # then every sum that a common shift can reach is reached
    low = -high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(c @ np.clip(u + middle, lower, upper)) < 0 else (low, middle)
    return _mixed(c, np.clip(u + low, lower, upper), np.clip(u + high, lower, upper))


def _mixed(c: np.ndarray, below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The mixture of two lists of slopes with sums of either sign whose sum is 0 (zeros if both have one sign)."""
    low, high = float(c @ below), float(c @ above)
    if low * high > 0:
        return np.zeros_like(below)
    share = -low / (high - low) if high > low else 0.5
    return (1 - share) * below + share * above
