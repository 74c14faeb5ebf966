"""Newton's method for a regularised risk whose rows are elsewhere: one sum of d x d matrices a step.

    (H + ridge) p = -(g + ridge theta),        theta <- theta + t p,

g and H being the gradient and the (generalised) Hessian of the losses. A smooth loss is minimised as it is. One of
straight pieces is smoothed over a width (see `maxmargin.losses.SmoothedLoss`), which falls from step to step as the
duality gap asks for it: what smoothing adds to the gap falls with the square of the width. Slopes of the dual are then
a function of the decision values and the width, so that no partition has to remember anything.

The solver is a generator: it yields questions (`_risk_tasks`) and is sent the answers of all partitions together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from ..certificates import RiskEvidence, SlopeRule, Status, balanced_rule, evidence_of_parts
from ..penalties import Penalty
from ._risk_tasks import Along, Proof, SecondOrder, SumOfSlopes

_ARMIJO = 1e-4
BUDGET = 200
_ROUNDS = 6
_STALLED = 15  # steps without progress
_COARSE = 4.0 ** -np.arange(15.0, -1.0, -1.0)  # lengths that are tried together, and shares of what is left of them
_FINE = np.arange(1, 9) / 8
# A width is narrowed when Newton's step promises less than this share of what smoothing leaves of the gap.
_SETTLED = 0.5
_MOST, _LEAST = 0.8, 0.3  # factors by which it falls
_SHARE = 0.3  # of the gap that is aimed for: what smoothing may leave of it
# A quadratic convergence: after a step that promises so little of the objective, the next one is below rounding.
_LAST = 1e-11
# Curvature of the intercept at least, of what it has with all rows within the width.
_FLOOR = 1e-6


@dataclass(frozen=True)
class RiskFigures:
    """What a solver has to know of a problem beside what it asks the partitions.

    ``width`` is that of the first smoothing, 0 for a smooth loss; ``weight`` the sum of the weights c_i, and ``reach``
    the length of a row of mean sizes.
    """

    penalty: Penalty
    fit_intercept: bool
    start: np.ndarray
    weight: float
    width: float
    reach: float


@dataclass(frozen=True)
class Found:
    """What a solver returns: variables, the rule of their slopes, what these prove, and how it ended."""

    theta: np.ndarray
    rule: SlopeRule
    evidence: RiskEvidence
    status: Status
    iterations: int


@dataclass
class _State:
    """Where Newton's method is."""

    theta: np.ndarray
    width: float
    iterations: int = 0
    believed: float = np.inf
    primal: float = np.inf
    smoothing: float = 0.0
    stopped: bool = False
    status: Status = Status.CONVERGED
    best: float = np.inf
    waited: int = 0
    careful: bool = False
    kept: tuple[np.ndarray, float] | None = None
    narrowest: float = np.inf


def solved(
    figures: RiskFigures, tolerance: float, budget: int | None, report: Callable[[int, float, float], Any]
) -> Generator[Any, Any, Found]:
    """Minimise until the relative duality gap is proven to be at most the tolerance."""
    budget = BUDGET if budget is None else budget
    state, target = _State(figures.start.copy(), figures.width), tolerance
    best: Found | None = None
    for _ in range(_ROUNDS):
        yield from _minimised(state, figures, target, budget, report)
        if state.status is not Status.CONVERGED and state.kept is not None:
            state.theta, state.width = state.kept
        rule, evidence = yield from proven(state.theta, state.width, figures)
        met = evidence.relative_gap <= tolerance
        found = Found(state.theta, rule, evidence, Status.CONVERGED if met else state.status, state.iterations)
        if best is None or met or evidence.gap < best.evidence.gap:
            best = found
        if (
            met
            or state.status is not Status.CONVERGED
            or evidence.rounding > max(tolerance, 0.5 * evidence.relative_gap)
        ):
            break
        target /= 10
    assert best is not None
    status = (
        best.status
        if best.status is not Status.CONVERGED or best.evidence.relative_gap <= tolerance
        else Status.STALLED
    )
    return Found(best.theta, best.rule, best.evidence, status, state.iterations)


