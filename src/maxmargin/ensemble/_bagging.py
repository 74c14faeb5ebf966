"""Bagged classifiers and regressors: any learner, a bag each, and what the rows outside the bags say of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if

from ..data import refusing_overflow
from ..engine import interruptible
from ..estimators import encode_labels
from ..tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._bagging_base import BaggingBase, Part
from ._out_of_bag import OutOfBag, means_out_of_bag, votes_out_of_bag


class BaggingClassifier(ClassifierMixin, BaggingBase):
    """Bagging of any classifier, with what the rows outside the bags say of it.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is trained on each bag; None: :class:`maxmargin.tree.DecisionTreeClassifier`.
    n_estimators : int, default=10
        Number of bags.
    max_samples : int, float or None
        Number of draws of a bag, or their share of the rows; by default as many as there are rows.
    max_features : int or float, default=1.0
        Number of columns of a bag, or their share.
    bootstrap : bool or "disjoint", default=True
        Whether rows are drawn with replacement. "disjoint": all rows are dealt out, so that every row is in one bag.
        Bags of n/n_estimators rows, with an equal share of each class, make learners independent of one another.
    bootstrap_features : bool, default=False
        Whether columns are.
    oob_score : bool, default=False
        Keep ``oob_score_`` and ``oob_decision_function_``, as in scikit-learn. The certificate has the estimate anyway.
    warm_start : bool, default=False
        Keep the learners of the last call, which has to be on the same rows, and add to them.
    n_jobs : int or None, default=None
        Processes or threads of joblib.
    random_state : int, RandomState or None, default=None
        Of the draws.
    verbose : int, default=0
        Print how far the training is.

    Attributes
    ----------
    certificate_ : Guarantee
        The out-of-bag error with its standard error, of all rows and by class: an estimate, which is no proof and
        never holds; ``certificate_.verify(X, y)`` gathers it again.
    bag_fractions_ : ndarray of shape (n_estimators,)
        Share of the rows that each bag holds.
    expected_bag_fraction_ : float
        Share that is expected, 1 - (1 - 1/n)^n for n draws with replacement.
    oob_error_curve_ : ndarray of shape (n_estimators,)
        Out-of-bag error of the first 1, 2, ... learners.
    estimators_, estimators_samples_, estimators_features_, classes_, n_classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Rows are drawn by their values: neither their order nor whether one is given twice or with weight 2 makes a
    difference. So bags are other ones than scikit-learn's of the same seed. For learners with a `decision_function`, a
    bag that lacks a class has one row of it drawn in addition.

    See Also
    --------
    maxmargin.bounds.bootstrap_inclusion : The share of the rows that a bag is expected to hold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.ensemble import BaggingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggingClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> model.certificate_.figures["out-of-bag error"] < 0.1
    True

    """

    _loss = "error"
    classes_: np.ndarray
    n_classes_: int

    def _learner(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _checked_target(self, y: Any) -> np.ndarray:
        self.classes_, codes = encode_labels(y, least=1)
        self.n_classes_ = len(self.classes_)
        return codes

    def _needs_all_classes(self) -> bool:
        # those that part classes may refuse a bag of one, and decision values of different classes do not add up
        return hasattr(self._learner(), "decision_function")

    def _says(self, learner: Any, X: Any) -> np.ndarray:
        votes = np.zeros((X.shape[0], self.n_classes_))
        if hasattr(learner, "predict_proba"):
            votes[:, learner.classes_] = learner.predict_proba(X)  # learners know classes by their numbers
        else:
            votes[np.arange(X.shape[0]), learner.predict(X)] = 1.0
        return votes

    def _out_of_bag(self, parts: Iterator[Part], target: np.ndarray) -> OutOfBag:
        return votes_out_of_bag(parts, target, self.n_classes_)

    def _keep_oob(self, found: OutOfBag, target: np.ndarray) -> None:
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = found.sums / found.sums.sum(axis=1, keepdims=True)
        self.oob_score_ = float(np.mean(found.sums.argmax(axis=1) == target))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean of the learners' probabilities, or shares of their votes where they have none."""
        sums = self._sum_of(self._says, X)
        return sums / len(self.estimators_)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest mean probability, of equal ones the first."""
        shares = self.predict_proba(X)
        return self.classes_.take(shares.argmax(axis=1))

    @available_if(lambda self: hasattr(self._learner(), "decision_function"))
    @interruptible
    def decision_function(self, X: Any) -> np.ndarray:
        """Mean of the learners' decision values, where they have any."""
        sums = self._sum_of(lambda learner, rows: learner.decision_function(rows), X)
        return sums / len(self.estimators_)


class BaggingRegressor(RegressorMixin, BaggingBase):
    """Bagging of any regressor, with what the rows outside the bags say of it.

    Parameters
    ----------
    estimator : regressor or None, default=None
        What is trained on each bag; None: :class:`maxmargin.tree.DecisionTreeRegressor`.
    n_estimators, max_samples, max_features, bootstrap, bootstrap_features, warm_start, n_jobs, random_state, verbose
        As in :class:`BaggingClassifier`.
    oob_score : bool, default=False
        Keep ``oob_score_`` and ``oob_prediction_``, as in scikit-learn. The certificate has the estimate anyway.

    Attributes
    ----------
    certificate_ : Guarantee
        The out-of-bag squared error with its standard error: an estimate, which never holds;
        ``certificate_.verify(X, y)`` gathers it again.
    oob_error_curve_ : ndarray of shape (n_estimators,)
        Out-of-bag squared error of the first 1, 2, ... learners.
    bag_fractions_, expected_bag_fraction_
        As in :class:`BaggingClassifier`.
    estimators_, estimators_samples_, estimators_features_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from maxmargin.ensemble import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> print(f"{model.expected_bag_fraction_:.3f}")
    0.633

    """

    _loss = "squared error"

    def _learner(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _checked_target(self, y: Any) -> np.ndarray:
        with refusing_overflow(None, y):
            return (column_or_1d(y, warn=True) if y.ndim == 1 or y.shape[1] == 1 else y).astype(np.float64)

    def _says(self, learner: Any, X: Any) -> np.ndarray:
        return learner.predict(X)

    def _out_of_bag(self, parts: Iterator[Part], target: np.ndarray) -> OutOfBag:
        return means_out_of_bag(parts, target)

    def _keep_oob(self, found: OutOfBag, target: np.ndarray) -> None:
        self.oob_prediction_ = found.sums.reshape(target.shape)
        judged = np.isfinite(found.losses)
        self.oob_score_ = float(r2_score(target[judged], self.oob_prediction_[judged]))

    def predict(self, X: Any) -> np.ndarray:
        """Mean of the learners' predictions."""
        return self._sum_of(self._says, X) / len(self.estimators_)
