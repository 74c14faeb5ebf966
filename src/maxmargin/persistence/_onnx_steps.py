"""scikit-learn's preparation steps as graphs, by the same operations in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from ._onnx_graph import Graph, Value
from ._onnx_registry import within, write_step, writes_step


@writes_step(StandardScaler)
def _write_standard(graph: Graph, step: Any, X: Value) -> Value:
    X = X - step.mean_ if step.with_mean else X
    return X / step.scale_ if step.with_std else X


@writes_step(MinMaxScaler)
def _write_min_max(graph: Graph, step: Any, X: Value) -> Value:
    X = X * step.scale_ + step.min_
    return X.apply("Clip", *map(float, step.feature_range)) if step.clip else X


@writes_step(MaxAbsScaler)
def _write_max_abs(graph: Graph, step: Any, X: Value) -> Value:
    X = X / step.scale_
    return X.apply("Clip", -1.0, 1.0) if getattr(step, "clip", False) else X


@writes_step(RobustScaler)
def _write_robust(graph: Graph, step: Any, X: Value) -> Value:
    X = X - step.center_ if step.with_centering else X
    return X / step.scale_ if step.with_scaling else X


@writes_step(Normalizer)
def _write_normalizer(graph: Graph, step: Any, X: Value) -> Value:
    if step.norm == "l2":
        lengths = (X * X).sum().apply("Sqrt")
    else:
        lengths = X.apply("Abs").sum() if step.norm == "l1" else X.apply("Abs").max()
    return X / graph.where(lengths.equals(0.0), 1.0, lengths)


@writes_step(PCA)
def _write_pca(graph: Graph, step: Any, X: Value) -> Value:
    X = (X - step.mean_) @ np.ascontiguousarray(step.components_.T)
    if not step.whiten:
        return X
    scale = np.sqrt(step.explained_variance_)
    return X / np.maximum(scale, np.finfo(scale.dtype).eps)


@writes_step(PolynomialFeatures)
def _write_powers(graph: Graph, step: Any, X: Value) -> Value:
    # a monomial x_i x_j ... x_m, i <= j <= ... <= m, is multiplied up from its last factor; d stands for a factor of 1
    powers = step.powers_
    d, degree = powers.shape[1], int(powers.sum(axis=1).max(initial=0))
    factors = np.full((len(powers), max(1, degree)), d)
    for row, power in zip(factors, powers, strict=True):
        row[: power.sum()] = np.repeat(np.arange(d), power)[::-1]
    X = graph.concat([X, graph.zeros(X, 1) + 1.0])
    out = X.columns(factors[:, 0])
    for column in factors.T[1:]:
        out = out * X.columns(column)
    return out


@writes_step(FunctionTransformer)
def _write_function(graph: Graph, step: Any, X: Value) -> Value:
    if step.func is not None:
        raise ValueError(
            "a FunctionTransformer with a function cannot be exported to ONNX; only one with func=None, which changes "
            "nothing, can."
        )
    return X


# -------------------------------------------------------------------- missing values


def _missing(step: Any, X: Value) -> Value:
    """Where values are missing, by the step's own sign for it."""
    sign = step.missing_values
    if not isinstance(sign, int | float | np.number):
        raise ValueError(f"missing_values={sign!r} cannot be exported to ONNX: use NaN or a number.")
    return X.is_nan() if np.isnan(float(sign)) else X.equals(float(sign))


@writes_step(SimpleImputer)
def _write_imputer(graph: Graph, step: Any, X: Value) -> Value:
    try:
        fill = np.asarray(step.statistics_, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("a SimpleImputer of text cannot be exported to ONNX; one of numbers can.") from None
    missing = _missing(step, X)
    kept = np.arange(len(fill)) if step.keep_empty_features else np.flatnonzero(~np.isnan(fill))
    out = graph.where(missing, fill, X)
    out = out if len(kept) == len(fill) else out.columns(kept)
    if not step.add_indicator:
        return out
    flags = missing.columns(step.indicator_.features_).to(float)
    return graph.concat([out, flags]) if len(kept) else flags


@writes_step(MissingIndicator)
def _write_indicator(graph: Graph, step: Any, X: Value) -> Value:
    return _missing(step, X).columns(step.features_).to(float)


# -------------------------------------------------------------------- steps for some of the columns


def _places(columns: Any, step: ColumnTransformer) -> np.ndarray:
    """Columns as numbers: by index, by a mask, by a slice, or by the names of the data frame of the fit."""
    d = step.n_features_in_
    names = [str(name) for name in getattr(step, "feature_names_in_", [])]
    if isinstance(columns, slice):
        start, stop = columns.start, columns.stop  # by name, the last one is included
        start = names.index(start) if isinstance(start, str) else start
        stop = names.index(stop) + 1 if isinstance(stop, str) else stop
        return np.arange(d)[start : stop : columns.step]
    given: list[Any] = [columns] if np.isscalar(columns) else list(np.asarray(columns, dtype=object))
    if any(isinstance(column, str) for column in given):
        unknown = [column for column in given if column not in names]
        if unknown:
            raise ValueError(f"a ColumnTransformer's column {unknown[0]!r} is not among its {d} columns of the fit.")
        return np.array([names.index(column) for column in given])
    if len(given) == d and all(isinstance(column, bool | np.bool_) for column in given):
        return np.flatnonzero(given)
    try:
        return np.arange(d)[np.asarray(given, dtype=np.int64)] if given else np.arange(0)
    except (TypeError, ValueError, IndexError):
        raise ValueError(
            f"columns of a ColumnTransformer are exported to ONNX by number, name or mask; got {columns!r}."
        ) from None


@writes_step(ColumnTransformer)
def _write_column_transformer(graph: Graph, step: Any, X: Value) -> Value:
    parts = []
    for name, inner, columns in step.transformers_:
        if isinstance(inner, str) and inner == "drop":
            continue
        place = _places(columns, step)
        if len(place):
            parts.append(within(name, write_step, graph, inner, X.columns(place)))
    if not parts:
        raise ValueError("a ColumnTransformer that keeps no column cannot be exported to ONNX.")
    return graph.concat(parts)
