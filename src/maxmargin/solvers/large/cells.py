"""A kernel machine trained in cells of neighbouring rows, and their multipliers joined.

Where the kernel hardly reaches from one cell to another, the exact matrix is nearly the one without the blocks between
cells, and the joined multipliers are nearly optimal. All cells have the intercept in common, as the machine has one: a
cell of one class has multipliers too, and only the sum over all cells is 0.
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status, best_intercept
from ...problems import BoxQP
from .._monitor import Monitor
from ..kernel._certified import solve_certified
from ._approximation import Approximation
from ._cell_machines import CellMachines
from ._common_intercept import solve_at_common_intercept
from ._time_limit import TimeLimit

# The violation that cells are solved to, relative to the gap that is wanted, and at most.
_VIOLATION, _MOST_VIOLATION = 1.0, 0.1
_SMALLEST = 100  # rows of a cell
_GOLDEN, _STEPS = (np.sqrt(5) - 1) / 2, 30


def cell_size(size: int, variables: int, memory: float, threads: int) -> int:
    """Rows of a cell: as many as wanted, or as matrices of cells twice as large fit into memory for every thread.

    `variables` is how many of them a row has.
    """
    fits = int(np.sqrt(memory / (8 * threads))) // (2 * variables)
    return max(_SMALLEST, min(size // variables, fits))


def solve_in_cells(
    problem: BoxQP,
    cells: list[np.ndarray],
    gap: float,
    limit: TimeLimit,
    threads: int = 1,
    memory: int = 200_000_000,
    monitor: Monitor | None = None,
    start: np.ndarray | None = None,
) -> Approximation:
    """The joined machine of all cells; feasible whatever ends it.

    Parameters
    ----------
    problem : BoxQP
        A classifier's or a regressor's: one sum, and one or two variables a row of the matrix.
    cells : list of ndarray of int
        Rows of the matrix; no row is in two of them.
    gap : float
        The relative gap that is wanted: what cells leave of their own is within it, what they leave to each other only
        a certificate can say.
    limit : TimeLimit
        When to end at the latest; cells that are not reached by then keep zeros.
    threads, memory, monitor
        As in every solver; `memory` in bytes.
    start : ndarray, optional
        Feasible multipliers to go on from.

    """
    violation = min(_VIOLATION * gap, _MOST_VIOLATION)
    if len(cells) == 1:
        until = monitor if monitor is None or limit.left == np.inf else monitor.until(limit.is_over)
        solution = solve_certified(problem, start, violation, None, None, until, cache_bytes=memory)
        beta, finished = solution.variables, solution.status is Status.CONVERGED
        return Approximation(beta, beta, solution.iterations, finished)
    machines = CellMachines(problem, cells, violation, limit, threads, memory, monitor)
    beta, finished = solve_at_common_intercept(machines, gap, start)
    return Approximation(beta, beta, int(machines.steps.sum()), finished)


def best_scale(problem: BoxQP, beta: np.ndarray, image: np.ndarray) -> float:
    """The part of beta, between 0 and 1, whose decision function has the lowest primal objective; `image` is K beta.

    Where the kernel reaches far beyond the cells, they all do what one would have done, and their sum is too large.
    """
    square = float(beta @ image)

    def primal(t: float) -> float:
        residual = problem.p - t * image
        r = residual - best_intercept(residual, problem.lower, problem.upper, problem.totals[0])
        return t * t * square / 2 + float(np.maximum(problem.upper * r, problem.lower * r).sum())

    low, high = 0.0, 1.0
    for _ in range(_STEPS):  # convex in t: golden sections
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, right) if primal(left) <= primal(right) else (left, high)
    return min((low + high) / 2, 0.0, 1.0, key=primal)