def proven(
    theta: np.ndarray, width: float, figures: RiskFigures
) -> Generator[Any, Any, tuple[SlopeRule, RiskEvidence]]:
    """The rule of the slopes at theta, and what these prove."""
    rule = SlopeRule(width)
    if figures.fit_intercept:
        (total, positive, negative), _ = yield SumOfSlopes(theta, rule)
        rule = balanced_rule(rule, float(total.value), float(positive.value), float(negative.value))
    (sums,), _ = yield Proof(theta, rule)
    return rule, evidence_of_parts(figures.penalty, theta, figures.fit_intercept, sums)


def _minimised(
    state: _State, figures: RiskFigures, target: float, budget: int, report: Callable[[int, float, float], Any]
) -> Generator[Any, Any, None]:
    """Steps until the gap is believed to be at most half the target."""
    ridge = np.full(len(state.theta), figures.penalty.l2)
    ridge[-1] = 0.0
    state.status, state.best, state.waited, state.kept, state.narrowest = Status.CONVERGED, np.inf, 0, None, np.inf
    last: _Step | None = None
    while True:
        answer, stop = yield SecondOrder(state.theta, state.width)
        value, gradient, H, plain, stars = answer
        J = value + figures.penalty.value(state.theta[:-1])
        if last is not None and last.is_worse(J, state.width):
            length = yield from _length(last, figures.penalty.l2, last.width)
            state.theta, state.width, state.careful = last.theta + length * last.p, last.width, True
            if length == 0:
                done = last.decrement <= max(target, 1e-12) * abs(last.J)
                state.status = Status.CONVERGED if done and not state.width else Status.STALLED
                return
            last = None
            continue
        slope = gradient + ridge * state.theta
        _believe(state, figures, plain, stars, gradient, slope)
        p = direction(H, ridge, slope, _floor(figures, state.width))
        step = _Step(state.theta, p, J, -float(slope @ p), state.width)
        report(state.iterations, float(np.abs(slope).max()), state.believed)
        if _has_ended(state, target, budget, stop, step.decrement, J):
            return
        length, last = 1.0, step
        if state.careful:  # the rows within the width are others now: how far the quadratic holds is not known
            length, last = (yield from _length(step, figures.penalty.l2, state.width)), None
            state.careful = length < 0.5
        state.theta, state.iterations = state.theta + length * p, state.iterations + 1
        _narrow(state, step.decrement * length, target)


def _narrow(state: _State, promised: float, target: float) -> None:
    """A smaller width, if what smoothing leaves of the gap is more than what Newton's step has gained."""
    enough = _SHARE * target * state.primal
    if state.width and promised <= _SETTLED * state.smoothing and state.smoothing > enough:
        state.width *= float(np.clip(0.9 * np.sqrt(enough / state.smoothing), _LEAST, _MOST))
        state.careful = True


@dataclass(frozen=True)
class _Step:
    """Where a step starts, its direction, the objective there, and what the quadratic promises of it."""

    theta: np.ndarray
    p: np.ndarray
    J: float
    decrement: float
    width: float

    def is_worse(self, J: float, width: float) -> bool:
        """Whether the full step has not lowered the objective enough, where that can be seen and is of one width."""
        if self.width != width and np.isfinite(J):
            return False
        seen = self.decrement > _LAST * abs(self.J) or not np.isfinite(J)
        return seen and not J <= self.J - _ARMIJO * self.decrement


def _believe(
    state: _State, figures: RiskFigures, plain: float, stars: float, gradient: np.ndarray, slope: np.ndarray
) -> None:
    """The relative gap as far as sums without bounds of their rounding tell."""
    l2, penalty = figures.penalty.l2, figures.penalty.value(state.theta[:-1])
    state.primal = max(plain + penalty, 1e-300)
    # P - D = sum c (loss + conjugate - u f) + |w - v / l2|^2 l2 / 2, but for what the sum of slopes is off by
    state.smoothing = max(plain + stars - float(gradient @ state.theta), 0.0) if state.width else 0.0
    off = abs(float(slope[-1]))
    # slopes whose sum is off are made to sum to zero in the end, which moves v by their part of a mean row
    missed = (float(slope @ slope) + (off * figures.reach) ** 2) / (2 * l2) + off * abs(float(state.theta[-1]))
    state.believed = (state.smoothing + missed) / state.primal


