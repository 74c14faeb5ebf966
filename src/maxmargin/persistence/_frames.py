"""Who asks for columns by name, and who gives data frames, in which columns have names."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

_FRAMES = ("pandas", "polars")
IN_ARRAYS = "chooses columns by name, and is given arrays, which have none."


def wants_names(value: Any) -> bool:
    """Whether a fitted step, or a part of it that takes the same columns, chooses columns by name."""
    if isinstance(value, Pipeline):
        first = next((step for _, step in value.steps if not _passes(step)), None)
        return wants_names(first)
    if not isinstance(value, ColumnTransformer) or not hasattr(value, "transformers_"):
        return False
    used = [(step, columns) for _, step, columns in value.transformers_ if not _drops(step)]
    return any(_by_name(columns) or wants_names(step) for step, columns in used if not _is_empty(columns))


def gives_frames(value: Any, given: bool) -> bool:
    """Whether a step gives data frames, if it is `given` them or not; scikit-learn's setting of today counts."""
    if _passes(value):
        return given
    if isinstance(value, Pipeline):
        for _, step in value.steps:
            given = gives_frames(step, given)
        return given
    chosen = getattr(value, "_sklearn_output_config", {}).get("transform")
    passed = given and isinstance(value, FunctionTransformer) and not value.validate
    return passed or (chosen or get_config()["transform_output"]) in _FRAMES


def names_given(value: Any) -> list[Any] | None:
    """The columns of the data frames that a fitted step gives; None where they are not known."""
    if isinstance(value, Pipeline):
        last = next((step for _, step in reversed(value.steps) if not _passes(step)), None)
        return None if last is None else names_given(last)
    if not hasattr(value, "feature_names_in_") or not hasattr(value, "get_feature_names_out"):
        return None
    return list(value.get_feature_names_out())


def names_wanted(value: Any) -> list[Any] | None:
    """The columns that a fitted step was fitted on, in their order; None where they had no names."""
    if isinstance(value, Pipeline):
        first = next((step for _, step in value.steps if not _passes(step)), None)
        return None if first is None else names_wanted(first)
    found = getattr(value, "feature_names_in_", None)
    return None if found is None else list(found)


def _passes(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _drops(step: Any) -> bool:
    return isinstance(step, str) and step == "drop"


def _is_empty(columns: Any) -> bool:
    return not isinstance(columns, slice) and len(columns) == 0


def _by_name(columns: Any) -> bool:
    return not isinstance(columns, slice) and isinstance(columns[0], str)
