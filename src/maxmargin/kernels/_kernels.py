"""The kernels k(x, z) that users name, as small immutable objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial, sqrt
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

from ..data import Rows
from ._gram import CallableGram, Gram, MatrixGram, TiledGram
from ._transform import LINEAR, POLYNOMIAL, RBF as RBF_KIND, SIGMOID


class Kernel(ABC):
    """A similarity of two samples. ``kernel(X, Z)`` is the matrix of its values in float64."""

    @abstractmethod
    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> Gram:
        """Access by blocks to the matrix of values between `rows` and `columns` (the same rows if None)."""

    @abstractmethod
    def audit_gram(self, rows: Any) -> Gram:
        """The Gram matrix of `rows` by plain float64 code that shares nothing with the tiles of the solver."""

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        rows = Rows(X)
        columns = rows if Z is None else Rows(Z)
        return self.gram(rows, columns).block(np.arange(rows.n), np.arange(columns.n), np.float64)


class _ProductKernel(Kernel):
    """A kernel that is a function of inner products and lengths: evaluated in tiles with a fused transform."""

    shift_invariant = False  # whether k(x - c, z - c) = k(x, z)

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> TiledGram:
        return TiledGram(self, rows, columns, n_threads)

    def audit_gram(self, rows: Any) -> CallableGram:
        return CallableGram(lambda X, Z: self.plain(X.astype(np.float64), Z.astype(np.float64)), rows)

    @abstractmethod
    def plain(self, X: Any, Z: Any) -> np.ndarray:
        """The values by the textbook formula, for dense or sparse float64 rows."""

    @property
    @abstractmethod
    def params(self) -> tuple[int, float, float, int]:
        """(kind, gamma, coef0, degree) as the compiled transform takes them."""

    @abstractmethod
    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        """k(x, x) from the squared lengths of the samples."""

    def float32_error(self, squared_norms: np.ndarray) -> float:
        """About how far a value computed in float32 may be off, relative to the largest diagonal value."""
        return 4 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Linear(_ProductKernel):
    """``<x, z>``."""

    @property
    def params(self) -> tuple[int, float, float, int]:
        return LINEAR, 1.0, 0.0, 1

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return squared_norms.copy()

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return linear_kernel(X, Z)


@dataclass(frozen=True)
class Polynomial(_ProductKernel):
    """``(gamma <x, z> + coef0) ** degree``."""

    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    @property
    def params(self) -> tuple[int, float, float, int]:
        return POLYNOMIAL, float(self.gamma), float(self.coef0), int(self.degree)

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return (self.gamma * squared_norms + self.coef0) ** self.degree

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return polynomial_kernel(X, Z, gamma=self.gamma, coef0=self.coef0, degree=self.degree)

    def float32_error(self, squared_norms: np.ndarray) -> float:
        return 4 * max(1, self.degree) * float(np.finfo(np.float32).eps)

    def feature_map(self, X: np.ndarray) -> np.ndarray:
        """The exact explicit map: ``feature_map(X) @ feature_map(Z).T == kernel(X, Z)``.

        One column for each monomial of total degree at most `degree`, weighted by the root of
        ``multinomial * gamma**k * coef0**(degree - k)``, k being the degree of the monomial. Needs coef0 >= 0
        (a negative one gives no real map) and is meant for few features: the columns number
        ``comb(d + degree, degree)``.
        """
        if self.coef0 < 0 or self.gamma < 0:
            raise ValueError(
                f"no real feature map exists for gamma={self.gamma!r}, coef0={self.coef0!r}; both must be >= 0."
            )
        X = np.asarray(X, dtype=np.float64)
        degrees = range(self.degree + 1) if self.coef0 > 0 else [self.degree]
        columns = []
        for k in degrees:
            scale = comb(self.degree, k) * self.gamma**k * self.coef0 ** (self.degree - k)
            for combo in combinations_with_replacement(range(X.shape[1]), k):
                _, counts = np.unique(combo, return_counts=True)
                multinomial = factorial(k)
                for count in counts:
                    multinomial //= factorial(int(count))
                columns.append(sqrt(scale * multinomial) * np.prod(X[:, list(combo)], axis=1))
        return np.column_stack(columns)


@dataclass(frozen=True)
class RBF(_ProductKernel):
    """``exp(-gamma ||x - z||^2)``."""

    shift_invariant = True
    gamma: float = 1.0

    @property
    def params(self) -> tuple[int, float, float, int]:
        return RBF_KIND, float(self.gamma), 0.0, 1

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return np.ones_like(squared_norms)

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return rbf_kernel(X, Z, gamma=self.gamma)

    def float32_error(self, squared_norms: np.ndarray) -> float:
        # The distance is a difference of terms as large as the squared lengths: that is what cancels.
        largest = float(squared_norms.max(initial=0.0))
        return 4 * (1 + self.gamma * largest) * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Sigmoid(_ProductKernel):
    """``tanh(gamma <x, z> + coef0)``: not positive semi-definite in general."""

    gamma: float = 1.0
    coef0: float = 0.0

    @property
    def params(self) -> tuple[int, float, float, int]:
        return SIGMOID, float(self.gamma), float(self.coef0), 1

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return np.tanh(self.gamma * squared_norms + self.coef0)

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return sigmoid_kernel(X, Z, gamma=self.gamma, coef0=self.coef0)

    def float32_error(self, squared_norms: np.ndarray) -> float:
        largest = float(squared_norms.max(initial=0.0))
        return 4 * (1 + self.gamma * largest) * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The rows *are* kernel values: ``rows[i, j] = k(x_i, z_j)``."""

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> MatrixGram:
        # `rows` against themselves are the training matrix; against others a table of values, square or not
        return MatrixGram(rows.arrays[0], symmetric=columns is None)

    def audit_gram(self, rows: Any) -> MatrixGram:
        return self.gram(rows)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return np.asarray(X, dtype=np.float64)


@dataclass(frozen=True)
class CallableKernel(Kernel):
    """A user's function ``function(X, Z) -> matrix``, called by blocks of rows."""

    function: Callable[[Any, Any], Any]

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> CallableGram:
        return CallableGram(self.function, rows, columns)

    def audit_gram(self, rows: Any) -> CallableGram:
        return self.gram(rows)
