"""Kernel values as graphs, for the models that are sums of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows
from ..kernels import RBF, Constant, Linear, Polynomial, Product, Sigmoid, Sum
from ._onnx_graph import Value

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
            return self.X @ exact_weights(coef, Z)
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


def exact_weights(coef: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """``Z.T @ coef.T`` with some digits more than float64, where that takes no more than a second or two.

    Multipliers of both signs cancel: on unscaled columns (breast_cancer, C=1) float64 leaves 9 digits of a decision
    value, to the machine as well as to a graph with such weights.
    """
    wide = np.longdouble if coef.size * Z.shape[1] <= 3e8 else np.float64
    return np.ascontiguousarray((coef.astype(wide) @ Z.astype(wide)).T, dtype=np.float64)
