"""How many columns a transformer gives and an estimator takes, those that consist of others among them."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from ._registry import schema_of


def width_of(value: Any) -> int | None:
    """The number of columns that a fitted transformer gives; None where that is not known."""
    schema = schema_of(type(value))
    known = schema is not None and schema.width is not None and hasattr(value, "n_features_in_")
    return schema.width(value) if known else None  # type: ignore[union-attr, misc]


def taken_by(value: Any) -> int | None:
    """The number of columns that an estimator takes; None where that is not known."""
    for step in [value, *(step for _, step in getattr(value, "steps", ()))]:
        found = getattr(step, "n_features_in_", None) if step is value else taken_by(step)
        if found is not None:
            return int(found)
    return None


def pipeline_width(value: Pipeline) -> int:
    """Of the last step that gives columns; a pipeline that ends in a model has none that anybody takes."""
    for _, step in reversed(value.steps):
        if step is not None and not isinstance(step, str):
            return width_of(step) or 0
    return 0


def parts_width(value: ColumnTransformer) -> int:
    """To the end of the last part."""
    return max((part.stop for part in value.output_indices_.values()), default=0)
