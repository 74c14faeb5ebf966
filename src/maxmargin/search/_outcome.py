"""What an engine hands in, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..certificates import Certificate


@dataclass(frozen=True, eq=False)
class Outcome:
    """One candidate trained in one fold.

    Attributes
    ----------
    values : ndarray of shape (n_test,) or (n_test, n_outputs)
        Values of the test rows that a calibration starts from: of the only binary problem, or one column a class, or
        one a pair.
    predictions : ndarray of shape (n_test,)
        Predicted labels (or numbers) of the test rows.
    certificates : tuple of Certificate
        One for each binary problem.
    seconds : float
        Time of solving.
    model : callable
        Builds the fitted machine: only scorers that want one pay for it.
    decision : ndarray, optional
        What ``decision_function`` of that machine returns for the test rows, if that is not `values`. Without it, a
        machine with more than one column of values computes its own.

    """

    values: np.ndarray
    predictions: np.ndarray
    certificates: tuple[Certificate, ...]
    seconds: float
    model: Callable[[], Any]
    decision: np.ndarray | None = None


@dataclass(eq=False)
class Record:
    """What is finished of a search, and all that a resumed one needs: plain arrays by candidate and fold.

    ``values`` has the out-of-fold values of the pairs that may still be asked for them.
    """

    scores: np.ndarray
    done: np.ndarray
    fit_seconds: np.ndarray
    score_seconds: np.ndarray
    certificates: np.ndarray
    values: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)

    @classmethod
    def empty(cls, candidates: int, folds: int) -> Record:
        """Nothing is finished yet."""
        shape = (candidates, folds)
        nothing = np.full(shape, np.nan)
        return cls(nothing, np.zeros(shape, dtype=bool), nothing.copy(), nothing.copy(), np.full(shape, None, object))

    @property
    def complete(self) -> np.ndarray:
        """Candidates that are finished in every fold."""
        return np.asarray(self.done.all(axis=1))
