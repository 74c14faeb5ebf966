"""Preparation as graphs: scikit-learn's steps, by the same operations in the same order, and columns of data frames.

What an encoder makes of a category is not worked out anew: the fitted encoder is asked, category by category, and the
answers are a table of the graph. Where it refuses a value that it has not seen, so does the graph: its place lies
outside the table, which onnxruntime reports as an error.

A data frame is one input a column, of numbers or of strings. Numbers and truths are numbers, NaN where missing; so are
dates: days since 1970, the time of day as a fraction. Only categories that were text are strings. A tensor of strings
has no sign for a missing value: the empty string stands for it.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from ..tables import ColumnPlan, ColumnReader
from ..tree import Categories
from ._onnx_graph import Graph, Value, within, write_step, writes_step

# -------------------------------------------------------------------- encoders

_SAID = "known categories of encoded column {}"


def _numbers(step: Any) -> list[np.ndarray]:
    """The categories of each column, which have to be numbers."""
    for categories in step.categories_:
        if not all(isinstance(value, int | float | np.number | np.bool_) for value in categories):
            raise ValueError(
                f"{type(step).__name__} has categories that are not numbers ({categories[0]!r}, ...) and cannot be "
                f"exported to ONNX, whose input is a table of numbers. Use maxmargin.tables.ColumnReader as the first "
                f"step of the pipeline."
            )
    return [np.asarray(categories, dtype=np.float64) for categories in step.categories_]


def place_among(graph: Graph, column: Value, categories: np.ndarray) -> Value:
    """Place of each value of a column (N, 1) among the categories, of shape (N,); their number for any other value."""
    found = column.equals(categories[None, :])
    gap = np.flatnonzero(np.isnan(categories)) if categories.dtype.kind == "f" else np.arange(0)
    if len(gap):
        found = found | (column.is_nan() & (np.arange(len(categories)) == gap[0])[None, :])
    return graph.where(found.any(), found.argmax(), len(categories))


def _answers(step: Any, j: int) -> np.ndarray:
    """What the encoder makes of a row with each category of column j, the first one in all other columns."""
    rows = np.array([[categories[0] for categories in step.categories_]] * len(step.categories_[j]), dtype=object)
    rows[:, j] = step.categories_[j]
    asked = copy(step)  # with arrays in and out, whatever it was fitted on and is set to
    for name in ("feature_names_in_", "_sklearn_output_config"):
        vars(asked).pop(name, None)
    with config_context(transform_output="default"):
        out = asked.transform(rows.astype(np.float64))
    return np.asarray(out.toarray() if sp.issparse(out) else out, dtype=np.float64)


@writes_step(OneHotEncoder)
def _write_one_hot(graph: Graph, step: Any, X: Value) -> Value:
    parts, begin = [], 0
    rare = getattr(step, "infrequent_categories_", [None] * len(step.categories_))
    drop = [None] * len(step.categories_) if step.drop_idx_ is None else step.drop_idx_
    for j, categories in enumerate(_numbers(step)):
        few = 0 if rare[j] is None else len(rare[j])
        width = len(categories) - few + (few > 0) - (drop[j] is not None)
        table = _answers(step, j)[:, begin : begin + width]
        begin += width
        if step.handle_unknown != "error":
            unknown = np.zeros((1, width))
            if few and step.handle_unknown in ("infrequent_if_exist", "warn"):
                unknown = table[np.flatnonzero(np.isin(categories, rare[j].astype(np.float64)))[:1]]
            table = np.concatenate([table, unknown])
        if width:
            place = place_among(graph, X.columns([j]), categories)
            parts.append(graph.take(table, place, _SAID.format(j)))
    if not parts:
        raise ValueError("a OneHotEncoder that keeps no column cannot be exported to ONNX.")
    return graph.concat(parts)


@writes_step(OrdinalEncoder)
def _write_ordinal(graph: Graph, step: Any, X: Value) -> Value:
    parts = []
    for j, categories in enumerate(_numbers(step)):
        table = _answers(step, j)[:, j]
        if step.handle_unknown == "use_encoded_value":
            table = np.append(table, float(step.unknown_value))
        place = place_among(graph, X.columns([j]), categories)
        parts.append(graph.take(table, place, _SAID.format(j)).as_column())
    return graph.concat(parts)


# -------------------------------------------------------------------- columns of data frames


def reads_columns(model: Any) -> bool:
    """Whether a model, or the first step of a pipeline, takes a data frame column by column."""
    # categories of trees have names; those of gradient boosting have none, which is refused by name
    return isinstance(model, ColumnReader) or hasattr(getattr(model, "_categories", None), "names")


def read_columns(graph: Graph, model: Any) -> Value:
    """The table of numbers that the model makes of the columns, which become inputs."""
    if isinstance(model, ColumnReader):
        return graph.concat([part for plan in model.columns_ for part in _read(graph, plan)])
    return _codes_of_tree(graph, model._categories)


# -------------------------------------------------------------------- ColumnReader


def _read(graph: Graph, plan: ColumnPlan) -> list[Value]:
    """The columns of numbers that a column becomes."""
    if plan.kind == "drop":
        return []
    if plan.kind == "text":
        raise ValueError(f"column {plan.name!r} is free text, whose words cannot be told apart in ONNX: leave it out.")
    if plan.kind in ("date", "datetime"):
        return _date_parts(graph, graph.input(plan.name, float, 1), plan.kind == "datetime")
    if plan.kind == "number":
        return [graph.input(plan.name, float, 1)]
    if plan.type == "text":
        return [_text_codes(graph, graph.input(plan.name, str, 1), list(plan.levels), float(len(plan.levels)))]
    if plan.type == "date":
        raise ValueError(f"column {plan.name!r} holds dates taken as a category, which cannot be exported to ONNX.")
    return [_number_codes(graph, graph.input(plan.name, float, 1), plan)]


def _number_codes(graph: Graph, column: Value, plan: ColumnPlan) -> Value:
    """Codes of a category whose levels are numbers or truths; NaN where the number is missing."""
    unknown = float(len(plan.levels))
    if plan.type == "bool":
        levels = np.array([float(level == "True") for level in plan.levels])
        value = graph.where(column.equals(0.0), 0.0, 1.0)
    else:
        levels, value = np.array([float(level) for level in plan.levels]), column
    code = column * 0.0 + unknown
    if len(levels):
        code = place_among(graph, value, levels).to(float).as_column()
    return graph.where(column.is_nan(), np.nan, code)


def _date_parts(graph: Graph, days: Value, timed: bool) -> list[Value]:
    """Days since 1970, month, weekday and hour; NaN stays NaN.

    Years are counted from the first of March 2000 on, so that the day which is sometimes missing is their last one; 400
    of them have 146097 days. Counted from March, month m begins on day ``floor((153 m + 2) / 5)`` of the year.
    """
    whole = days.apply("Floor")
    day = _rest(whole - 11017.0, 146097.0)  # of the 400 years
    # without the leap days before it, each year has 365: one in 1460 days, but for the last one of a century
    year = _floor((day - _floor(day, 1460.0) + _floor(day, 36524.0) - _floor(day, 146096.0)), 365.0)
    of_year = day - (year * 365.0 + _floor(year, 4.0) - _floor(year, 100.0))
    month = _rest(_floor(of_year * 5.0 + 2.0, 153.0) + 2.0, 12.0) + 1.0
    parts = [days, month, _rest(whole + 3.0, 7.0)]  # the first of January 1970 was a Thursday
    return [*parts, ((days - whole) * 24.0).apply("Floor")] if timed else parts


def _floor(value: Value, divisor: float) -> Value:
    return (value / divisor).apply("Floor")


def _rest(value: Value, divisor: float) -> Value:
    return value - _floor(value, divisor) * divisor


# -------------------------------------------------------------------- trees that were fitted on a data frame


def _codes_of_tree(graph: Graph, categories: Categories) -> Value:
    """Of a category its place among those known, NaN if it is missing or not known."""
    parts = []
    for j, name in enumerate(categories.names):
        known = categories.of.get(j)
        if known is None:
            parts.append(graph.input(name, float, 1))
        elif all(isinstance(value, str) for value in known):
            parts.append(_text_codes(graph, graph.input(name, str, 1), list(known), np.nan))
        elif all(isinstance(value, int | float | np.number | np.bool_) for value in known):
            place = place_among(graph, graph.input(name, float, 1), np.asarray(known, dtype=np.float64))
            parts.append(graph.take(np.append(np.arange(float(len(known))), np.nan), place).as_column())
        else:
            raise ValueError(
                f"column {name!r} has categories that are neither text nor numbers and cannot be exported to ONNX."
            )
    return graph.concat(parts)


def _text_codes(graph: Graph, column: Value, levels: list[str], unknown: float) -> Value:
    """Places of strings among the levels, `unknown` for others and NaN for the empty one, unless it is a level."""
    keys = levels if "" in levels else [*levels, ""]
    place = graph.op(
        "LabelEncoder",
        column,
        kind=int,
        domain="ai.onnx.ml",
        keys_strings=keys,
        values_int64s=list(range(len(keys))),
        default_int64=len(keys),
    )
    codes = np.arange(float(len(keys) + 1))
    codes[len(levels) :] = np.nan
    codes[-1] = unknown
    return graph.take(codes, place)


# -------------------------------------------------------------------- columns of numbers


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
