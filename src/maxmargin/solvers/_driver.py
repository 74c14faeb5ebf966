"""The one loop that every iterative solver runs in.

Its constructor takes the problem and a start, `step` does a burst of work of at most some tenths of a second, and
`finished` says how it ended, or None to go on. The loop alone knows of budgets, monitors, Ctrl-C and traces, so that no
solver can forget one of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..certificates import Status
from ..engine import keep_interrupt
from ._monitor import Monitor
from ._solution import Solution
from ._solver import Solver
from ._trace import Figures

_MANY = 1000  # iterations each of which a trace records; of later ones as many again for each doubling, about


class IterativeSolver(Solver):
    """A solver at work on one problem, step by step; a new one derives from it.

    A constructor takes ``(problem, start, tolerance, slopes=None, **options)``; `slopes` are variables of the dual to
    start from, if the caller has some.

    Attributes
    ----------
    iterations : int
        Iterations so far, in whatever unit the solver counts.
    theta : ndarray
        The variables, unless `variables` says otherwise.
    traced : bool
        Whether every step is recorded: `figures` are then those of this very step, whatever they cost.
    burst : int
        Iterations after which a solver whose steps make many of them at once shall look up, to be recorded.

    """

    iterations: int = 0
    traced: bool = False
    burst: int = 2**62
    theta: np.ndarray

    @classmethod
    def budget_for(cls, problem: Any) -> int:
        """Iterations allowed when nobody names a number."""
        return cls.budget

    def begin(self, budget: int) -> None:
        """Work before the first look that is worth keeping if Ctrl-C comes, and what depends on the budget."""

    @abstractmethod
    def step(self, most: int) -> Status | None:
        """Go on by up to `most` iterations, as far as a few tenths of a second allow; a status if it ended there."""

    @abstractmethod
    def finished(self, last: bool) -> Status | None:
        """How it ended, or None to go on. `last`: the budget is used up, and this is the time for a last look."""

    def figures(self) -> Figures:
        """What it believes of where it stands; only asked for if someone listens."""
        return Figures()

    def variables(self) -> np.ndarray:
        """The variables as they are now."""
        return self.theta

    def result(self, status: Status, keyboard: bool) -> Solution:
        """What is returned."""
        return Solution(self.variables(), status, self.iterations, keyboard=keyboard)

    @classmethod
    def solve(
        cls,
        problem: Any,
        start: np.ndarray | None,
        tolerance: Any,
        budget: int | None = None,
        monitor: Monitor | None = None,
        slopes: np.ndarray | None = None,
        *,
        before: int = 0,
        **options: Any,
    ) -> Solution:
        """Minimise, as every solver does; `before` are iterations of earlier ones, for those who listen."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            solver = cls(problem, start, tolerance, slopes, **options)  # type: ignore[call-arg]
        return drive(solver, cls.budget_for(problem) if budget is None else budget, monitor, before)


def drive(solver: IterativeSolver, budget: int, monitor: Monitor | None = None, before: int = 0) -> Solution:
    """Let a solver work until it has finished, its budget is used up, the monitor says stop, or Ctrl-C comes.

    `before` are iterations of earlier solvers on the same problem, for those who listen.
    """
    status = None
    trace = None if monitor is None else monitor.trace
    solver.traced, due = trace is not None, 0
    # what overflows on the way, the certificate sees
    with keep_interrupt() as interrupt, np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        solver.begin(budget)
        while status is None:
            last = solver.iterations >= budget
            status = solver.finished(last) or (Status.BUDGET_EXHAUSTED if last else None)
            ended, recorded = status is not None, status is not None or solver.iterations >= due
            if monitor is not None and _told(solver, monitor, before, ended, recorded):
                status = Status.INTERRUPTED
            if status is None:
                if trace is not None:
                    due = solver.iterations + (1 if solver.iterations < _MANY else solver.iterations // _MANY)
                    solver.burst = trace.stride(solver.iterations)
                status = solver.step(budget - solver.iterations)
                if status is not None and monitor is not None:
                    _told(solver, monitor, before, True, True)
    if interrupt.kept or status is None:
        status = Status.INTERRUPTED
    return solver.result(status, interrupt.kept)


def _told(solver: IterativeSolver, monitor: Monitor, before: int, ended: bool, recorded: bool) -> bool:
    """Tell the monitor where the solver stands; True if it shall stop."""
    figures = monitor.record(before + solver.iterations, solver.figures, solver.variables) if recorded else None
    if figures is None:
        figures = monitor.seen(solver.figures()) if monitor.wants_reports else Figures()
    return not ended and monitor.report(before + solver.iterations, figures.violation, figures.gap)
