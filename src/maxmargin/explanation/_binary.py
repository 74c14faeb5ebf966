"""One decision of a kernel machine: coefficients of the support vectors, f(x) = sum_i coef_i k(x_i, x) + b."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import _ovr_decision_function

from ..engine import one_blas_thread
from ..svm import KernelClassifier, OneVsOne, class_slices, terms_of
from ._flip import Plane
from ._results import Table
from ._shares import CONTRIBUTION

# Support vectors up to which their own kernel matrix is computed for the length of w (200 MB).
MOST_SUPPORT = 5000


@dataclass(frozen=True)
class BinaryMachine:
    """Coefficients over all support vectors, zero for those that have no part in this decision."""

    coef: np.ndarray
    intercept: float
    positive: Any
    negative: Any
    labels: np.ndarray | None
    difference: bool = False  # of the machines of two classes against the rest

    @property
    def weight_name(self) -> str:
        """What the size of a coefficient is called."""
        return "weight" if self.difference else "multiplier"

    def value(self, values: np.ndarray) -> float:
        """The decision value from kernel values with the support vectors."""
        return float(self.coef @ values) + self.intercept

    def norm(self, matrix: np.ndarray | None) -> float | None:
        """Length of w in the space of the kernel; None where the matrix is not at hand or not positive."""
        if matrix is None:
            return None
        square = float(self.coef @ matrix @ self.coef)
        return float(np.sqrt(square)) if square > 0 else None

    def plane(self, model: Any) -> Plane:
        """The boundary of a linear kernel."""
        vectors: Any = model.support_vectors_
        w = np.asarray(self.coef @ vectors, dtype=np.float64).ravel()
        return Plane(w, self.intercept, self.positive, self.negative)

    def contributions(self, model: Any, values: np.ndarray, printed: bool = True) -> Table:
        """The part of each support vector, which add up to the decision value."""
        parts = self.coef * values
        used = np.flatnonzero(self.coef)
        order = used[np.argsort(-np.abs(parts[used]), kind="stable")].tolist()
        rows: list[Any] = [("intercept", None, None, None, self.intercept)]
        for i in order:
            label = None if self.labels is None else self.labels[i]
            rows.append((f"row {model.support_[i]}", label, abs(self.coef[i]), values[i], parts[i]))
        known = "class" if self.labels is not None else None
        term = terms_of(model, several=False)
        weight = self.weight_name if self.difference or term == "support vector" else "coefficient"
        heads = (term, known, weight, "kernel value", CONTRIBUTION)
        title = f"contributions that add up to the {'prediction' if self.positive is None else 'decision value'}"
        return Table.of(title, heads, rows, CONTRIBUTION, printed)


def machines_of(model: Any, seen: Any, prediction: Any) -> list[BinaryMachine]:
    """The machine between the predicted class and the runner-up; of one-vs-rest those against all others follow."""
    if not isinstance(model, KernelClassifier):  # a one-class machine
        return [BinaryMachine(model._dual_coef()[0], float(model.intercept_[0]), 1, -1, None)]
    dual, slices, scheme = model._dual_coef(), class_slices(model.n_support_), model._fitted_scheme()
    labels = np.repeat(model.classes_, model.n_support_)
    values = model._binary_values(seen)
    if len(model.classes_) == 2:
        coef = _coefficients(scheme, 0, dual, slices)
        return [BinaryMachine(coef, float(model.intercept_[0]), model.classes_[1], model.classes_[0], labels)]
    best = int(np.searchsorted(model.classes_, prediction))
    if isinstance(scheme, OneVsOne):
        by_class = _ovr_decision_function(values < 0, -values, len(model.classes_))[0]
        second = next(k for k in np.argsort(-by_class, kind="stable").tolist() if k != best)
        pair, sign = (best, second), 1.0
        if pair not in scheme.sides:
            pair, sign = (second, best), -1.0
        k = scheme.sides.index(pair)
        coef, shift = sign * _coefficients(scheme, k, dual, slices), sign * float(model.intercept_[k])
        return [BinaryMachine(coef, shift, model.classes_[best], model.classes_[second], labels)]
    order = [k for k in np.argsort(-values[0], kind="stable").tolist() if k != best]
    b = model.intercept_
    return [
        BinaryMachine(
            dual[best] - dual[k], float(b[best] - b[k]), model.classes_[best], model.classes_[k], labels, True
        )
        for k in order
    ]


def _coefficients(scheme: Any, k: int, dual: np.ndarray, slices: list[slice]) -> np.ndarray:
    """Coefficients of problem k over all support vectors."""
    coef = np.zeros(dual.shape[1])
    for row, where in scheme.weights_of(k, slices):
        coef[where] = dual[row, where]
    return coef


def kernel_values(model: Any, seen: Any) -> np.ndarray:
    """k(x, s) for every support vector s, as the predictions of the model use them."""
    X = model._validate_for_predict(seen)
    count = len(model.support_)
    if model._kernel_name == "precomputed":
        return np.asarray(X, dtype=np.float64)[0, model.support_]
    with one_blas_thread():
        gram = model._fitted_kernel().gram(model._rows(X), model._rows(_vectors(model)), 1)
        return gram.block(np.arange(1), np.arange(count), np.float64)[0]


def own_kernel_values(model: Any, seen: Any) -> tuple[float, np.ndarray] | None:
    """k(x, x) and k(s, s) of every support vector; None for a matrix of values, which does not have them."""
    if model._kernel_name == "precomputed":
        return None
    X = model._validate_for_predict(seen)
    kernel = model._fitted_kernel()
    at_row = kernel.gram(model._rows(X), None, 1).diagonal()
    return float(at_row[0]), kernel.gram(model._rows(_vectors(model)), None, 1).diagonal()


def support_kernel_values(model: Any) -> np.ndarray | None:
    """The kernel matrix of the support vectors; None where it is not at hand or too large."""
    if (model._kernel_name == "precomputed") or len(model.support_) > MOST_SUPPORT:
        return None
    with one_blas_thread():
        return model._fitted_kernel().gram(model._rows(_vectors(model)), None, model._threads()).whole(np.float64)


def _vectors(model: Any) -> Any:
    vectors = model._vectors
    return sp.csr_array(vectors) if sp.issparse(vectors) else vectors
