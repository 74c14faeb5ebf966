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
from dataclasses import dataclass

import numpy as np

from ..certificates import Status
from ..data import Rows, row_add, row_dot, row_square
from ..engine import jit, keep_interrupt
from ._monitor import Monitor

VARIANTS = ("plain", "normalised", "averaged")
# Values that are read between two reports: a fraction of a second.
_BETWEEN_REPORTS = 2**25


@dataclass(frozen=True)
class PerceptronRun:
    """Weights (d of them, then the intercept, both for centred rows) and how they came about.

    ``theta`` is the last iterate, ``mean`` the mean over all samples (None unless averaged). ``separates``: the last
    epoch made no mistake.
    """

    theta: np.ndarray
    mean: np.ndarray | None
    mistakes: int
    epochs: int
    separates: bool
    status: Status
    keyboard: bool = False


def solve(
    rows: Rows,
    y: np.ndarray,
    step: np.ndarray,
    start: np.ndarray,
    tolerance: float | None = 0.0,
    budget: int = 1000,
    monitor: Monitor | None = None,
    *,
    variant: str = "plain",
    fit_intercept: bool = True,
    shift: np.ndarray | None = None,
    shuffle: np.random.Generator | None = None,
) -> PerceptronRun:
    """Pass over the rows until an epoch's share of mistakes is at most `tolerance` (None: until the budget is used).

    `step` is eta c_i; `shift` is subtracted from every row without forming the difference, so that CSR stays sparse;
    `shuffle` draws a new order for every epoch.
    """
    walk = _Walk.begin(rows, start, shift, variant)
    order, bias = np.arange(rows.n), 1.0 if fit_intercept else 0.0
    piece = max(1, _BETWEEN_REPORTS // max(1, len(rows.arrays[0]) // max(1, rows.n) if rows.sparse else rows.d))
    mistakes = epochs = 0
    now = -1  # mistakes of the last whole epoch
    status = Status.BUDGET_EXHAUSTED
    with keep_interrupt() as interrupt:
        while epochs < budget:
            if shuffle is not None:
                shuffle.shuffle(order)
            walk.refresh()
            now, before = -1, mistakes
            for low in range(0, rows.n, piece):
                part = order[low : low + piece]
                mistakes += int(
                    _walk(rows.arrays, part, y, step, bias, walk.along, walk.square, walk.v, walk.slow, walk.state)
                )
                if monitor is not None and monitor.report(epochs, (mistakes - before) / rows.n, math.nan):
                    status = Status.INTERRUPTED
                    break
            if status is Status.INTERRUPTED:
                break
            epochs, now = epochs + 1, mistakes - before
            if not np.isfinite(walk.v).all():
                raise ValueError(
                    "the perceptron's weights overflow float64: scale the features (StandardScaler), or lower eta0."
                )
            if tolerance is not None and now <= tolerance * rows.n:
                status = Status.CONVERGED
                break
    if interrupt.kept:
        status = Status.INTERRUPTED
    if now == 0 and status is Status.BUDGET_EXHAUSTED:
        status = Status.CONVERGED
    return PerceptronRun(walk.theta(), walk.mean(start), mistakes, epochs, now == 0, status, interrupt.kept)


def mistake_bound(variant: str, radius: float, margin: float, eta: float = 1.0, start: float = 0.0) -> float:
    """How many mistakes there can be on rows of length at most `radius` that a unit vector separates by `margin`.

    `start` is the length of the weights at the start; inf where there is no bound (see the top of this file).
    """
    if not margin > 0:
        return math.inf
    if variant != "normalised":
        return (radius / margin) ** 2 + 2 * start / (eta * margin)
    growth = math.sqrt(1 + (eta * radius) ** 2)
    fixed = eta * margin * (growth + 1) / (eta * radius) ** 2  # = eta gamma / (growth - 1) without the cancellation
    if fixed <= 1:
        return math.inf
    return math.log((fixed + (1.0 if start > 0 else 0.0)) / (fixed - 1)) / math.log(growth)


@dataclass
class _Walk:
    """The weights on their way: w = scale (v - sum m), which costs a CSR row no more than its stored values.

    `state` holds sum (of the coefficients of all rows added), <v, m>, scale, ||w||^2 (normalised only), the number of
    samples seen, and the sum of the slow weights; `slow` is sum_k t_k a_k x_k over the mistakes, t_k the time of each:
    the mean of w over T samples is w - (slow - w) / T.
    """

    v: np.ndarray
    slow: np.ndarray
    state: np.ndarray
    shift: np.ndarray | None
    along: np.ndarray
    square: float
    normalised: bool

    @classmethod
    def begin(cls, rows: Rows, start: np.ndarray, shift: np.ndarray | None, variant: str) -> _Walk:
        along, square = np.zeros(rows.n), 0.0
        if shift is not None:
            projections(rows.arrays, shift, along)
            square = float(shift @ shift)
        v = start.astype(np.float64, copy=True)
        walk = cls(v, np.zeros(0), np.zeros(6), shift, along, square, variant == "normalised")
        walk.state[1] = 0.0 if shift is None else float(v[:-1] @ shift)
        walk.state[2] = 1.0
        if walk.normalised:
            length = float(np.linalg.norm(v))
            if length > 0:
                v /= length
                walk.state[1] /= length
        else:
            walk.state[3] = -1.0
        if variant == "averaged":
            walk.slow = v.copy()  # as if added at time 1: it is in the mean from the first sample on
        return walk

    def refresh(self) -> None:
        """Forget the rounding errors of the running scale and length: once an epoch."""
        if not self.normalised:
            return
        theta = self.theta()
        length = float(np.linalg.norm(theta))
        self.v[:] = theta / length if length > 0 else theta
        self.state[:4] = 0.0, 0.0 if self.shift is None else self.v[:-1] @ self.shift, 1.0, 1.0 if length > 0 else 0.0

    def theta(self) -> np.ndarray:
        """W itself."""
        return self._less_shift(self.v, float(self.state[0])) * self.state[2]

    def mean(self, start: np.ndarray) -> np.ndarray | None:
        """The mean of w over all samples seen."""
        if not len(self.slow):
            return None
        if self.state[4] == 0:
            return start.astype(np.float64, copy=True)
        w = self.theta()
        return w - (self._less_shift(self.slow, float(self.state[5])) - w) / self.state[4]

    def _less_shift(self, v: np.ndarray, total: float) -> np.ndarray:
        out = v.copy()
        if self.shift is not None:
            out[:-1] -= total * self.shift
        return out


@jit
def projections(rows, m, out):  # type: ignore[no-untyped-def]
    """``out[i] = <x_i, m>``."""
    for i in range(out.shape[0]):
        out[i] = row_dot(rows, i, m)


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
