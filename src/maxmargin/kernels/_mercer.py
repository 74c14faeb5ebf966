"""Mercer's condition on a sample: is the Gram matrix symmetric and positive *semi*-definite?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigvalsh

from ..data import Rows, check_array, csr_rows
from ._kernel import Kernel
from ._registry import kernel_name, make_kernel


@dataclass(frozen=True)
class MercerCheck:
    """What `check_mercer` found. ``holds`` allows for the rounding errors of float64."""

    holds: bool
    smallest_eigenvalue: float
    largest_eigenvalue: float
    asymmetry: float

    def __str__(self) -> str:
        verdict = "positive semi-definite" if self.holds else "NOT positive semi-definite"
        return (
            f"Gram matrix is {verdict} on this sample: smallest eigenvalue {self.smallest_eigenvalue:.3g}, "
            f"largest {self.largest_eigenvalue:.3g}, asymmetry {self.asymmetry:.3g}"
        )


def check_mercer(
    kernel: str | Callable[[Any, Any], Any] | Kernel,
    X: Any,
    *,
    gamma: str | float = "scale",
    coef0: float = 0.0,
    degree: int = 3,
) -> MercerCheck:
    """Smallest eigenvalue of the Gram matrix of X. Needs n x n memory: give it a sample of a large set.

    A non-negative spectrum on one sample does not prove that the kernel is a Mercer kernel; a negative
    eigenvalue proves that it is not.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable
        All that estimators take, sums and products of kernels too.
    X : array-like or sparse matrix
        Samples; the matrix of values itself for "precomputed".
    gamma : {"scale", "auto"} or float, default="scale"
        Of a kernel given by name, as in :class:`maxmargin.svm.SVC`.
    coef0, degree
        Of a kernel given by name.

    Returns
    -------
    MercerCheck

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import check_mercer
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.5]])
    >>> check_mercer("rbf", X).holds
    True
    >>> check_mercer("sigmoid", X, gamma=1.0, coef0=-1.0).holds
    False

    """
    name = kernel_name(kernel)
    if name != "function":
        X = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
        X = X.toarray() if name == "precomputed" and sp.issparse(X) else X
    elif sp.issparse(X):
        X = csr_rows(X)
    if isinstance(kernel, str) and isinstance(gamma, str):
        gamma = _default_gamma(gamma, X)
    K = np.asarray(make_kernel(kernel, gamma, coef0, degree)(X), dtype=np.float64)  # type: ignore[arg-type]
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"a Gram matrix is square; got shape {K.shape}.")
    if not len(K):
        raise ValueError("X has no rows: a Gram matrix without values has no eigenvalues.")
    if not np.isfinite(K).all():
        i, j = np.argwhere(~np.isfinite(K))[0].tolist()
        raise ValueError(f"kernel values must be finite; that of rows {i} and {j} is {K[i, j]}.")
    asymmetry = float(np.abs(K - K.T).max(initial=0.0))
    values = eigvalsh((K + K.T) / 2)
    scale = float(np.abs(values).max(initial=0.0))
    slack = 10 * len(K) * np.finfo(np.float64).eps * scale
    if name not in ("precomputed", "function"):  # products below the range of float64 are rounded by half a unit each
        slack += len(K) * X.shape[1] * np.finfo(np.float64).smallest_subnormal
    holds = bool(values[0] >= -slack and asymmetry <= slack)
    return MercerCheck(holds, float(values[0]), float(values[-1]), asymmetry)


def _default_gamma(gamma: str, X: Any) -> float:
    """scikit-learn's "scale" and "auto"."""
    if gamma not in ("scale", "auto"):
        raise ValueError(f"gamma must be 'scale', 'auto' or a number; got {gamma!r}.")
    spread = Rows(X).variance(np.ones(X.shape[0])) if gamma == "scale" else 1.0
    with np.errstate(over="ignore"):  # kernels without gamma do not ask; values of others would not be finite
        return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
