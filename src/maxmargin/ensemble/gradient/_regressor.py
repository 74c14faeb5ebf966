"""Gradient boosting for values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_y

from ...data import refusing_overflow
from ...messages import InputError
from ._base import GradientBoosting
from ._losses import Loss
from ._parameters import CONSTRAINTS, GradientBoostingParameters


@dataclass(kw_only=True, eq=False, repr=False)
class HistGradientBoostingRegressor(RegressorMixin, GradientBoosting, GradientBoostingParameters):
    """A sum of trees, each grown for what the ones before it have left of the targets.

    A drop-in for :class:`sklearn.ensemble.HistGradientBoostingRegressor`.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, default="squared_error"
        What is minimised. With "gamma" and "poisson" the trees add up to the logarithm of the prediction; targets are
        positive, or not negative.
    quantile : float or None, default=None
        With ``loss="quantile"``: which, from 0 to 1.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from maxmargin.ensemble import HistGradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    >>> model.certificate_.holds
    True
    >>> bool((model.certificate_.losses[1:] < model.certificate_.losses[:-1]).all())
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **CONSTRAINTS,
        "loss": [StrOptions({"squared_error", "absolute_error", "gamma", "poisson", "quantile"})],
        "quantile": [Interval(Real, 0, 1, closed="both"), None],
    }

    loss: str = field(default="squared_error", kw_only=False)
    quantile: float | None = None

    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        self.n_trees_per_iteration_ = 1
        with refusing_overflow(None, y):
            y = np.asarray(_check_y(y, y_numeric=True, estimator=self), dtype=np.float64)
        if self.loss == "gamma" and not (y > 0).all():
            raise InputError("loss='gamma' requires strictly positive y.", argument="y")
        if self.loss == "poisson" and not ((y >= 0).all() and y.sum() > 0):
            raise InputError("loss='poisson' requires non-negative y and sum(y) > 0.", argument="y")
        return y

    def _loss_of(self) -> Loss:
        if self.loss == "quantile" and self.quantile is None:
            raise InputError(
                "quantile must be a number from 0 to 1 with loss='quantile'; got None.", argument="quantile"
            )
        return Loss.of_values(self.loss, self.quantile if self.loss == "quantile" else None)

    def predict(self, X: Any) -> np.ndarray:
        """What the sum of the trees predicts."""
        raw = self._raw_predict(X).ravel()
        return self._loss.inverse_link(raw)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions after each round."""
        for raw in self._staged_raw_predict(X):
            yield self._loss.inverse_link(raw.ravel())
