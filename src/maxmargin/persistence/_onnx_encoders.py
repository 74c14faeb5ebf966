"""Encoders of categories as graphs: each column's value is looked up among its categories.

What scikit-learn makes of a category is not worked out anew: the fitted encoder is asked, category by category, and the
answers are a table of the graph. Where the encoder refuses a value that it has not seen, so does the graph: its place
lies outside the table, which onnxruntime reports as an error.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ._onnx_graph import Graph, Value
from ._onnx_registry import writes_step

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
