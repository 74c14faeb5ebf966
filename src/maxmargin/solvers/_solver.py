"""What every solver has: a name, what it needs, and `solve`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ._monitor import Monitor
from ._needs import Needs
from ._solution import Solution


class Solver(ABC):
    """A way to minimise a problem: the contract is `solve`, and how a class keeps it is its own affair.

    A solver that works in steps derives from `IterativeSolver`, which keeps it by stepping: it can then be watched,
    stopped and recorded.

    Attributes
    ----------
    name : str
        What users call it; the name of the class if nothing else is said.
    needs : Needs
        What loss and penalty have to be like.
    budget : int
        Iterations allowed when nobody names a number.
    options : tuple of str
        Names of further arguments of `solve`.
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

    def __init_subclass__(cls) -> None:
        cls.name = cls.__dict__.get("name", cls.__name__)

    @classmethod
    @abstractmethod
    def solve(
        cls,
        problem: Any,
        start: np.ndarray | None,
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
        start : ndarray or None
            A feasible point to start from; None where the solver has one of its own.
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
