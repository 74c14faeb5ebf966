"""Solutions along C, each started from its neighbour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..certificates import ModelCertificate
from ..engine import thread_count
from ..estimators import solve_all
from ..solvers import Monitor
from ._fit import side_by_side
from ._formulation import LinearFormulation
from ._solve import Tasks
from ._training import Training


@dataclass(frozen=True)
class LinearPath:
    """Solutions along C, in the order in which the values of C were given.

    Attributes
    ----------
    Cs : ndarray of shape (n_values,)
        The values of C.
    coefs : ndarray of shape (n_values, 1 or n_classes, n_features)
        The weights for each of them.
    intercepts : ndarray of shape (n_values, 1 or n_classes)
        The intercepts.
    certificates : tuple of ModelCertificate
        The proof of each solution.

    """

    Cs: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    certificates: tuple[ModelCertificate, ...]


def solve_path(machine: Any, formulation: LinearFormulation, training: Training, Cs: Any) -> LinearPath:
    """Solve for every C, from the smallest (whose solution is next to zero) up; raises KeyboardInterrupt on Ctrl-C."""
    values = np.asarray(Cs, dtype=np.float64)
    if values.ndim != 1 or not values.size or not ((values > 0) & np.isfinite(values)).all():
        raise ValueError(f"Cs must be a list of one or more positive, finite numbers; got {Cs!r}.")
    k, d = training.problems, training.rows.d
    parallel = side_by_side(machine, k, training.rows)
    threads = 1 if parallel else thread_count(machine.n_jobs)
    names = [training.name(j) for j in range(k)]
    starts: list[np.ndarray | None] = [None] * k
    slopes: list[np.ndarray | None] = [None] * k
    thetas = np.empty((len(values), k, d + 1))
    certificates: dict[int, ModelCertificate] = {}
    for place in np.argsort(values, kind="stable").tolist():
        problem = replace(formulation, strength=float(values[place])).problems(training, threads)
        tasks = Tasks(machine, problem, starts, slopes, names, formulation.solver)
        monitor = Monitor(machine.verbose, machine.callback)
        parts, interrupted = solve_all(tasks.solve, tasks.untouched, names, monitor, side_by_side=parallel)
        if interrupted:
            raise KeyboardInterrupt
        starts, slopes = [part.theta for part in parts], [part.slopes_of_samples for part in parts]
        thetas[place] = [part.theta for part in parts]
        certificates[place] = ModelCertificate(tuple(part.certificate for part in parts))
    order = [certificates[place] for place in range(len(values))]
    return LinearPath(values, thetas[:, :, :-1].copy(), thetas[:, :, -1].copy(), tuple(order))
