"""What a fit of a kernel machine works on: checked rows and weights, and the kernel with its gamma decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length

from ..data import ObjectRows, Rows, csr_rows, validate_data
from ..estimators import weights_or_ones
from ..kernels import Gram, Kernel, check_square, check_symmetric, kernel_name, make_kernel
from ..messages import FloatRangeError

_READ_GAMMA = ("rbf", "poly", "polynomial", "sigmoid")


def training_rows(estimator: Any, X: Any, y: Any, y_numeric: bool = False) -> tuple[Any, Any]:
    """Checked X (float32 or float64, dense or CSR) and y (None where there is none)."""
    kind = kernel_name(estimator.kernel)
    if y is None and get_tags(estimator).target_tags.required:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    if sp.issparse(X) and kind == "precomputed":
        raise TypeError("Sparse precomputed kernels are not supported.")
    if kind == "function":  # what the samples are is the kernel's affair
        check_consistent_length(X, X if y is None else y)
        return (csr_rows(X) if sp.issparse(X) else np.asarray(X)), y
    rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
    if y is None:
        X = validate_data(estimator, X, **rules)
    else:
        X, y = validate_data(estimator, X, y, y_numeric=y_numeric, **rules)
    if kind == "precomputed":
        check_square(X)
    return X, y


def training_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """The weight of each sample; 1 where none were given."""
    return weights_or_ones(sample_weight, X, as_libsvm=True)


def rows_of(kernel: Any, X: Any) -> Any:
    """Checked X as its kernel reads it."""
    return ObjectRows(X) if kernel_name(kernel) == "function" else Rows(X)


def kernel_of_fit(machine: Any, X: Any, weights: np.ndarray) -> tuple[Kernel, float]:
    """The kernel, and its gamma: a fitted attribute that is kept with the others when the fit ends."""
    if kernel_name(machine.kernel) == "precomputed":
        check_symmetric(X)
    gamma = stated_gamma(machine, X, weights)
    return make_kernel(machine.kernel, gamma, machine.coef0, machine.degree), gamma


def stated_gamma(machine: Any, X: Any, weights: np.ndarray) -> float:
    """What the parameters make of gamma for these rows.

    The variance of gamma="scale" is that of the weighted sample: a weight of 2 is the same as the row twice.
    """
    if kernel_name(machine.kernel) in ("function", "precomputed"):
        return 0.0
    if isinstance(machine.kernel, Kernel):  # brings its own
        return float(getattr(machine.kernel, "gamma", 0.0))
    if machine.gamma == "scale":
        variance = Rows(X).variance(weights)
        with np.errstate(over="ignore"):
            gamma = float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
        if not np.isfinite(gamma) and kernel_name(machine.kernel) in _READ_GAMMA:
            raise FloatRangeError(
                f"gamma='scale' is 1 / (n_features * variance of X), which overflows float64: X has a variance of "
                f"{variance:.3g}. Scale X (StandardScaler), or give gamma as a number."
            )
        return gamma
    return 1.0 / X.shape[1] if machine.gamma == "auto" else float(machine.gamma)


def part_of(gram: Gram, rows: np.ndarray) -> Gram:
    """The matrix of the samples that take part; all of them is the matrix itself."""
    return gram if len(rows) == gram.shape[0] else gram.restricted(rows)
