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

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed

from ..data import canonical, csr_rows

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
        Mean loss over test rows and trainings: the sum of its parts. Where the truth is known, that of new targets of
        the test rows.
    bias : float
        Squared bias; for zero-one loss, the error of the main prediction. With noise in it where `noise` is None. The
        estimate of a squared bias is right on the average, and hence below 0 at times where there is hardly any.
    variance : float
        Spread of the predictions about their mean, or about the main prediction.
    noise : float or None
        Mean squared noise of the targets; None where it cannot be told from bias.
    harm, help : float or None
        Zero-one loss: the part of the variance that adds to the error, and the part that takes away from it.
    standard_errors : dict of str to float
        Of error, bias and variance: how they would vary with other test rows and, by the jackknife, with other
        trainings. All test rows have the trainings in common, so that the former alone would be too small.
    n_resamples, n_test : int
        Trainings, and test rows.
    bias_of_rows, variance_of_rows : ndarray of shape (n_test,)
        The same row by row, with the noise in the bias unless the truth is known.
    resampled : bool
        Whether training sets were drawn from one set of rows, and not afresh. They are then more alike than fresh ones:
        the variance is underestimated, and what is missing in it is in the bias.

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
    resampled: bool

    def __str__(self) -> str:
        squared = self.loss == "squared"
        names = {"error": "error", "bias": ("bias^2" if squared else "bias"), "variance": "variance"}
        if squared and self.noise is None:
            names["bias"] = "bias^2 + noise"
        lines = [f"{self.loss} loss, {self.n_resamples} trainings, {self.n_test} test rows"]
        for key, name in names.items():
            lines.append(f"  {name:<16}{getattr(self, key):>10.4g} +- {self.standard_errors[key]:.2g}")
        if squared and self.bias < 0:
            lines[2] += ", below 0 by chance: too small to be told from none"
        if self.noise is not None:
            lines.append(f"  {'noise':<16}{self.noise:>10.4g}")
        if self.harm is not None and self.help is not None:
            lines.append(f"  {'of the variance':<16}{self.harm:>10.4g} does harm, {self.help:.4g} helps")
        if self.resampled:
            lines.append("  resampled from one set: part of the variance of fresh training sets is in the bias here")
        return "\n".join(lines)

    __repr__ = __str__


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
            X_test, y_test = _draw(sample, generator)
        sets = _Fresh(sample)
    else:
        X, y = indexable(canonical(X), np.asarray(y))
        if X_test is None:
            labels = y if is_classifier(estimator) else None
            X, X_test, y, y_test = train_test_split(X, y, test_size=test_size, random_state=generator, stratify=labels)
        sets = _Resampled(X, y, resample, is_classifier(estimator))
    X_test, y_test = canonical(X_test, "X_test"), np.asarray(y_test)
    jobs = [(_seeded(estimator, generator), *sets.draw(generator)) for _ in range(n_resamples)]
    classes = np.unique(np.concatenate([sets.labels(jobs), y_test])) if is_classifier(estimator) else None
    predictions = np.array(Parallel(n_jobs=n_jobs)(delayed(_trained)(*job, X_test, kind, classes) for job in jobs))
    resampled = sample is None
    if kind == "zero_one":
        return _zero_one(predictions, y_test, resampled)
    told = truth(X_test) if callable(truth) else truth
    return _squared(predictions, y_test, X_test, classes, told, resampled)


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


def _draw(sample: Any, generator: Any) -> tuple[Any, np.ndarray]:
    """A fresh set of rows and targets."""
    drawn = sample(generator)
    if not isinstance(drawn, tuple) or len(drawn) != 2:
        raise ValueError(f"sample must return X and y; got {type(drawn).__name__}.")
    X, y = indexable(canonical(drawn[0], "X of sample"), np.asarray(drawn[1]))
    return X, y


class _Fresh:
    """Training sets as a function of the user draws them."""

    def __init__(self, sample: Any) -> None:
        self._sample = sample

    def draw(self, generator: Any) -> tuple[Any, np.ndarray]:
        return _draw(self._sample, generator)

    def labels(self, jobs: list) -> np.ndarray:
        return np.concatenate([np.unique(y) for _, _, y in jobs])


