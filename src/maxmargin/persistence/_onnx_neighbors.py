"""Nearest neighbours as graphs: all distances of a row to the training rows, from differences, nothing cancels.

Training rows that are equally far but for rounding may come in another order than in the model, whose sums run in
another order; those that are exactly equally far come by their index, as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor
from ._onnx_graph import Graph, Prediction, Value, writes


def _nearest(graph: Graph, index: Any, rows: Any, X: Value, k: int) -> tuple[Value, Value]:
    """Distances and numbers of the k nearest rows, nearest first, both of shape (N, k)."""
    if index.columns.exponent:
        raise ValueError("training rows so large or small that their squares leave float64 cannot be exported to ONNX.")
    Z = (rows.toarray() if sp.issparse(rows) else np.asarray(rows)).astype(np.float64)

    def add(j: Value, squares: Value) -> tuple[list[Value], list[Value]]:
        apart = X.apply("Gather", j, axis=1).as_column() - graph.take(Z.T, j)
        return [squares + apart * apart], []

    (squares,) = graph.loop(Z.shape[1], [graph.zeros(X, len(Z))], add)
    near, place = graph.top(squares, k, largest=False)
    return near.apply("Sqrt"), place


def _neighbours(graph: Graph, model: Any, X: Value) -> tuple[Value, Value]:
    """Weights and numbers of the neighbours of each row, both of shape (N, k)."""
    if not model._euclidean:
        raise ValueError(
            f"{type(model).__name__} has the metric {model.metric!r}, which cannot be exported to ONNX; the Euclidean "
            f"one can."
        )
    if callable(model.weights):
        raise ValueError(
            f"{type(model).__name__} has a function as its weights, which cannot be exported to ONNX; 'uniform' and "
            f"'distance' can."
        )
    distances, place = _nearest(graph, model._index, model._fit_X, X, model.n_neighbors)
    if model.weights != "distance":
        return distances * 0.0 + 1.0, place
    nearest = distances.columns([0])
    met = distances.equals(0.0).to(float)  # a row that is in the training data counts its copies there alone
    return graph.where(nearest.equals(0.0), met, nearest / distances), place


@writes(KNeighborsClassifier)
def _write_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
    if model.outputs_2d_:
        raise ValueError("a KNeighborsClassifier of several outputs cannot be exported to ONNX; one output can.")
    weights, place = _neighbours(graph, model, X)
    label, K = model._labels[:, 0], len(model.classes_)
    if model.weights == "inverse_class_size":
        weights = graph.take(1.0 / model._sizes[0][label], place)

    def add(t: Value, votes: Value) -> tuple[list[Value], list[Value]]:
        said = graph.take(label, place.apply("Gather", t, axis=1)).one_hot(K).to(float)
        return [votes + said * weights.apply("Gather", t, axis=1).as_column()], []

    (votes,) = graph.loop(model.n_neighbors, [graph.zeros(X, K)], add)
    shares = votes / votes.sum()
    return Prediction(model.classes_, shares.argmax(), probabilities=shares)


@writes(KNeighborsRegressor)
def _write_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    weights, place = _neighbours(graph, model, X)
    values = np.asarray(model._y, dtype=np.float64)
    total = weights.sum()
    if values.ndim == 1:
        return Prediction(value=((graph.take(values, place) * weights).sum() / total).flat())
    parts = graph.take(values, place) * weights.apply("Unsqueeze", np.array([2]))
    return Prediction(value=parts.sum(keep=False) / total, width=values.shape[1])


@writes(CondensedNearestNeighbors)
def _write_condensed(graph: Graph, model: Any, X: Value) -> Prediction:
    _, place = _nearest(graph, model._index, model.prototypes_, X, 1)
    classes, label = np.unique(model.prototype_labels_, return_inverse=True)
    return Prediction(classes, graph.take(label, place.flat()))
