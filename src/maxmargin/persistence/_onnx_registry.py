"""Who writes which class as a graph. The decorator above a function adds its classes.

Classes are looked up as they are, never by inheritance: a subclass may predict in another way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.pipeline import Pipeline

from ._onnx_graph import Graph, Value


@dataclass(frozen=True)
class Prediction:
    """What a model says of rows; what it does not say is None.

    Attributes
    ----------
    classes : ndarray
        Labels that `index`, of shape (N,), counts through.
    decision : Value
        Of shape (N,), or (N, m).
    probabilities : Value
        Of shape (N, number of classes).
    value : Value
        Of a regressor, of shape (N,), or (N, number of targets).
    width : int or None
        Columns of `decision` or of `value`; None: it has shape (N,).

    """

    classes: np.ndarray | None = None
    index: Value | None = None
    decision: Value | None = None
    probabilities: Value | None = None
    value: Value | None = None
    width: int | None = None


ModelWriter = Callable[[Graph, Any, Value], Prediction]
StepWriter = Callable[[Graph, Any, Value], Value]
_Writer = TypeVar("_Writer", bound=Callable)

MODELS: dict[type, ModelWriter] = {}
STEPS: dict[type, StepWriter] = {}


def writes(*classes: type) -> Callable[[_Writer], _Writer]:
    """The decorated function writes models of these classes."""
    return lambda writer: _registered(MODELS, classes, writer)


def writes_step(*classes: type) -> Callable[[_Writer], _Writer]:
    """The decorated function writes preparation steps of these classes."""
    return lambda writer: _registered(STEPS, classes, writer)


def _registered(registry: dict, classes: tuple[type, ...], writer: _Writer) -> _Writer:
    registry.update(dict.fromkeys(classes, writer))
    return writer


def write_model(graph: Graph, model: Any, X: Value) -> Prediction:
    """The graph of a model's predictions for the rows of X."""
    if isinstance(model, Pipeline):
        for name, step in model.steps[:-1]:
            X = within(name, write_step, graph, step, X)
        name, model = model.steps[-1]
        return within(name, write_model, graph, model, X)
    if (writer := MODELS.get(type(model))) is None:
        raise ValueError(f"{_named(model)} cannot be exported to ONNX. Models that can: {_listed(MODELS)}.")
    if getattr(model, "_categories", None) is not None:
        raise ValueError(
            f"{_named(model)} was fitted on a data frame with categories and can be exported to ONNX by itself only, "
            f"not behind other steps; use maxmargin.tables.ColumnReader as the first step."
        )
    return writer(graph, model, X)


def write_step(graph: Graph, step: Any, X: Value) -> Value:
    """The graph of what a preparation step makes of the rows of X."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return X
    if isinstance(step, Pipeline):
        for name, inner in step.steps:
            X = within(name, write_step, graph, inner, X)
        return X
    if (writer := STEPS.get(type(step))) is None:
        raise ValueError(f"{_named(step)} cannot be exported to ONNX. Preparation that can: {_listed(STEPS)}.")
    return writer(graph, step, X)


def within(name: str, write: Callable, graph: Graph, step: Any, X: Value) -> Any:
    """Write a step of a pipeline or of a ColumnTransformer, whose name an error begins with."""
    try:
        return write(graph, step, X)
    except ValueError as error:
        inside = "," if str(error).startswith("step ") else ":"
        raise ValueError(f"step {name!r}{inside} {error}") from None


def _named(model: Any) -> str:
    return model if isinstance(model, str) else f"{type(model).__module__.split('.')[0]}'s {type(model).__name__}"


def _listed(registry: dict[type, Any]) -> str:
    return ", ".join(sorted({cls.__name__ for cls in registry}))
