"""What the built-in weak learners share: they cut the rows in two parts and say the majority of each.

A learner is prepared once for the rows and labels of a fit, and then asked again and again with other weights. What it
returns is a small fitted estimator that predicts by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..data import validate_data
from ..engine import jit, jit_sums
from ..estimators import Reported, weights_or_ones

_TIE = 1e-13
_MOST_CLASSES = 2**16


@jit_sums
def _sums_of_two(side, label, weights):  # type: ignore[no-untyped-def]
    """The same for two classes, where the sums vectorise: 0.3 ns a row instead of 2.7."""
    first_lower = first_upper = second_lower = second_upper = 0.0
    for i in range(side.shape[0]):
        w = weights[i]
        cell = 2 * side[i] + label[i]
        first_lower += w if cell == 0 else 0.0
        first_upper += w if cell == 1 else 0.0
        second_lower += w if cell == 2 else 0.0
        second_upper += w if cell == 3 else 0.0
    return first_lower, first_upper, second_lower, second_upper


@jit
def _sums_of_many(side, label, weights, classes):  # type: ignore[no-untyped-def]
    sums = np.zeros((2, classes))
    for i in range(side.shape[0]):
        sums[side[i], label[i]] += weights[i]
    return sums


def part_sums(side: np.ndarray, label: np.ndarray, weights: np.ndarray, classes: int) -> np.ndarray:
    """Weight of each class in either part."""
    if classes == 2:
        return np.array(_sums_of_two(side, label, weights)).reshape(2, 2)
    return _sums_of_many(side, label, weights, classes)


@jit
def mark_wrong(side, label, leaves, wrong):  # type: ignore[no-untyped-def]
    """1 where the majority of the part is not the row's class."""
    first, second = leaves[0], leaves[1]
    for i in range(side.shape[0]):
        wrong[i] = np.uint8((second if side[i] else first) != label[i])


class Prepared(ABC):
    """A learner made ready for the rows and labels of a fit."""

    def __init__(self, learner: WeakLearner, X: Any, label: np.ndarray, classes: np.ndarray) -> None:
        self.learner, self.classes, self.n_features = learner, classes, X.shape[1]
        self.label = label.astype(np.uint16)
        self.side = np.zeros(len(label), np.uint8)
        self.wrong = np.zeros(len(label), np.uint8)
        self._arguments = learner.get_params(deep=False)

    def learn(self, weights: np.ndarray) -> tuple[WeakLearner, np.ndarray]:
        """The learner for these weights, and a 1 for each row that it gets wrong (the array is used again)."""
        rule = self.find(weights)
        value = part_sums(self.side, self.label, weights, len(self.classes))
        fitted = type(self.learner)(**self._arguments)
        fitted._take(rule, value, self.classes, self.n_features)
        mark_wrong(self.side, self.label, fitted._leaves, self.wrong)
        return fitted, self.wrong

    @abstractmethod
    def find(self, weights: np.ndarray) -> dict[str, Any]:
        """Attributes of the rule for these weights; `side` is written: 1 for the rows of the second part."""


class WeakLearner(ClassifierMixin, Reported, BaseEstimator):
    """A rule of two parts. Subclasses say how it is found and on which side of it a row lies."""

    _parameter_constraints: dict = {}
    _accepts_sparse = True

    classes_: np.ndarray
    value_: np.ndarray
    n_features_in_: int
    _leaves: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts_sparse
        tags.classifier_tags.poor_score = True  # weak by design
        return tags

    @abstractmethod
    def _prepare(self, X: Any, label: np.ndarray, classes: np.ndarray) -> Prepared:
        """Make ready for rows and labels."""

    @abstractmethod
    def _second_part(self, X: Any) -> np.ndarray:
        """Whether each row is in the second part."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the rule for rows X with labels y."""
        self._validate_params()
        accept: Any = ["csc", "csr"] if self._accepts_sparse else False
        X, y = validate_data(self, X, y, accept_sparse=accept, dtype=[np.float64, np.float32])
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = weights_or_ones(sample_weight, X)
        classes, label = numbered(y)
        X, label, weights = counted(X, label, weights)
        fitted, _ = self._prepare(columnwise(X), label, classes).learn(weights / weights.sum())
        for name, value in vars(fitted).items():
            if name.endswith("_") or name.startswith("_"):
                setattr(self, name, value)
        return self

    def _take(self, rule: dict[str, Any], value: np.ndarray, classes: np.ndarray, n_features: int) -> None:
        """Become the fitted learner of a rule; `value` is the weight of each class in either part."""
        for name, attribute in rule.items():
            setattr(self, name, attribute)
        totals = value.sum(axis=0)
        total = totals.sum()
        parts = value.sum(axis=1)
        # a part without rows says what the whole would say
        shares = np.where(parts[:, None] > 0, value / np.where(parts > 0, parts, 1.0)[:, None], totals / total)
        self.value_, self.classes_, self.n_features_in_ = shares, classes, n_features
        said = np.where(parts[:, None] > 0, value, totals)
        # of equally heavy classes the first; sums in another order tell equal ones apart by rounding
        self._leaves = np.argmax(said >= said.max(axis=1, keepdims=True) * (1 - _TIE), axis=1)

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def _validate(self, X: Any) -> Any:
        check_is_fitted(self)
        accept: Any = ["csc", "csr"] if self._accepts_sparse else False
        return validate_data(self, X, accept_sparse=accept, dtype=[np.float64, np.float32], reset=False)

    def _labels(self, X: Any) -> np.ndarray:
        """Numbers of the classes of valid rows."""
        return self._leaves[self._second_part(X).astype(np.intp)]

    def predict(self, X: Any) -> np.ndarray:
        """The majority of the part that each row lies in."""
        X = self._validate(X)
        return self.classes_[self._labels(X)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Weighted shares of the classes in the part that each row lies in."""
        X = self._validate(X)
        return self.value_[self._second_part(X).astype(np.intp)]


def numbered(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and the number of the class of each row; numbers are kept in 16 bits."""
    classes, label = np.unique(y, return_inverse=True)
    if len(classes) > _MOST_CLASSES:
        raise ValueError(f"y has {len(classes)} classes; at most {_MOST_CLASSES} can be told apart.")
    return classes, label


def counted(X: Any, y: np.ndarray, weights: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows that have a weight; the others are as good as absent."""
    positive = weights > 0
    if positive.all():
        return X, y, weights
    return X[positive], y[positive], weights[positive]


def columnwise(X: Any) -> Any:
    """Sparse rows as CSC without stored zeros; others as they are."""
    if not sp.issparse(X):
        return X
    X = sp.csc_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def column(X: Any, j: int) -> np.ndarray:
    """Column j, dense."""
    return X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]
