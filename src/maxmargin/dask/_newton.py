"""Newton's method for a regularised risk whose rows are elsewhere: one sum of d x d matrices a step.

    (H + ridge) p = -(g + ridge theta),        theta <- theta + t p,

g and H being the gradient and the (generalised) Hessian of the losses. A smooth loss is minimised as it is. One of
straight pieces is smoothed over a width (see `maxmargin.losses.SmoothedLoss`), which falls from step to step as the
duality gap asks for it: what smoothing adds to the gap falls with the square of the width. Slopes of the dual are then
a function of the decision values and the width, so that no partition has to remember anything.

Of many columns the matrix is not formed: conjugate gradients ask for its products with vectors (`_conjugate`). There,
and where a width that falls ends as stalled, smoothing goes on around centres (`_centred`).

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
from ._centred import CentredRule, Past
from ._conjugate import conjugate_direction, direction_here
from ._risk_tasks import Along, CurvedRows, FirstOrder, HessianTimes, Proof, SecondOrder, SumOfSlopes

_ARMIJO = 1e-4
BUDGET = 200
_ROUNDS = 6
_STALLED = 15  # steps without progress
_COARSE = 4.0 ** -np.arange(15.0, -1.0, -1.0)  # lengths that are tried together, and shares of what is left of them
_FINE = np.arange(1, 9) / 8
# A width is narrowed when Newton's step promises less than this share of what smoothing leaves of the gap.
_SETTLED = 0.5
_MOST, _LEAST = 0.8, 0.3  # factors by which it falls
# The share of it that centres should leave: where they leave more, the width falls by a factor.
_GAINED, _NARROWER = 0.3, 0.4
_SHARE = 0.3  # of the gap that is aimed for: what smoothing may leave of it
# A quadratic convergence: after a step that promises so little of the objective, the next one is below rounding.
_LAST = 1e-11
# Shares of the gap that is aimed for, and of that at the start of a step, that conjugate gradients may leave.
LEFT, INEXACT = 0.1, 0.01
_CLOSER = 1e-4  # the second where the rows are here
# Curvature of the intercept at least, of what it has with all rows within the width.
_FLOOR = 1e-6


@dataclass(frozen=True)
class RiskFigures:
    """What a solver has to know of a problem beside what it asks the partitions.

    ``width`` is that of the first smoothing, 0 for a smooth loss; ``weight`` the sum of the weights c_i, and ``reach``
    the length of a row of mean sizes. ``wide`` says that there are too many columns for a matrix of that side, and
    ``room`` how many bytes of rows within the width may then come here.
    """

    penalty: Penalty
    fit_intercept: bool
    start: np.ndarray
    weight: float
    width: float
    reach: float
    wide: bool = False
    room: float = 0.0


@dataclass(frozen=True)
class Found:
    """What a solver returns: variables, the rule of their slopes (or these), what they prove, and how it ended."""

    theta: np.ndarray
    rule: Any
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
    kept: tuple[np.ndarray, float, Past] | None = None
    narrowest: float = np.inf
    past: Past = ()
    centred: float = np.inf
    centring: bool = False

    @property
    def here(self) -> tuple[np.ndarray, float, Past]:
        """Where the multipliers follow from."""
        return self.theta, self.width, self.past


def solved(
    figures: RiskFigures, tolerance: float, budget: int | None, report: Callable[[int, float, float], Any]
) -> Generator[Any, Any, Found]:
    """Minimise until the relative duality gap is proven to be at most the tolerance."""
    budget = BUDGET if budget is None else budget
    state, target = _State(figures.start.copy(), figures.width, centring=figures.wide), tolerance
    best: Found | None = None
    for _ in range(_ROUNDS):
        yield from _minimised(state, figures, target, budget, report)
        if state.status is not Status.CONVERGED and state.kept is not None:
            state.theta, state.width, state.past = state.kept
        if state.status is Status.STALLED and state.width and not state.centring:
            state.width, state.centring = figures.width, True  # around centres it need not fall to zero
            continue
        rule, evidence = yield from proven(state.theta, _rule(state), figures)
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


def _rule(state: _State) -> SlopeRule:
    """How multipliers follow from decision values."""
    return CentredRule(state.width, past=state.past) if state.past else SlopeRule(state.width)


def proven(
    theta: np.ndarray, rule: SlopeRule, figures: RiskFigures
) -> Generator[Any, Any, tuple[SlopeRule, RiskEvidence]]:
    """The rule of the slopes at theta, and what these prove."""
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
        answer, stop = yield (FirstOrder if figures.wide else SecondOrder)(*state.here)
        value, gradient, H, plain, stars, *size = answer
        J = value + figures.penalty.value(state.theta[:-1])
        if last is not None and last.is_worse(J, state.width):
            length = yield from _length(last, figures.penalty.l2, last.width, state.past)
            state.theta, state.width, state.careful = last.theta + length * last.p, last.width, True
            if length == 0:
                done = last.decrement <= max(target, 1e-12) * abs(last.J)
                state.status = Status.CONVERGED if done and not state.width else Status.STALLED
                return
            last = None
            continue
        slope = gradient + ridge * state.theta
        _believe(state, figures, plain, stars, gradient, slope)
        report(state.iterations, float(np.abs(slope).max()), state.believed)
        if _has_ended(state, target, budget, stop):
            return
        if _recentred(state, figures, slope):
            last = None
            continue
        if figures.wide:
            few = state.width > 0 and size[0] <= figures.room
            p = yield from _inexact(state, figures, H, ridge, slope, target, few)
        else:
            p = direction(H, ridge, slope, _floor(figures, state.width))
        step = _Step(state.theta, p, J, -float(slope @ p), state.width)
        if _is_stuck(state, step):
            return
        length, last = 1.0, step
        if state.careful:  # the rows within the width are others now: how far the quadratic holds is not known
            length, last = (yield from _length(step, figures.penalty.l2, state.width, state.past)), None
            state.careful = length < 0.5
        state.theta, state.iterations = state.theta + length * p, state.iterations + 1
        if not state.centring:
            _narrow(state, step.decrement * length, target)


def _narrow(state: _State, promised: float, target: float) -> None:
    """A smaller width, if what smoothing leaves of the gap is more than what Newton's step has gained."""
    enough = _SHARE * target * state.primal
    if state.width and promised <= _SETTLED * state.smoothing and state.smoothing > enough:
        state.width *= float(np.clip(0.9 * np.sqrt(enough / state.smoothing), _LEAST, _MOST))
        state.careful = True


