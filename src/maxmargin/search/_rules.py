"""How the winner is picked among the finished candidates."""

from __future__ import annotations

import numpy as np

from ._grid import Grid

RULES = ("best", "one_standard_error")


def standard_error(scores: np.ndarray) -> float:
    """Standard error of the mean of some folds' scores; one fold has none."""
    return float(np.std(scores, ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0


def choose(rule: str, grid: Grid, scores: np.ndarray, eligible: np.ndarray) -> int:
    """The winner: the first with the best mean, or the simplest within one standard error of it.

    Parameters
    ----------
    rule : {"best", "one_standard_error"}
    grid : Grid
    scores : ndarray of shape (n_candidates, n_folds)
    eligible : ndarray of bool of shape (n_candidates,)
        Candidates that are finished in every fold.

    """
    means = np.where(eligible, np.where(eligible[:, None], scores, 0.0).mean(axis=1), -np.inf)
    best = int(np.argmax(means))
    if rule == "best":
        return best
    near = np.flatnonzero(means >= means[best] - standard_error(scores[best]))
    return min(near.tolist(), key=lambda k: (*simplicity(grid, k), -means[k]))


def simplicity(grid: Grid, candidate: int) -> tuple[float, ...]:
    """Less is simpler: the smaller C, then the smaller gamma."""
    return tuple(grid.candidates[candidate].values())
