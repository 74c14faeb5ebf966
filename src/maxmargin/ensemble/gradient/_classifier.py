"""Gradient boosting for classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_y, column_or_1d

from ...estimators import class_weights, encode_known_labels, encode_labels
from ._base import GradientBoosting
from ._losses import Loss
from ._parameters import CONSTRAINTS, GradientBoostingParameters


@dataclass(kw_only=True, eq=False, repr=False)
class HistGradientBoostingClassifier(ClassifierMixin, GradientBoosting, GradientBoostingParameters):
    """A sum of trees, each grown for what the ones before it have left of the log loss.

    A drop-in for :class:`sklearn.ensemble.HistGradientBoostingClassifier`. Of more than two classes each has a sum of
    its own.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        What is minimised.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their rows are multiplied.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.ensemble import HistGradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = HistGradientBoostingClassifier(max_iter=20).fit(X, y)
    >>> model.certificate_.holds
    True
    >>> model.certificate_.verify(X, y).figures == model.certificate_.figures
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **CONSTRAINTS,
        "loss": [StrOptions({"log_loss"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    loss: str = field(default="log_loss", kw_only=False)
    class_weight: Any = None

    classes_: ClassVar[Any]

    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        y = _check_y(y, estimator=self) if reset else column_or_1d(y)
        if reset:
            self.classes_, label = encode_labels(y, least=1)  # type: ignore[misc]
            self.n_trees_per_iteration_ = 1 if len(self.classes_) <= 2 else len(self.classes_)
        else:
            label = encode_known_labels(y, self.classes_)
        return label.astype(np.float64)

    def _loss_of(self) -> Loss:
        return Loss.of_classes(len(self.classes_))

    def _all_weights(self, weight: np.ndarray | None, y: np.ndarray) -> np.ndarray | None:
        if self.class_weight is None:
            return weight
        label = y.astype(np.int64)
        of_class = class_weights(self.class_weight, self.classes_, label)[label]
        return of_class if weight is None else weight * of_class

    def _labels(self, raw: np.ndarray) -> np.ndarray:
        """The class of the largest sum; of two classes the second one has the sum."""
        number = (raw[:, 0] > 0).astype(np.int64) if raw.shape[1] == 1 else raw.argmax(axis=1)
        return self.classes_[number]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class."""
        return self._labels(self._raw_predict(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        raw = self._raw_predict(X)  # which says so if there was no fit
        return self._loss.probabilities(raw)

    def decision_function(self, X: Any) -> np.ndarray:
        """The sums of the trees: of two classes the log-odds of the second one."""
        raw = self._raw_predict(X)
        return raw.ravel() if raw.shape[1] == 1 else raw

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The most probable class after each round."""
        for raw in self._staged_raw_predict(X):
            yield self._labels(raw)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities after each round."""
        for raw in self._staged_raw_predict(X):
            yield self._loss.probabilities(raw)

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """The sums after each round."""
        for raw in self._staged_raw_predict(X):
            yield raw.ravel() if raw.shape[1] == 1 else raw
