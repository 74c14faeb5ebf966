"""maxmargin's searches, and scikit-learn's grid search over the machines of the peers, two jobs each."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contender import Contender, peer
from ..kernel.cases import TOL
from ..kernel.contenders import CACHE_MB
from ..kernel.multipliers import Multipliers, of_scikit_style
from ..names import INTELEX, OURS, SKLEARN
from ..worker import ContenderError
from .cases import Case, Folds, Grid
from .fold_models import Cell, FoldModel, KeepingScorer, fold_model

JOBS = 2
_WARM_UP_ROWS = 20  # of each class


@dataclass(frozen=True)
class Found:
    """What a search found: scores of all candidates (rows) and folds (columns), the winner, and its refitted machine.

    ``violation`` and ``gap`` of each candidate, the worst of its folds, where the search states them.
    """

    scores: np.ndarray
    best: int
    multipliers: Multipliers
    violation: np.ndarray | None = None
    gap: np.ndarray | None = None


class SearchContender(Contender):
    """Searches the grid of the case and keeps the last search."""

    def __init__(self, case: Case, X: Any, y: np.ndarray, folds: Folds) -> None:
        self.case, self.X, self.y, self.folds = case, X, y, folds
        self.done: Any = None

    def warm_up(self) -> None:
        y = np.zeros(len(self.y)) if self.case.regression else self.y
        groups = [np.flatnonzero(y == c)[:_WARM_UP_ROWS] for c in np.unique(y)]
        few, parity = np.concatenate(groups), np.concatenate([np.arange(len(g)) % 2 for g in groups])
        halves = [(np.flatnonzero(parity == k), np.flatnonzero(parity != k)) for k in (0, 1)]
        grid = {name: values[:2] for name, values in self.case.grid.items()}
        self.estimator(grid, halves).fit(self.X[few], self.y[few])

    def before(self, method: str) -> None:
        if method == "search":
            self.done = None
            self.warm_up()  # joblib's processes leave when they have waited for long: starting them is not searching

    def rehearse(self) -> None:
        """The corners of the grid, which is all that compiling asks for."""
        corners = {name: values[[0, -1]] for name, values in self.case.grid.items()}
        self.estimator(corners, self.folds).fit(self.X, self.y)

    def search(self) -> None:
        self.done = self.estimator(self.case.grid, self.folds).fit(self.X, self.y)

    @abstractmethod
    def estimator(self, grid: Grid, folds: Folds) -> Any:
        """How this library does it."""

    @abstractmethod
    def fold_models(self, cells: list[Cell]) -> list[FoldModel]:
        """The machines of single cells and folds."""

    def found(self) -> Found:
        results = self.done.cv_results_
        scores = np.stack([results[f"split{k}_test_score"] for k in range(len(self.folds))], axis=1)
        given = np.array([[p["C"], p["gamma"]] for p in results["params"]])
        if given.shape != (len(self.case.candidates), 2) or not np.allclose(given, self.case.candidates):
            raise ContenderError("its candidates are not those of the grid, or in another order")
        return Found(scores, int(self.done.best_index_), of_scikit_style(self.done.best_estimator_), **self.stated())

    def stated(self) -> dict[str, np.ndarray]:
        """What the search itself says of its cells."""
        return {}

    def note(self) -> str:
        """What the table should say about the last search."""
        return ""

    @property
    def _extra(self) -> dict[str, Any]:
        return {"epsilon": self.case.epsilon} if self.case.regression else {}


class MaxMargin(SearchContender):
    name = OURS
    compiles = True

    def estimator(self, grid: Grid, folds: Folds) -> Any:
        kind = peer("maxmargin.svm", "SVRCV" if self.case.regression else "SVCCV")
        extra = self._extra if self.case.regression else {"calibration": None}
        return kind(Cs=grid["C"], gammas=grid["gamma"], cv=folds, tol=TOL, n_jobs=JOBS, **extra)

    def fold_models(self, cells: list[Cell]) -> list[FoldModel]:
        """By searching once more with a scorer that keeps them."""
        scorer = KeepingScorer(self.case, self.X, self.folds, cells)
        estimator = self.estimator(self.case.grid, self.folds)
        estimator.set_params(scoring=scorer, refit=False, error_score="raise").fit(self.X, self.y)
        missing = [cell for cell in cells if cell not in scorer.kept]
        if missing:
            raise ContenderError(f"the scorer has not seen cell {missing[0][0]} in fold {missing[0][1]}")
        return [scorer.kept[cell] for cell in cells]

    def stated(self) -> dict[str, np.ndarray]:
        results = self.done.cv_results_
        return {"violation": np.asarray(results["kkt_violation"]), "gap": np.asarray(results["relative_gap"])}

    def note(self) -> str:
        count = Counter(str(status) for status in self.done.cv_results_["status"])
        count.pop("converged", None)
        return ", ".join(f"{n} cells {status}" for status, n in count.items())


class _GridSearch(SearchContender):
    module: str

    def machine(self, **parameters: Any) -> Any:
        kind = peer(self.module, "SVR" if self.case.regression else "SVC")
        return kind(kernel="rbf", tol=TOL, cache_size=CACHE_MB, **self._extra, **parameters)

    def estimator(self, grid: Grid, folds: Folds) -> Any:
        search = peer("sklearn.model_selection", "GridSearchCV")
        return search(self.machine(), grid, cv=folds, n_jobs=JOBS)

    def fold_models(self, cells: list[Cell]) -> list[FoldModel]:
        """By the fits that its search consists of."""
        models = []
        for candidate, fold in cells:
            C, gamma = self.case.candidates[candidate]
            train, test = self.folds[fold]
            model = self.machine(C=C, gamma=gamma).fit(self.X[train], self.y[train])
            models.append(fold_model(model, self.X[test], self.y[test]))
        return models


class ScikitLearn(_GridSearch):
    name = SKLEARN
    module = "sklearn.svm"


class Intelex(_GridSearch):
    name = INTELEX
    module = "sklearnex.svm"

    def note(self) -> str:
        return "" if hasattr(self.done.best_estimator_, "_onedal_estimator") else "fell back to scikit-learn"


CONTENDERS = (MaxMargin, ScikitLearn, Intelex)
