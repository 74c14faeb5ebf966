"""Kernels by the names and defaults of scikit-learn's pairwise kernels, for estimators that stand in for its own."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.metrics.pairwise import pairwise_kernels

from ..kernels import RBF, CallableKernel, Kernel, Linear, Polynomial, Precomputed, Sigmoid

# Kernels that scikit-learn's functions compute here, too.
_THEIRS = ("additive_chi2", "chi2", "cosine", "laplacian")
PAIRWISE_KERNELS = {"linear", "poly", "polynomial", "rbf", "sigmoid", "precomputed", *_THEIRS}


def pairwise_kernel(
    kernel: Any, d: int, gamma: float | None, degree: float, coef0: float, kernel_params: dict | None
) -> Kernel:
    """The kernel that parameters ask for, for rows of d features.

    `gamma` of None is ``1 / d``, and 1 for "chi2"; a function is one of two rows, and gets `kernel_params`.
    """
    if callable(kernel) and not isinstance(kernel, Kernel):
        return CallableKernel(partial(pairwise_kernels, metric=kernel, **(kernel_params or {})))
    if kernel_params:
        raise ValueError(f"kernel_params are arguments of a function of two rows; kernel={kernel!r} takes none.")
    if isinstance(kernel, Kernel):
        return kernel
    if kernel in _THEIRS:
        options = {"degree": degree, "coef0": coef0} | ({} if gamma is None else {"gamma": gamma})
        return CallableKernel(partial(pairwise_kernels, metric=kernel, filter_params=True, **options))
    gamma = 1.0 / d if gamma is None else float(gamma)
    if kernel in ("poly", "polynomial"):
        return Polynomial(gamma, float(coef0), degree)  # type: ignore[arg-type]
    if kernel == "sigmoid":
        return Sigmoid(gamma, float(coef0))
    return {"linear": Linear(), "rbf": RBF(gamma), "precomputed": Precomputed()}[kernel]
