"""What an approximate solver of a kernel machine returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...problems import BoxQP


@dataclass(frozen=True, eq=False)
class Approximation:
    """A decision function and multipliers, which need not belong to each other.

    Attributes
    ----------
    coefficients : ndarray
        Of the decision function, one a variable of the problem.
    beta : ndarray
        Feasible multipliers: they bound the optimum from below.
    iterations : int
        Steps of the solver.
    finished : bool
        Whether the solver came to its own end: neither time nor Ctrl-C ended it.
    words : str
        What was done, for the user.
    left : ndarray, optional
        Of each row of the matrix, the squared length in feature space that landmarks leave, at most.

    """

    coefficients: np.ndarray
    beta: np.ndarray
    iterations: int
    finished: bool = True
    words: str = ""
    left: np.ndarray | None = None


def with_right_sum(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """Variables within their box whose sum is the problem's total, changed where there is room; zeros if there is none.

    Each round shares out what is missing by the room that variables have in that direction, so that no bound is passed
    and few rounds are needed; variables at a bound that keep it stay there while others have room.
    """
    beta = np.clip(beta, problem.lower, problem.upper)
    total = problem.totals[0]
    for _ in range(8):
        missing = total - float(beta.sum())
        if abs(missing) <= 1e-13 * max(float(np.abs(beta).sum()), 1e-300):
            return beta
        inside = np.minimum(problem.upper - beta, beta - problem.lower)
        room = inside if inside.sum() >= abs(missing) else _room(problem, beta, missing)
        whole = float(room.sum())
        if whole < abs(missing):
            break
        beta = np.clip(beta + missing * (room / whole), problem.lower, problem.upper)
    close = abs(total - float(beta.sum())) <= 1e-10 * max(float(np.abs(beta).sum()), 1e-300)
    return beta if close else problem.feasible_start()


def one_side(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """The same coefficients of rows, which a model keeps, with one variable a row that is not zero; beta if it is so.

    A regressor has two variables a row, one for each side of the tube: with both of them the dual is only lower.
    """
    if problem.sample is None:
        return beta
    above, below = beta.reshape(2, -1)
    if not ((above != 0) & (below != 0)).any():
        return beta
    total = above + below
    return np.concatenate([np.maximum(total, 0.0), np.minimum(total, 0.0)])


def _room(problem: BoxQP, beta: np.ndarray, missing: float) -> np.ndarray:
    """How far each variable may still go in the direction that is missing; of those at zero, nothing if others do."""
    space = problem.upper - beta if missing > 0 else beta - problem.lower
    used = np.where(beta != 0, space, 0.0)
    return used if used.sum() >= abs(missing) else space
