"""From an outcome to a score."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing

from ..engine import warn
from ._folds import Fold
from ._outcome import Outcome

# scikit-learn's scorers without an upper bound; "neg_..." are bounded by 0, the others by 1.
_UNBOUNDED = {"positive_likelihood_ratio", "mutual_info_score"}


class FoldScorer:
    """Scores outcomes on the test rows of their fold.

    Parameters
    ----------
    scoring : str, callable or None
        None is accuracy or R2, straight from the predictions.
    classifier : bool
    X, y
        The data as the user gave them: a scorer of the user's sees rows of the same kind.
    weights : ndarray or None
        Weights of the samples in the score.
    pairwise : bool
        Whether X is a square matrix of kernel values.
    names : ndarray or None
        Names of the features, which the machines of a scorer are given.

    """

    def __init__(
        self,
        scoring: Any,
        *,
        classifier: bool,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        pairwise: bool = False,
        names: np.ndarray | None = None,
    ) -> None:
        self.scorer: Any = check_scoring(scoring)
        self.bound = score_bound(scoring)
        self._default = accuracy if classifier else determination
        self._X, self._y, self._weights, self._pairwise, self._names = X, y, weights, pairwise, names
        self._weighted = weights is not None and self.scorer is not None and takes_weights(self.scorer)
        if weights is not None and self.scorer is not None and not self._weighted:
            warn(
                f"scoring={scoring!r} does not take sample_weight, so that every test row counts alike in the scores. "
                f"weighted_score=False says that this is meant.",
                UserWarning,
                stacklevel=5,
            )

    def score(self, fold: Fold, outcome: Outcome) -> float:
        """The score of an outcome; anything but a finite number is an error."""
        score = self._usual_score(fold, outcome) if self.scorer is None else self._scorers_answer(fold, outcome)
        if not np.isfinite(score):
            raise ValueError(f"the score is {score}, which cannot be compared.")
        return float(score)

    def _usual_score(self, fold: Fold, outcome: Outcome) -> float:
        weights = None if self._weights is None else self._weights[fold.test]
        if weights is not None and not weights.any():
            raise ValueError("no test row has a positive sample_weight; use other folds or weighted_score=False.")
        return self._default(self._y[fold.test], outcome.predictions, weights)

    def _scorers_answer(self, fold: Fold, outcome: Outcome) -> Any:
        X = self._test_rows(fold)
        model = remembering(outcome, X, self._names)
        options = {}
        if self._weights is not None and self._weighted:
            options["sample_weight"] = self._weights[fold.test]
        score = self.scorer(model, X, self._y[fold.test], **options)
        if isinstance(score, str) or np.ndim(score) != 0 or isinstance(score, dict):
            raise ValueError(f"scoring must return a number; got {score!r} ({type(score).__name__}).")
        return score

    def _test_rows(self, fold: Fold) -> Any:
        rows = _safe_indexing(self._X, fold.test)
        return rows[:, fold.train] if self._pairwise else rows


def accuracy(y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None) -> float:
    """Share of correct labels, as `sklearn.metrics.accuracy_score`, whose checks of the input take 0.6 ms a call."""
    return float(np.average(y == predictions, weights=weights))


def determination(y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None) -> float:
    """R2, as `sklearn.metrics.r2_score`: for constant targets 1 if they are all met, else 0."""
    w = np.ones(len(y)) if weights is None else weights
    residual = float(w @ (y - predictions) ** 2)
    spread = float(w @ (y - np.average(y, weights=w)) ** 2)
    if spread == 0.0:
        return float(residual == 0.0)
    return 1.0 - residual / spread


class _Known:
    """A method that knows its answer for one X and computes it for any other."""

    def __init__(self, X: Any, answer: np.ndarray, model: Any, name: str) -> None:
        self.X, self.answer, self.model = X, answer, model
        self.__name__ = name  # scikit-learn's scorers ask a method for it

    def __call__(self, X: Any) -> np.ndarray:
        if X is self.X:
            return self.answer.copy()
        return getattr(type(self.model), self.__name__)(self.model, X)


def remembering(outcome: Outcome, X: Any, names: np.ndarray | None = None) -> Any:
    """The fitted machine of an outcome, which has its answers for the test rows X at hand."""
    model = outcome.model()
    if names is not None and not hasattr(model, "feature_names_in_"):
        model.feature_names_in_ = names
    model.predict = _Known(X, outcome.predictions, model, "predict")
    decision = outcome.values if outcome.decision is None and outcome.values.ndim == 1 else outcome.decision
    if decision is not None and hasattr(type(model), "decision_function"):
        model.decision_function = _Known(X, decision, model, "decision_function")
    return model


def check_scoring(scoring: Any) -> Callable[..., Any] | None:
    """The scorer that is meant, None for the default; several at once are refused."""
    if scoring is None:
        return None
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(
            f"scoring must be one name or one callable(estimator, X, y), because one score has to pick the winner; got "
            f"{scoring!r}. For several scores use sklearn.model_selection.GridSearchCV."
        )
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if not callable(scoring):
        raise ValueError(f"scoring must be None, the name of a scorer or callable(estimator, X, y); got {scoring!r}.")
    return scoring


def score_bound(scoring: Any) -> float | None:
    """The largest score that is possible, None if nobody knows."""
    if scoring is None:
        return 1.0
    if not isinstance(scoring, str) or scoring in _UNBOUNDED:
        return None
    return 0.0 if scoring.startswith("neg_") else 1.0


def takes_weights(scorer: Callable[..., Any]) -> bool:
    """Whether a scorer can count samples by weights: scikit-learn's by its formula, others by their signature."""
    function = getattr(scorer, "_score_func", scorer)
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
