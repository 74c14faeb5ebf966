"""A random forest for values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_y

from ..data import refusing_overflow
from ..tree import DecisionTreeRegressor, Tree
from ._forest import Forest, warn_unjudged
from ._forest_votes import OutOfBagState


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRegressor(RegressorMixin, Forest):
    """The mean of trees grown from bags of rows.

    A drop-in for :class:`sklearn.ensemble.RandomForestRegressor` with the squared error; see
    :class:`RandomForestClassifier` for what is not said here.

    Parameters
    ----------
    n_estimators : int or "auto", default=100
        Number of trees.
    criterion : {"squared_error"}, default="squared_error"
        Impurity of a node: the variance. scikit-learn's other criteria are refused.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        How many columns are drawn at a split, or their share of all.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, \
min_impurity_decrease, bootstrap, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples, \
monotonic_cst, node, n_candidates
        As in :class:`RandomForestClassifier`.
    oob_score : bool or callable, default=False
        Whether to keep the out-of-bag R2, or what a function makes of targets and predictions, and the predictions.
    validation_fraction : float, default=0.0
        Share of the rows that no tree is grown from; ``validation_error_curve_`` is the squared error on them.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees.
    certificate_ : Guarantee
        The out-of-bag squared error with its standard error: an estimate for new rows, which never holds.
    oob_error_curve_ : ndarray of shape (n_estimators,)
        The out-of-bag squared error of the first 1, 2, ... trees.
    validation_error_curve_ : ndarray of shape (n_estimators,)
        With `validation_fraction`: the squared error of the first 1, 2, ... trees on the rows that were held out.
    oob_score_, oob_prediction_
        With `oob_score`: the score, and the prediction of each row out of bag (NaN where no tree left it out).
    estimators_samples_, feature_importances_, max_features_, n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from maxmargin.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomForestRegressor(oob_score=True, min_samples_leaf=5, random_state=0).fit(X, y)
    >>> 0.35 < model.oob_score_ < 0.55
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **Forest._parameter_constraints,
        "criterion": [StrOptions({"squared_error"})],
    }

    _loss, _classes_count, _member_type = "squared error", 0, DecisionTreeRegressor

    criterion: str = "squared_error"
    max_features: Any = 1.0

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the trees' predictions."""
        sums = self._sums(X)
        return sums[:, 0] / len(self.estimators_)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The mean of the first 1, 2, ... trees' predictions."""
        for trees, sums in enumerate(self._staged_sums(X), 1):
            yield sums[:, 0] / trees

    # ---------------------------------------------------------------- for the base

    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        with refusing_overflow(None, y):
            return np.asarray(_check_y(y, y_numeric=True), dtype=np.float64)

    def _leaf_values(self, trees: Sequence[Tree]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        return [tree.value[:, 0] for tree in trees], [tree.only_class for tree in trees]

    def _set_out_of_bag(self, target: np.ndarray, state: OutOfBagState) -> None:
        judged = state.counts > 0
        warn_unjudged(judged)
        means = state.sums[:, 0] / np.maximum(state.counts, 1)
        self.oob_prediction_ = np.where(judged, means, np.nan)
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = score(target[judged], means[judged]) if judged.sum() > 1 else np.nan
