"""Linear models and support vector machines as graphs.

Of those that tuned themselves it is the best machine, with its calibrated probabilities.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import PolynomialFeatures

from ..estimators import class_pairs
from ..linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
    RidgeCV,
    as_floats,
)
from ..search import CERTAIN_PAIR, WINNERS_LEAD, Calibration, Isotonic, Sigmoid
from ..svm import (
    SVC,
    SVCCV,
    SVR,
    SVRCV,
    LargeSVC,
    LargeSVR,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OneVsOne,
    class_slices,
)
from ._onnx_graph import Graph, Prediction, Value, write_model, write_step, writes
from ._onnx_kernels import KernelGraph


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


@writes(ElasticNet, ElasticNetCV, Lasso, LassoCV, LinearRegression, LinearSVR, Ridge, RidgeCV)
def _write_linear_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
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


def _machine(model: Any, X: Value) -> KernelGraph:
    return KernelGraph(model, model._fitted_kernel(), model.support_vectors_, X)


def binary_values(graph: Graph, model: Any, X: Value) -> Value:
    """Decision values of all binary problems, of shape (N, problems)."""
    if model._kernel_name == "linear":
        return X @ np.ascontiguousarray(model._weights().T) + model.intercept_
    machine, scheme, own = _machine(model, X), model._fitted_scheme(), model._dual_coef()
    by_class = [machine.sums(own, part) for part in class_slices(model.n_support_)]
    if not isinstance(scheme, OneVsOne):
        total = by_class[0]
        for sums in by_class[1:]:
            total = total + sums
        return total + model.intercept_
    # the sums of class a against class b stand in column b - 1 if b > a, else in column b
    K = scheme.classes
    table = graph.concat(by_class)
    mine = [a * (K - 1) + (b - 1 if b > a else b) for a, b in scheme.sides]
    other = [b * (K - 1) + (a - 1 if a > b else a) for a, b in scheme.sides]
    return table.columns(mine) + table.columns(other) + model.intercept_


def _pair_table(sides: list[tuple[int, int]], classes: int, first: float, second: float) -> np.ndarray:
    """A row for each pair, with entries at its first and second class."""
    table = np.zeros((len(sides), classes))
    for k, (a, b) in enumerate(sides):
        table[k, a], table[k, b] = first, second
    return table


def votes_of_pairs(sides: list[tuple[int, int]], classes: int, wins: Value) -> Value:
    """How many pairs each class wins; `wins` says of each pair whether its first class does."""
    first = wins.to(float) @ _pair_table(sides, classes, 1.0, 0.0)
    return first + (~wins).to(float) @ _pair_table(sides, classes, 0.0, 1.0)


def _decision_by_class(sides: list[tuple[int, int]], classes: int, values: Value) -> Value:
    """scikit-learn's one-vs-rest values of one-vs-one machines: votes, and confidences between -1/3 and 1/3."""
    sums = values @ _pair_table(sides, classes, 1.0, -1.0)
    return votes_of_pairs(sides, classes, values >= 0.0) + sums / (3.0 * (sums.apply("Abs") + 1.0))


@writes(SVC, NuSVC, LargeSVC)
def _write_kernel_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
    if model.break_ties and model.decision_function_shape == "ovo":
        raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
    values, scheme, K = binary_values(graph, model, X), model._fitted_scheme(), len(model.classes_)
    if K == 2 and isinstance(scheme, OneVsOne):
        decision = values.flat()
        return Prediction(model.classes_, (decision > 0.0).to(int), decision)
    width, decision = len(model.intercept_), values
    index = values.argmax()
    if isinstance(scheme, OneVsOne):
        index = votes_of_pairs(scheme.sides, K, values > 0.0).argmax()
        if model.decision_function_shape == "ovr":
            width, decision = K, _decision_by_class(scheme.sides, K, values)
    if model.break_ties:
        index = decision.argmax()
    return Prediction(model.classes_, index, decision, width=width)


@writes(SVR, NuSVR, LargeSVR)
def _write_kernel_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    values = _machine(model, X).sums(model._dual_coef()) + model.intercept_
    return Prediction(value=values.flat())


@writes(OneClassSVM)
def _write_one_class(graph: Graph, model: Any, X: Value) -> Prediction:
    values = (_machine(model, X).sums(model._dual_coef()) - model.offset_).flat()
    # support vectors lie on the boundary: their last bits shall not say that they are outside
    near = values.apply("Abs") <= 1e-10 * float(np.abs(model.offset_[0]))
    decision = graph.where(near, 0.0, values)
    return Prediction(np.array([-1, 1]), (decision >= 0.0).to(int), decision)


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
