"""maxmargin and its peers as contenders: the same rows in the same type, all cores for everybody."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contender import Contender, peer
from ..names import FAISS, OURS
from .cases import INTELEX_BRUTE, INTELEX_KD, SKLEARN_BALL, SKLEARN_BRUTE, SKLEARN_KD, Case

_WARM_UP_ROWS, _WARM_UP_QUERIES = 2000, 50


@dataclass(frozen=True)
class Found:
    """Distances and indices of the nearest rows, a row for each query."""

    distances: np.ndarray
    indices: np.ndarray


class NeighborsContender(Contender):
    """Keeps the last index and the last answer."""

    def __init__(self, case: Case, X: np.ndarray, y: np.ndarray, queries: np.ndarray) -> None:
        self.case, self.queries = case, queries
        self._all = X, y
        self.X, self.y = X, y
        self.index: Any = None
        self.answer: Any = None

    def use_rows(self, n: int) -> None:
        """Only the first n rows from now on."""
        self.X, self.y = (part[:n] for part in self._all)
        self.index = self.answer = None

    def warm_up(self) -> None:
        X, queries = self.X, self.queries
        self.use_rows(_WARM_UP_ROWS)
        self.queries = queries[:_WARM_UP_QUERIES]
        self.fit()
        self.search()
        self.queries = queries
        self.use_rows(len(X))

    def before(self, method: str) -> None:
        if method in ("fit", "search"):
            self.answer = None  # freeing what was there is no part of the next run
        if method == "fit":
            self.index = None
        if method == "search" and self.index is None:
            self.fit()

    @abstractmethod
    def fit(self) -> None:
        """Make the rows ready to be searched."""

    @abstractmethod
    def search(self) -> None:
        """Find the nearest rows of all queries."""

    def found(self) -> Found:
        return Found(*self.answer)

    def note(self) -> str:
        """What the table should say about the last search."""
        return ""


class _ScikitStyle(NeighborsContender):
    module: str
    algorithm = "auto"

    def fit(self) -> None:
        kind = peer(self.module, "KNeighborsClassifier")
        self.index = kind(self.case.k, algorithm=self.algorithm, n_jobs=-1).fit(self.X, self.y)

    def search(self) -> None:
        self.answer = self.index.kneighbors(self.queries)


class MaxMargin(_ScikitStyle):
    name = OURS
    module = "maxmargin.neighbors"
    compiles = True

    def note(self) -> str:
        return f"by {self.index._fit_method}"


class _ScikitLearn(_ScikitStyle):
    module = "sklearn.neighbors"


class Brute(_ScikitLearn):
    name, algorithm = SKLEARN_BRUTE, "brute"


class KDTree(_ScikitLearn):
    name, algorithm = SKLEARN_KD, "kd_tree"


class BallTree(_ScikitLearn):
    name, algorithm = SKLEARN_BALL, "ball_tree"


class _Intelex(_ScikitStyle):
    module = "sklearnex.neighbors"

    def note(self) -> str:
        return "" if hasattr(self.index, "_onedal_estimator") else "fell back to scikit-learn"


class IntelexBrute(_Intelex):
    name, algorithm = INTELEX_BRUTE, "brute"


class IntelexKDTree(_Intelex):
    name, algorithm = INTELEX_KD, "kd_tree"


class Faiss(NeighborsContender):
    """Its flat index, which knows float32 only and hands over squared distances."""

    name = FAISS

    def fit(self) -> None:
        self.index = peer("faiss", "IndexFlatL2")(self.X.shape[1])
        self.index.add(np.ascontiguousarray(self.X, dtype=np.float32))

    def search(self) -> None:
        self.answer = self.index.search(np.ascontiguousarray(self.queries, dtype=np.float32), self.case.k)

    def found(self) -> Found:
        squares, indices = self.answer
        return Found(np.sqrt(np.maximum(squares, 0)), indices)


_PEERS = {c.name: c for c in (Brute, KDTree, BallTree, IntelexBrute, IntelexKDTree, Faiss)}


def contenders(case: Case) -> list[type[NeighborsContender]]:
    """Those of a case, ours first."""
    return [MaxMargin, *(_PEERS[name] for name in case.peers)]
