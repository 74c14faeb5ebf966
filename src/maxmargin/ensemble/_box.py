"""A box with sides parallel to the axes: an interval on each of a few columns."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval as Range
from sklearn.utils.validation import check_is_fitted

from ._boost_columns import Columns
from ._box_search import BoxSearch
from ._weak_learner import Prepared, WeakLearner, column

_GAIN = 1e-12  # less is rounding


class _PreparedBox(Prepared):
    def __init__(self, learner: DecisionBox, X: Any, label: np.ndarray, classes: np.ndarray) -> None:
        super().__init__(learner, X, label, classes)
        self._search = BoxSearch(Columns(X, self.label, len(classes)))
        self._most = learner.max_intervals

    def find(self, weights: np.ndarray) -> dict[str, Any]:
        lower, upper = np.full(self.n_features, -np.inf), np.full(self.n_features, np.inf)
        gains = np.zeros(self.n_features)
        of_class = np.bincount(self.label, weights=weights, minlength=len(self.classes))
        pairs = _pairs(of_class)
        inside = np.ones(len(weights), dtype=bool)
        right, held, totals = float(of_class.max()), weights, of_class
        for _ in range(self._most):
            # without rows inside, a pair gets the class outside right
            found = self._search.best(held, totals, pairs, of_class[pairs[:, 1]])
            if found.score <= right + _GAIN:
                break
            j, (low, high) = found.column, self._search.limits(found)
            lower[j], upper[j] = max(lower[j], low), min(upper[j], high)
            gains[j] += found.score - right
            inside &= self._search.mask(found)
            right, held = found.score, np.where(inside, weights, 0.0)
            totals = np.bincount(self.label, weights=held, minlength=len(self.classes))
            pairs = np.array([[found.inside, found.outside]])
        self.side[:] = inside
        return {"lower_": lower, "upper_": upper, "_gains": gains}


def _pairs(of_class: np.ndarray) -> np.ndarray:
    """Classes inside and outside to try first: the heaviest against each other one, both ways."""
    heaviest = int(np.argmax(of_class))
    others = np.array([k for k in range(len(of_class)) if k != heaviest], dtype=np.int64)
    same = np.full(len(others), heaviest)
    return np.concatenate([np.column_stack([others, same]), np.column_stack([same, others])])


class DecisionBox(WeakLearner):
    """A box with sides parallel to the axes: one class inside, another one outside.

    The box is an intersection of intervals on single columns. It is grown greedily: the first interval is the one with
    the least weighted error over all columns, each further one the best for the rows that are inside so far.

    Parameters
    ----------
    max_intervals : int, default=2
        Largest number of intervals. Fewer are used if no further one makes the error smaller.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_features,)
        Inside are the rows with ``lower_ < x <= upper_`` in all columns; infinite where a column does not matter.
    value_ : ndarray of shape (2, n_classes)
        Weighted shares of the classes outside and inside.
    feature_importances_ : ndarray of shape (n_features,)
        What the intervals of each column took off the error, as shares of the whole.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Of a column with more than 1024 distinct values and two classes, the ends of 512 bins of equally many rows are
    tried; of all other columns, every interval.

    Examples
    --------
    >>> from maxmargin.ensemble import DecisionBox
    >>> box = DecisionBox().fit([[0.0], [1.0], [2.0], [3.0], [4.0]], ["out", "in", "in", "in", "out"])
    >>> box.lower_, box.upper_
    (array([0.5]), array([3.5]))
    >>> box.predict([[2.2], [9.0]])
    array(['in', 'out'], dtype='<U3')

    """

    _parameter_constraints: dict = {"max_intervals": [Range(Integral, 1, None, closed="left")]}

    lower_: np.ndarray
    upper_: np.ndarray
    _gains: np.ndarray

    def __init__(self, max_intervals: int = 2) -> None:
        self.max_intervals = max_intervals

    def _prepare(self, X: Any, label: np.ndarray, classes: np.ndarray) -> Prepared:
        return _PreparedBox(self, X, label, classes)

    def _second_part(self, X: Any) -> np.ndarray:
        inside = np.ones(X.shape[0], dtype=bool)
        for j in np.flatnonzero((self.lower_ > -np.inf) | (self.upper_ < np.inf)):
            values = column(X, int(j))
            inside &= (values > self.lower_[j]) & (values <= self.upper_[j])
        return inside

    @property
    def feature_importances_(self) -> np.ndarray:
        """What each column took off the error."""
        check_is_fitted(self)
        total = self._gains.sum()
        return self._gains / total if total > 0 else self._gains.copy()
