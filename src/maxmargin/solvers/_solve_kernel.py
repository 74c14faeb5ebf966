"""Solve the dual problem of a kernel machine by the solver that the table chooses for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problems import BoxQP
from ._monitor import Monitor
from ._solution import Solution
from ._table import KERNEL_SOLVERS, choose_kernel_solver
from .kernel._named import NAMED, solve_named


def solve_kernel(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    gap_tolerance: float | None = None,
    budget: int | None = None,
    monitor: Monitor | None = None,
    *,
    definite: bool = True,
    sign: int = 0,
    image: np.ndarray | None = None,
    cache_bytes: int = 200_000_000,
    shrinking: bool = True,
    solver: str = "auto",
    screened: bool = False,
) -> Solution:
    """Minimise until violation (and gap, where asked for) are *proven* to be within tolerance.

    Parameters
    ----------
    problem : BoxQP
        What is minimised. Infinite bounds are the hard margin.
    start, tolerance, budget, monitor
        As in every solver.
    gap_tolerance : float, optional
        Largest relative duality gap; a problem that is not convex proves none.
    definite : bool
        Whether the kernel matrix is positive semi-definite. If it is not, the answer is a stationary point.
    sign : {0, 1, -1}
        The sign of the class that comes first, 0 where variables are no classes: which of several stationary points is
        found depends on it.
    image : ndarray, optional
        ``K start``, where the caller knows it and the problem is convex.
    cache_bytes : int
        Memory for kernel values.
    shrinking : bool
        Whether settled variables may be left out.
    solver : str
        "auto", or a name of `KERNEL_SOLVER_NAMES`.
    screened : bool
        Whether values of ``evidence.image`` may be float32's that no figure of the evidence is made of.

    Returns
    -------
    Solution
        With evidence. Raises `NotSeparableError` for a hard margin that does not exist.

    """
    chosen = choose_kernel_solver(problem, definite, solver)
    options: dict[str, Any] = {"cache_bytes": cache_bytes, "shrinking": shrinking}
    if chosen in NAMED:
        return solve_named(chosen, problem, start, tolerance, gap_tolerance, budget, monitor, sign=sign, **options)
    if chosen == "stationary":
        options["sign"] = sign
    else:
        options["gap_tolerance"] = gap_tolerance
    if chosen == "decomposition":
        options |= {"image": image, "inside": solver == "auto", "screened": screened}
    return KERNEL_SOLVERS[chosen](problem, start, tolerance, budget=budget, monitor=monitor, **options)
