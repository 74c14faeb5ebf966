"""The parameters that say which kernel an estimator works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from ..kernels import KERNELS, Kernel

KERNEL_CONSTRAINTS: dict[str, list[Any]] = {
    "kernel": [StrOptions(set(KERNELS)), callable],
    "degree": [Interval(Integral, 0, None, closed="left")],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
}


@dataclass(kw_only=True, eq=False, repr=False)
class KernelChoice:
    """A kernel by name, or an object or function that is one.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A value of ``maxmargin.kernels``, such as ``RBF(0.5) + Linear()``, brings its own parameters: `gamma`, `coef0`
        and `degree` are then not used. A callable is called as ``kernel(X, Z)`` on blocks of rows and returns the
        matrix of values.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".

    """

    kernel: str | Callable | Kernel = "rbf"
    degree: int = 3
    gamma: str | float = "scale"
    coef0: float = 0.0
