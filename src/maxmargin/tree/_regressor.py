"""A decision tree for values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_y

from ..data import refusing_overflow
from ._base import TreeEstimator


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeRegressor(RegressorMixin, TreeEstimator):
    """A tree of splits ``x[j] <= t``, with the mean target in its leaves.

    A drop-in for :class:`sklearn.tree.DecisionTreeRegressor` with the squared error, grown from columns that are
    binned once; see :class:`DecisionTreeClassifier` for bins, missing values, categories and the shared parameters.

    Parameters
    ----------
    criterion : {"squared_error"}, default="squared_error"
        Impurity of a node: the variance. scikit-learn's other criteria are refused.
    splitter : {"best"}, default="best"
        scikit-learn's "random" is refused.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state, \
max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, node, n_candidates
        As in :class:`DecisionTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The nodes as arrays, under scikit-learn's names.
    certificate_ : Guarantee
        The gain of each split and the mean of each node, recomputed from the raw rows.
    feature_importances_, max_features_, n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin.tree import DecisionTreeRegressor
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [1.0, 2.0, 7.0, 9.0]
    >>> model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    >>> model.predict([[-1.0], [2.5]])
    array([1.5, 8. ])
    >>> model.tree_.threshold[0]
    np.float64(2.0)

    """

    _parameter_constraints: ClassVar[dict] = {
        **TreeEstimator._parameter_constraints,
        "criterion": [StrOptions({"squared_error"})],
    }

    _classes_count = 0

    criterion: str = "squared_error"
    splitter: str = "best"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeRegressor:
        """Grow the tree."""
        self._fit(X, y, sample_weight)
        return self

    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        with refusing_overflow(None, y):
            return np.asarray(_check_y(y, y_numeric=True), dtype=np.float64)

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The mean target of each row's leaf."""
        X = self._checked_rows(X, check_input)
        return self.tree_.predict(X)[:, 0]
