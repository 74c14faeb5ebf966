"""maxmargin and its peers as contenders: the same data, parameters and cache; each in the form that suits it best.

Data are float64 throughout. The cache is 200 MB, scikit-learn's default, for all that have one.
"""

from __future__ import annotations

import ctypes
from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..contender import Contender, peer
from ..names import INTELEX, OURS, SKLEARN
from ..worker import ContenderError
from .cases import TOL, Case, gamma_value
from .multipliers import Multipliers, of_scikit_style

CACHE_MB = 200
_WARM_UP_ROWS = 60  # of each class


class KernelContender(Contender):
    """Fits the case to its data and keeps the last model."""

    def __init__(self, case: Case, X: Any, y: np.ndarray) -> None:
        self.case = case
        self._all = X, y
        self.X, self.y = X, y
        self.gamma = gamma_value(case.gamma, X)
        self.model: Any = None

    def use_rows(self, n: int) -> None:
        """Only the first n rows from now on."""
        X, y = self._all
        self.X, self.y, self.model = X[:n], y[:n], None

    def warm_up(self) -> None:
        X, y = self._all
        groups = [np.arange(len(y))] if self.case.regression else [np.flatnonzero(y == c) for c in np.unique(y)]
        few = np.sort(np.concatenate([g[:_WARM_UP_ROWS] for g in groups]))
        self.X, self.y = X[few], y[few]
        self.fit(TOL)
        self.decide()
        self.X, self.y, self.model = X, y, None

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = None  # freeing the last model is no part of the next fit

    @abstractmethod
    def fit(self, tol: float, gap_tol: float | None = None) -> None:
        """How this library does it."""

    @abstractmethod
    def decide(self) -> np.ndarray:
        """Decision values (a regressor's predictions) of the training rows."""

    @abstractmethod
    def multipliers(self) -> Multipliers:
        """How this library does it."""

    def note(self) -> str:
        """What the table should say about the last fit."""
        return ""


class _ScikitStyle(KernelContender):
    """Estimators with scikit-learn's interface."""

    module: str

    def _estimator(self, tol: float) -> Any:
        common = {"kernel": "rbf", "C": self.case.C, "gamma": self.case.gamma, "tol": tol, "cache_size": CACHE_MB}
        if self.case.regression:
            return peer(self.module, "SVR")(epsilon=self.case.epsilon, **common)
        return peer(self.module, "SVC")(**common)

    def fit(self, tol: float, gap_tol: float | None = None) -> None:
        self.model = self._estimator(tol).fit(self.X, self.y)

    def decide(self) -> np.ndarray:
        return self.model.predict(self.X) if self.case.regression else self.model.decision_function(self.X)

    def multipliers(self) -> Multipliers:
        return of_scikit_style(self.model)


class MaxMargin(_ScikitStyle):
    name = OURS
    module = "maxmargin.svm"
    compiles = True

    def fit(self, tol: float, gap_tol: float | None = None) -> None:
        self.model = self._estimator(tol).set_params(gap_tol=gap_tol).fit(self.X, self.y)

    def note(self) -> str:
        status = str(self.model.certificate_.status)
        return "" if status == "converged" else status


class ScikitLearn(_ScikitStyle):
    name = SKLEARN
    module = "sklearn.svm"


class Intelex(_ScikitStyle):
    name = INTELEX
    module = "sklearnex.svm"

    def note(self) -> str:
        return "" if hasattr(self.model, "_onedal_estimator") else "fell back to scikit-learn"


class LibSVM(KernelContender):
    """The reference implementation through its own Python package.

    Rows go in as CSR, its fast way; values come from its C function, because its Python loop converts row by row.
    """

    name = "libsvm-official"

    def __init__(self, case: Case, X: Any, y: np.ndarray) -> None:
        super().__init__(case, sp.csr_matrix(X), np.asarray(y, dtype=np.float64))

    def fit(self, tol: float, gap_tol: float | None = None) -> None:
        svmutil = peer("libsvm.svmutil")
        kind = f"-s 3 -p {self.case.epsilon!r}" if self.case.regression else "-s 0"
        setting = f"{kind} -t 2 -g {self.gamma!r} -c {self.case.C!r} -e {tol!r} -m {CACHE_MB} -q"
        self.model = svmutil.svm_train(svmutil.svm_problem(self.y, self.X), svmutil.svm_parameter(setting))

    def decide(self) -> np.ndarray:
        svmutil = peer("libsvm.svmutil")
        rows = svmutil.svm_problem(self.y, self.X)
        k = 2 if self.case.regression else self.model.get_nr_class()
        values = np.empty((rows.l, k * (k - 1) // 2))
        for i in range(rows.l):
            place = values[i].ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            svmutil.libsvm.svm_predict_values(self.model, rows.x[i], place)
        return values

    def multipliers(self) -> Multipliers:
        k, vectors = (2 if self.case.regression else self.model.get_nr_class()), self.model.l
        coef = np.array([np.ctypeslib.as_array(self.model.sv_coef[row], (vectors,)) for row in range(k - 1)])
        support = np.array(self.model.get_sv_indices(), dtype=np.int64) - 1
        order = None if self.case.regression else np.array(self.model.get_labels(), dtype=np.float64)
        return Multipliers(support, coef.reshape(k - 1, vectors), order)


class ThunderSVM(KernelContender):
    """Works in float32; its cache is a part of the memory that it takes for itself and has no setting.

    Its CSR interface hands over integer labels where floats are read, and finds hundreds of classes: it is given dense
    rows instead.
    """

    name = "thundersvm-cpu"

    def __init__(self, case: Case, X: Any, y: np.ndarray) -> None:
        self._was_sparse = sp.issparse(X)
        super().__init__(case, X.toarray() if self._was_sparse else X, y)

    def note(self) -> str:
        return "given dense rows" if self._was_sparse else ""

    def fit(self, tol: float, gap_tol: float | None = None) -> None:
        kind = peer("thundersvm", "SVR" if self.case.regression else "SVC")
        extra = {"epsilon": self.case.epsilon} if self.case.regression else {}
        self.model = kind(kernel="rbf", C=self.case.C, gamma=self.gamma, tol=tol, **extra).fit(self.X, self.y)
        if self.model is None:
            raise ContenderError("training failed")

    def decide(self) -> np.ndarray:
        return self.model.predict(self.X) if self.case.regression else self.model.decision_function(self.X)

    def multipliers(self) -> Multipliers:
        order = None
        if not self.case.regression:  # classes in the order of their first appearance
            classes, first = np.unique(self.y, return_index=True)
            order = classes[np.argsort(first)]
        return Multipliers(self.model.support_.astype(np.int64), np.atleast_2d(self.model.dual_coef_), order)


CONTENDERS = (MaxMargin, ScikitLearn, Intelex, LibSVM, ThunderSVM)
