"""What a kernel k(x, z) is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..data import Rows
from ._gram import Gram


class Kernel(ABC):
    """A similarity of two samples. ``kernel(X, Z)`` is the matrix of its values in float64.

    Kernels are values: they are added and multiplied, with one another, with functions of two blocks of rows, and with
    numbers; estimators take them as ``kernel=``. ``name`` is what estimators call it, where they do.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF, Linear, Polynomial
    >>> kernel = 2.0 * RBF(0.5) + Linear() * Polynomial(degree=2)
    >>> kernel
    Constant(value=2.0) * RBF(gamma=0.5) + Linear() * Polynomial(gamma=1.0, coef0=0.0, degree=2)
    >>> kernel(np.array([[1.0], [2.0]]))
    array([[ 3.        ,  9.21306132],
           [ 9.21306132, 66.        ]])

    """

    name = "own"

    @abstractmethod
    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> Gram:
        """Access by blocks to the matrix of values between `rows` and `columns` (the same rows if None)."""

    @abstractmethod
    def audit_gram(self, rows: Any) -> Gram:
        """The Gram matrix of `rows` by plain float64 code that shares nothing with the tiles of the solver."""

    @property
    def known_definite(self) -> bool:
        """Whether every matrix of its values is positive semi-definite, by its formula."""
        return False

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        rows = Rows(X)
        columns = rows if Z is None else Rows(Z)
        return self.gram(rows, columns).block(np.arange(rows.n), np.arange(columns.n), np.float64)

    # Sums and products are kernels themselves: their file needs this one.

    def __add__(self, other: Any) -> Kernel:
        from ._combined import Sum, combined

        return combined(Sum, self, other)

    def __radd__(self, other: Any) -> Kernel:
        from ._combined import Sum, combined

        return combined(Sum, other, self)

    def __mul__(self, other: Any) -> Kernel:
        from ._combined import Product, combined

        return combined(Product, self, other)

    def __rmul__(self, other: Any) -> Kernel:
        from ._combined import Product, combined

        return combined(Product, other, self)
