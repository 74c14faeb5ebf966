"""The kernel classifier that finds its own C and gamma."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from ..search import Fold, SearchClassifier, SearchData
from ._kernel_search import KernelSearch
from ._large_svc import LargeSVC
from ._search_problems import ClassifierProblems, SearchProblems
from ._svc import SVC


@dataclass(kw_only=True, eq=False, repr=False)
class SVCCV(KernelSearch, SearchClassifier):
    """C-support vector classifier with C and gamma chosen by cross-validation, in one call.

    The scores and the winner of ``GridSearchCV(SVC(), {"C": Cs, "gamma": gammas})``, without training hundreds of
    machines that share nothing: inner products are computed once, kernel values once for each gamma, folds are parts
    of the same matrix, and every machine starts from its neighbour. Each of them is certified.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many automatic ones.

    Attributes
    ----------
    best_estimator_ : SVC
        Trained on all rows with the C and gamma of the winner.
    calibration_ : object
        The map from decision values to probabilities, unless `calibration` is None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVCCV(Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1]).fit(X, y)
    >>> search.best_params_
    {'C': 1.0, 'gamma': 0.1}
    >>> round(search.best_score_, 2)
    0.98
    >>> print(max(search.cv_results_["kkt_violation"]) <= 1e-3)
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **SearchClassifier._parameter_constraints,
        **KernelSearch._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    class_weight: Any = None
    calibration: str | None = "sigmoid"

    def _machine(self, **params: float) -> SVC:
        return SVC(
            kernel=self.kernel,
            degree=self.degree,
            coef0=self.coef0,
            class_weight=self.class_weight,
            tol=self.tol,
            cache_size=self.memory,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            **params,  # type: ignore[arg-type]
        )

    def _landmark_machine(self, **params: Any) -> LargeSVC:
        return LargeSVC(class_weight=self.class_weight, **self._of_landmarks(), **params)

    def _problems(self, data: SearchData, folds: list[Fold]) -> SearchProblems:
        return ClassifierProblems(data, folds, self._machine, class_weight=self.class_weight)

    def _spread(self, data: SearchData, weights: np.ndarray) -> float:
        return 1.0

    def _calibration_values(self, X: Any) -> np.ndarray:
        values = self._winner()._binary_values(X)
        return values.ravel() if len(self.classes_) == 2 else values
