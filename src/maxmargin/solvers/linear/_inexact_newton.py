"""Newton's method whose systems are solved by conjugate gradients, as far as it pays.

The residual that they may leave is a power of how far the gradient has fallen (Eisenstat and Walker 1996, choice 2),
which makes the convergence superlinear.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...certificates import Status
from .._driver import IterativeSolver
from .._measured import measured
from .._needs import Needs
from .._trace import Figures
from .newton import believed_gap


class InexactNewton(IterativeSolver):
    """The decrease that its model promises is what it believes of the gap.

    A derived class gives the slope, the direction, and the step along it.

    Attributes
    ----------
    value : float
        The objective.
    l2 : float
        The L2 part of the penalty.

    """

    needs = Needs(smooth=True, no_l1=True)

    problem: Any
    tolerance: float
    value: float
    l2: float
    first: float = 0.0  # the norm of the first gradient
    promise: float = np.nan

    @abstractmethod
    def _slope(self) -> np.ndarray:
        """The gradient of the objective."""

    @abstractmethod
    def _direction(self, fallen: float) -> np.ndarray:
        """An inexact Newton direction; `fallen` is the square root of the gradient's norm, relative to the first."""

    def finished(self, last: bool) -> Status | None:
        self.gradient = self._slope()
        norm = float(np.linalg.norm(self.gradient))
        self.first = self.first or norm
        if norm == 0 or self._is_enough(np.inf):
            return Status.CONVERGED
        if last:
            return None
        self.direction = self._direction((norm / self.first) ** 0.5)
        self.promise = -float(np.vdot(self.gradient, self.direction))
        return Status.CONVERGED if self._is_enough(self.promise) else None

    def _is_enough(self, promise: float) -> bool:
        return believed_gap(self.gradient, self.l2, promise) <= 0.5 * self.tolerance * abs(self.value)

    def _without_descent(self) -> Status:
        """How it ends where rounding allows no descent."""
        return Status.CONVERGED if self.promise <= max(self.tolerance, 1e-10) * abs(self.value) else Status.STALLED

    def figures(self) -> Figures:
        if self.traced:
            return measured(self.problem, self.variables())
        gap = self.promise / 2
        violation = float(np.abs(self.gradient).max())
        return Figures(violation, gap / max(abs(self.value), 1e-300), self.value, self.value - gap)
