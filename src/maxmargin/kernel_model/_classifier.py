"""What kernel classifiers other than support vector machines share: rows, kernel, decision values, labels."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from ..data import validate_data
from ..engine import thread_count
from ..estimators import KERNEL_CONSTRAINTS, KeepsGamma, KernelChoice, Reported
from ..kernels import Kernel, make_kernel
from ..svm import rows_of, training_rows


@dataclass(kw_only=True, eq=False, repr=False)
class KernelSumParameters(KernelChoice):
    """The parameters that these classifiers share.

    Parameters
    ----------
    verbose : bool or int, default=False
        Show progress on standard error.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.

    """

    fit_intercept: bool = True
    verbose: bool | int = False
    n_jobs: int | None = None
    trace: bool = False


class KernelSumClassifier(KernelSumParameters, ClassifierMixin, KeepsGamma, Reported, BaseEstimator):
    """Base of classifiers whose decision values are ``sum_i dual_coef_i k(x_i, x) + b``; not for direct use.

    Two classes are one problem, positive for the second class; more are one a class, against the rest.

    Attributes
    ----------
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    X_fit_ : ndarray or sparse matrix
        The rows of the training; for a precomputed kernel their matrix.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    gamma_ : float
        The gamma of the kernel, where it has one.

    """

    _parameter_constraints: ClassVar[dict] = {
        **KERNEL_CONSTRAINTS,
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "n_jobs": [Integral, None],
        "trace": ["boolean"],
    }

    classes_: np.ndarray
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    X_fit_: Any
    _gamma: float

    def _training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        return training_rows(self, X, y)

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _name(self, k: int) -> str:
        """Of the problem k."""
        if len(self.classes_) == 2:
            return f"{self.classes_[1]} against {self.classes_[0]}"
        return f"{self.classes_[k]} against the rest"

    def _signs(self, label: np.ndarray) -> list[np.ndarray]:
        """The labels -1 and +1 of each problem."""
        problems = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [np.where(label == k, 1.0, -1.0) for k in problems]

    # ---------------------------------------------------------------- a fitted model

    def _fitted_kernel(self) -> Kernel:
        return make_kernel(self.kernel, self._gamma, self.coef0, self.degree)

    def _validate_for_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        if self._kernel_name == "function":
            return sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=False)
        if sp.issparse(X) != sp.issparse(self.X_fit_):  # rows of one storage
            X = sp.csr_array(X) if sp.issparse(self.X_fit_) else X.toarray()
        return X

    def _values(self, X: Any, coef: np.ndarray | None = None) -> np.ndarray:
        """Decision values of checked rows, one column a problem."""
        coef = self.dual_coef_ if coef is None else coef
        rows = rows_of(self.kernel, X)
        columns = rows if self._kernel_name == "precomputed" else rows_of(self.kernel, self.X_fit_)
        used = np.flatnonzero(coef.any(axis=0))
        if not len(used):
            return np.zeros((rows.n, len(coef))) + self.intercept_
        gram = self._fitted_kernel().gram(rows, columns, self._threads())
        return gram.product(used, np.ascontiguousarray(coef[:, used]), np.float64).T + self.intercept_

    def _own_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Decision values of the training rows, one row a problem, and the lengths of the weights in feature space."""
        values = self._values(self.X_fit_).T
        squares = (self.dual_coef_ * (values - self.intercept_[:, None])).sum(axis=1)
        return values, np.sqrt(np.maximum(squares, 0.0))

    def decision_function(self, X: Any) -> np.ndarray:
        """``sum_i dual_coef_i k(x_i, x) + b`` of the rows of X.

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else (n_samples, n_classes).

        """
        values = self._values(self._validate_for_predict(X))
        return values[:, 0].copy() if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X."""
        values = self.decision_function(X)
        index = (values > 0).astype(int) if len(self.classes_) == 2 else np.argmax(values, axis=1)
        return self.classes_[index]
