"""A whole model as an ONNX file: inputs, outputs, and what is known about it."""

from __future__ import annotations

import json
from copy import copy
from typing import Any

import numpy as np
from onnx import ModelProto, helper
from sklearn.pipeline import Pipeline

from .. import __version__
from ..certificates import rounded_down, rounded_up, sampled_words
from . import (  # noqa: F401 - each adds what it writes to the registry
    _onnx_boosting,
    _onnx_kernel_model,
    _onnx_machines,
    _onnx_neighbors,
    _onnx_trees,
)
from ._onnx_graph import IR_VERSION, ML_OPSET, OPSET, Graph, Prediction, Value, write_model
from ._onnx_preparation import read_columns, reads_columns


def write_whole(model: Any) -> ModelProto:
    """The ONNX model of a fitted estimator or pipeline."""
    graph = Graph()
    said = _written(graph, model)
    outputs: dict[str, tuple[Value, list]] = {}
    if said.classes is not None and said.index is not None:
        outputs["label"] = graph.take(_labels(said.classes), said.index), ["N"]
    shape = ["N"] if said.width is None else ["N", said.width]
    if said.decision is not None:
        outputs["decision"] = said.decision, shape
    if said.probabilities is not None and said.classes is not None:
        outputs["probabilities"] = said.probabilities, ["N", len(said.classes)]
    if said.value is not None:
        outputs["value"] = said.value, shape
    written = helper.make_model(
        graph.finish(outputs),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="maxmargin",
        producer_version=__version__,
    )
    helper.set_model_props(written, _facts(model))
    return written


def _written(graph: Graph, model: Any) -> Prediction:
    """The predictions of a model for the inputs that it asks for, which are added to the graph."""
    first = model
    while isinstance(first, Pipeline):
        first = first.steps[0][1]
    if reads_columns(first):
        X = read_columns(graph, first)
        return write_model(graph, _without_first(model), X)
    return write_model(graph, model, graph.input("X", float, _width(model)))


def _width(model: Any) -> int:
    """Columns of X: those of the first step that knows. A machine with a user's kernel, refused later, does not."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else []
    told = (_width(step) for step in steps if not (step is None or isinstance(step, str)))
    return next(told, 1) if steps else int(getattr(model, "n_features_in_", 1))


def _without_first(model: Any) -> Any:
    """A model without the step that read its columns, which may be the model itself."""
    if not isinstance(model, Pipeline):
        rest = copy(model)
        rest._categories = None
        return rest
    name, step = model.steps[0]
    rest = _without_first(step) if isinstance(step, Pipeline) or len(model.steps) == 1 else "passthrough"
    return Pipeline([(name, rest), *model.steps[1:]])


def _labels(classes: np.ndarray) -> np.ndarray:
    """Labels as numbers, truths or text."""
    if classes.dtype.kind in "iubfU":
        return classes
    if all(isinstance(label, str) for label in classes):
        return classes.astype(object)
    raise ValueError(
        f"labels of a model that is exported to ONNX are numbers, truths or text; got {classes[0]!r} of type "
        f"{type(classes[0]).__name__}."
    )


def _facts(model: Any) -> dict[str, str]:
    """Version, class, columns and proof. No times: the same model gives the same file."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    facts = {"maxmargin.version": __version__, "maxmargin.class": type(last).__name__}
    if isinstance(model, Pipeline):
        facts["maxmargin.steps"] = json.dumps([type(step).__name__ for _, step in model.steps])
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        facts["maxmargin.columns"] = json.dumps([str(name) for name in names])
    facts["maxmargin.certificate"] = _proof(last)
    return facts


def _proof(model: Any) -> str:
    """What a model's certificate says; neighbours make theirs when asked, by a search of all rows: not for a file."""
    if getattr(model, "_proof", model) is None or not hasattr(model, "certificate_"):
        return "none"
    return _statement(model.certificate_)


def _statement(certificate: Any) -> str:
    """What a certificate says, in a sentence."""
    if hasattr(certificate, "statement"):
        return f"{certificate.name}, {certificate.status}: {certificate.statement}"
    worst = certificate.worst
    many = len(certificate.problems)
    sampled = f"; the lower bound {sampled_words(certificate.confidence)}" if certificate.confidence < 1 else ""
    between = f"{rounded_down(worst.dual)} and {rounded_up(worst.primal)}"
    return (
        f"{certificate.status}: the optimum is between {between}, relative gap "
        f"{worst.relative_gap:.2e}" + (f" (the worst of {many} problems)" if many > 1 else "") + f"{sampled}."
    )
