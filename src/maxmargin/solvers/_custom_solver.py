"""A solver that a user brings: a function, of which nothing is believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import Status
from ..problems import Risk
from ._monitor import Monitor
from ._needs import Needs
from ._risk_solution import RiskSolution


class CustomSolver:
    """A user's function ``function(problem, start, tolerance, budget, **options) -> theta``.

    `problem` is a `maxmargin.problems.Risk`. The answer is the vector (w, b), its last entry the intercept, or a pair
    of that and slopes u of the losses, one a sample, for the lower bound. Whether it is any good the certificate
    says: the function's word does not count, and a fit whose gap is not proven ends as stalled.
    """

    NEEDS = Needs(compiled=False, separable=False)
    BUDGET = 10_000

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))

    def solve(
        self,
        problem: Risk,
        start: np.ndarray,
        tolerance: float,
        budget: int = BUDGET,
        monitor: Monitor | None = None,
        slopes: np.ndarray | None = None,
        **options: Any,
    ) -> RiskSolution:
        """Call the function once, and check what it returns."""
        # a copy of what the certificate will be about: the function cannot make the problem an easier one
        own = replace(problem, y=problem.y.copy(), weights=problem.weights.copy())
        found = self.function(own, start.copy(), tolerance, budget, **options)
        theta, u = found if isinstance(found, tuple) else (found, slopes)
        theta = self._checked(theta, problem.d + 1, "weights, and the intercept as the last one,")
        theta[-1] *= problem.fit_intercept
        u = None if u is None else self._checked(u, problem.n, "slopes")
        return RiskSolution(theta, u, Status.STALLED, 1)

    def _checked(self, found: Any, length: int, what: str) -> np.ndarray:
        vector = np.array(found, dtype=np.float64)
        if vector.shape != (length,):
            raise ValueError(f"the solver {self.name} has to return {length} {what}; got shape {vector.shape}.")
        if not np.isfinite(vector).all():
            raise ValueError(f"the solver {self.name} returned numbers that are not finite.")
        return vector
