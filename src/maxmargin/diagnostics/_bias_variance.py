"""Bias and variance of a learner, by training it again and again on resampled rows.

Squared loss, for a row with target y = t + noise and predictions f_1..f_B of B trainings with mean m:

    mean_b (f_b - y)^2  =  [(m - y)^2 - s^2 / B]  +  s^2,        s^2 = sum_b (f_b - m)^2 / (B - 1)

an identity. The first part estimates bias^2 + noise without the s^2 / B by which the mean of a finite number of
trainings misses, the second the variance. Noise can be told from bias where t is known, or from rows of equal features.

Zero-one loss (Domingos, ICML 2000): the main prediction is the one made most often; bias is whether it is wrong,
variance how often another is made. Where the main prediction is right variance does harm, where it is wrong it helps as
far as it hits the right class, so that error = bias + variance that harms - variance that helps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed

from ..data import canonical

_LOSSES = ("auto", "squared", "zero_one")
_RESAMPLES = ("bootstrap", "subsample")


@dataclass(frozen=True, repr=False)
class BiasVariance:
    """How the error of a learner divides, as means over the test rows.

    Attributes
    ----------
    loss : {"squared", "zero_one"}
        What is divided. Squared loss of a classifier is that of its probabilities, summed over the classes.
    error : float
        Mean loss over test rows and trainings.
    bias : float
        Squared bias; for zero-one loss, the error of the main prediction. With noise in it where `noise` is None.
    variance : float
        Spread of the predictions about their mean, or about the main prediction.
    noise : float or None
        Mean squared noise of the targets; None where it cannot be told from bias.
    harm, help : float or None
        Zero-one loss: the part of the variance that adds to the error, and the part that takes away from it.
    standard_errors : dict of str to float
        Of error, bias and variance as means over the test rows.
    n_resamples, n_test : int
        Trainings, and test rows.
    bias_of_rows, variance_of_rows : ndarray of shape (n_test,)
        The same row by row, with the noise in the bias.

    """

    loss: str
    error: float
    bias: float
    variance: float
    noise: float | None
    harm: float | None
    help: float | None
    standard_errors: dict[str, float] = field(hash=False)
    n_resamples: int
    n_test: int
    bias_of_rows: np.ndarray = field(compare=False)
    variance_of_rows: np.ndarray = field(compare=False)

    def __str__(self) -> str:
        squared = self.loss == "squared"
        names = {"error": "error", "bias": ("bias^2" if squared else "bias"), "variance": "variance"}
        if squared and self.noise is None:
            names["bias"] = "bias^2 + noise"
        lines = [f"{self.loss} loss, {self.n_resamples} trainings, {self.n_test} test rows"]
        for key, name in names.items():
            lines.append(f"  {name:<16}{getattr(self, key):>10.4g} +- {self.standard_errors[key]:.2g}")
        if self.noise is not None:
            lines.append(f"  {'noise':<16}{self.noise:>10.4g}")
        if self.harm is not None and self.help is not None:
            lines.append(f"  {'of the variance':<16}{self.harm:>10.4g} does harm, {self.help:.4g} helps")
        return "\n".join(lines)

    __repr__ = __str__


def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
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
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows that training sets are drawn from.
    y : array-like of shape (n_samples,)
        Targets or labels.
    X_test, y_test : array-like, optional
        Rows on which the error is divided; without them, `test_size` of the rows are held out (by class).
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
    underestimated, and what is missing in it is in the bias. Comparisons between learners on the same rows are fair.

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

    """
    _check(estimator, loss, resample, n_resamples, X_test, y_test, truth)
    kind = loss if loss != "auto" else ("zero_one" if is_classifier(estimator) else "squared")
    if kind == "zero_one" and truth is not None:
        raise ValueError("truth is for squared loss: zero-one loss has no part that is noise alone. Leave it out.")
    generator = check_random_state(random_state)
    X, X_test = canonical(X), canonical(X_test, "X_test")
    X, y = indexable(X, np.asarray(y))
    if X_test is None:
        labels = y if is_classifier(estimator) else None
        X, X_test, y, y_test = train_test_split(X, y, test_size=test_size, random_state=generator, stratify=labels)
    y_test = np.asarray(y_test)
    classes = np.unique(np.concatenate([y, y_test])) if is_classifier(estimator) else None
    jobs = [_job(estimator, y, resample, generator) for _ in range(n_resamples)]
    predictions = np.array(
        Parallel(n_jobs=n_jobs)(delayed(_trained)(*job, X, y, X_test, kind, classes) for job in jobs)
    )
    if kind == "zero_one":
        return _zero_one(predictions, y_test)
    told = truth(X_test) if callable(truth) else truth
    return _squared(predictions, y_test, X_test, classes, told)


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


