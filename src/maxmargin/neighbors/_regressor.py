"""Regression by the mean of the nearest neighbours."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ._base import NeighborsEstimator
from ._weights import neighbour_weights


class KNeighborsRegressor(RegressorMixin, NeighborsEstimator):
    """Mean of the k nearest training rows.

    A drop-in for :class:`sklearn.neighbors.KNeighborsRegressor` with a faster exact search for the Euclidean metric.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours the mean is of.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        What a neighbour counts: the same; the inverse of its distance (a row that is among the training rows counts
        its copies there alone); or what a function makes of the array of distances. None means "uniform".
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in :class:`KNeighborsClassifier`.

    Attributes
    ----------
    certificate_ : Guarantee
        That the neighbours found are the nearest ones, checked on some training rows by all their distances. It claims
        nothing about the error on new rows; ``certificate_.verify(X, y)`` estimates it by leaving each row out.
    effective_metric_, effective_metric_params_, n_features_in_, n_samples_fit_
        As in scikit-learn.

    Notes
    -----
    Of equally distant rows those of the smaller index are nearer, also where only some of them are among the
    k nearest.

    Examples
    --------
    >>> from maxmargin.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[1.6], [9.0]])
    array([2.5, 6.5])

    """

    _parameter_constraints: ClassVar[dict] = {
        **NeighborsEstimator._parameter_constraints,
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
    }

    _targets = ("_y",)

    def fit(self, X: Any, y: Any) -> KNeighborsRegressor:
        """Keep the training rows and their values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Or distances of shape (n_samples, n_samples) for ``metric="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Values.

        """
        self._validate_params()
        X, y = self._checked(X, y=y, multi_output=True, y_numeric=True)
        self._y = y
        self._build(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Values for the rows of X.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)

        """
        check_is_fitted(self)
        return self.predict_by(*self.kneighbors(X))

    def predict_by(self, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """Values by neighbours that are known already.

        Parameters
        ----------
        distances, indices : ndarray of shape (n_queries, n_neighbors)
            As `kneighbors` gives them; the first columns are the neighbours of smaller numbers.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)

        """
        weights = neighbour_weights(self.weights, distances)
        values = self._y[indices]
        if weights is None:
            return values.mean(axis=1)
        total = weights.sum(axis=1)
        if values.ndim == 2:
            return (values * weights).sum(axis=1) / total
        return np.einsum("mko,mk->mo", values, weights) / total[:, None]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination of the predictions for X."""
        return super().score(X, y, sample_weight)

    def _left_out_error(self, y: Any) -> tuple[str, float]:
        errors = self.predict(None) - np.asarray(y)
        return "left-out squared error", float(np.mean(np.square(errors)))
