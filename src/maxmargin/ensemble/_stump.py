"""A decision stump: one threshold on one column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ._boost_columns import Columns
from ._stump_search import SplitSearch
from ._weak_learner import Prepared, WeakLearner, column


class _PreparedStump(Prepared):
    def __init__(self, learner: DecisionStump, X: Any, label: np.ndarray, classes: np.ndarray) -> None:
        super().__init__(learner, X, label, classes)
        self._columns = Columns(X, self.label, len(classes))
        self._search = SplitSearch(self._columns, learner.criterion)

    def find(self, weights: np.ndarray) -> dict[str, Any]:
        split = self._search.best(weights)
        self._search.right(split, self.side)
        if split.column < 0:
            return {"feature_": -1, "threshold_": np.inf}
        return {"feature_": split.column, "threshold_": self._columns.threshold(split.column, split.place)}


class DecisionStump(WeakLearner):
    """A decision tree of depth one: a threshold on the one column where it separates the classes best.

    All thresholds of all columns are looked at. It is what :class:`AdaBoostClassifier` boosts unless told otherwise,
    and there the columns are sorted only once for all rounds.

    Parameters
    ----------
    criterion : {"gini", "error"}, default="gini"
        What the best threshold is: the one with the least weighted Gini impurity of its parts, as in scikit-learn's
        trees, or the one with the least weight of rows that are not of the majority of their part.

    Attributes
    ----------
    feature_ : int
        The column; -1 if no column has two different values.
    threshold_ : float
        Rows with values up to it are in the first part. It lies halfway between two values of the training rows.
    value_ : ndarray of shape (2, n_classes)
        Weighted shares of the classes in both parts.
    feature_importances_ : ndarray of shape (n_features,)
        1 for the column, 0 for all others; 0 for all if the two parts have the same shares.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Of equally good thresholds the lowest of the first column is taken; scikit-learn draws the column. A tree there
    reads its rows in single precision, and takes values within 1e-7 of each other for equal; here they are compared as
    they are given.

    Examples
    --------
    >>> from maxmargin.ensemble import DecisionStump
    >>> stump = DecisionStump().fit([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]], ["no", "no", "yes"])
    >>> stump.feature_, stump.threshold_
    (0, 2.0)
    >>> stump.predict([[1.9, 0.0], [2.1, 0.0]])
    array(['no', 'yes'], dtype='<U3')

    """

    _parameter_constraints: dict = {"criterion": [StrOptions({"gini", "error"})]}

    feature_: int
    threshold_: float

    def __init__(self, criterion: str = "gini") -> None:
        self.criterion = criterion

    def _prepare(self, X: Any, label: np.ndarray, classes: np.ndarray) -> Prepared:
        return _PreparedStump(self, X, label, classes)

    def _second_part(self, X: Any) -> np.ndarray:
        if self.feature_ < 0:
            return np.zeros(X.shape[0], dtype=bool)
        return column(X, self.feature_) > self.threshold_

    @property
    def feature_importances_(self) -> np.ndarray:
        """Which column was used."""
        check_is_fitted(self)
        importances = np.zeros(self.n_features_in_)
        if self.feature_ >= 0 and not np.allclose(self.value_[0], self.value_[1], rtol=0, atol=1e-15):
            importances[self.feature_] = 1.0
        return importances
