"""maxmargin and its peers as contenders: the same rows, the same start, all cores for everybody."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contender import Contender, peer
from ..names import INTELEX, OURS, SKLEARN
from .cases import SKLEARN_ELKAN, SKLEARN_LLOYD, KMeansCase, SpectralCase

_WARM_UP_ROWS = 300
_FEW_STEPS = 2


@dataclass(frozen=True)
class Centres:
    """What k-means found."""

    centres: np.ndarray
    labels: np.ndarray
    steps: int


class _Fitting(Contender):
    """Fits the case to its rows and keeps the last model."""

    X: np.ndarray
    model: Any = None

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = None  # freeing the last model is no part of the next fit

    @abstractmethod
    def estimator(self) -> Any:
        """How this library does it."""

    def fit(self) -> None:
        self.model = self.estimator().fit(self.X)

    def note(self) -> str:
        """What the table should say about the last fit."""
        return ""


class KMeansContender(_Fitting):
    module: str
    algorithm = "lloyd"

    def __init__(self, case: KMeansCase, X: np.ndarray, start: np.ndarray) -> None:
        self.case, self.X, self.start, self.steps = case, X, start, case.max_iter
        self._all = X

    def use_rows(self, n: int) -> None:
        """Only the first n rows from now on."""
        self.X, self.model = self._all[:n], None

    def warm_up(self) -> None:
        start = self.start
        self.start = start[: min(len(start), _WARM_UP_ROWS // 10)]
        self.use_rows(_WARM_UP_ROWS)
        self.rehearse()
        self.start = start
        self.use_rows(len(self._all))

    def rehearse(self) -> None:
        """A few steps, which is all that compiling asks for."""
        self.steps = _FEW_STEPS
        self.fit()
        self.steps = self.case.max_iter

    def estimator(self) -> Any:
        kind = peer(self.module, "KMeans")
        setting = {"tol": 0, "max_iter": self.steps, "algorithm": self.algorithm}
        return kind(len(self.start), init=self.start, n_init=1, **setting)

    def found(self) -> Centres:
        return Centres(self.model.cluster_centers_, self.model.labels_, int(self.model.n_iter_))


class MaxMarginKMeans(KMeansContender):
    name = OURS
    module = "maxmargin.cluster"
    compiles = True

    def note(self) -> str:
        return "" if self.model.certificate_.holds or self.case.steps is not None else "no proof of a fixed point"


class Lloyd(KMeansContender):
    name = SKLEARN_LLOYD
    module = "sklearn.cluster"


class Elkan(KMeansContender):
    name = SKLEARN_ELKAN
    module = "sklearn.cluster"
    algorithm = "elkan"


class IntelexKMeans(KMeansContender):
    name = INTELEX
    module = "sklearnex.cluster"

    def note(self) -> str:
        return "" if hasattr(self.model, "_onedal_estimator") else "fell back to scikit-learn"


class SpectralContender(_Fitting):
    module: str

    def __init__(self, case: SpectralCase, X: np.ndarray) -> None:
        self.case, self.X = case, X
        self._all = X

    def use_rows(self, n: int) -> None:
        """Only the first n rows from now on."""
        self.X, self.model = self._all[:n], None

    def warm_up(self) -> None:
        self.use_rows(_WARM_UP_ROWS)
        self.fit()
        self.use_rows(len(self._all))

    def estimator(self) -> Any:
        kind = peer(self.module, "SpectralClustering")
        graph = {"affinity": "nearest_neighbors", "n_neighbors": self.case.neighbours}
        return kind(self.case.k, random_state=0, n_jobs=-1, **graph)

    def found(self) -> np.ndarray:
        return self.model.labels_


class MaxMarginSpectral(SpectralContender):
    name = OURS
    module = "maxmargin.cluster"
    compiles = True

    def note(self) -> str:
        figures = self.model.certificate_.figures
        return f"no cut below {figures['best ncut at least']:.4g}" if self.model.certificate_.holds else "no proof"


class ScikitLearnSpectral(SpectralContender):
    name = SKLEARN
    module = "sklearn.cluster"


_PEERS = {c.name: c for c in (Lloyd, Elkan, IntelexKMeans)}


def contenders(case: KMeansCase | SpectralCase) -> list[type[Contender]]:
    """Those of a case, ours first."""
    if isinstance(case, SpectralCase):
        return [MaxMarginSpectral, ScikitLearnSpectral]
    return [MaxMarginKMeans, *(_PEERS[name] for name in case.peers)]
