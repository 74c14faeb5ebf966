"""Bias and variance of a learner, by training it again and again on fresh or resampled rows.

Squared loss, for a row with target y = t + noise and predictions f_1..f_B of B trainings with mean m:

    mean_b (f_b - y)^2  =  [(m - y)^2 - s^2 / B]  +  s^2,        s^2 = sum_b (f_b - m)^2 / (B - 1)

an identity. The first part estimates bias^2 + noise without the s^2 / B by which the mean of a finite number of
trainings misses, the second the variance. Noise can be told from bias where t is known, or from rows of equal features.
Where t is known, bias and noise are measured against it row by row, and the error is the sum of the three parts: the
error to be expected of new targets of the same rows. That of the targets at hand differs from it by chance alone.

Zero-one loss (Domingos, ICML 2000): the main prediction is the one made most often; bias is whether it is wrong,
variance how often another is made. Where the main prediction is right variance does harm, where it is wrong it helps as
far as it hits the right class, so that error = bias + variance that harms - variance that helps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed

from ..data import canonical
from ._error_parts import BiasVariance
from ._parts_of_predictions import squared_parts, zero_one_parts
from ._training_sets import Fresh, Resampled, draw, seeded, trained

_LOSSES = ("auto", "squared", "zero_one")
_RESAMPLES = ("bootstrap", "subsample")


def bias_variance(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    test_size: float | int = 0.25,
    truth: Any = None,
    loss: str = "auto",
    resample: str = "bootstrap",
    n_resamples: int = 50,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> BiasVariance:
    """Divide the error of an estimator into bias, variance and, where it can be told, noise.

    Parameters
    ----------
    estimator : classifier or regressor
        What is trained; a copy of it each time. Parameters `random_state` that are None are given seeds.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Rows that training sets are drawn from, unless `sample` draws them.
    y : array-like of shape (n_samples,), optional
        Targets or labels of `X`.
    sample : callable, optional
        ``sample(generator) -> X, y`` draws a fresh training set with a RandomState, for each training: the variance is
        then that of the theory. Without it, sets are resampled from `X` and `y`.
    X_test, y_test : array-like, optional
        Rows on which the error is divided; without them, `test_size` of the rows are held out (by class), or `sample`
        draws one set more.
    test_size : float or int, default=0.25
        Share or number of the rows that are held out.
    truth : array-like of shape (n_test,) or callable, optional
        Targets of the test rows without noise, or a function of `X_test` that gives them: noise and bias can then be
        told apart. Squared loss only, and only together with `X_test` unless it is a function.
    loss : {"auto", "squared", "zero_one"}, default="auto"
        "auto": zero-one loss of labels for classifiers, squared loss for regressors. "squared" for a classifier is that
        of its probabilities.
    resample : {"bootstrap", "subsample"}, default="bootstrap"
        As many draws as there are rows, with replacement; or half of the rows without.
    n_resamples : int, default=50
        Trainings, at least two.
    n_jobs : int or None, default=None
        Trainings at a time, by joblib.
    random_state : int, RandomState or None, default=None
        Of all draws.

    Returns
    -------
    BiasVariance

    Notes
    -----
    Training sets that are resampled from one set are more alike than sets drawn afresh: the variance is
    underestimated, and what is missing in it is in the bias: about half of it for a full tree, which repeats its
    training rows. Where rows can be drawn, use `sample`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from maxmargin.diagnostics import bias_variance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 1))
    >>> y = X[:, 0] ** 2 + rng.normal(0, 0.1, 400)
    >>> found = bias_variance(LinearRegression(), X, y, truth=lambda X: X[:, 0] ** 2, random_state=0)
    >>> found.bias > 10 * found.variance  # a line cannot bend
    True
    >>> def draw(generator):
    ...     X = generator.uniform(-1, 1, (400, 1))
    ...     return X, X[:, 0] ** 2 + generator.normal(0, 0.1, 400)
    >>> found = bias_variance(LinearRegression(), sample=draw, truth=lambda X: X[:, 0] ** 2, random_state=0)
    >>> found.resampled, abs(found.error - found.bias - found.variance - found.noise) < 1e-12
    (False, True)

    """
    _check(estimator, loss, resample, n_resamples, X_test, y_test, truth)
    _check_source(X, y, sample)
    kind = loss if loss != "auto" else ("zero_one" if is_classifier(estimator) else "squared")
    if kind == "zero_one" and truth is not None:
        raise ValueError("truth is for squared loss: zero-one loss has no part that is noise alone. Leave it out.")
    generator = check_random_state(random_state)
    sets: Any
    if sample is not None:
        if X_test is None:
            X_test, y_test = draw(sample, generator)
        sets = Fresh(sample)
    else:
        X, y = indexable(canonical(X), np.asarray(y))
        if X_test is None:
            labels = y if is_classifier(estimator) else None
            X, X_test, y, y_test = train_test_split(X, y, test_size=test_size, random_state=generator, stratify=labels)
        sets = Resampled(X, y, resample, is_classifier(estimator))
    X_test, y_test = canonical(X_test, "X_test"), np.asarray(y_test)
    jobs = [(seeded(estimator, generator), *sets.draw(generator)) for _ in range(n_resamples)]
    classes = np.unique(np.concatenate([sets.labels(jobs), y_test])) if is_classifier(estimator) else None
    predictions = np.array(Parallel(n_jobs=n_jobs)(delayed(trained)(*job, X_test, kind, classes) for job in jobs))
    resampled = sample is None
    if kind == "zero_one":
        return zero_one_parts(predictions, y_test, resampled)
    told = truth(X_test) if callable(truth) else truth
    return squared_parts(predictions, y_test, X_test, classes, told, resampled)


def _check(estimator: Any, loss: str, resample: str, n_resamples: int, X_test: Any, y_test: Any, truth: Any) -> None:
    if loss not in _LOSSES:
        raise ValueError(f"loss must be one of {', '.join(map(repr, _LOSSES))}, got {loss!r}.")
    if resample not in _RESAMPLES:
        raise ValueError(f"resample must be one of {', '.join(map(repr, _RESAMPLES))}, got {resample!r}.")
    if n_resamples < 2:
        raise ValueError(f"n_resamples={n_resamples}: a variance needs at least 2 trainings.")
    if (X_test is None) != (y_test is None):
        given, missing = ("y_test", "X_test") if X_test is None else ("X_test", "y_test")
        raise ValueError(f"{given} was given without {missing}: give both, or neither and a test_size.")
    if loss == "zero_one" and not is_classifier(estimator):
        raise ValueError(f"loss='zero_one' is for classifiers, and {type(estimator).__name__} is not one.")
    if loss == "squared" and is_classifier(estimator) and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"loss='squared' needs probabilities, and {type(estimator).__name__} has no predict_proba. Use 'zero_one'."
        )
    if truth is not None and not callable(truth) and X_test is None:
        raise ValueError("truth as an array belongs to X_test, which was not given. Give that, or a function.")


def _check_source(X: Any, y: Any, sample: Any) -> None:
    if sample is None and (X is None or y is None):
        missing = "X and y" if X is None and y is None else ("X" if X is None else "y")
        raise ValueError(
            f"{missing} must be given: rows to draw training sets from; or sample, which draws them afresh."
        )
    if sample is not None and (X is not None or y is not None):
        raise ValueError("sample draws the training sets, and X and y would not be used: give either, not both.")
    if sample is not None and not callable(sample):
        raise ValueError(
            f"sample must be a function of a RandomState that returns X and y; got {type(sample).__name__}."
        )