def _recentred(state: _State, figures: RiskFigures, slope: np.ndarray) -> bool:
    """Whether the multipliers have become centres: at a minimum, as nearly as what smoothing leaves of the gap asks."""
    if not (state.centring and state.width):
        return False
    if _missed(figures, slope, float(state.theta[-1])) > _SETTLED * state.smoothing:
        return False
    state.past = (*state.past, (state.theta, state.width))
    if state.smoothing > _GAINED * state.centred:
        state.width *= _NARROWER
    state.centred, state.careful = state.smoothing, True
    return True


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
    penalty = figures.penalty.value(state.theta[:-1])
    state.primal = max(plain + penalty, 1e-300)
    # P - D = sum c (loss + conjugate - u f) + |w - v / l2|^2 l2 / 2, but for what the sum of slopes is off by
    state.smoothing = max(plain + stars - float(gradient @ state.theta), 0.0) if state.width else 0.0
    state.believed = (state.smoothing + _missed(figures, slope, float(state.theta[-1]))) / state.primal


def _missed(figures: RiskFigures, slope: np.ndarray, intercept: float) -> float:
    """What a gradient that is not zero leaves of the gap.

    Slopes whose sum is off are made to sum to zero in the end, which moves v by their part of a mean row.
    """
    off = abs(float(slope[-1]))
    return (float(slope @ slope) + (off * figures.reach) ** 2) / (2 * figures.penalty.l2) + off * abs(intercept)


def _inexact(
    state: _State,
    figures: RiskFigures,
    diagonal: np.ndarray,
    ridge: np.ndarray,
    slope: np.ndarray,
    target: float,
    few: bool,
) -> Generator[Any, Any, np.ndarray]:
    """Newton's direction by products with the Hessian, as exactly as the gap asks for.

    A narrow width makes for many products; but then `few` rows have curvature, and these may come here.
    """
    (theta, width, past), ridge = state.here, ridge.copy()
    ridge[-1] = max(0.0, _floor(figures, width) - float(diagonal[-1]))
    b = float(theta[-1])
    before = _missed(figures, slope, b)
    if few:
        (rows,), _ = yield CurvedRows(theta, width, past)
        enough = max(LEFT * target * state.primal, _CLOSER * before)
        return direction_here(
            lambda s: rows.gram_times(s, figures.fit_intercept),
            ridge,
            slope,
            diagonal + ridge,
            lambda r: _missed(figures, r, b) <= enough,
        )
    enough = max(LEFT * target * state.primal, INEXACT * before)
    return (
        yield from conjugate_direction(
            lambda s: HessianTimes(theta, s, width, past),
            ridge,
            slope,
            diagonal + ridge,
            lambda r: _missed(figures, r, b) <= enough,
        )
    )


def _has_ended(state: _State, target: float, budget: int, stop: bool) -> bool:
    """Whether to end here, and with what status."""
    if state.believed <= 0.5 * target:
        return True
    if not np.isfinite(state.believed):
        state.status = Status.STALLED
        return True
    if state.believed < 0.95 * state.best:
        state.best, state.waited, state.kept = state.believed, 0, state.here
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
    if state.waited > _STALLED * (4 if state.past else 1):
        state.status = Status.STALLED
        return True
    return False


def _is_stuck(state: _State, step: _Step) -> bool:
    """Whether the step promises nothing that could be seen."""
    if np.isfinite(step.decrement) and (state.width or step.decrement > _LAST * 1e-4 * abs(step.J)):
        return False
    state.status = Status.STALLED
    return True


def _length(step: _Step, l2: float, width: float, past: Past) -> Generator[Any, Any, float]:
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
        (slopes,), _ = yield Along(step.theta, step.p, steps, width, past)
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
