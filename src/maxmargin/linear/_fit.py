"""The way of a linear classifier's fit: checked rows, one problem or many, their solutions with proofs, the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..data import Rows
from ..engine import thread_count
from ..estimators import conclude, monitor_of, solve_all
from ..solvers import Monitor
from ._advice import advice
from ._formulation import LinearFormulation
from ._model import keep
from ._solve import Part, Tasks
from ._start import warm_starts
from ._training import Training, training_of

# Stored values of X from which problems are worth a thread each: below, Python's own lock costs more.
_SIDE_BY_SIDE = 20_000


def fit_classifier(machine: Any, formulation: LinearFormulation, X: Any, y: Any, sample_weight: Any) -> None:
    """Train on labels."""
    training = training_of(machine, X, y, sample_weight)
    starts, slopes = warm_starts(machine, training)
    monitor = monitor_of(machine)
    parts, interrupted = solve_training(machine, formulation, training, starts, slopes, monitor)
    keep(machine, formulation, training, parts)
    conclude(machine, [part.certificate for part in parts], monitor, interrupted, partial(advice, machine, parts))


def solve_training(
    machine: Any,
    formulation: LinearFormulation,
    training: Training,
    starts: Sequence[np.ndarray | None],
    slopes: Sequence[np.ndarray | None],
    monitor: Monitor,
) -> tuple[list[Part], bool]:
    """Solve the problem of two classes, or one a class, or the joint one; also whether Ctrl-C ended it."""
    threads = thread_count(machine.n_jobs)
    joint = formulation.joint_problem(training, threads)
    if joint is not None:
        start = None if starts[0] is None else np.vstack([theta for theta in starts if theta is not None])
        known = slopes[0] if len(slopes) == 1 else None
        tasks = Tasks(machine, [joint].__getitem__, [start], [known], ["all classes"], "auto")
        return solve_all(tasks.solve, tasks.untouched, tasks.names, monitor, side_by_side=False)
    if len(slopes) != training.problems:  # the last fit had a joint problem
        slopes = [None] * training.problems
    parallel = side_by_side(machine, training.problems, training.rows)
    problem = formulation.problems(training, 1 if parallel else threads)
    names = [training.name(k) for k in range(training.problems)]
    tasks = Tasks(machine, problem, starts, slopes, names, formulation.solver)
    return solve_all(tasks.solve, tasks.untouched, names, monitor, side_by_side=parallel)


def side_by_side(machine: Any, problems: int, rows: Rows) -> bool:
    """Whether each problem gets a thread of its own, instead of all threads each in turn."""
    return problems >= thread_count(machine.n_jobs) > 1 and rows.stored >= _SIDE_BY_SIDE
