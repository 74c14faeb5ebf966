"""What the boosted classifier and the boosted regressor share: their learners, one a round."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from ..certificates import Reported
from ._seeds import seeded_copy

_REDRAWS = 20


class AdaBoostBase(MetaEstimatorMixin, Reported, BaseEstimator):
    """Learners with votes, as a sequence."""

    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "resample": ["boolean", StrOptions({"auto"})],
        "random_state": ["random_state"],
    }

    estimator: Any
    estimator_: Any
    n_estimators: int
    learning_rate: float
    resample: bool | str
    random_state: Any
    estimators_: list[Any]
    estimator_weights_: np.ndarray
    estimator_errors_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _weights(self, X: Any, sample_weight: Any) -> np.ndarray:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=True)
        total = weights.sum()
        if not total > 0:
            raise ValueError("sample_weight must have a positive entry; all of them are zero.")
        return weights / total

    def _resamples(self) -> bool:
        """Whether learners are trained on bags instead of with weights."""
        takes_weights = has_fit_parameter(self.estimator_, "sample_weight")
        if self.resample == "auto":
            return not takes_weights
        if not self.resample and not takes_weights:
            raise ValueError(
                f"{type(self.estimator_).__name__} doesn't support sample_weight; resample='auto' or True trains it on "
                f"rows drawn by weight."
            )
        return bool(self.resample)

    def _new_learner(self, random_state: np.random.RandomState) -> Any:
        """A copy of the base estimator with random states of its own."""
        return seeded_copy(self.estimator_, random_state)

    def _keep(self, learners: list[Any], votes: np.ndarray, errors: np.ndarray) -> None:
        """Learners with votes and errors; the rounds that were not made have vote 0 and error 1, as in scikit-learn."""
        self.estimators_ = learners
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        self.estimator_weights_[: len(votes)] = votes
        self.estimator_errors_[: len(errors)] = errors

    @property
    def _votes(self) -> np.ndarray:
        return self.estimator_weights_[: len(self.estimators_)]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances of the columns for the learners, weighted with their votes."""
        check_is_fitted(self)
        votes = self._votes
        try:
            parts = [vote * learner.feature_importances_ for vote, learner in zip(votes, self, strict=True)]
        except AttributeError as error:
            raise AttributeError(
                f"Unable to compute feature importances since {type(self.estimator_).__name__} does not have a "
                f"feature_importances_ attribute"
            ) from error
        return sum(parts) / votes.sum()


def bag(weights: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
    """Rows drawn with replacement, as many as there are, with probabilities in proportion to the weights."""
    return random_state.choice(np.arange(len(weights)), size=len(weights), replace=True, p=weights / weights.sum())


def fit_on_bag(
    learner: Any, X: Any, y: np.ndarray, weights: np.ndarray, random_state: np.random.RandomState, labelled: bool
) -> Any:
    """Train on a bag; one with labels has two of them at least, where that is to be had."""
    for _ in range(_REDRAWS):
        drawn = bag(weights, random_state)
        bagged = y[drawn]
        if not labelled or (bagged != bagged[0]).any():
            break
    return learner.fit(_safe_indexing(X, drawn), bagged)
