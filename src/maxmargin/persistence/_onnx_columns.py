"""Data frames as inputs of a graph: one input a column, of numbers or of strings.

Numbers and truths are numbers, NaN where missing; so are dates: days since 1970, the time of day as a fraction. Only
categories that were text are strings. A tensor of strings has no sign for a missing value: the empty string stands for
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables import ColumnPlan, ColumnReader
from ..tree import Categories
from ._onnx_encoders import place_among
from ._onnx_graph import Graph, Value


def reads_columns(model: Any) -> bool:
    """Whether a model, or the first step of a pipeline, takes a data frame column by column."""
    return isinstance(model, ColumnReader) or getattr(model, "_categories", None) is not None


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
