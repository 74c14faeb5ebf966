"""The perceptron in the feature space of a kernel: count the mistakes on each sample.

    a_i <- a_i + y_i    whenever    y_i sum_j a_j k~(x_j, x_i) <= 0    (see `maxmargin.problems`),

which is w <- w + y_i phi~(x_i): the steps of the perceptron, written with coefficients. The decision values of all
samples are kept, so that a mistake costs a row of the matrix. Averaged, the coefficients are the mean of a after every
sample (Freund and Schapire 1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...certificates import Status
from ...engine import jit
from ...problems import KernelSeparation
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures


class KernelPerceptronRule(IterativeSolver):
    """Epochs until the share of mistakes of one is at most the tolerance (None: until the budget ends).

    Parameters
    ----------
    shuffle : numpy.random.Generator, optional
        Draws a new order for every epoch.

    """

    name = "kernel perceptron"
    options = ("shuffle",)

    def __init__(
        self,
        problem: KernelSeparation,
        start: np.ndarray,
        tolerance: float | None = 0.0,
        slopes: Any = None,
        *,
        shuffle: np.random.Generator | None = None,
    ) -> None:
        self.problem, self.tolerance, self.shuffle = problem, tolerance, shuffle
        self.theta, self.F = start.astype(np.float64, copy=True), problem.K @ start
        self.slow, self.order = np.zeros(problem.n), np.arange(problem.n)
        self.mistakes, self.now, self.time = 0, -1, 0

    def step(self, most: int) -> Status | None:
        if self.shuffle is not None:
            self.shuffle.shuffle(self.order)
        self.now = int(_epoch(self.problem.K, self.order, self.problem.y, self.time, self.theta, self.F, self.slow))
        self.time += self.problem.n
        self.mistakes += self.now
        self.iterations += 1
        return None

    def finished(self, last: bool) -> Status | None:
        if self.now < 0:
            return None
        met = self.tolerance is not None and self.now <= self.tolerance * self.problem.n
        return Status.CONVERGED if met or (last and self.now == 0) else None

    def figures(self) -> Figures:
        return Figures(max(self.now, 0) / self.problem.n, others=(("mistakes", float(self.mistakes)),))

    def result(self, status: Status, keyboard: bool) -> Solution:
        """``stats``: the mean of the coefficients over all samples seen, and the mistakes."""
        mean = self.theta - (self.slow - self.theta) / max(self.time, 1)
        stats = {"mean": mean, "mistakes": self.mistakes}
        return Solution(self.theta, status, self.iterations, keyboard=keyboard, stats=stats)


@jit
def _epoch(K, order, y, time, a, F, slow):  # type: ignore[no-untyped-def]
    """One pass over the samples in the given order; the number of mistakes."""
    mistakes = 0
    for i in order:
        time += 1
        if y[i] * F[i] > 0:
            continue
        mistakes += 1
        a[i] += y[i]
        slow[i] += time * y[i]
        row, sign = K[i], y[i]
        for j in range(F.shape[0]):
            F[j] += sign * row[j]
    return mistakes