class _Resampled:
    """Training sets drawn from one set; of each class there is one row at least."""

    def __init__(self, X: Any, y: np.ndarray, resample: str, classified: bool) -> None:
        self._X, self._y, self._resample, self._classified = X, y, resample, classified

    def draw(self, generator: Any) -> tuple[Any, np.ndarray]:
        y, n = self._y, len(self._y)
        bootstrap = self._resample == "bootstrap"
        rows = generator.randint(n, size=n) if bootstrap else generator.permutation(n)[: max(1, n // 2)]
        if self._classified:
            missing = np.setdiff1d(y, y[rows])
            rows = np.concatenate([rows, [generator.choice(np.flatnonzero(y == label)) for label in missing]]).astype(
                int
            )
        return _safe_indexing(self._X, rows), y[rows]

    def labels(self, jobs: list) -> np.ndarray:
        return self._y


def _seeded(estimator: Any, generator: Any) -> Any:
    """A copy of the estimator with its seeds."""
    learner = clone(estimator)
    unseeded = [
        name
        for name, value in sorted(learner.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return learner.set_params(**{name: int(generator.randint(2**31 - 1)) for name in unseeded})


def _trained(learner: Any, X: Any, y: np.ndarray, X_test: Any, kind: str, classes: np.ndarray | None) -> np.ndarray:
    learner.fit(X, y)
    if kind == "zero_one" or classes is None:
        return np.asarray(learner.predict(X_test))
    out = np.zeros((_rows(X_test), len(classes)))
    out[:, np.searchsorted(classes, learner.classes_)] = learner.predict_proba(X_test)
    return out


def _rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _squared(
    predictions: np.ndarray, y: np.ndarray, X: Any, classes: np.ndarray | None, truth: Any, resampled: bool
) -> BiasVariance:
    trainings, n = predictions.shape[:2]
    target = y.astype(np.float64) if classes is None else (y[:, None] == classes).astype(np.float64)
    predictions, target = predictions.reshape(trainings, n, -1), target.reshape(n, -1)
    mean = predictions.mean(axis=0)
    variance = predictions.var(axis=0, ddof=1).sum(axis=1)
    noise: float | None = None
    if truth is not None:
        known = np.asarray(truth, dtype=np.float64).reshape(n, -1)
        if known.shape != target.shape:
            raise ValueError(f"truth has {known.shape[1]} values a row, the targets have {target.shape[1]}.")
        noise_of_rows = ((target - known) ** 2).sum(axis=1)
        bias = ((mean - known) ** 2).sum(axis=1) - variance / trainings
        error, noise, bias_mean = bias + variance + noise_of_rows, float(noise_of_rows.mean()), float(bias.mean())
    else:
        bias = ((mean - target) ** 2).sum(axis=1) - variance / trainings
        error, noise = bias + variance, _noise_of_equal_rows(X, target)
        bias_mean = float(bias.mean()) - (noise or 0.0)
    apart = (predictions - (target if truth is None else known)).reshape(trainings, -1)
    spread = _spread_of_squares(apart @ apart.T / n)
    return _divided("squared", error, bias, variance, bias_mean, spread, noise=noise, resampled=resampled)


def _spread_of_squares(G: np.ndarray) -> dict[str, np.ndarray]:
    """Error, bias and variance without each training in turn, from products of what two of them miss the targets by."""
    B, own, rows, total = len(G), G.diagonal(), G.sum(axis=1), G.sum()
    errors = (own.sum() - own) / (B - 1)
    if B == 2:  # without one of them there is no variance
        return {"error": errors, "bias": np.empty(B) * np.nan, "variance": np.empty(B) * np.nan}
    bias = (total - own.sum() - 2 * (rows - own)) / ((B - 1) * (B - 2))
    return {"error": errors, "bias": bias, "variance": errors - bias}


def _noise_of_equal_rows(X: Any, target: np.ndarray) -> float | None:
    """Variance of the targets of rows with equal features, if at least half of the rows have such company."""
    if sp.issparse(X):
        X = _numbers_of_rows(csr_rows(X))
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


def _numbers_of_rows(X: Any) -> np.ndarray:
    """A number for each row of CSR, the same for equal rows."""
    X = X.copy()
    X.eliminate_zeros()
    known: dict[tuple[bytes, bytes], int] = {}
    ends = zip(X.indptr, X.indptr[1:], strict=False)
    rows = ((X.indices[a:b].tobytes(), X.data[a:b].tobytes()) for a, b in ends)
    return np.array([known.setdefault(row, len(known)) for row in rows])


def _zero_one(predictions: np.ndarray, y: np.ndarray, resampled: bool) -> BiasVariance:
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
    parts = {"harm": harm, "help": help, "resampled": resampled}
    without = np.array([_without(counts, row, right) for row in said]).T
    spread = dict(zip(("error", "bias", "variance"), without, strict=True))
    return _divided("zero_one", 1 - hits, bias, variance, float(bias.mean()), spread, **parts)


def _without(counts: np.ndarray, said: np.ndarray, right: np.ndarray) -> tuple[float, float, float]:
    """Error, bias and variance without the training that said this."""
    rows = np.arange(len(said))
    left = counts.copy()
    left[rows, said] -= 1
    main, trainings = left.argmax(axis=1), float(left[0].sum())
    hits, most = left[rows, right].mean() / trainings, left[rows, main].mean() / trainings
    return float(1 - hits), float((main != right).mean()), float(1 - most)


def _divided(
    loss: str,
    error: np.ndarray,
    bias: np.ndarray,
    variance: np.ndarray,
    bias_mean: float,
    without: dict[str, np.ndarray],
    **more: Any,
) -> BiasVariance:
    """The means of what is known row by row; `without` are those without each training in turn."""
    rows = {"error": error, "bias": bias, "variance": variance}
    return BiasVariance(
        loss=loss,
        error=float(error.mean()),
        bias=bias_mean,
        variance=float(variance.mean()),
        **{"noise": None, "harm": None, "help": None} | more,
        standard_errors={name: _standard_error(values, without[name]) for name, values in rows.items()},
        n_resamples=len(without["error"]),
        n_test=len(error),
        bias_of_rows=bias,
        variance_of_rows=variance,
    )


def _standard_error(values: np.ndarray, without: np.ndarray) -> float:
    """Of a mean over rows that have the trainings in common: of the rows, and of the trainings by the jackknife."""
    of_rows = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return float(np.hypot(of_rows, np.sqrt(len(without) - 1) * without.std()))
