"""Linear models as graphs: ``x @ coef.T + intercept``, and what becomes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import PolynomialFeatures

from ..linear_model import (
    ElasticNet,
    Lasso,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PolynomialRegression,
    Ridge,
    as_floats,
)
from ..svm import LinearSVC, LinearSVR
from ._onnx_graph import Graph, Value
from ._onnx_registry import Prediction, write_step, writes


def _linear(model: Any, X: Value) -> Value:
    """``x @ coef.T + intercept``, of shape (N, outputs)."""
    coef = model.coef_.toarray() if sp.issparse(model.coef_) else np.atleast_2d(model.coef_)
    return X @ coef.T + np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(coef))


def chosen(values: Value, columns: int) -> tuple[Value, Value, int | None]:
    """Number of the class, decision and its width: by the sign of one column, or by the largest of several."""
    if columns == 1:
        decision = values.flat()
        return (decision > 0.0).to(int), decision, None
    return values.argmax(), values, columns


def _classified(model: Any, X: Value) -> tuple[Prediction, Value]:
    values = _linear(model, X)
    index, decision, width = chosen(values, model.coef_.shape[0])
    return Prediction(model.classes_, index, decision, width=width), values


@writes(LinearSVC, Perceptron)
def _write_machine(graph: Graph, model: Any, X: Value) -> Prediction:
    return _classified(model, X)[0]


@writes(LinearClassifier)
def _write_linear_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
    said, values = _classified(model, X)
    if not hasattr(model, "predict_proba"):  # only the logistic loss has probabilities
        return said
    positive = values.apply("Sigmoid")
    if said.width is None:
        shares = graph.concat([1.0 - positive, positive])
    else:
        shares = positive / positive.sum()
    return Prediction(said.classes, said.index, said.decision, shares, width=said.width)


@writes(LogisticRegression)
def _write_logistic(graph: Graph, model: Any, X: Value) -> Prediction:
    said, values = _classified(model, X)
    if said.width is None:
        shares = graph.concat([-values, values]).apply("Sigmoid")
    else:
        shares = values.apply("Softmax", axis=1)
    return Prediction(said.classes, said.index, said.decision, shares, width=said.width)


@writes(ElasticNet, Lasso, LinearRegression, LinearSVR, Ridge)
def _write_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    return _regression(_linear(model, X), model)


def _regression(values: Value, model: Any) -> Prediction:
    single = np.ndim(model.coef_) == 1
    return Prediction(value=values.flat() if single else values, width=None if single else model.coef_.shape[0])


@writes(PolynomialRegression)
def _write_polynomial(graph: Graph, model: Any, X: Value) -> Prediction:
    if model.n_features_in_ > 1:
        features: PolynomialFeatures = model._features
        return _regression(_linear(model, write_step(graph, features, X)), model)
    # one feature: the recurrence of the orthonormal basis, which powers would ruin
    basis, inner = model._basis, as_floats(model._inner)
    t, columns = (X - basis.centre) / float(basis.half), []
    for k in range(basis.size):
        if k == 0:
            columns.append((graph.zeros(X, 1) + 1.0 if basis.constant else X) / float(basis.first))
        else:
            before = graph.concat(columns) @ basis.h[:k, k - 1 : k]
            columns.append((t * columns[-1] - before) / float(basis.h[k, k - 1]))
    if not columns:
        return _regression(graph.zeros(X, len(np.atleast_2d(model.coef_))), model)
    return _regression(graph.concat(columns) @ inner, model)
