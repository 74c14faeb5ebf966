"""Access by blocks to a matrix of kernel values that is never formed as a whole.

A solver or certificate needs three things of it: a block, the diagonal, and the product of some columns with
coefficients. `TiledGram` computes them from rows, `MatrixGram` reads them from a matrix, `CallableGram` asks a
user's function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..data import Rows
from ._accuracy import EXTENDED, Accuracy

# Samples up to which a matrix may be computed as a whole, to be factorised or kept: 72 MB.
MODERATE = 3000


class Gram(ABC):
    """The matrix ``K[i, j] = k(x_i, z_j)``, i over rows and j over columns."""

    shape: tuple[int, int]

    @abstractmethod
    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        """``K[i, j]`` for index arrays i and j, as a new C-contiguous array."""

    def whole(self, dtype: Any) -> np.ndarray:
        """All of a small matrix; not to be written to, it may be the stored one."""
        return self.block(np.arange(self.shape[0]), np.arange(self.shape[1]), dtype)

    def own_whole(self, dtype: Any) -> np.ndarray:
        """All of a small matrix in a C-contiguous array that the caller may write to."""
        return np.array(self.whole(dtype), order="C")

    @abstractmethod
    def diagonal(self) -> np.ndarray:
        """``K[i, i]`` in float64 (square matrices only)."""

    @abstractmethod
    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        """``coef @ K[i, j].T`` in float64 for coef of shape (outputs, len(j)); kernel values in `dtype`."""

    @abstractmethod
    def restricted(self, index: np.ndarray) -> Gram:
        """The square sub-matrix of the chosen samples, as a view."""

    def with_threads(self, n_threads: int) -> Gram:
        """The same matrix, computed by another number of threads."""
        return self

    def float32_error(self) -> float:
        """About how far float32 values may be off, relative to the diagonal; inf where float32 saves nothing."""
        return np.inf

    # What follows is for certificates: products whose rounding errors can be bounded.

    @abstractmethod
    def accuracy(self) -> Accuracy:
        """How far float64 values may be off; of two sets of rows in tiles, of the rows and then of the columns."""

    @abstractmethod
    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """``coef @ K[:, j].T`` in float64, ``|coef| @ |K[:, j]|.T`` or more, and the additions in a row of a value.

        ``coef`` has shape (outputs, len(j)).
        """

    def sized_products_of(self, i: np.ndarray, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """The same of the rows i alone."""
        f, size, additions = self.sized_products(j, coef)
        return f[:, i], size[:, i], additions

    def float32_products(
        self, j: np.ndarray, coef: np.ndarray, i: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """``coef @ K[i, j].T`` from float32 values and a bound of the error of each sum; None where there is none.

        The bounds are of exact values, infinite where float32 says nothing. All rows if i is None.
        """
        return None

    def sized_product(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """The same of one output."""
        f, size, additions = self.sized_products(j, coef[None])
        return f[0], size[0], additions

    def linear_rows(self) -> tuple[Rows, np.ndarray | None] | None:
        """The rows (and which of them) whose inner products the values are, if that is what they are."""
        return None

    def extended_work(self, count: int) -> float:
        """Operations that so many extended columns take; inf where there are none."""
        return np.inf

    def extended(self, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        """``K[:, j]`` in extended precision by plain code, and how far these values may be off."""
        raise NotImplementedError


def extended_values(kernel: Any, rows: Rows, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
    """Values between rows i and j of X by the textbook formula in extended precision."""
    zero = np.zeros(rows.d)
    X = rows.dense(i, zero, np.float64).astype(EXTENDED)
    return kernel.extended(X, rows.dense(j, zero, np.float64).astype(EXTENDED))
