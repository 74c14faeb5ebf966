"""Kernel machines as graphs: ``sum_i coef_i k(x, z_i) + b`` over the support vectors z_i."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows
from ..kernels import RBF, Constant, Linear, Polynomial, Product, Sigmoid, Sum
from ..svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM, OneVsOne, class_slices
from ._onnx_graph import Graph, Value
from ._onnx_registry import Prediction, writes

_KERNELS = ("linear", "poly", "rbf", "sigmoid")
_KINDS = (Linear, Polynomial, RBF, Sigmoid, Constant)


def _parts(kernel: Any) -> Iterator[Any]:
    """The kernels that a sum or product consists of; any other is its own."""
    for part in getattr(kernel, "kernels", ()):
        yield from _parts(part)
    if not hasattr(kernel, "kernels"):
        yield kernel


class KernelGraph:
    """Kernel values of the rows of X with the vectors of a model, and their sums."""

    def __init__(self, model: Any, kernel: Any, vectors: Any, X: Value) -> None:
        parts = list(_parts(kernel))
        if not all(isinstance(part, _KINDS) for part in parts):
            named = repr(model.kernel) if isinstance(model.kernel, str) else "a function of the user's"
            raise ValueError(
                f"{type(model).__name__} has {named} as its kernel, which cannot be exported to ONNX. Kernels that "
                f"can: {', '.join(_KERNELS)}, and sums and products of them."
            )
        self.kernel = kernel
        self.Z = (vectors.toarray() if sp.issparse(vectors) else np.asarray(vectors)).astype(np.float64)
        self.X = self.centred = X
        self.shift: Any = 0.0
        if any(isinstance(part, RBF) for part in parts):
            if not sp.issparse(vectors):
                # as the machine does: distances cancel far less from the mean
                self.shift = Rows(vectors).mean
                self.centred = X - self.shift
            self.norms = (self.centred * self.centred).sum()

    def sums(self, coef: np.ndarray, part: slice = slice(None)) -> Value:
        """``K(X, part) @ coef[:, part].T``."""
        Z, coef = self.Z[part], coef[:, part]
        if isinstance(self.kernel, Linear) or not len(Z):  # no support vectors: weights of zero
            return self.X @ _weights(coef, Z)
        return self._values(self.kernel, Z) @ np.ascontiguousarray(coef.T)

    def _values(self, kernel: Any, Z: np.ndarray) -> Value:
        if isinstance(kernel, (Sum, Product)):
            return reduce(add if isinstance(kernel, Sum) else mul, [self._values(part, Z) for part in kernel.kernels])
        if isinstance(kernel, RBF):
            Z = Z - self.shift
            products = self.centred @ np.ascontiguousarray(Z.T)
            squares = (products + products - self.norms - (Z**2).sum(axis=1)).apply("Min", 0.0)
            return (squares * float(kernel.gamma)).apply("Exp")
        if isinstance(kernel, Linear):
            return self.X @ np.ascontiguousarray(Z.T)
        if isinstance(kernel, Constant):
            return (self.X @ np.zeros((Z.shape[1], len(Z)))) + float(kernel.value)
        base = self.X @ np.ascontiguousarray(kernel.gamma * Z.T) + float(kernel.coef0)
        if isinstance(kernel, Sigmoid):
            return base.apply("Tanh")
        if kernel.degree == 0:
            return base * 0.0 + 1.0
        values = base
        for _ in range(int(kernel.degree) - 1):
            values = values * base
        return values


def _machine(model: Any, X: Value) -> KernelGraph:
    return KernelGraph(model, model._fitted_kernel(), model.support_vectors_, X)


def _weights(coef: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """``Z.T @ coef.T`` with some digits more than float64, where that takes no more than a second or two.

    Multipliers of both signs cancel: on unscaled columns (breast_cancer, C=1) float64 leaves 9 digits of a decision
    value, to the machine as well as to a graph with such weights.
    """
    wide = np.longdouble if coef.size * Z.shape[1] <= 3e8 else np.float64
    return np.ascontiguousarray((coef.astype(wide) @ Z.astype(wide)).T, dtype=np.float64)


def binary_values(graph: Graph, model: Any, X: Value) -> Value:
    """Decision values of all binary problems, of shape (N, problems)."""
    machine, scheme = _machine(model, X), model._fitted_scheme()
    own = model._dual_coef()
    slices = class_slices(model.n_support_)
    if model.kernel == "linear":
        coef = np.zeros((len(model.intercept_), len(machine.Z)))
        for k, row in enumerate(coef):
            for place, part in scheme.weights_of(k, slices):
                row[part] = own[place, part]
        return X @ _weights(coef, machine.Z) + model.intercept_
    by_class = [machine.sums(own, part) for part in slices]
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


@writes(SVC, NuSVC)
def _write_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
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


@writes(SVR, NuSVR)
def _write_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    values = _machine(model, X).sums(model._dual_coef()) + model.intercept_
    return Prediction(value=values.flat())


@writes(OneClassSVM)
def _write_one_class(graph: Graph, model: Any, X: Value) -> Prediction:
    values = (_machine(model, X).sums(model._dual_coef()) - model.offset_).flat()
    # support vectors lie on the boundary: their last bits shall not say that they are outside
    near = values.apply("Abs") <= 1e-10 * float(np.abs(model.offset_[0]))
    decision = graph.where(near, 0.0, values)
    return Prediction(np.array([-1, 1]), (decision >= 0.0).to(int), decision)
