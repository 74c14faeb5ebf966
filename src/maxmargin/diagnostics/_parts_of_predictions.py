"""What of an error is bias, variance or noise, from the predictions of many trainings; see `_bias_variance`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import csr_rows
from ._error_parts import BiasVariance


def squared_parts(
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


def zero_one_parts(predictions: np.ndarray, y: np.ndarray, resampled: bool) -> BiasVariance:
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
