"""Exact steps in the rows near a margin boundary, as an approximate machine sees them.

A row that lies clearly on one side of its margin boundary has a multiplier at the bound of that side, in the exact
machine as well: it need not take part before a proof says otherwise. So the multipliers of the other rows are solved
for, exactly, while these stay as they are.
"""

from __future__ import annotations

import numpy as np

from ...problems import BoxQP
from .._monitor import Monitor
from ..kernel._certified import solve_certified
from ._approximation import Approximation, with_right_sum

# Rows that take part; those with multipliers between bounds do in any case.
_SHARE = 0.3


def solve_near_rows(
    problem: BoxQP,
    beta: np.ndarray,
    residual: np.ndarray,
    left: np.ndarray | None,
    tolerance: float,
    monitor: Monitor | None = None,
    cache_bytes: int = 200_000_000,
) -> Approximation:
    """Multipliers that are optimal among those of the rows near a margin boundary, to a violation of `tolerance`.

    Parameters
    ----------
    problem : BoxQP
        A classifier's or a regressor's: one sum, and one or two variables a row of the matrix.
    beta : ndarray
        Feasible multipliers.
    residual : ndarray
        ``p - f - b`` of a machine that is near the exact one, for every variable: 0 on the margin boundary.
    left : ndarray, optional
        Of each row of the matrix, the squared length in feature space that this machine does not know of. A multiplier
        moves the decision value of its own row by as much more.
    tolerance, monitor, cache_bytes
        As in every solver.

    """
    rows, near = _near(problem, beta, residual, left)
    apart = beta.copy()
    apart[near] = 0.0
    support, own = np.flatnonzero(apart), beta[near]
    from_others = problem.columns_product(support, apart[support], np.float32, near)
    part = BoxQP(
        problem.gram.restricted(rows),
        problem.p[near] - from_others,
        problem.lower[near],
        problem.upper[near],
        (float(own.sum()),),
        sample=None if problem.sample is None else np.searchsorted(rows, problem.sample[near]),
        p_error=problem.p_error,
    )
    used = np.flatnonzero(own)
    image = part.columns_product(used, own[used], np.float32)
    found = solve_certified(part, own, tolerance, None, None, monitor, cache_bytes=cache_bytes, image=image)
    joined = apart
    joined[near] = found.variables
    joined = with_right_sum(problem, joined)
    return Approximation(joined, joined, found.iterations)


def _near(
    problem: BoxQP, beta: np.ndarray, residual: np.ndarray, left: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the matrix near a margin boundary, and their variables."""
    n = problem.gram.shape[0]
    distance = np.where((beta > problem.lower) & (beta < problem.upper), 0.0, np.abs(residual))
    if left is not None:
        reach = (problem.upper - problem.lower) * np.tile(left, problem.n // n)
        distance[np.abs(residual) <= reach] = 0.0
    by_row = distance.reshape(-1, n).min(axis=0)
    edge = np.partition(by_row, int(_SHARE * n))[int(_SHARE * n)]
    rows = np.flatnonzero(by_row <= edge)
    return rows, (np.arange(problem.n // n)[:, None] * n + rows).ravel()
