"""A solver that a user brings as a function, of which nothing is believed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np

from ..certificates import Status
from ..problems import Risk
from ._monitor import Monitor
from ._needs import Needs
from ._solution import Solution
from ._solver import Solver


def _checksums(problem: Risk) -> list[int]:
    return [crc32(array.tobytes()) for array in problem.rows.arrays]


class FunctionSolver(Solver):
    """Base of the classes that stand for a user's function; `function_solver` makes one.

    A function is called once and is not driven step by step: what it returns is checked, and judged by the certificate.
    A solver whose steps shall be watched, interrupted and traced derives from `IterativeSolver`.
    """

    needs = Needs(compiled=False, separable=False)
    budget = 10_000
    works_in_dual = True
    function: Callable[..., Any]

    @classmethod
    def solve(
        cls,
        problem: Risk,
        start: np.ndarray | None,
        tolerance: float,
        budget: int | None = None,
        monitor: Monitor | None = None,
        slopes: np.ndarray | None = None,
        **options: Any,
    ) -> Solution:
        """Call the function, and check what it returns; whether that is any good, the certificate says."""
        # copies of what the certificate will be about: the function must not make the problem an easier one
        own = replace(problem, y=problem.y.copy(), weights=problem.weights.copy(), penalty=copy(problem.penalty))
        start, before = problem.start() if start is None else start.copy(), _checksums(problem)
        found = cls.function(own, start, tolerance, cls.budget if budget is None else budget, **options)
        if _checksums(problem) != before:
            raise ValueError(
                "the solver changed the rows of the problem, which are those of X. They are to be read only."
            )
        if isinstance(found, tuple) and len(found) != 2:
            raise ValueError(
                f"the solver {cls.name} has to return the weights, or a pair of weights and slopes; got a tuple of "
                f"{len(found)}."
            )
        theta, u = found if isinstance(found, tuple) else (found, slopes)
        theta = cls._checked(theta, problem.d + 1, "weights (the intercept is the last)")
        theta[-1] *= problem.fit_intercept
        u = None if u is None else cls._checked(u, problem.n, "slopes")
        return Solution(theta, Status.STALLED, 1, slopes=u)

    @classmethod
    def _checked(cls, found: Any, length: int, what: str) -> np.ndarray:
        wanted = f"the solver {cls.name} has to return {length} {what}"
        try:
            vector = np.array(found)
        except ValueError:  # lists of different lengths
            vector = np.array(found, dtype=object)
        if vector.shape != (length,):
            raise ValueError(f"{wanted}; got shape {vector.shape}.")
        if vector.dtype.kind not in "biuf":
            raise ValueError(f"{wanted}, which are real numbers; got {vector.dtype.name}.")
        vector = vector.astype(np.float64)
        if not np.isfinite(vector).all():
            raise ValueError(f"the solver {cls.name} returned numbers that are not finite.")
        return vector


def solver_name(solver: Any) -> str:
    """What a solver is called: a name itself, a class of `Solver`, a function, or any object that can be called."""
    if isinstance(solver, str):
        return solver
    return str(getattr(solver, "name", getattr(solver, "__name__", type(solver).__name__)))


def function_solver(function: Callable[..., Any]) -> type[Solver]:
    """A user's function ``function(problem, start, tolerance, budget, **options) -> theta`` as a solver.

    `problem` is a `maxmargin.problems.Risk`. The answer is the vector (w, b), its last entry the intercept, or a pair
    of that and slopes u of the losses, one a sample, for the lower bound.
    """
    name = solver_name(function)
    if isinstance(function, type):
        raise ValueError(
            f"solver must be a name, a class derived from maxmargin.solvers.Solver, or a function of (problem, start, "
            f"tolerance, budget); got the class {name}, which is not derived from it."
        )
    signature = inspect.signature(function)
    try:
        signature.bind(*range(4))
    except TypeError:
        raise ValueError(
            f"solver must be a function of (problem, start, tolerance, budget), and options by name; {name} is called "
            f"with {signature}."
        ) from None
    options = tuple(signature.parameters)[4:]
    return type(name, (FunctionSolver,), {"name": name, "options": options, "function": staticmethod(function)})
