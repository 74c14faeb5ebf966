"""The intercept at which the multipliers of all cells sum to 0.

Their sum falls with the intercept, piecewise linearly as long as the same variables are free, so that Newton's steps
find it in a few passes over the cells; each pass starts from the multipliers of the last, moved along its tangent.
"""

from __future__ import annotations

import numpy as np

from ._approximation import with_right_sum
from ._cell_machines import CellMachines

_PASSES = 8
_FIRST_STEP = 0.5  # where no variable is free, and the slope says nothing
_SHARE = 0.02  # of the gap that is wanted, which a wrong intercept may cost


def solve_at_common_intercept(
    machines: CellMachines, gap: float, start: np.ndarray | None = None
) -> tuple[np.ndarray, bool]:
    """Feasible multipliers of all cells, and whether every one was solved.

    Parameters
    ----------
    machines : CellMachines
        The cells.
    gap : float
        The relative gap that is wanted.
    start : ndarray, optional
        Multipliers to go on from.

    """
    problem = machines.problem
    low, high, b, finished = -np.inf, np.inf, 0.0, False
    beta = np.zeros(problem.n) if start is None else start
    stride = _FIRST_STEP
    for _ in range(_PASSES):
        found = machines.solve(b, beta)
        beta, finished = found.beta, found.finished
        if not finished:
            break
        missing = float(beta.sum()) - problem.totals[0]  # too large a sum wants a larger intercept
        slope = -float(found.tangent.sum())
        step = missing / slope if slope > 0 else np.sign(missing) * stride
        stride *= 2
        low, high = (b, high) if missing > 0 else (low, b)
        inside = min(max(b + step, low), high)
        if inside != b + step or (slope <= 0 and np.isfinite(high - low)):
            inside = (low + high) / 2
        step = inside - b
        beta = np.clip(beta + step * found.tangent, problem.lower, problem.upper)
        b = inside
        cost = abs(missing * step) / 2
        if cost <= _SHARE * gap * float(np.abs(problem.p) @ np.abs(beta)) / 2 or abs(step) <= machines.tolerance / 10:
            break
    return with_right_sum(problem, beta), finished
