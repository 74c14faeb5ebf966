"""What a fit leaves: fitted attributes in scikit-learn's form. They are written here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernels import kernel_name
from ..messages import FloatRangeError
from ._formulations import NOT_FINITE
from ._one_vs_one import OneVsOne, Pair
from ._one_vs_rest import OneVsRest


def keep_classes(
    machine: Any,
    X: Any,
    gamma: float,
    scheme: OneVsOne | OneVsRest,
    pairs: list[Pair],
    models: Sequence[tuple[np.ndarray, float]],
    label: np.ndarray,
    classes: np.ndarray,
) -> None:
    """Of a classifier: from the coefficients of each pair's rows and its intercept."""
    machine.classes_ = classes
    coef = scheme.pack([c for c, _ in models], pairs, label)
    used = np.flatnonzero(coef.any(axis=0))
    support = used[np.argsort(label[used], kind="stable")]
    machine.n_support_ = np.bincount(label[support], minlength=len(classes)).astype(np.int32)
    _keep_support(machine, X, gamma, support, coef[:, support], np.array([b for _, b in models]))


def keep_one(machine: Any, X: Any, gamma: float, coefficients: np.ndarray, intercept: float) -> None:
    """Of a machine with one problem: from the coefficients of all rows."""
    support = np.flatnonzero(coefficients)
    machine.n_support_ = np.array([len(support)], dtype=np.int32)
    _keep_support(machine, X, gamma, support, coefficients[None, support], np.array([intercept]))


def _keep_support(
    machine: Any, X: Any, gamma: float, support: np.ndarray, dual_coef: np.ndarray, intercept: np.ndarray
) -> None:
    if not (np.isfinite(dual_coef).all() and np.isfinite(intercept).all()):
        raise FloatRangeError(NOT_FINITE)
    kind = kernel_name(machine.kernel)
    machine._gamma = gamma
    machine._sparse = (sp.issparse(X) or getattr(X, "sparse", False) is True) and kind != "function"
    machine.support_ = support.astype(np.int32)
    machine.support_vectors_ = np.empty((0, 0)) if kind in ("precomputed", "function") else X[support]
    if kind == "function":
        machine._callable_support = X[support]
    machine.dual_coef_ = sp.csr_matrix(dual_coef) if machine._sparse else dual_coef
    machine.intercept_ = intercept
    machine.shape_fit_ = X.shape
