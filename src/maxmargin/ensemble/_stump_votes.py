"""The vote of many stumps in one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..engine import jit, run_parallel, thread_count
from ._stump import DecisionStump

_BLOCK = 4096  # rows of a task


@jit
def _polls(X, columns, thresholds, leaves, votes, polls):  # type: ignore[no-untyped-def]
    for i in range(X.shape[0]):
        for t in range(columns.shape[0]):
            side = 1 if X[i, columns[t]] > thresholds[t] else 0
            polls[i, leaves[t, side]] += votes[t]


@jit
def _labels(values, threshold, first, second, labels):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        labels[i] = second if values[i] > threshold else first


class StumpVote:
    """Stumps as arrays: the columns that they use, their thresholds, what they say on either side, their votes."""

    def __init__(self, stumps: list[DecisionStump], votes: np.ndarray) -> None:
        features = np.array([max(stump.feature_, 0) for stump in stumps])
        self.used, self.columns = np.unique(features, return_inverse=True)
        # without a column to part the rows by, all are on the first side
        self.thresholds = np.array([s.threshold_ if s.feature_ >= 0 else np.inf for s in stumps])
        self.leaves = np.array([stump._leaves for stump in stumps])
        self.votes = votes

    @classmethod
    def of(cls, learners: list[Any], votes: np.ndarray) -> StumpVote | None:
        """The vote of these learners, if they are stumps."""
        return cls(learners, votes) if all(type(learner) is DecisionStump for learner in learners) else None

    def _rows(self, X: Any, begin: int, end: int) -> np.ndarray:
        """The used columns of some rows, dense."""
        part = X[begin:end]
        return part[:, self.used].toarray() if sp.issparse(part) else part[:, self.used]

    def polls(self, X: Any, classes: int) -> np.ndarray:
        """Votes for each class, row by row."""
        n = X.shape[0]
        polls = np.zeros((n, classes))
        X = sp.csr_array(X) if sp.issparse(X) else X

        def block(begin: int) -> None:
            end = min(begin + _BLOCK, n)
            rows = np.ascontiguousarray(self._rows(X, begin, end))
            _polls(rows, self.columns, self.thresholds, self.leaves, self.votes, polls[begin:end])

        step = _BLOCK * thread_count(None)
        for first in range(0, n, step):
            run_parallel(block, [(begin,) for begin in range(first, min(first + step, n), _BLOCK)])
        return polls

    def each(self, X: Any) -> Iterator[np.ndarray]:
        """What each stump says, as numbers of classes; the array is used again."""
        columns = np.ascontiguousarray(self._rows(X, 0, X.shape[0]).T)
        labels = np.empty(X.shape[0], np.uint16)
        for column, threshold, leaves in zip(self.columns, self.thresholds, self.leaves, strict=True):
            _labels(columns[column], threshold, leaves[0], leaves[1], labels)
            yield labels
