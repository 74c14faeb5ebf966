"""One problem of a linear machine after the other: solved, certified, and what a model keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..certificates import Certificate, SlopeRule, Status, averaged_guarantee
from ..engine import Stopwatch
from ..solvers import RISK_SOLVERS, Monitor, Solver, choose_solver, solve_risk, solver_name


@dataclass(frozen=True)
class Part:
    """What is kept of one solved problem.

    ``slopes`` are those of the dual where the weights alone would not prove the gap, else None. ``unbounded`` means
    that there is no minimum: the losses fall for ever in the direction of the weights. ``rounding`` is the part of the
    relative gap that no weights could avoid.
    """

    theta: np.ndarray
    slopes: np.ndarray | SlopeRule | None
    certificate: Certificate
    solver: str
    keyboard: bool = False
    unbounded: bool = False
    rounding: float = 0.0

    @property
    def slopes_of_samples(self) -> np.ndarray | None:
        """The slopes, if there is one a sample: what a solver may start from."""
        return None if isinstance(self.slopes, SlopeRule) else self.slopes


@dataclass(frozen=True)
class Tasks:
    """The problems of one fit, each of which is made when its turn comes.

    ``starts`` are in the form of a linear model, one row (w, b) a class; ``slopes`` those of the dual.
    """

    machine: Any
    problem: Callable[[int], Any]
    starts: Sequence[np.ndarray | None]
    slopes: Sequence[np.ndarray | None]
    names: Sequence[str]
    solver: str | Callable[..., Any]

    def solve(self, k: int, monitor: Monitor) -> Part:
        """Solve and certify one problem."""
        watch, machine, problem, start = Stopwatch(), self.machine, self.problem(k), self.starts[k]
        solvers = choose_solver(problem, self.solver)
        options = solver_options(machine, solvers[0])
        start = None if start is None else problem.from_rows(start)
        found = solve_risk(problem, solvers, start, machine.tol, machine.max_iter, monitor, self.slopes[k], **options)
        evidence, counted = found.evidence, (found.status, found.iterations, watch.seconds())
        certificate = Certificate.of(evidence, *counted, self.names[k])
        theory = found.stats.get("theory")
        if theory is not None:
            certificate = replace(certificate, averaged=averaged_guarantee(problem, found.variables, **theory))
        monitor.certified(certificate)
        facts = found.keyboard, evidence.unbounded, evidence.rounding
        return Part(problem.as_rows(found.variables), found.slopes, certificate, found.solver, *facts)

    def untouched(self, k: int) -> Part:
        """A problem that Ctrl-C left before it had a solution: its start, of which nothing is claimed."""
        nan, inf = float("nan"), float("inf")
        certificate = Certificate(nan, nan, inf, inf, inf, Status.INTERRUPTED, 0, 0.0, self.names[k])
        problem, start = self.problem(k), self.starts[k]
        theta = problem.as_rows(problem.start()) if start is None else start
        return Part(theta, self.slopes[k], certificate, solver_name(self.solver))


_SWITCHES = frozenset({"average", "nesterov", "precondition", "shrinking"})
_NUMBERS = frozenset({"momentum", "decay", "delta", "eta0", "radius"})


def solver_options(machine: Any, solver: type[Solver]) -> dict[str, Any]:
    """Options of this solver: the user's, and a seed where it has a use for one."""
    options = dict(machine.solver_options or {})
    unknown = set(options) - set(solver.options)
    if unknown:
        raise ValueError(
            f"solver_options has {sorted(unknown)}, which solver={solver.name!r} does not take; it takes "
            f"{sorted(solver.options) or 'none'}."
        )
    if solver in RISK_SOLVERS.values():  # the options of a user's own solver are their affair
        _check_values(options)
    if "seed" in solver.options:
        options.setdefault("seed", _seed(machine.random_state))
    return options


def _check_values(options: dict[str, Any]) -> None:
    """Refuse values of the wrong type, by the name of the option; the solvers see to the rest."""
    for name, value in options.items():
        if name in _SWITCHES and not (isinstance(value, bool | np.bool_) or (name == "average" and value is None)):
            raise ValueError(f"{name} in solver_options must be True or False; got {value!r}.")
        number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        if name in _NUMBERS and not (value is None or number):
            raise ValueError(f"{name} in solver_options must be a number; got {value!r}.")
        if name == "seed" and not (number and isinstance(value, Integral) and int(value) >= 0):
            raise ValueError(f"seed in solver_options must be a whole number from 0; got {value!r}.")


def _seed(random_state: Any) -> int:
    """None is a fixed seed too: the same input gives the same model."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
