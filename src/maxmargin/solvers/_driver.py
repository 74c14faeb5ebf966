"""The one loop that every iterative solver runs in.

A solver is a class. Its constructor takes the problem and a start, `step` does a burst of work of at most some tenths
of a second, and `finished` says how it ended, or None to go on. The loop alone knows of budgets, monitors, Ctrl-C and
traces, so that no solver can forget one of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ..certificates import Status
from ..engine import keep_interrupt
from ._monitor import Monitor
from ._needs import Needs
from ._solution import Solution
from ._trace import Figures


class Solver(ABC):
    """A solver at work on one problem; a new one derives from it.

    A constructor takes ``(problem, start, tolerance, slopes=None, **options)``; `slopes` are variables of the dual to
    start from, if the caller has some.

    Attributes
    ----------
    name : str
        What users call it; the name of the class if nothing else is said.
    needs : Needs
        What loss and penalty have to be like.
    budget : int
        Iterations allowed when nobody names a number.
    options : tuple of str
        Names of the constructor's further arguments.
    exact_up_to : int
        Stored values of X up to which it makes problems exact to rounding, at the cost of a step or two more: equal
        problems that are written in different ways (a weight of two, a row twice) then have equal answers.
    steps_an_iteration : int
        How many of its iterations count as one of an estimator's ``max_iter``, where each of them is cheap; 0 if
        ``max_iter`` is not for it.
    works_in_dual : bool
        Whether its slopes may prove more than those that follow from the weights.
    first_budget : int
        Iterations after which the next solver of the table takes over, if there is one.
    resumes : bool
        Whether, as the next one, it goes on from where the first ended.
    iterations : int
        Iterations so far, in whatever unit the solver counts.
    theta : ndarray
        The variables, unless `variables` says otherwise.

    """

    name: ClassVar[str] = ""
    needs: ClassVar[Needs] = Needs()
    budget: ClassVar[int] = 1000
    options: ClassVar[tuple[str, ...]] = ()
    exact_up_to: ClassVar[int] = 0
    steps_an_iteration: ClassVar[int] = 1
    works_in_dual: ClassVar[bool] = False
    first_budget: ClassVar[int] = 500
    resumes: ClassVar[bool] = True

    iterations: int = 0
    theta: np.ndarray

    def __init_subclass__(cls) -> None:
        cls.name = cls.__dict__.get("name", cls.__name__)

    def begin(self, budget: int) -> None:  # noqa: B027  (most have nothing to do)
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
        start: np.ndarray,
        tolerance: Any,
        budget: int | None = None,
        monitor: Monitor | None = None,
        slopes: np.ndarray | None = None,
        **options: Any,
    ) -> Solution:
        """Minimise.

        Parameters
        ----------
        problem : object
            What is minimised.
        start : ndarray
            A feasible point to start from.
        tolerance : float
            When to stop: a relative gap for risks, a violation for box QPs, a share of mistakes (or None) for the
            perceptron.
        budget : int, optional
            Largest number of iterations; by default the solver's own.
        monitor : Monitor, optional
            Hears how far it is and may stop it.
        slopes : ndarray, optional
            Variables of the dual to start from.
        **options
            As the class declares them.

        Returns
        -------
        Solution

        """
        return drive(
            cls(problem, start, tolerance, slopes, **options),  # type: ignore[call-arg]
            cls.budget if budget is None else budget,
            monitor,
        )


def drive(solver: Solver, budget: int, monitor: Monitor | None = None, before: int = 0) -> Solution:
    """Let a solver work until it has finished, its budget is used up, the monitor says stop, or Ctrl-C comes.

    `before` are iterations of earlier solvers on the same problem, for those who listen.
    """
    status = None
    with keep_interrupt() as interrupt:
        solver.begin(budget)
        while status is None:
            last = solver.iterations >= budget
            status = solver.finished(last) or (Status.BUDGET_EXHAUSTED if last else None)
            if monitor is not None and _told(solver, monitor, before, status is not None):
                status = Status.INTERRUPTED
            if status is None:
                status = solver.step(budget - solver.iterations)
                if status is not None and monitor is not None:
                    _told(solver, monitor, before, True)
    if interrupt.kept or status is None:
        status = Status.INTERRUPTED
    return solver.result(status, interrupt.kept)


def _told(solver: Solver, monitor: Monitor, before: int, ended: bool) -> bool:
    """Tell the monitor where the solver stands; True if it shall stop."""
    figures = solver.figures() if monitor.wants_reports else Figures()
    if monitor.trace is not None:
        monitor.record(before + solver.iterations, figures, solver.variables)
    return not ended and monitor.report(before + solver.iterations, figures.violation, figures.gap)
