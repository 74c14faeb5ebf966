"""What regressors with weights of features share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..data import validate_data, weighted_sums
from ..estimators import Reported, TakesSparse


@dataclass(kw_only=True, eq=False, repr=False)
class RegressorParameters:
    """The parameter that all regressors share.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is an intercept.

    """

    fit_intercept: bool = True


class LinearRegressor(RegressorParameters, MultiOutputMixin, RegressorMixin, TakesSparse, Reported, BaseEstimator):
    """Base of the regressors; not for direct use.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights.
    intercept_ : float or ndarray of shape (n_targets,)
        The intercept.
    n_features_in_ : int
        As in scikit-learn.

    """

    _arguments = {
        "y": "y : array-like of shape (n_samples,) or (n_samples, n_targets)\n    Targets.",
        "sample_weight": "sample_weight : float or array-like of shape (n_samples,), optional\n"
        "    Weight of each sample's square; a weight of 0 leaves it out.",
    }

    coef_: np.ndarray
    intercept_: Any

    def _checked_rows(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, np.ndarray]:
        """Rows in float32 or float64, dense or CSR, and one target or several."""
        return validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            multi_output=True,
            y_numeric=True,
        )

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)

        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        values = weighted_sums(X, np.atleast_2d(self.coef_)) + self.intercept_
        return values.ravel() if self.coef_.ndim == 1 else values
