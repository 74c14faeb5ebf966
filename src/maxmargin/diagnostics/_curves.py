"""Learning and validation curves of scikit-learn, with a verdict in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import (
    check_cv,
    cross_val_score,
    learning_curve as _learning,
    validation_curve as _validation,
)

from ..data import canonical
from ._verdict import OVERFITTING, UNDERFITTING, judge_learning, judge_values


@dataclass(frozen=True, repr=False)
class LearningCurve:
    """Scores against the number of training rows.

    Attributes
    ----------
    train_sizes : ndarray of shape (n_sizes,)
        Training rows.
    train_scores, test_scores : ndarray of shape (n_sizes, n_folds)
        Scores on the training rows and on those held out.
    baseline : float
        Held-out score of a model that ignores the features.
    verdict : {"overfitting", "underfitting", "balanced", "no better than the baseline"}
        What the scores at the largest size show.
    reason : str
        Why, and what would help.

    """

    train_sizes: np.ndarray = field(compare=False)
    train_scores: np.ndarray = field(compare=False)
    test_scores: np.ndarray = field(compare=False)
    baseline: float
    verdict: str
    reason: str

    def __str__(self) -> str:
        return _table("rows", list(self.train_sizes), self.train_scores, self.test_scores, [], self.reason)

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class ValidationCurve:
    """Scores against the values of a parameter.

    Attributes
    ----------
    param_name : str
        The parameter.
    param_range : list
        Its values, in the order given.
    train_scores, test_scores : ndarray of shape (n_values, n_folds)
        Scores on the training rows and on those held out.
    best : int
        Number of the value with the best mean held-out score.
    verdicts : list of str
        "overfitting", "underfitting" or "balanced" for each value: as good as the best within one standard error of
        the difference; else by whether the training score is higher or lower than at the best value.
    reason : str
        The same in words.

    """

    param_name: str
    param_range: list = field(compare=False)
    train_scores: np.ndarray = field(compare=False)
    test_scores: np.ndarray = field(compare=False)
    best: int
    verdicts: list[str]
    reason: str

    def __str__(self) -> str:
        return _table(
            self.param_name, self.param_range, self.train_scores, self.test_scores, self.verdicts, self.reason
        )

    __repr__ = __str__


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    train_sizes: Any = (0.1, 0.325, 0.55, 0.775, 1.0),
    cv: Any = None,
    scoring: Any = None,
    best_score: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> LearningCurve:
    """Score an estimator on growing parts of the training rows, and say whether it over- or underfits.

    Parameters
    ----------
    estimator : classifier or regressor
        What is trained.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    train_sizes : array-like, default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Shares or numbers of the training rows. They are shuffled before parts of them are taken.
    cv, scoring, n_jobs, random_state
        As in :func:`sklearn.model_selection.learning_curve`.
    best_score : float, optional
        The score of a model that is always right: by default 0 for scorers named ``"neg_..."``, 1 for all others.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.diagnostics import learning_curve
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(400, noise=0.3, random_state=0)
    >>> learning_curve(SVC(C=1e3, gamma=100.0), X, y, random_state=0).verdict
    'overfitting'

    """
    X, folds = canonical(X), check_cv(cv, y, classifier=is_classifier(estimator))
    sizes, train, test = _learning(
        estimator,
        X,
        y,
        train_sizes=np.asarray(train_sizes),
        cv=folds,
        scoring=scoring,
        shuffle=True,
        random_state=random_state,
        n_jobs=n_jobs,
        error_score="raise",
    )
    dummy = DummyClassifier() if is_classifier(estimator) else DummyRegressor()
    baseline = float(np.mean(cross_val_score(dummy, X, y, cv=folds, scoring=scoring)))
    best = _best_score(scoring) if best_score is None else best_score
    return LearningCurve(sizes, train, test, baseline, *judge_learning(sizes, train, test, baseline, best))


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str,
    param_range: Sequence[Any],
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
) -> ValidationCurve:
    """Score an estimator for each value of a parameter, and say where it under- and where it overfits.

    Parameters
    ----------
    estimator : classifier or regressor
        What is trained.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    param_name : str
        The parameter, with the names of steps in front for pipelines.
    param_range : sequence
        Its values.
    cv, scoring, n_jobs
        As in :func:`sklearn.model_selection.validation_curve`.

    Returns
    -------
    ValidationCurve

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.diagnostics import validation_curve
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(400, noise=0.3, random_state=0)
    >>> gammas = [1e-3, 1.0, 1e3]
    >>> validation_curve(SVC(), X, y, param_name="gamma", param_range=gammas).verdicts
    ['underfitting', 'balanced', 'overfitting']

    """
    values = list(param_range)
    if not values:
        raise ValueError("param_range is empty: give at least one value.")
    if param_name not in estimator.get_params():
        known = ", ".join(sorted(estimator.get_params(deep=False)))
        raise ValueError(
            f"param_name={param_name!r} is not a parameter of {type(estimator).__name__}. It has: {known}."
        )
    train, test = _validation(
        estimator,
        canonical(X),
        y,
        param_name=param_name,
        param_range=values,
        cv=check_cv(cv, y, classifier=is_classifier(estimator)),
        scoring=scoring,
        n_jobs=n_jobs,
        error_score="raise",
    )
    best = int(np.argmax(test.mean(axis=1)))
    verdicts = judge_values(train, test, best)
    return ValidationCurve(
        param_name, values, train, test, best, verdicts, _in_words(param_name, values, test, best, verdicts)
    )


def _best_score(scoring: Any) -> float:
    return 0.0 if isinstance(scoring, str) and scoring.startswith("neg_") else 1.0


def _in_words(name: str, values: list, test: np.ndarray, best: int, verdicts: list[str]) -> str:
    parts = [f"Held-out rows score best, {test[best].mean():.4g}, at {name}={_text(values[best])}."]
    for verdict in (UNDERFITTING, OVERFITTING):
        chosen = [_text(value) for value, each in zip(values, verdicts, strict=True) if each == verdict]
        if chosen:
            way = "lower" if verdict == UNDERFITTING else "higher"
            parts.append(f"{verdict.capitalize()} at {', '.join(chosen)}: training rows score {way} there.")
    return " ".join(parts)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else str(value)


def _table(head: str, values: list, train: np.ndarray, test: np.ndarray, verdicts: list[str], reason: str) -> str:
    width = max(len(head), *(len(_text(value)) for value in values))
    lines = [f"{head:>{width}}  training  held out"]
    for i, value in enumerate(values):
        verdict = f"  {verdicts[i]}" if verdicts else ""
        lines.append(f"{_text(value):>{width}}  {train[i].mean():8.4f}  {test[i].mean():8.4f}{verdict}")
    return "\n".join([*lines, reason])
