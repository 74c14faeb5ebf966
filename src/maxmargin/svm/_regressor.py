"""What kernel regressors share: targets from the support vectors, and what is verified of them."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import column_or_1d

from ..certificates import KKTCases, tube_cases
from ..estimators import Reported, TakesKernel, check_same_rows
from ._cases import doubted, near, noise, sharp_cases
from ._fit import fit_one
from ._input import training_weights
from ._machine import KernelMachine
from ._verify import Audit, audit_one


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
        return sharp_cases(self, X, y, sample_weight)

    def _cases(self, audits: list[Audit], y: Any, weight: np.ndarray) -> KKTCases:
        (audit,), rows = audits, np.flatnonzero(weight > 0)
        assert audit.problem is not None and audit.values is not None
        bound, residual = audit.problem.upper[: len(rows)], y[rows] - audit.values
        epsilon = self._formulation().epsilon
        coefficients = self._spread(len(weight))[0, rows]
        close = near(self, audit, noise(audit, coefficients) + 2.0**-51 * np.abs(y[rows]))
        coefficients = self._cases_by(coefficients, bound, residual)
        found = tube_cases(rows, coefficients, bound, residual, epsilon, close)
        return doubted(found, self, 0, audit)

    def _cases_by(self, coefficients: np.ndarray, bound: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """The multipliers that say which case a sample is."""
        return coefficients

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X."""
        return self._values_of(self._validate_for_predict(X))

    def _values_of(self, X: Any) -> np.ndarray:
        return self._values_without_intercept(X) + self.intercept_[0]
