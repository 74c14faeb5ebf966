"""What the methods that only differ in their step share: when a gap is computed, and how that ends them.

A method is a generator of iterates ``(theta, violation)``, one a step; it ends where rounding leaves no step to take.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from ...certificates import Status, evaluate_risk
from ...problems import Risk
from .._driver import IterativeSolver
from .._measured import measured
from .._solution import Solution
from .._trace import Figures

# A gap is computed (three passes over the rows or more) after a quarter more steps than at the last time, or when the
# violation has fallen this far, though not in each of so few steps.
_GROWTH = 0.25
_FALL = 0.3
_APART = 3


class FirstOrder(IterativeSolver):
    """A solver that follows the iterates of `iterates`."""

    def __init__(self, problem: Risk, start: np.ndarray, tolerance: float, slopes: np.ndarray | None = None) -> None:
        self.problem, self.theta, self.tolerance = problem, start, tolerance
        self.u, self.checked, self.reference = slopes, 0, np.inf

    @abstractmethod
    def iterates(self, theta: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        """The points from theta on, each with its violation."""

    def begin(self, budget: int) -> None:
        self._look(self.u)
        self.violation = self.evidence.kkt_violation
        self.ahead = self.iterates(self.theta)

    def step(self, most: int) -> Status | None:
        new = next(self.ahead, None)
        if new is None:
            self._look()
            return self._met() or Status.STALLED
        self.theta, self.violation = new
        self.iterations += 1
        return None

    def finished(self, last: bool) -> Status | None:
        since = self.iterations - self.checked
        due = since >= max(1, int(_GROWTH * self.checked))
        if due or (since and last) or (since >= _APART and self.violation <= _FALL * self.reference):
            self._look()
            self.reference = self.violation
        return self._met()

    def _look(self, slopes: np.ndarray | None = None) -> None:
        self.evidence, self.checked = evaluate_risk(self.problem, self.theta, slopes), self.iterations
        self.u = self.evidence.u

    def _met(self) -> Status | None:
        return Status.CONVERGED if self.evidence.relative_gap <= self.tolerance else None

    def figures(self) -> Figures:
        if self.traced and self.checked != self.iterations:  # what is known is of an earlier step
            return measured(self.problem, self.theta)
        e = self.evidence
        return Figures(self.violation, e.relative_gap, e.primal, e.dual)

    def result(self, status: Status, keyboard: bool) -> Solution:
        return Solution(self.theta, status, self.iterations, slopes=self.u, keyboard=keyboard)
