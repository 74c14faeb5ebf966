"""Kernel models as graphs, sums over the rows of their training, and maps of kernels as steps before a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel_approximation import Nystroem, PolynomialMap, monomials
from ..kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from ._onnx_graph import Graph, Prediction, Value, writes, writes_step
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


@writes_step(Nystroem)
def _write_landmarks(graph: Graph, step: Any, X: Value) -> Value:
    return KernelGraph(step, step._fitted_kernel(), step.components_, X).sums(step.normalization_)


@writes_step(PolynomialMap)
def _write_monomials(graph: Graph, step: Any, X: Value) -> Value:
    d, degree = step.n_features_in_, int(step.degree)
    # d stands for a factor of 1
    parts = [
        np.pad(factors, ((0, 0), (0, degree - factors.shape[1])), constant_values=d)
        for factors in monomials(d, degree, float(step.coef0))
    ]
    factors = np.concatenate(parts)
    X = graph.concat([X * float(np.sqrt(step.gamma_)), graph.zeros(X, 1) + 1.0])
    out = X.columns(factors[:, 0] if degree else np.full(len(factors), d))
    for column in factors.T[1:]:
        out = out * X.columns(column)
    return out * step.weights_
