"""maxmargin and its peers as contenders: the same rows, the same settings, all cores for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contender import Contender, peer
from ..names import INTELEX, OURS, SKLEARN
from .cases import BOOSTED, FOREST, TREE, Case

_WARM_UP_ROWS = 1000


class EnsembleContender(Contender):
    """Keeps the last model and its predictions."""

    package: str

    def __init__(self, case: Case, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> None:
        self.case, self.X_test = case, X_test
        self._all = X, y
        self.X, self.y = X, y
        self.model: Any = None
        self.answer: Any = None

    def use_rows(self, n: int) -> None:
        """Only the first n rows from now on."""
        self.X, self.y = (part[:n] for part in self._all)
        self.model = self.answer = None

    def warm_up(self) -> None:
        n = len(self.X)
        self.use_rows(_WARM_UP_ROWS)
        self.fit()
        self.model.predict(self.X_test[:_WARM_UP_ROWS])
        self.use_rows(n)

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = self.answer = None  # freeing what was there is no part of the next run
        if method == "predict" and self.model is None:
            self.fit()

    def fit(self) -> None:
        self.model = self._new().fit(self.X, self.y)

    def predict(self) -> None:
        self.answer = self.model.predict(self.X_test)

    def found(self) -> np.ndarray:
        return np.asarray(self.model.predict(self.X_test) if self.answer is None else self.answer)

    def note(self) -> str:
        """What the table should say about the last model."""
        return ""

    def _new(self) -> Any:
        kind, settings = self.case.kind, self.case.settings
        if kind == FOREST:
            return peer(f"{self.package}.ensemble", "RandomForestClassifier")(n_jobs=-1, random_state=0, **settings)
        if kind == TREE:
            return peer(f"{self.package}.tree", "DecisionTreeClassifier")(random_state=0, **settings)
        assert kind == BOOSTED
        return peer(f"{self.package}.ensemble", "AdaBoostClassifier")(random_state=0, **settings)


class MaxMargin(EnsembleContender):
    name, package = OURS, "maxmargin"
    compiles = True


class ScikitLearn(EnsembleContender):
    name, package = SKLEARN, "sklearn"


class Intelex(EnsembleContender):
    name, package = INTELEX, "sklearnex"

    def note(self) -> str:
        return "" if hasattr(self.model, "_onedal_estimator") else "fell back to scikit-learn"


def contenders(case: Case) -> list[type[EnsembleContender]]:
    """Those of a case, ours first."""
    return [MaxMargin, *(c for c in (ScikitLearn, Intelex) if c.name in case.peers)]
