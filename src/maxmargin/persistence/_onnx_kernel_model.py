"""Kernel models as graphs: sums over the rows of their training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from ._onnx_graph import Graph, Prediction, Value, writes
from ._onnx_kernels import KernelGraph
from ._onnx_machines import chosen


@writes(KernelRidge)
def _write_ridge(graph: Graph, model: Any, X: Value) -> Prediction:
    coef = np.atleast_2d(model.dual_coef_.T)
    values = KernelGraph(model, model._fitted_kernel(), model.X_fit_, X).sums(np.ascontiguousarray(coef))
    single = model.dual_coef_.ndim == 1
    return Prediction(value=values.flat() if single else values, width=None if single else len(coef))


@writes(KernelLogisticRegression)
def _write_logistic(graph: Graph, model: Any, X: Value) -> Prediction:
    values = KernelGraph(model, model._fitted_kernel(), model.X_fit_, X).sums(model.dual_coef_) + model.intercept_
    index, decision, width = chosen(values, len(model.dual_coef_))
    if width is None:
        shares = graph.concat([-values, values]).apply("Sigmoid")
    else:
        positive = values.apply("Sigmoid")
        shares = positive / positive.sum()
    return Prediction(model.classes_, index, decision, shares, width=width)


@writes(KernelPerceptron)
def _write_perceptron(graph: Graph, model: Any, X: Value) -> Prediction:
    values = KernelGraph(model, model._fitted_kernel(), model.X_fit_, X).sums(model.dual_coef_) + model.intercept_
    index, decision, width = chosen(values, len(model.dual_coef_))
    return Prediction(model.classes_, index, decision, width=width)