def _has_ended(state: _State, target: float, budget: int, stop: bool, decrement: float, J: float) -> bool:
    """Whether to end here, and with what status."""
    if state.believed <= 0.5 * target:
        return True
    if not np.isfinite(state.believed) or not np.isfinite(decrement):
        state.status = Status.STALLED
        return True
    if state.believed < 0.95 * state.best:
        state.best, state.waited, state.kept = state.believed, 0, (state.theta, state.width)
    elif state.smoothing < 0.95 * state.narrowest:  # the gap itself does not fall from width to width
        state.waited = 0
    state.narrowest = min(state.narrowest, state.smoothing)
    state.waited += 1
    if stop:
        state.status, state.stopped = Status.INTERRUPTED, True
        return True
    if state.iterations >= budget:
        state.status = Status.BUDGET_EXHAUSTED
        return True
    if state.waited > _STALLED or (not state.width and decrement <= _LAST * 1e-4 * abs(J)):
        state.status = Status.STALLED
        return True
    return False


def _length(step: _Step, l2: float, width: float) -> Generator[Any, Any, float]:
    """Where along the direction the objective is least, up to the full step: 0 if rounding allows no descent.

    Slopes at many lengths by one pass, and at more of them where the slope changes its sign by another.
    """
    w, p = step.theta[:-1], step.p[:-1]
    cross, square = l2 * float(w @ p), l2 * float(p @ p)
    low, high, at_low, at_high = 0.0, 1.0, -step.decrement, np.inf
    if not at_low < 0:
        return 0.0
    for tries in (_COARSE, _FINE):
        steps = tries if tries is _COARSE else low + (high - low) * tries
        (slopes,), _ = yield Along(step.theta, step.p, steps, width)
        slopes = slopes + cross + steps * square
        rising = np.flatnonzero(~(slopes < 0))
        if not rising.size:
            if high == 1.0:
                return 1.0
            low, at_low = float(steps[-1]), float(slopes[-1])
            break
        k = int(rising[0])
        high, at_high = float(steps[k]), float(slopes[k])
        if k > 0:
            low, at_low = float(steps[k - 1]), float(slopes[k - 1])
        if low > 0.5 * high:
            break
    share = at_low / (at_low - at_high) if np.isfinite(at_high) else 0.0
    return low + (high - low) * share


def _floor(figures: RiskFigures, width: float) -> float:
    """The least curvature of the intercept: none of the rows within the width would leave it without any."""
    if not figures.fit_intercept:
        return 1.0
    return _FLOOR * figures.weight / width if width else 0.0


def direction(H: np.ndarray, ridge: np.ndarray, slope: np.ndarray, floor: float = 0.0) -> np.ndarray:
    """Newton's direction, of a matrix scaled to a unit diagonal: columns of all sizes are alike then."""
    A = H.copy()
    A.flat[:: len(A) + 1] += ridge
    A[-1, -1] = max(A[-1, -1], floor)
    diagonal = A.diagonal().copy()
    dead = ~(diagonal > 0)
    A[dead, dead] = diagonal[dead] = 1.0
    scale = 1 / np.sqrt(diagonal)
    A *= scale
    A *= scale[:, None]
    shift = 0.0
    while shift < 1:
        try:
            factor = scipy.linalg.cho_factor(A + shift * np.eye(len(A)) if shift else A, lower=True, check_finite=False)
            return -scale * scipy.linalg.cho_solve(factor, scale * slope, check_finite=False)
        except np.linalg.LinAlgError:
            shift = max(10 * shift, 1e-14)
    return -slope * scale * scale
