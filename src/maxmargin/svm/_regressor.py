"""What kernel regressors share: targets from the support vectors, and what is verified of them."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import column_or_1d

from ..certificates import KKTCases, tube_cases
from ..estimators import Reported, TakesKernel, check_same_rows, check_training
from ._fit import fit_one
from ._input import training_weights
from ._machine import KernelMachine
from ._verify import Audit, again_one, audit_one


class KernelRegressor(RegressorMixin, Reported):
    """Mixed into a kernel machine: how regressors predict, and what is verified of them."""

    _arguments = {
        **TakesKernel._arguments,
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n"
        "    C is multiplied by it, sample by sample; a sample without positive weight takes no part.",
    }

    _parameter_constraints: ClassVar[dict] = {
        **KernelMachine._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRegressor:
        """Train on rows X with targets y."""
        self._validate_params()
        fit_one(self, self._formulation(), X, y, sample_weight)
        return self

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        X = self._validate_for_predict(X)
        y = column_or_1d(y, warn=True).astype(np.float64)
        check_same_rows(self.shape_fit_[0], X.shape[0], len(y))
        return X, y, training_weights(sample_weight, X)

    def _audits(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Audit]:
        return audit_one(self, X, y, weight, self._values_of(X))

    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: inside the tube, on its edge, above or below it."""
        check_training(self, X, y, sample_weight)
        X, y, weight = self._training_data(X, y, sample_weight)
        rows, problem, coefficients, b = again_one(self, X, y, weight)
        values = problem.gram.product(np.arange(len(rows)), coefficients[None], np.float64)[0] + b
        bound, residual = problem.upper[: len(rows)], y[rows] - values
        coefficients = self._cases_by(coefficients, bound, residual)
        return tube_cases(rows, coefficients, bound, residual, self._formulation().epsilon)

    def _cases_by(self, coefficients: np.ndarray, bound: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """The multipliers that say which case a sample is."""
        return coefficients

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X."""
        return self._values_of(self._validate_for_predict(X))

    def _values_of(self, X: Any) -> np.ndarray:
        return self._values_without_intercept(X) + self.intercept_[0]
