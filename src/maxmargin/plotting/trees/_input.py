"""What a drawing of a tree, or of importances, is asked for: checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from .._features import in_column_order
from .._look import class_names as names_of_classes


def check_tree(model: Any) -> None:
    """Raise where a model is not a single fitted tree of one output."""
    if not hasattr(model, "criterion") or not hasattr(model, "cost_complexity_pruning_path"):
        hint = "; draw one of its estimators_" if hasattr(model, "estimators_") else ""
        raise TypeError(
            "TreeDisplay draws decision trees, such as maxmargin.tree.DecisionTreeClassifier; got "
            f"{type(model).__name__}{hint}."
        )
    check_is_fitted(model)
    if model.tree_.n_outputs > 1:
        raise ValueError(f"TreeDisplay draws trees of one output; this {type(model).__name__} has several.")


def feature_names_for(model: Any, given: Any, d: int) -> list[str]:
    """Names of d features: those given, those that the model has seen, or their numbers."""
    if given is None:
        names = getattr(model, "feature_names_in_", None)
        return [f"feature {j}" for j in range(d)] if names is None else [str(name) for name in names]
    names = _listed("feature_names", given)
    if len(names) != d:
        raise ValueError(f"feature_names must have a name for each of the {d} features; got {len(names)}.")
    return names


def class_names_for(model: Any, given: Any) -> tuple[str, ...]:
    """Names of the classes, none for a model of values."""
    if not is_classifier(model):
        if given is not None:
            raise ValueError(f"class_names has no meaning for a {type(model).__name__}, which predicts values.")
        return ()
    if given is None:
        return names_of_classes(model.classes_)
    names, count = _listed("class_names", given), len(model.classes_)
    if len(names) != count:
        raise ValueError(f"class_names must have a name for each of the {count} classes; got {len(names)}.")
    return tuple(names)


def _listed(what: str, given: Any) -> list[str]:
    if isinstance(given, str):
        raise ValueError(f"{what} must be a sequence of names; got the single text {given!r}.")
    return [str(name) for name in given]


def way_of(model: Any, row: Any) -> tuple[int, ...]:
    """The nodes that a row passes."""
    table = row if hasattr(row, "columns") else np.asarray(row)
    if table.ndim == 1:
        table = table[None]
    if table.shape[0] != 1:
        raise ValueError(f"row must be a single row of the table; got {table.shape[0]} rows.")
    with in_column_order():
        return tuple(model.decision_path(table).indices.tolist())
