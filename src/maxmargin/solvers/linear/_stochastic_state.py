"""The variables of a stochastic method between passes, so that data can be streamed through it chunk by chunk.

The problem is J = sum_i f_i with f_i = c_i loss(f(x_i), y_i) + R(w)/n (see `maxmargin.solvers.linear.stochastic`).
Nothing here grows with the number of samples seen, apart from the slopes of the chunk at hand.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...certificates import (
    AveragedGuarantee,
    RiskEvidence,
    averaged_guarantee,
    evaluate_risk,
    gradient_bound,
    prior_radius,
    row_squares,
)
from ...data import Rows
from ...penalties import Penalty
from ...problems import Risk
from ._directions import DECAYS, DIRECTIONS, NORMALISED, init
from ._mean_slopes import evidence_of_mean
from ._schedules import SCHEDULES, step_lengths
from ._stochastic_pass import directed_pass, lazy_pass

ORDERS = ("shuffle", "cyclic", "replacement")
# Later iterates count more in the mean, that of step t by (t + 1)^3 (polynomial decay; Shamir and Zhang 2013).
_POWER = 3.0
_ALL = 2**62
# Factors of the first step length that are tried, on so many rows each at most, and on no fewer.
_LONGER = (1.0, 4.0, 16.0)
_TRIAL_ROWS, _LEAST_ROWS = 1000, 20
# Steps of one compiled call: long enough that writing out all weights is little of it, short enough to be interrupted.
_STEPS = 4096


@dataclass(frozen=True)
class Suboptimality:
    """What is known of the distance to the minimum: a proof for the chunk, and the average's bound if it applies."""

    evidence: RiskEvidence
    guarantee: AveragedGuarantee | None


