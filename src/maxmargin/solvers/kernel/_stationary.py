"""Solve where the kernel matrix has negative eigenvalues: a stationary point, and what is true of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...certificates import Status, evaluate
from ...kernels import MODERATE, MatrixGram
from ...problems import BoxQP
from .._monitor import Monitor
from .._solution import Solution
from ._certified import without_dust
from .indefinite import LibsvmSteps


def solve_stationary(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    budget: int | None = None,
    monitor: Monitor | None = None,
    *,
    sign: int = 0,
    cache_bytes: int = 200_000_000,
    shrinking: bool = True,
) -> Solution:
    """A stationary point, to `tolerance`; from a start that is given only uphill.

    Parameters
    ----------
    problem : BoxQP
        With finite boxes.
    start, tolerance, budget, monitor
        As in every solver.
    sign : {0, 1, -1}
        For a classifier, the sign of the class that comes first and plays the positive one: -1 if the other one is
        positive in `problem`. 0 keeps the variables as they are.
    cache_bytes : int
        Memory for the kernel values of large problems; rows are kept as far as it goes.
    shrinking : bool
        Whether LIBSVM would set variables aside.

    """
    if problem.gram.shape[0] <= MODERATE and not isinstance(problem.gram, MatrixGram):
        problem = replace(problem, gram=MatrixGram.of(problem.gram))
    options: dict[str, Any] = {"sign": sign, "cache_bytes": cache_bytes, "shrinking": shrinking}
    found = LibsvmSteps.solve(problem, start, tolerance, budget, monitor, **options)
    beta, status = without_dust(problem, found.variables), found.status
    evidence = evaluate(problem, beta)
    if status is Status.STATIONARY and not evidence.kkt_violation <= tolerance:
        status = Status.STALLED
    return replace(found, variables=beta, status=status, evidence=evidence, problem=problem)
