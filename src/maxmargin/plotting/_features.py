"""Which two features, or directions, a picture is drawn in."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from ..data import canonical, csr_rows
from ..messages import listed
from ._plane import Plane, plane_of

PRINCIPAL = "principal"


def check_count(name: str, value: Any, least: int, otherwise: str = "") -> None:
    """Raise where a value is no whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}{otherwise}; got {value!r}.")


@contextmanager
def in_column_order() -> Iterator[None]:
    """Rows of a grid or from a pipeline, with or without names: their columns are in the order of the fit."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        warnings.filterwarnings("ignore", message="X has feature names")
        yield


def last_step(estimator: Any, X: Any) -> tuple[Any, Any, list[str] | None]:
    """The model itself, the rows as it sees them, and the names of their columns if they have any."""
    X = canonical(X)
    if not isinstance(estimator, Pipeline):
        return estimator, X, names_of(X, estimator)
    check_is_fitted(estimator)
    if len(estimator) == 1:
        return estimator[-1], X, names_of(X, estimator[-1])
    steps, names = estimator[:-1], names_of(X)
    rows = steps.transform(X)
    if names is not None:  # a scaler keeps the names, principal components have their own
        names = [str(name) for name in steps.get_feature_names_out()] if _names_its_columns(steps) else None
    return estimator[-1], rows, names_of(rows, estimator[-1]) or names


def _names_its_columns(steps: Pipeline) -> bool:
    return all(hasattr(step, "get_feature_names_out") for _, step in steps.steps if step not in (None, "passthrough"))


def table_of(X: Any) -> Any:
    """X as numbers in rows and columns, sparse if it is."""
    rows = csr_rows(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(
            f"X must be a table of shape (n_samples, n_features); got {rows.ndim} dimension(s), shape {rows.shape}."
        )
    assert_all_finite(rows, input_name="X")
    return rows


def check_columns(rows: Any, model: Any) -> None:
    """Raise where the rows are not of the features that the model has seen."""
    expected = getattr(model, "n_features_in_", rows.shape[1])
    if rows.shape[1] != expected:
        raise ValueError(f"X has {rows.shape[1]} features; this {type(model).__name__} was trained on {expected}.")


def names_of(X: Any, model: Any = None) -> list[str] | None:
    """Names of the columns: those that the model has seen, or those of a data frame."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", None)
    return None if names is None else [str(name) for name in names]


def plane_for(rows: Any, features: Any, names: list[str] | None, what: str) -> Plane:
    """The plane of two features, the others at their means, or that of the first two principal components."""
    d = rows.shape[1]
    if d < 2:
        raise ValueError(f"{what} draws in a plane, which needs two features or more; X has {d}.")
    if isinstance(features, str):
        if features != PRINCIPAL:
            raise ValueError(f"features must be two columns or {PRINCIPAL!r}; got {features!r}.")
        return plane_of(rows, None, names)
    if features is None:
        if d > 2:
            raise ValueError(
                f"X has {d} features, and a picture has two axes: choose two by features=({_example(names)}), or the "
                f"plane of the first two principal components by features={PRINCIPAL!r}."
            )
        features = (0, 1)
    i, j = _columns(features, d, names)
    origin = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    origin[[i, j]] = 0.0
    known = [f"feature {k}" for k in range(d)] if names is None else names
    return Plane(origin, np.eye(d)[[i, j]], (known[i], known[j]))


def _example(names: list[str] | None) -> str:
    return "0, 1" if names is None else f"{names[0]!r}, {names[1]!r}"


def _columns(features: Any, d: int, names: list[str] | None) -> tuple[int, int]:
    try:
        first, second = features
    except (TypeError, ValueError):
        raise ValueError(f"features must be two columns or {PRINCIPAL!r}; got {features!r}.") from None
    i, j = _column(first, d, names), _column(second, d, names)
    if i == j:
        raise ValueError(f"features must be two different columns; got {first!r} twice.")
    return i, j


def _column(feature: Any, d: int, names: list[str] | None) -> int:
    if isinstance(feature, str):
        if names is None:
            raise ValueError(f"features has the name {feature!r}, but X has no names; use numbers from 0 to {d - 1}.")
        if feature not in names:
            raise ValueError(f"features has {feature!r}, which is no column of X; there are {listed(names, 12)}.")
        return names.index(feature)
    if not isinstance(feature, Integral) or isinstance(feature, bool) or not 0 <= int(feature) < d:
        raise ValueError(f"features must be names or numbers of columns from 0 to {d - 1}; got {feature!r}.")
    return int(feature)
