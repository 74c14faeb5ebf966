"""The machines of single cells and folds, which a search does not keep.

A scorer is given each of them. One that keeps what it is given hands over the machines of the search itself, without
asking anything of the search that scikit-learn's interface does not have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernel.multipliers import Multipliers, of_scikit_style
from .cases import Case, Folds

Cell = tuple[int, int]  # candidate and fold
OTHERS = 4  # cells besides the corners and the winner
FOLDS = 2


@dataclass(frozen=True)
class FoldModel:
    """The machine of a cell in a fold, and its score."""

    multipliers: Multipliers
    score: float


def sample(case: Case, best: int, seed: int) -> list[Cell]:
    """Corners of the grid, the winner and some others, each in two folds."""
    n, rng = case.cells, np.random.default_rng(seed)
    chosen = {0, n - 1, n * (n - 1), n * n - 1, best}
    others = [k for k in range(n * n) if k not in chosen]
    chosen.update(int(k) for k in rng.permutation(others)[:OTHERS])
    return [
        (candidate, int(fold)) for candidate in sorted(chosen) for fold in sorted(rng.permutation(case.folds)[:FOLDS])
    ]


def fold_model(model: Any, X: Any, y: np.ndarray) -> FoldModel:
    """What is kept of a fitted machine, scored by these rows.

    It is given a copy of them: a search may have its machines remember what they answered to the rows themselves.
    """
    return FoldModel(of_scikit_style(model), float(model.score(X.copy(), y)))


@dataclass
class KeepingScorer:
    """Keeps the machines of the wanted cells; which they are it finds by their parameters and the test rows."""

    case: Case
    X: Any
    folds: Folds
    wanted: list[Cell]
    kept: dict[Cell, FoldModel] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: np.ndarray) -> float:
        cell = self._candidate(estimator), self._fold(X)
        if cell not in self.wanted:
            return 0.0
        self.kept[cell] = fold_model(estimator, X, y)
        return self.kept[cell].score

    def _candidate(self, estimator: Any) -> int:
        values = np.log(self.case.candidates)
        return int(np.abs(values - np.log([estimator.C, estimator.gamma])).sum(axis=1).argmin())

    def _fold(self, X: Any) -> int:
        for k, (_, test) in enumerate(self.folds):
            if X.shape[0] == len(test) and _equal(X, self.X[test]):
                return k
        raise ValueError("these are the test rows of no fold")


def _equal(A: Any, B: Any) -> bool:
    return not (A != B).nnz if sp.issparse(B) else np.array_equal(A, B)