class StochasticState:
    """Iterate, mean iterate, step count and memory of the direction.

    Parameters
    ----------
    start : ndarray of shape (d + 1,)
        First iterate; not changed.
    batch_size : int or "all"
        Samples a step: 1, k, or all of them.
    direction : {"plain", "momentum", "nesterov", "rmsprop", "adam"}, optional
        See `maxmargin.solvers.linear._directions`; None is "plain", or "momentum" where that is given.
    momentum : float, optional
        beta, the part of the mean gradient that is kept from one step to the next; 0.9 by default.
    decay : float, optional
        beta2, the same of the mean of squares ("rmsprop" and "adam"); 0.999 by default.
    delta : float, optional
        Added to the root of the mean of squares; 1e-8 by default.
    schedule : {"auto", "constant", "inverse", "inverse_sqrt", "theory"}
        See `maxmargin.solvers.linear._schedules`.
    eta0 : float or None
        First step length; None: from the first chunk.
    average : bool
        Whether the answer is the mean of the iterates (weighted towards the later ones; by the same weight for
        "theory", whose bound is of that mean) instead of the last one.
    order : {"shuffle", "cyclic", "replacement"}
        Of the samples in a pass: a new random one each time, as given, or drawn with replacement.
    seed : int
        Of the random order.
    radius : float or None
        B of the schedule "theory"; None: what the penalty implies.
    steps : int or None
        T of the schedule "theory".
    samples : float or None
        n of R(w)/n; None: the number of samples of the chunk at hand.

    """

    def __init__(
        self,
        start: np.ndarray,
        *,
        batch_size: int | str = 1,
        direction: str | None = None,
        momentum: float | None = None,
        decay: float | None = None,
        delta: float | None = None,
        schedule: str = "auto",
        eta0: float | None = None,
        average: bool = True,
        order: str = "shuffle",
        seed: int = 0,
        radius: float | None = None,
        steps: int | None = None,
        samples: float | None = None,
    ) -> None:
        if direction is None:
            direction = "plain" if momentum is None else "momentum"
        batch_size = _ALL if batch_size == "all" else batch_size
        _check(batch_size, direction, schedule, eta0, order)
        if schedule == "theory" and direction != "plain":
            raise ValueError(
                f"schedule='theory' is of plain steps; its bound does not hold for direction={direction!r}."
            )
        if radius is not None and not 0 < radius < np.inf:
            raise ValueError(f"radius={radius!r} must be a positive number: the bound B of the length of theta.")
        self.decays = _decays(direction, momentum, decay, delta)
        self.theta = np.array(start, dtype=np.float64)
        self.batch_size, self.direction, self.schedule = int(batch_size), direction, schedule
        self.averages, self.order, self.radius, self.samples = bool(average), order, radius, samples
        self.eta0, self.planned = eta0, steps
        self.steps = self.passes = 0
        self.slopes = np.zeros(0)
        self._total, self._weight = np.zeros_like(self.theta), 0.0
        self._memory = init(direction, len(self.theta))
        self._longest = 0.0
        self._rng = np.random.default_rng(seed)

    @property
    def average(self) -> np.ndarray:
        """The mean iterate, or the last one where no mean is asked for."""
        if not self.averages or self._weight == 0:
            return self.theta.copy()
        return self._total / self._weight

    def advance(
        self, problem: Risk, passes: int = 1, slopes: np.ndarray | None = None, tries: bool = False
    ) -> StochasticState:
        """Make `passes` passes over the samples of `problem`, which may be one chunk of many; returns itself.

        `slopes` (renewed in place) is the mean of the slopes of these samples in earlier passes. `tries`: whether the
        first step length may be found by trials.
        """
        if self.schedule == "theory":
            self._longest = max(self._longest, gradient_bound(problem))
        if self.eta0 is None:
            self.eta0 = self._first_step(self._with_its_share(problem), tries)
        fresh = slopes is None
        self.slopes = np.zeros(problem.n) if slopes is None else slopes
        for k in range(passes):
            # the first visit replaces a slope; later the mean forgets the early ones as that of the iterates does
            visits = k if fresh else self.passes
            self._pass(problem, (_POWER + 1.0) / (visits + _POWER + 1.0) if visits else 1.0)
            self.passes += 1
        return self

    def suboptimality(self, problem: Risk) -> Suboptimality:
        """How far the answer is from the minimum over this chunk, which was the last one given to `advance`.

        The gap is a proof for these samples and their share of R. In a stream it does not vanish: the minimum over one
        chunk lies below what the minimum over all has there, by less the longer the chunk is. For the schedule
        "theory" the bound of the average is added, in the same units; its rho is that of all samples so far.
        """
        problem, theta = self._with_its_share(problem), self.average
        known = len(self.slopes) == problem.n
        evidence = evidence_of_mean(problem, theta, self.slopes) if known else evaluate_risk(problem, theta)
        guarantee = None
        if self.schedule == "theory" and self.averages:
            guarantee = averaged_guarantee(problem, theta, self.steps, self.radius, self._longest, self.eta0)
        return Suboptimality(evidence, guarantee)

    def _pass(self, problem: Risk, blend: float) -> None:
        n, batch = problem.n, min(self.batch_size, problem.n)
        order = self._visits(n)
        size = max(_STEPS, problem.d) * batch
        samples = float(n if self.samples is None else self.samples)
        l1, l2 = problem.l1 / samples, problem.l2 / samples
        for low in range(0, n, size):
            part = order[low : low + size]
            t = self.steps + np.arange(-(-len(part) // batch), dtype=np.float64)
            eta = step_lengths(self.schedule, float(self.eta0 or 0.0), l2, samples, t)
            weight = np.ones_like(t) if self.schedule == "theory" else (t + 1.0) ** _POWER
            arguments: tuple[Any, ...] = (
                problem.rows.arrays,
                part,
                batch,
                problem.y,
                problem.weights,
                problem.loss.code,
                problem.loss.epsilon,
            ) + (l1, l2, problem.fit_intercept, eta, weight, self.theta, self._total, self.slopes, blend)
            if self.direction == "plain":
                lazy_pass(*arguments)
            else:
                code = DIRECTIONS[self.direction]
                directed_pass(*arguments, code, self._memory, self.steps, self.decays)
            self.steps += len(t)
            self._weight += float(weight.sum())

    def _with_its_share(self, problem: Risk) -> Risk:
        """The chunk's part of J: its losses, and as much of R as it has of the samples."""
        if self.samples is None or self.samples == problem.n:
            return problem
        part = problem.n / self.samples
        return replace(problem, penalty=Penalty(problem.penalty.name, part * problem.l1, part * problem.l2))

    def _visits(self, n: int) -> np.ndarray:
        if self.order == "cyclic":
            return np.arange(n)
        return self._rng.permutation(n) if self.order == "shuffle" else self._rng.integers(n, size=n)

    def _first_step(self, problem: Risk, tries: bool = False) -> float:
        """A first step length from the data.

        Smooth losses: 1 over the largest curvature of f_i, so that no step overshoots its own sample's minimum. Kinked
        ones: a step moves its own decision value by a fifth of what decision values vary (1 for margins), and by more
        if a batch makes it less noisy. Normalised directions: a tenth of what moves all decision values by that much.
        """
        squares = problem.weights * row_squares(problem)
        mean, largest = float(squares.mean()), float(squares.max())
        if largest == 0:
            return 1.0
        if self.schedule == "theory":
            return self._theory_step(problem)
        spread = _spread(problem)
        if self.direction in NORMALISED:
            return 0.1 * spread * float(np.sqrt(problem.weights.mean() / (mean * (problem.d + 1))))
        batch = min(self.batch_size, problem.n)
        if problem.loss.smoothness < np.inf:
            eta = 1.0 / (problem.loss.smoothness * (largest / batch + mean * (1.0 - 1.0 / batch)))
        else:
            eta = min(1.0, 0.2 * float(np.sqrt(batch))) * spread / mean
        # slopes without a bound take no longer steps: they would diverge
        return self._tried(problem, eta) if tries and problem.loss.lipschitz < np.inf else eta

    def _tried(self, problem: Risk, eta: float) -> float:
        """The best of this length and longer ones in one short pass each, from the origin (as in Bottou's SGD 2.0).

        All trials together are one pass over the samples, or less, and the best one's end is the start. A length that
        depends on the longest row is too short where few rows are that long, and one of a fixed move of margins where
        rows are short.
        """
        index = np.arange(0, problem.n, max(len(_LONGER), -(-problem.n // _TRIAL_ROWS)))
        if len(index) < _LEAST_ROWS:
            return eta
        rows = Rows(problem.rows.take(index))
        few = replace(problem, rows=rows, y=problem.y[index], weights=problem.weights[index])
        samples = float(problem.n if self.samples is None else self.samples)
        share = replace(
            few, penalty=Penalty(few.penalty.name, problem.l1 * few.n / samples, problem.l2 * few.n / samples)
        )
        best, chosen, end = np.inf, eta, self.theta
        for factor in _LONGER:
            trial = StochasticState(
                np.zeros(problem.d + 1), batch_size=self.batch_size, eta0=factor * eta, order="cyclic", samples=samples
            )
            value = share.value(trial.advance(few).average)
            if value < best:
                best, chosen, end = value, factor * eta, trial.average
        if not self.theta.any():  # what the trial has learned is kept
            self.theta[:] = end
        return chosen

    def _theory_step(self, problem: Risk) -> float:
        B = prior_radius(problem) if self.radius is None else self.radius
        rho = self._longest
        if not np.isfinite(B) or self.planned is None:
            raise ValueError(
                "schedule='theory' needs the number of steps and a bound of ||theta*||: give radius=, or a penalty."
            )
        if not np.isfinite(rho):
            raise ValueError(f"schedule='theory' needs a loss with bounded slopes ({problem.loss.name!r} has not).")
        return B / (rho * np.sqrt(self.planned)) if B * rho > 0 else 1.0


def _spread(problem: Risk) -> float:
    """By how much decision values vary: about 1 for margins, as much as the targets otherwise."""
    if problem.loss.kind == "classification":
        return 1.0
    y = problem.y[problem.weights > 0]
    spread = float(np.abs(y - np.median(y)).mean()) if len(y) else 0.0
    return spread if spread > 0 else max(float(np.abs(y).max(initial=0.0)), 1.0)


def _decays(
    direction: str, momentum: float | None, decay: float | None, delta: float | None
) -> tuple[float, float, float]:
    """Rates of a direction, the usual ones where none are given; one that it has no use for is refused."""
    takes = {
        "momentum": direction in ("momentum", "nesterov", "adam"),
        "decay": direction in NORMALISED,
        "delta": direction in NORMALISED,
    }
    found = []
    for (name, used), value, usual in zip(takes.items(), (momentum, decay, delta), DECAYS, strict=True):
        if value is not None and not used:
            raise ValueError(f"{name}={value!r} is of no use to direction={direction!r}.")
        most = np.inf if name == "delta" else 1.0
        if value is not None and not 0 <= value < most:
            raise ValueError(f"{name} must be at least 0 and below {most:g}; got {value!r}.")
        found.append(usual if value is None else float(value))
    return found[0], found[1], found[2]


def _check(batch_size: Any, direction: str, schedule: str, eta0: float | None, order: str) -> None:
    for name, value, allowed in (
        ("direction", direction, tuple(DIRECTIONS)),
        ("schedule", schedule, SCHEDULES),
        ("order", order, ORDERS),
    ):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {sorted(allowed)}; got {value!r}.")
    if not isinstance(batch_size, numbers.Real) or batch_size < 1 or batch_size % 1 != 0:
        raise ValueError(f"batch_size must be a whole number from 1, or 'all'; got {batch_size!r}.")
    if eta0 is not None and not 0 < eta0 < np.inf:
        raise ValueError(f"eta0 must be None or a positive number; got {eta0!r}.")
