"""Rows and parameters for which a metric gives no distance: 0 / 0, or nothing to divide by."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

# What scikit-learn calls a metric, but cannot compute without something that the user has to give.
_NEEDS = {
    "seuclidean": ({"V"}, 'the variances of the columns: metric_params={"V": X.var(axis=0)}'),
    "mahalanobis": (
        {"V", "VI"},
        'the covariance of the columns: metric_params={"V": np.cov(X.T)}, or "VI", its inverse',
    ),
    "pyfunc": ({"func"}, "a function; give the function itself as metric"),
}
# Of two rows without a value other than zero, these are 0 / 0.
_OF_NOTHING = ("dice", "sokalsneath")


def check_parameters(metric: Any, parameters: dict | None) -> None:
    """Refuse a metric without the parameters that it needs, or with ones that give no distances."""
    if not isinstance(metric, str) or metric not in _NEEDS:
        return
    names, words = _NEEDS[metric]
    given = parameters or {}
    if not names & set(given):
        raise ValueError(f"metric={metric!r} needs {words}.")
    if metric == "seuclidean":
        variances = np.asarray(given["V"], dtype=np.float64)
        bad = np.flatnonzero(~((variances > 0) & np.isfinite(variances)))
        if bad.size:
            raise ValueError(
                f"metric='seuclidean' divides by the variances V, and those of {_listed('column', bad)} are not "
                f"positive numbers. Leave constant columns out, or give them a variance of 1."
            )
    if metric == "mahalanobis" and "VI" not in given:
        covariance = np.asarray(given["V"], dtype=np.float64)
        if np.linalg.matrix_rank(covariance) < covariance.shape[0]:
            raise ValueError(
                "metric='mahalanobis' inverts the covariance V, which is singular: a column is constant, or a sum of "
                'others. Leave it out, or give a pseudo-inverse: metric_params={"VI": np.linalg.pinv(V)}.'
            )


def check_rows(metric: Any, X: Any, *, trained: bool) -> None:
    """Refuse rows for which the metric is not defined; `trained` are rows that others are compared with."""
    if not isinstance(metric, str):
        return
    if metric == "correlation":
        bad = _constant_rows(X)
        if bad.size:
            few = " (a row of one value always is)" if X.shape[1] == 1 else ""
            raise ValueError(
                f"X has {_listed('row', bad)} constant to rounding{few}, or with squares beyond float64: metric="
                f"'correlation' divides by the variance of a row, and is not defined there. Leave such rows out, scale "
                f"them, or use metric='cosine' or 'euclidean'."
            )
    if metric in _OF_NOTHING and trained:
        bad = np.flatnonzero(np.asarray((X != 0).sum(axis=1)).ravel() == 0)
        if bad.size:
            raise ValueError(
                f"X has {_listed('row', bad)} all zero: metric={metric!r} of two such rows is 0 / 0. Leave them out, "
                f"or use metric='jaccard', which calls them equal."
            )


class UndefinedDistanceError(ValueError):
    """Distances that are NaN, or beyond float64: which rows are nearest is not defined."""


def check_found(metric: Any, distances: np.ndarray) -> None:
    """Refuse an answer with distances that are not numbers, or that overflowed: of these none is the nearest."""
    known = isinstance(metric, str) and metric != "precomputed"  # infinity may be what a user means
    bad = np.flatnonzero(~np.isfinite(distances).all(axis=1) if known else np.isnan(distances).any(axis=1))
    if bad.size:
        name = repr(metric) if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)
        what = "NaN" if np.isnan(distances[bad]).any() else "infinity"
        raise UndefinedDistanceError(
            f"metric={name} gives {what} as the distance of {_listed('row', bad)} of X from training rows: their "
            f"nearest neighbours are not defined. Leave these rows out, scale X, or use another metric."
        )


def _constant_rows(X: Any) -> np.ndarray:
    """Rows whose values are equal, or whose deviations have a square that is zero or not finite, or mere rounding."""
    # a portion at a time, as sparse rows are read as dense ones
    step = max(1, 2**20 // max(1, X.shape[1]))
    found = [np.empty(0, dtype=np.int64)]
    for start in range(0, X.shape[0], step):
        rows = X[start : start + step]
        rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            centred = rows - rows.mean(axis=1, keepdims=True)
            length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
            # a mean is off by up to n roundings of the largest value
            noise = rows.shape[1] ** 1.5 * 2.0**-53 * np.abs(rows).max(axis=1, initial=0.0)
            bad = ~((length > noise) & (length > 2.0**-500) & np.isfinite(length))
        found.append(np.flatnonzero(bad) + start)
    return np.concatenate(found)


def _listed(what: str, where: np.ndarray) -> str:
    """The first of some places, in words."""
    if len(where) == 1:
        return f"{what} {where[0]}"
    named = ", ".join(str(i) for i in where[:5])
    return f"{len(where)} {what}s ({named}{', ...' if len(where) > 5 else ''})"
