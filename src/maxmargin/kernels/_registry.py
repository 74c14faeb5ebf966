"""Kernels by the names that estimators take. One line adds one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._kernel import Kernel
from ._kernels import RBF, CallableKernel, Linear, Polynomial, Precomputed, Sigmoid

KERNELS: dict[str, Callable[[float, float, int], Kernel]] = {
    "linear": lambda gamma, coef0, degree: Linear(),
    "poly": lambda gamma, coef0, degree: Polynomial(gamma, coef0, degree),
    "rbf": lambda gamma, coef0, degree: RBF(gamma),
    "sigmoid": lambda gamma, coef0, degree: Sigmoid(gamma, coef0),
    "precomputed": lambda gamma, coef0, degree: Precomputed(),
}


def make_kernel(kernel: str | Callable[[Any, Any], Any] | Kernel, gamma: float, coef0: float, degree: int) -> Kernel:
    """A kernel object from an estimator's parameters."""
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return CallableKernel(kernel)
    try:
        return KERNELS[kernel](gamma, coef0, degree)
    except KeyError:
        raise ValueError(f"kernel must be one of {sorted(KERNELS)} or a callable; got {kernel!r}.") from None


def kernel_name(kernel: str | Callable[[Any, Any], Any] | Kernel) -> str:
    """What an estimator's parameter means: a name of `KERNELS`, "function" for a user's, "own" for a user's class."""
    if isinstance(kernel, Kernel):
        return kernel.name
    return "function" if callable(kernel) else kernel
