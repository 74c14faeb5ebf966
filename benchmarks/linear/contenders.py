"""maxmargin and its peers as contenders: a peer is a library with one of its solvers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contender import Contender, peer
from ..names import INTELEX, OURS, SKLEARN
from .cases import GAP, Case

_WARM_UP_ROWS = 60  # of each class


@dataclass(frozen=True)
class Coefficients:
    """What a model is, for the referee.

    ``penalised``: it is the answer to the problem whose intercept is penalised like the other coefficients.
    ``gave_up``: it ended by its largest number of iterations; asking for more would change nothing.
    """

    coef: np.ndarray
    intercept: np.ndarray
    penalised: bool
    gave_up: bool = False


class LinearContender(Contender):
    """Fits the case to its data, at the tolerance that was chosen for it."""

    def __init__(self, case: Case, X: Any, y: np.ndarray) -> None:
        self.case, self.tol = case, GAP
        self._all = X, y
        self.X, self.y = X, y
        self.model: Any = None

    def use_part(self, n: int, d: int) -> None:
        """Only the first n rows and d features from now on."""
        X, y = self._all
        self.X, self.y, self.model = np.ascontiguousarray(X[:n, :d]), y[:n], None

    def choose(self, tol: float) -> None:
        self.tol = tol

    def warm_up(self) -> None:
        X, y = self._all
        few = np.sort(np.concatenate([np.flatnonzero(y == c)[:_WARM_UP_ROWS] for c in np.unique(y)]))
        self.X, self.y, self.tol = X[few], y[few], 1e-2
        self.fit()
        self.X, self.y, self.tol, self.model = X, y, GAP, None

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = None  # freeing the last model is no part of the next fit

    def fit(self) -> None:
        self.model = self.estimator().fit(self.X, self.y)

    @abstractmethod
    def estimator(self) -> Any:
        """How this library does it."""

    @abstractmethod
    def coefficients(self) -> Coefficients:
        """How this library does it."""

    def note(self) -> str:
        """What the table should say about the last fit."""
        return ""


class MaxMargin(LinearContender):
    name = OURS
    compiles = True

    def estimator(self) -> Any:
        case = self.case
        if case.loss == "logistic":
            ratio = float(case.penalty == "l1")
            return peer("maxmargin.linear_model", "LogisticRegression")(C=case.C, l1_ratio=ratio, tol=self.tol)
        return peer("maxmargin.svm", "LinearSVC")(C=case.C, loss=case.loss, penalty=case.penalty, tol=self.tol)

    def coefficients(self) -> Coefficients:
        return Coefficients(self.model.coef_, self.model.intercept_, penalised=False)

    def note(self) -> str:
        status = str(self.model.certificate_.status)
        return getattr(self.model, "solver_", "") if status == "converged" else status


class _ScikitStyle(LinearContender):
    solver: str

    def coefficients(self) -> Coefficients:
        gave_up = int(np.max(self.model.n_iter_)) >= self.case.max_iter
        return Coefficients(self.model.coef_, self.model.intercept_, self.penalised, gave_up)

    @property
    def penalised(self) -> bool:
        return False


class _SVC(_ScikitStyle):
    """LIBLINEAR, by its primal or its dual solver."""

    penalised = True

    def estimator(self) -> Any:
        case = self.case
        return peer("sklearn.svm", "LinearSVC")(
            C=case.C,
            loss=case.loss,
            dual=self.solver == "dual",
            tol=self.tol,
            max_iter=case.max_iter,
            random_state=0,
        )


class _Logistic(_ScikitStyle):
    module = "sklearn.linear_model"

    def estimator(self) -> Any:
        kind = peer(self.module, "LogisticRegression")
        common = {"C": self.case.C, "tol": self.tol, "max_iter": self.case.max_iter, "random_state": 0}
        model = kind(solver=self.solver, **common)
        if self.case.penalty == "l1":  # said in another way since scikit-learn 1.8
            new = model.get_params()["penalty"] == "deprecated"
            model.set_params(**({"l1_ratio": 1.0} if new else {"penalty": "l1"}))
        return model

    @property
    def penalised(self) -> bool:
        return self.solver == "liblinear"


class Dual(_SVC):
    name, solver = f"{SKLEARN} dual", "dual"


class Primal(_SVC):
    name, solver = f"{SKLEARN} primal", "primal"


class Lbfgs(_Logistic):
    name, solver = f"{SKLEARN} lbfgs", "lbfgs"


class NewtonCholesky(_Logistic):
    name, solver = f"{SKLEARN} newton-cholesky", "newton-cholesky"


class NewtonCG(_Logistic):
    name, solver = f"{SKLEARN} newton-cg", "newton-cg"


class Sag(_Logistic):
    name, solver = f"{SKLEARN} sag", "sag"


class Saga(_Logistic):
    name, solver = f"{SKLEARN} saga", "saga"


class LibLinear(_Logistic):
    name, solver = f"{SKLEARN} liblinear", "liblinear"


class IntelexLbfgs(_Logistic):
    name, solver = f"{INTELEX} lbfgs", "lbfgs"
    module = "sklearnex.linear_model"


PEERS = {c.name: c for c in (Dual, Primal, Lbfgs, NewtonCholesky, NewtonCG, Sag, Saga, LibLinear, IntelexLbfgs)}


def contenders(case: Case) -> list[type[LinearContender]]:
    """Those of a case, ours first."""
    return [MaxMargin, *(PEERS[name] for name in case.peers)]


def targeted(case: Case) -> set[str]:
    """Ours, and scikit-learn's: targets speak of the best of them."""
    return {OURS, *(name for name in case.peers if name.startswith(f"{SKLEARN} "))}
