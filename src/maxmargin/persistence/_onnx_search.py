"""Machines that tuned themselves, as graphs: the best machine, and its calibrated probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..estimators import class_pairs
from ..linear_model import LogisticRegressionCV
from ..search import CERTAIN_PAIR, WINNERS_LEAD, Calibration, Isotonic, Sigmoid
from ..svm import SVCCV, SVRCV, LinearSVCCV
from ._onnx_graph import Graph, Value
from ._onnx_registry import Prediction, write_model, writes
from ._onnx_svm import binary_values, votes_of_pairs


@writes(SVCCV, SVRCV, LinearSVCCV, LogisticRegressionCV)
def _write_search(graph: Graph, model: Any, X: Value) -> Prediction:
    if not model.refit:
        raise ValueError(
            f"this {type(model).__name__} has refit=False: no machine was trained on all rows, so that there is "
            f"nothing to export. Set refit=True, or train one with best_params_."
        )
    best = model.best_estimator_
    said = write_model(graph, best, X)
    if getattr(model, "calibration", None) is None:
        return said
    values = binary_values(graph, best, X) if isinstance(model, SVCCV) else said.decision
    assert values is not None
    if len(model.classes_) == 2 and not isinstance(model, SVCCV):
        values = values.as_column()
    return replace(said, probabilities=_probabilities(graph, model.calibration_, values))


def _probabilities(graph: Graph, calibration: Calibration, values: Value) -> Value:
    """`Calibration.probabilities`, in which the predicted class is always the most probable one."""
    p, K = _mapped(graph, calibration.maps, values), calibration.classes
    if calibration.scheme == "binary":
        p1 = _on_side(graph, p, values, calibration.unit)
        return graph.concat([1.0 - p1, p1])
    if calibration.scheme == "pairs":
        winner = votes_of_pairs(class_pairs(K), K, values > 0.0).argmax()
        return _raised(graph, _coupled(graph, p, K), winner, K)
    total = p.sum()
    shares = graph.where(total > 0.0, p / total, 1.0 / K)
    return _raised(graph, shares, values.argmax(), K)


def _mapped(graph: Graph, maps: tuple, values: Value) -> Value:
    """Probabilities of the positive sides, a map a column."""
    if all(isinstance(m, Sigmoid) for m in maps):
        slope, unit = np.array([m.slope for m in maps]).T, np.array([m.unit for m in maps]).T
        pieces = [
            (values + 1.0).apply("Min", 0.0),
            values.apply("Clip", -1.0, 0.0),
            values.apply("Clip", 0.0, 1.0),
            (values - 1.0).apply("Max", 0.0),
        ]
        scaled = [piece / unit[k] * slope[k] for k, piece in enumerate(pieces)]
        return (scaled[0] + scaled[1] + scaled[2] + scaled[3] + np.array([m.offset for m in maps])).apply("Sigmoid")
    return graph.concat([_interpolated(graph, m, values.columns([k])) for k, m in enumerate(maps)])


def _interpolated(graph: Graph, curve: Isotonic, values: Value) -> Value:
    """Linear interpolation between rising points, constant beyond them."""
    at, height = curve.at, curve.value
    if len(at) == 1:
        return values * 0.0 + float(height[0])
    x = (values / float(curve.unit)).apply("Clip", float(at[0]), float(at[-1]))
    place = (x >= at[None, 1:-1]).to(int).sum() if len(at) > 2 else graph.zeros(values, 1, int)
    slope = np.diff(height) / np.diff(at)
    between = graph.take(slope, place) * (x - graph.take(at[:-1], place)) + graph.take(height[:-1], place)
    return graph.where(x >= float(at[-1]), float(height[-1]), between)


def _on_side(graph: Graph, p: Value, f: Value, unit: float) -> Value:
    """Probabilities of class 1, above 1/2 where f is positive and below elsewhere."""
    # onnxruntime has no arc tangent in float64; of a margin of 1e-6, float32 leaves 1e-13
    ratio = graph.op("Cast", f.apply("Abs") / float(unit), kind=float, to=1)
    angle = graph.op("Cast", ratio.apply("Atan"), kind=float, to=11)
    margin = WINNERS_LEAD * (1.0 + angle)
    return graph.where(f > 0.0, p.apply("Max", 0.5 + margin), p.apply("Min", 0.5 - margin))


def _coupled(graph: Graph, p: Value, K: int) -> Value:
    """Method 2 of Wu, Lin and Weng: the minimum of p'Qp subject to sum p = 1.

    On that plane p'(Q + 1 1')p is the same but for a constant, and it is positive definite: its minimum is
    ``z / sum z`` with ``(Q + 1 1') z = 1``, by Gauss and Jordan without exchanges.
    """
    r = p.apply("Clip", CERTAIN_PAIR, 1.0 - CERTAIN_PAIR)
    pairs = class_pairs(K)
    mixed, won, lost = (np.zeros((len(pairs), K * K)) for _ in range(3))
    for k, (a, b) in enumerate(pairs):
        mixed[k, a * K + b] = mixed[k, b * K + a] = -1.0
        lost[k, a * K + a] = won[k, b * K + b] = 1.0
    other = 1.0 - r
    flat = (r * other) @ mixed + (other * other) @ lost + (r * r) @ won + 1.0
    square = flat.apply("Reshape", np.array([-1, K, K]))
    ones = graph.zeros(r, K).apply("Unsqueeze", np.array([2])) + 1.0
    table = graph.op("Concat", square, ones, kind=float, axis=2)

    def eliminate(k: Value, table: Value) -> tuple[list[Value], list[Value]]:
        at = k.apply("Reshape", np.array([1]))
        row = table.apply("Gather", at, axis=1)
        row = row / row.apply("Gather", at, axis=2)
        factor = table.apply("Gather", at, axis=2)
        mine = graph.value(np.arange(K)[None, :, None]).equals(k)
        return [graph.where(mine, row, table - factor * row)], []

    (solved,) = graph.loop(K, [table], eliminate)
    z = solved.apply("Gather", np.array(K), axis=2).apply("Max", 0.0)
    return z / z.sum()


def _raised(graph: Graph, p: Value, winner: Value, K: int) -> Value:
    """The nearest distributions in which the winner is the most probable class."""
    is_winner = winner.one_hot(K)
    mine = graph.pick(p, winner).as_column()
    others = graph.where(is_winner, -1.0, p)
    late = others.max() > mine - WINNERS_LEAD
    falling, _ = graph.top(others, K - 1, largest=True)
    # means of the winner and of the m largest others; those above the mean of the ones before them join in
    running = graph.op("CumSum", graph.concat([mine, falling]), np.array(1), kind=float)
    means = running / np.arange(1.0, K + 1)
    counts = np.arange(1, K)[None, :]
    joined = graph.where(falling > means.columns(np.arange(K - 1)), counts, 0).max(keep=False)
    level = graph.pick(means, joined).as_column()
    capped = others.apply("Min", level - WINNERS_LEAD).apply("Max", 0.0)
    capped = graph.where(is_winner, 0.0, capped)
    return graph.where(late, graph.where(is_winner, 1.0 - capped.sum(), capped), p)
