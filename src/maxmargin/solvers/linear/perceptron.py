"""The perceptron: correct the weights at every mistake.

    w <- w + eta c_i y_i x_i    whenever    y_i <w, x_i> <= 0,    c_i the weight of the sample's class,

over x~ = (x, 1) where there is an intercept, and over x - m where the data is centred. It is the subgradient method of
the perceptron loss with a constant step, no penalty and one sample a step (Rosenblatt 1958).

Novikoff (1962): if some unit vector u has c_i y_i <u, x_i> >= gamma > 0 for all samples, each of length c_i ||x_i|| <=
R, then each mistake adds at least eta gamma to <w, u> and at most eta^2 R^2 to ||w||^2. From w = 0 there are at most
R^2 / gamma^2 mistakes, whatever the order and the step; from another start w_0, 2 ||w_0|| / (eta gamma) more.

Normalised (w <- w / ||w|| after each correction), a mistake takes c = <w, u> to at least (c + eta gamma) / sqrt(1 +
eta^2 R^2). The fixed point of that map, c* = eta gamma / (sqrt(1 + eta^2 R^2) - 1), is above 1 for steps eta < 2 gamma
/ (R^2 - gamma^2). Since c cannot pass 1, there are then at most 2 ln((c* - c_0) / (c* - 1)) / ln(1 + eta^2 R^2)
mistakes; larger steps have no bound. Averaged, the weights are the mean of w after every sample (Freund and Schapire
1999), and w itself is the plain one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...certificates import Status
from ...data import row_add, row_dot, row_square
from ...engine import jit
from ...problems import Separation
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures

VARIANTS = ("plain", "normalised", "averaged")
# Values that are read between two reports: a fraction of a second.
_BETWEEN_REPORTS = 2**25


class PerceptronRule(IterativeSolver):
    """Passes over the rows until an epoch's share of mistakes is at most the tolerance (None: until the budget ends).

    An iteration is an epoch. Rows are not shifted in memory, so that CSR stays sparse: w = scale (v - sum m). `state`
    holds sum (of the coefficients of all rows added), <v, m>, scale, ||w||^2 (normalised only), the number of samples
    seen, and the sum of the slow weights; `slow` is sum_k t_k a_k x_k over the mistakes, t_k the time of each: the mean
    of w over T samples is w - (slow - w) / T.

    Parameters
    ----------
    variant : {"plain", "normalised", "averaged"}
    eta : float
        The step.
    shuffle : numpy.random.Generator, optional
        Draws a new order for every epoch.

    """

    options = ("variant", "eta", "shuffle")

    def __init__(
        self,
        problem: Separation,
        start: np.ndarray,
        tolerance: float | None = 0.0,
        slopes: Any = None,
        *,
        variant: str = "plain",
        eta: float = 1.0,
        shuffle: np.random.Generator | None = None,
    ) -> None:
        rows, shift = problem.rows, problem.shift
        self.problem, self.tolerance, self.shuffle, self.first = problem, tolerance, shuffle, start
        with np.errstate(over="ignore", invalid="ignore"):
            self.longest = float(problem.lengths().max(initial=0.0))
        if not math.isfinite(self.longest):
            raise ValueError(
                "X has values so large that the squared length of a row overflows float64. Scale X (StandardScaler)."
            )
        self.normalised = variant == "normalised"
        self.steps = eta * problem.weight
        self.along, self.square = problem.along_shift()
        self.v, self.slow, self.state = start.astype(np.float64, copy=True), np.zeros(0), np.zeros(6)
        self.state[1] = 0.0 if shift is None else float(self.v[:-1] @ shift)
        self.state[2] = 1.0
        if self.normalised:
            length = float(np.linalg.norm(self.v))
            if length > 0:
                self.v /= length
                self.state[1] /= length
        else:
            self.state[3] = -1.0
        if variant == "averaged":
            self.slow = self.v.copy()  # as if added at time 1: it is in the mean from the first sample on
        self.order, self.low = np.arange(rows.n), 0
        self.piece = max(
            1, _BETWEEN_REPORTS // max(1, len(rows.arrays[0]) // max(1, rows.n) if rows.sparse else rows.d)
        )
        self.mistakes = self.before = 0
        self.now = -1  # mistakes of the last whole epoch

    def step(self, most: int) -> Status | None:
        rows = self.problem.rows
        if self.low == 0:
            if self.shuffle is not None:
                self.shuffle.shuffle(self.order)
            self._refresh()
            self.now, self.before = -1, self.mistakes
        part = self.order[self.low : self.low + self.piece]
        bias = 1.0 if self.problem.fit_intercept else 0.0
        shifted = self.along, self.square
        self.mistakes += int(
            _walk(rows.arrays, part, self.problem.y, self.steps, bias, *shifted, self.v, self.slow, self.state)
        )
        self.low += self.piece
        if self.low >= rows.n:
            self.low, self.iterations, self.now = 0, self.iterations + 1, self.mistakes - self.before
            if not self._is_finite():
                raise ValueError(
                    "the perceptron's weights overflow float64: scale the features (StandardScaler), or lower eta0."
                )
        return None

    def _is_finite(self) -> bool:
        """Whether the weights and the decision values of all rows are within float64."""
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(np.abs(self.variables()).max()) * math.sqrt(len(self.v)) * max(1.0, self.longest)
        return math.isfinite(largest) and bool(np.isfinite(self.v).all() and np.isfinite(self.slow).all())

    def finished(self, last: bool) -> Status | None:
        if self.now < 0:
            return None
        met = self.tolerance is not None and self.now <= self.tolerance * self.problem.n
        return Status.CONVERGED if met or (last and self.now == 0) else None

    def figures(self) -> Figures:
        share = (self.mistakes - self.before) / self.problem.n
        return Figures(share, others=(("mistakes", float(self.mistakes)),))

    def _refresh(self) -> None:
        """Forget the rounding errors of the running scale and length: once an epoch."""
        if not self.normalised:
            return
        theta, shift = self.variables(), self.problem.shift
        length = float(np.linalg.norm(theta))
        self.v[:] = theta / length if length > 0 else theta
        self.state[:4] = 0.0, 0.0 if shift is None else self.v[:-1] @ shift, 1.0, 1.0 if length > 0 else 0.0

    def variables(self) -> np.ndarray:
        """W itself: the last iterate."""
        return self._less_shift(self.v, float(self.state[0])) * self.state[2]

    def mean(self) -> np.ndarray | None:
        """The mean of w over all samples seen; None unless averaged."""
        if not len(self.slow):
            return None
        if self.state[4] == 0:
            return self.first.astype(np.float64, copy=True)
        w = self.variables()
        return w - (self._less_shift(self.slow, float(self.state[5])) - w) / self.state[4]

    def _less_shift(self, v: np.ndarray, total: float) -> np.ndarray:
        out = v.copy()
        if self.problem.shift is not None:
            out[:-1] -= total * self.problem.shift
        return out

    def result(self, status: Status, keyboard: bool) -> Solution:
        """``stats``: the mean iterate, the mistakes, and whether the last epoch made none."""
        stats = {"mean": self.mean(), "mistakes": self.mistakes, "separates": self.now == 0}
        return Solution(self.variables(), status, self.iterations, keyboard=keyboard, stats=stats)


def mistake_bound(variant: str, radius: float, margin: float, eta: float = 1.0, start: float = 0.0) -> float:
    """How many mistakes there can be on rows of length at most `radius` that a unit vector separates by `margin`.

    `start` is the length of the weights at the start; inf where there is no bound (see the top of this file), or where
    it is more than float64 holds.
    """
    if not margin > 0:
        return math.inf
    if variant != "normalised":
        ratio = radius / margin
        return ratio * ratio + 2 * start / eta / margin  # products overflow to inf, powers raise
    square = eta * radius * (eta * radius)
    growth = math.sqrt(1 + square)
    if growth == 1:  # steps so short that float64 does not tell them from none
        return math.inf
    fixed = eta * margin * (growth + 1) / square  # = eta gamma / (growth - 1) without the cancellation
    if not fixed > 1:
        return math.inf
    return math.log((fixed + (1.0 if start > 0 else 0.0)) / (fixed - 1)) / math.log(growth)


@jit
def _walk(rows, order, y, step, bias, along, square, v, slow, state):  # type: ignore[no-untyped-def]
    """One pass over the rows in the given order; the number of mistakes."""
    d = v.shape[0] - 1
    averaged, normalised = slow.shape[0] > 0, state[3] >= 0
    total, shifted, scale, length2, time, slow_total = state
    mistakes = 0
    for i in order:
        time += 1
        f = scale * (row_dot(rows, i, v) + bias * v[d] - total * along[i] - shifted + total * square)
        if y[i] * f > 0:
            continue
        mistakes += 1
        change = step[i] * y[i]
        a = change / scale
        row_add(rows, i, a, v)
        v[d] += a * bias
        total += a
        shifted += a * along[i]
        if averaged:
            row_add(rows, i, time * a, slow)
            slow[d] += time * a * bias
            slow_total += time * a
        if normalised:
            length2 += 2 * change * f + change * change * (row_square(rows, i) - 2 * along[i] + square + bias)
            if length2 > 0:
                scale /= np.sqrt(length2)
                length2 = 1.0
            if scale < 1e-100:
                for k in range(d + 1):
                    v[k] *= scale
                total *= scale
                shifted *= scale
                scale = 1.0
    state[0], state[1], state[2], state[3], state[4], state[5] = total, shifted, scale, length2, time, slow_total
    if not normalised:
        state[3] = -1.0
    return mistakes
