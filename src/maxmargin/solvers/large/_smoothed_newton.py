"""Newton's method on a smoothed box QP over explicit features, from few rows to all of them.

With features phi the machine is a linear one. Its loss max(u r, l r) of the residual r = p - <w, phi> - b is smoothed
by delta / 2 beta^2 in the dual: beta = r / delta, cut off at l and u. Only rows whose beta is not cut off have
curvature, a few per cent of all, so that the matrix of Newton's step costs little; a step is two passes over the
features.

The smoothing is a width s of residuals, delta = s / (u - l). What it adds to the gap falls with its square. It falls
from one stage to the next, and the first stages have a sample of the rows, with bounds that are larger by as much as
the rows are fewer. At the end beta is feasible but for rounding, since beta is the slope of the smoothed loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ...certificates import Status
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures
from ._features import LandmarkFeatures
from ._time_limit import TimeLimit

# A stage ends when Newton's step promises less than this share of the objective.
_DECREMENT = 1e-4
_STEPS, _LAST_STEPS = 25, 100  # of a width at most, with a sample of the rows and with all of them
_FIRST, _SHRINK = 2.0, 0.4  # widths of the first stages
# A stage with more rows begins so much wider than the one before it ended. 60000 rows take 2.3 s with 1, 5.0 s with 5.
_AGAIN = 1.0
_NARROWEST = 1e-3
# Newton's matrix is summed anew if as many rows change, relative to those with curvature: at once, and since it was.
_AT_ONCE, _SINCE = 0.8, 8.0
# A sample of few rows a feature is separable, or nearly so: the machine that narrow smoothing finds there is of no use.
# Covtype, 522,911 rows, 2000 landmarks: a first stage of 8170 rows ended at a width of 5e-4, where none converged.
_ROWS_A_FEATURE, _NARROWEST_OF_SAMPLE = 8, 0.1
_FEWEST = 2000  # rows of the first stage at least


@dataclass(frozen=True, eq=False)
class SmoothedProblem:
    """Features of rows in a random order, and what the residuals of each row cost, in the same order.

    Attributes
    ----------
    features : LandmarkFeatures
    p, lower, upper : ndarray of shape (variables a row, rows)
        As in `BoxQP`; a regressor has two variables a row.

    """

    features: LandmarkFeatures
    p: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.p.shape[1]


class SmoothedNewton(IterativeSolver):
    """Minimises until the gap of the machine over features is at most the tolerance, relative to the objective."""

    name = "smoothed_newton"
    budget = 500

    def __init__(
        self,
        problem: SmoothedProblem,
        start: np.ndarray | None,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        limit: TimeLimit,
    ) -> None:
        self.problem, self.tolerance, self.limit = problem, tolerance, limit
        m = problem.features.count
        self.theta = np.zeros(m + 1) if start is None else start.copy()
        self.sizes = rows_of_stages(problem.n, m) if start is None else [problem.n]
        self.stage, self.last = 0, 0.0
        self.width = _FIRST if start is None else _FIRST * _SHRINK**2
        self.gap = self.least = self.decrement = self.missed = np.inf
        self.best: tuple[np.ndarray, np.ndarray] | None = None
        self.ended = False
        # sum_i c_i phi_i phi_i' and sum_i c_i phi_i over rows with curvature, in units of a width of 1 and all rows
        self.level, self.matrix = np.zeros(problem.n), np.zeros((m + 1, m))
        self.since = np.inf  # rows that were added or taken away since it was last summed
        self._enter()

    def _enter(self) -> None:
        """Begin with the rows of a stage."""
        rows = self.rows = self.sizes[self.stage]
        problem, share = self.problem, self.problem.n / rows
        self.p = problem.p[:, :rows]
        self.lower, self.upper = problem.lower[:, :rows] * share, problem.upper[:, :rows] * share
        self.f = problem.features.times(self.theta[:-1], rows)
        self.steps_here = 0

    @property
    def last_stage(self) -> bool:
        """Whether all rows take part."""
        return self.stage == len(self.sizes) - 1

    @property
    def wanted(self) -> float:
        """The gap at which a stage ends: in a sample, a machine that is exact is of no use."""
        return self.tolerance if self.last_stage else max(4 * self.tolerance, 0.004)

    def slopes_at(self, residual: np.ndarray) -> np.ndarray:
        """beta of the smoothed loss at these residuals."""
        return np.clip(residual * ((self.upper - self.lower) / self.width), self.lower, self.upper)

    def residual(self, move: np.ndarray | float = 0.0) -> np.ndarray:
        """p less the decision values, which have moved."""
        return self.p - (self.f + (self.theta[-1] + move))

    def finished(self, last: bool) -> Status | None:
        if self.ended:
            return Status.CONVERGED
        return Status.BUDGET_EXHAUSTED if self.limit.left < self.last else None

    def step(self, most: int) -> Status | None:
        """One step of Newton's; how long the last ones were says whether there is time for another."""
        before, rows = self.limit.left, self.rows
        self._step()
        if before < np.inf:
            self.last = max(self.last / 2, before - self.limit.left) * (self.rows / rows)
        return None

    def _step(self) -> None:
        w, features = self.theta[:-1], self.problem.features
        r = self.residual()
        beta = self.slopes_at(r)
        of_rows = beta.sum(axis=0)
        gradient = np.append(w - features.transposed(of_rows), -of_rows.sum())
        self._measure(r, beta, gradient)
        inside = (beta > self.lower) & (beta < self.upper)
        bounds = self.problem.upper[:, : self.rows] - self.problem.lower[:, : self.rows]
        direction = -self._solve(gradient, (inside * bounds).sum(axis=0))
        df = features.times(direction[:-1], self.rows) + direction[-1]
        self.decrement = -float(gradient @ direction)
        length = self._length(df, direction[:-1])
        self.theta = self.theta + length * direction
        self.f += length * (df - direction[-1])
        self.iterations += 1
        self.steps_here += 1
        settled = self.decrement <= _DECREMENT * self.primal and self.missed <= 0.25 * self.wanted * self.primal
        if settled or length == 0 or self.steps_here >= (_LAST_STEPS if self.last_stage else _STEPS):
            self._next()

    def _measure(self, r: np.ndarray, beta: np.ndarray, gradient: np.ndarray) -> None:
        """The primal objective over the features, and its relative gap to the dual one at beta."""
        w = self.theta[:-1]
        losses = np.maximum(self.upper * r, self.lower * r)
        self.primal = max(0.5 * float(w @ w) + float(losses.sum()), 1e-300)
        # with w' = w - gradient: P - D = sum (loss - beta r) + 1/2 |w - w'|^2, but for the sum of beta times b
        self.missed = 0.5 * float(gradient[:-1] @ gradient[:-1]) + abs(float(gradient[-1] * self.theta[-1]))
        self.gap = (float((losses - beta * r).sum()) + self.missed) / self.primal
        if self.last_stage and self.gap < self.least:
            self.least, self.best = self.gap, (self.theta, beta)

    def _solve(self, gradient: np.ndarray, level: np.ndarray) -> np.ndarray:
        m, units = self.problem.features.count, self.problem.n / self.rows / self.width
        self._bring_up_to_date(level)
        A, joint = np.empty((m + 1, m + 1)), units * float(level.sum())
        np.multiply(self.matrix, units, out=A[:, :m])
        A[:m, m], A[m, m] = A[m, :m], joint
        # the intercept has no penalty: without rows in the zone nothing would hold it
        ridge = np.ones(m + 1)
        ridge[m] = 1e-6 * max(joint, float((self.upper - self.lower).sum()) / self.width)
        A[np.diag_indices(m + 1)] += ridge
        shift = 0.0
        while True:
            try:
                factor = scipy.linalg.cho_factor(A + shift * np.eye(m + 1) if shift else A, check_finite=False)
                return scipy.linalg.cho_solve(factor, gradient, check_finite=False)
            except np.linalg.LinAlgError:  # float32 sums of many rows
                shift = max(10 * shift, 1e-6 * float(A.diagonal().mean()))

    def _bring_up_to_date(self, level: np.ndarray) -> None:
        """The sums of Newton's matrix for rows of these levels: by the rows that have changed, if they are fewer.

        Covtype, 522,911 rows, 2600 landmarks: summed anew in each step, it took three quarters of the time.
        """
        before, features = self.level[: self.rows], self.problem.features
        more, less, zone = (np.flatnonzero(found) for found in (level > before, level < before, level))
        changed = len(more) + len(less)
        if changed >= _AT_ONCE * len(zone) or self.since + changed >= _SINCE * len(zone):  # each time float32 rounds
            self.matrix, self.since = features.weighted_gram(zone, level[zone]), 0.0
        else:
            self.matrix += features.weighted_gram(more, (level - before)[more])
            self.matrix -= features.weighted_gram(less, (before - level)[less])
            self.since += changed
        self.level[: self.rows] = level

    def _length(self, df: np.ndarray, dw: np.ndarray) -> float:
        """Where the slope along the direction is a tenth of what it was, or less: exact enough for Newton's method."""
        square, cross = float(dw @ dw), float(self.theta[:-1] @ dw)

        def slope(t: float) -> float:
            return cross + t * square - float((self.slopes_at(self.residual(t * df)) * df).sum())

        first = slope(0.0)
        if not first < 0:
            return 0.0
        low, high, at_low, at_high, t = 0.0, np.inf, first, np.inf, 1.0
        for _ in range(15):
            here = slope(t)
            if abs(here) <= 0.1 * abs(first):
                return t
            if here < 0:
                low, at_low = t, here
            else:
                high, at_high = t, here
            if high == np.inf:
                t *= 2
            else:  # the secant, kept away from the ends
                share = at_low / (at_low - at_high)
                t = low + (high - low) * min(max(share, 0.1), 0.9)
        return low if low > 0 else t

    def _next(self) -> None:
        """A narrower smoothing, more rows, or the end."""
        enough = self.gap <= self.wanted or self.width <= (_NARROWEST if self.last_stage else _NARROWEST_OF_SAMPLE)
        self.steps_here = 0
        if not enough:  # what smoothing adds to the gap falls with the square of the width
            self.width *= min(max(0.8 * (self.wanted / max(self.gap, 1e-300)) ** 0.5, _SHRINK), 0.8)
        elif self.last_stage:
            self.ended = True
        else:
            self.stage += 1
            self.width = min(self.width * _AGAIN, _FIRST)
            self._enter()

    def figures(self) -> Figures:
        primal = getattr(self, "primal", np.nan)
        return Figures(float("nan"), self.gap, primal, primal * (1 - self.gap))

    def result(self, status: Status, keyboard: bool) -> Solution:
        """The variables of the least gap, and beta of all rows."""
        if not self.last_stage:  # it ended early: what the rows of a sample have taught is asked of all
            self.stage = len(self.sizes) - 1
            self._enter()
        theta, beta = self.best or (self.theta, self.slopes_at(self.residual()))
        return Solution(theta, status, self.iterations, slopes=beta, keyboard=keyboard)


def rows_of_stages(n: int, features: int) -> list[int]:
    """Rows of the stages: each has four times as many as the one before it."""
    sizes = [n]
    while sizes[0] > 4 * max(_FEWEST, _ROWS_A_FEATURE * features):
        sizes.insert(0, sizes[0] // 4)
    return sizes
