"""The kernel classifier that finds its own C and gamma."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from ..search import Fold, SearchClassifier, SearchData
from ._kernel_search import KernelSearch
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
    gammas : int or array-like, default=10
        Values of gamma, or how many automatic ones, from the quantiles of the distances. Not for kernels without
        gamma: "linear", "precomputed", values of ``maxmargin.kernels`` (which bring their own) and callables.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        As in :class:`SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class; "balanced" counts the training rows of each fold.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, in every fold of every candidate.
    cv : int, splitter or iterable, default=None
        As in scikit-learn; None is five stratified folds.
    scoring : str, callable or None, default=None
        One scorer of scikit-learn's or a ``callable(estimator, X, y)``; None is accuracy.
    refit : bool, default=True
        Train the winner on all rows.
    rule : {"best", "one_standard_error"}, default="best"
        The candidate with the best mean score, or the simplest one (smallest C, then gamma) within a standard error.
    race : bool, default=False
        Drop candidates that cannot win any more, fold by fold, and say so.
    calibration : {"sigmoid", "isotonic"} or None, default="sigmoid"
        How out-of-fold decision values become `predict_proba`.
    weighted_score : bool, default=True
        Whether samples count by `sample_weight` in the scores, too.
    error_score : float or "raise", default=nan
        Score of a candidate that fails in some fold.
    memory : float, default=1000
        MB for kernel values. Where the matrix does not fit, its blocks are computed as they are needed; ``storage_``
        says what was done.
    max_iter : int, default=-1
        Largest number of SMO steps for a binary problem; -1 is an automatic, finite number.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    verbose : bool or int, default=False
        Show the grid of scores and the time left on standard error.
    warm_start : bool, default=False
        Do not repeat what an earlier `fit` on the same data has finished: a search that ended by Ctrl-C goes on.
    trace : bool, default=False
        Whether to keep the course of the winner's fit on all rows in ``trace_``. Fits in folds leave none.

    Attributes
    ----------
    cv_results_ : dict
        As scikit-learn's, and for each candidate ``certificate`` (the worst of its folds), ``relative_gap``,
        ``kkt_violation`` and ``status``.
    best_params_, best_score_, best_index_, best_estimator_, n_splits_, scorer_, refit_time_, classes_, n_features_in_
        As in scikit-learn; ``best_estimator_`` is an :class:`SVC`.
    calibration_ : object
        What makes probabilities of decision values.
    storage_ : str
        How kernel values were kept.
    trace_ : maxmargin.solvers.Trace
        The course of the winner's fit, where ``trace=True``.

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

    gammas: Any = field(default=10, kw_only=False)
    kernel: str | Callable = "rbf"
    degree: int = 3
    coef0: float = 0.0
    class_weight: Any = None
    tol: float = 1e-3
    calibration: str | None = "sigmoid"
    memory: float = 1000
    max_iter: int = -1

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

    def _problems(self, data: SearchData, folds: list[Fold]) -> SearchProblems:
        return ClassifierProblems(data, folds, self._machine, class_weight=self.class_weight)

    def _spread(self, data: SearchData, weights: np.ndarray) -> float:
        return 1.0

    def _calibration_values(self, X: Any) -> np.ndarray:
        values = self._winner()._binary_values(X)
        return values.ravel() if len(self.classes_) == 2 else values