def _job(estimator: Any, y: np.ndarray, resample: str, generator: Any) -> tuple[Any, np.ndarray]:
    """A copy of the estimator with its seeds, and the rows to train it on; of each class there is one at least."""
    n = len(y)
    learner = clone(estimator)
    unseeded = [
        name
        for name, value in sorted(learner.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    ]
    learner.set_params(**{name: int(generator.randint(2**31 - 1)) for name in unseeded})
    rows = generator.randint(n, size=n) if resample == "bootstrap" else generator.permutation(n)[: max(1, n // 2)]
    if is_classifier(estimator):
        missing = np.setdiff1d(y, y[rows])
        rows = np.concatenate([rows, [generator.choice(np.flatnonzero(y == label)) for label in missing]]).astype(int)
    return learner, rows


def _trained(
    learner: Any, rows: np.ndarray, X: Any, y: np.ndarray, X_test: Any, kind: str, classes: np.ndarray | None
) -> np.ndarray:
    learner.fit(_safe_indexing(X, rows), y[rows])
    if kind == "zero_one" or classes is None:
        return np.asarray(learner.predict(X_test))
    out = np.zeros((_rows(X_test), len(classes)))
    out[:, np.searchsorted(classes, learner.classes_)] = learner.predict_proba(X_test)
    return out


def _rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _squared(predictions: np.ndarray, y: np.ndarray, X: Any, classes: np.ndarray | None, truth: Any) -> BiasVariance:
    trainings, n = predictions.shape[:2]
    target = y.astype(np.float64) if classes is None else (y[:, None] == classes).astype(np.float64)
    predictions, target = predictions.reshape(trainings, n, -1), target.reshape(n, -1)
    mean = predictions.mean(axis=0)
    variance = predictions.var(axis=0, ddof=1).sum(axis=1)
    bias = ((mean - target) ** 2).sum(axis=1) - variance / trainings
    noise: float | None = None
    if truth is not None:
        known = np.asarray(truth, dtype=np.float64).reshape(n, -1)
        if known.shape != target.shape:
            raise ValueError(f"truth has {known.shape[1]} values a row, the targets have {target.shape[1]}.")
        noise = float(((target - known) ** 2).sum(axis=1).mean())
        bias_mean = float((((mean - known) ** 2).sum(axis=1) - variance / trainings).mean())
    else:
        noise = _noise_of_equal_rows(X, target)
        bias_mean = float(bias.mean()) - (noise or 0.0)
    return _divided("squared", trainings, bias + variance, bias, variance, bias_mean, noise=noise)


def _noise_of_equal_rows(X: Any, target: np.ndarray) -> float | None:
    """Variance of the targets of rows with equal features, if at least half of the rows have such company."""
    if not isinstance(X, np.ndarray) or X.dtype == object:
        return None
    _, group, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    if counts[counts > 1].sum() < len(X) / 2:
        return None
    sums = np.zeros((len(counts), target.shape[1]))
    np.add.at(sums, group, target)
    apart = target - (sums / counts[:, None])[group]
    return float((apart**2).sum() / (counts - 1).sum())


def _zero_one(predictions: np.ndarray, y: np.ndarray) -> BiasVariance:
    labels, codes = np.unique(np.concatenate([predictions.ravel(), y]), return_inverse=True)
    trainings, n = predictions.shape
    said, right = codes[:-n].reshape(trainings, n), codes[-n:]
    counts = np.zeros((n, len(labels)))
    for row in said:
        counts[np.arange(n), row] += 1
    shares = counts / trainings
    main = shares.argmax(axis=1)
    bias = (main != right).astype(np.float64)
    variance = 1 - shares[np.arange(n), main]
    hits = shares[np.arange(n), right]
    harm, help = float(np.where(bias == 0, variance, 0.0).mean()), float(np.where(bias == 1, hits, 0.0).mean())
    return _divided("zero_one", trainings, 1 - hits, bias, variance, float(bias.mean()), harm=harm, help=help)


def _divided(
    loss: str, trainings: int, error: np.ndarray, bias: np.ndarray, variance: np.ndarray, bias_mean: float, **more: Any
) -> BiasVariance:
    """The means of what is known row by row."""
    rows = {"error": error, "bias": bias, "variance": variance}
    means = {"error": float(error.mean()), "bias": bias_mean, "variance": float(variance.mean())}
    return BiasVariance(
        loss=loss,
        **means,
        **{"noise": None, "harm": None, "help": None} | more,
        standard_errors={name: _standard_error(values) for name, values in rows.items()},
        n_resamples=trainings,
        n_test=len(error),
        bias_of_rows=bias,
        variance_of_rows=variance,
    )


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
