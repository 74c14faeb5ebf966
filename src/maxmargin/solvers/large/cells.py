"""A kernel machine trained in cells of neighbouring rows, one after the other, and their multipliers joined.

Where the kernel hardly reaches from one cell to another, the exact matrix is nearly the one without the blocks between
cells, and the joined multipliers are nearly optimal. They are feasible in any case: each cell's sum is 0.
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...engine import run_parallel, was_interrupted
from ...problems import BoxQP
from .._monitor import Monitor
from ..kernel._certified import solve_certified
from ._approximation import Approximation
from ._time_limit import TimeLimit


def solve_in_cells(
    problem: BoxQP,
    cells: list[np.ndarray],
    tolerance: float,
    limit: TimeLimit,
    threads: int = 1,
    cache_bytes: int = 200_000_000,
    monitor: Monitor | None = None,
) -> Approximation:
    """Each cell's machine to the given violation; cells that time or Ctrl-C leaves out keep zeros.

    Parameters
    ----------
    problem : BoxQP
        A classifier's or a regressor's.
    cells : list of ndarray of int
        Rows of the matrix; no row is in two of them.
    tolerance, limit, threads, cache_bytes, monitor
        As in every solver.

    """
    n, beta, steps = problem.gram.shape[0], np.zeros(problem.n), np.zeros(len(cells), np.int64)
    finished = np.zeros(len(cells), bool)
    one = BoxQP(problem.gram.with_threads(1), problem.p, problem.lower, problem.upper, problem.totals)
    offsets = np.arange(problem.n // n) * n

    def solve(begin: int) -> None:
        for k in range(begin, len(cells), threads):
            if limit.over or was_interrupted() or (monitor is not None and monitor.report(k, np.nan, np.nan)):
                return
            rows = cells[k]
            variables = (offsets[:, None] + rows).ravel()
            part = BoxQP(
                one.gram.restricted(rows),
                problem.p[variables],
                problem.lower[variables],
                problem.upper[variables],
                (0.0,),
                None,
                None if len(offsets) == 1 else np.tile(np.arange(len(rows)), len(offsets)),
                problem.p_error,
            )
            finished[k] = True
            if not ((part.upper > 0).any() and (part.lower < 0).any()):
                continue  # of one class: multipliers that sum to 0 are zeros
            solution = solve_certified(part, None, tolerance, cache_bytes=cache_bytes // threads)
            steps[k] = solution.iterations
            finished[k] = solution.status is not Status.INTERRUPTED
            beta[variables] = solution.variables

    run_parallel(solve, [(t,) for t in range(threads)])
    return Approximation(beta, beta, int(steps.sum()), bool(finished.all()))
