"""The kernels k(x, z) that users name, as small immutable objects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations_with_replacement
from math import comb, factorial, sqrt
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel, sigmoid_kernel

from ..data import Rows, canonical
from ..messages import FloatRangeError
from ._accuracy import (
    EXTENDED_UNIT,
    INACCURATE,
    UNIT,
    Accuracy,
    of_differences,
    of_expanded_distances,
    of_float32_distances,
    of_powers,
    of_products,
    of_sigmoids,
    within_float32,
)
from ._callable_gram import CallableGram
from ._gram import MODERATE, Gram
from ._kernel import Kernel
from ._matrix_gram import MatrixGram, symmetric_part
from ._tiled_gram import TiledGram
from ._transform import UNTRANSFORMED, PolynomialOfProducts, RBFOfDifferences, RBFOfProducts, SigmoidOfProducts

# Features up to which sparse rows are made dense to take differences of them.
_WIDE = 5000


class _ProductKernel(Kernel):
    """A kernel that is a function of inner products and lengths: evaluated in tiles with a fused transform."""

    shift_invariant = False  # whether k(x - c, z - c) = k(x, z)
    by_differences = False  # whether values are computed from differences of rows instead of inner products
    non_negative = False
    is_linear = False

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            if name == "by_differences":
                continue
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not np.isfinite(float(value)):
                raise ValueError(f"{name} of {type(self).__name__} must be a finite number; got {value!r}.")
            if name in ("gamma", "degree") and value < 0:
                raise ValueError(f"{name} must be at least 0; got {value!r}.")
            if name == "degree" and float(value) % 1:
                raise ValueError(f"degree must be a whole number; got {value!r}.")
            if name == "degree":  # 2.0 is 2: powers are repeated products
                object.__setattr__(self, name, int(float(value)))

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> TiledGram:
        return self._tiled(rows, columns, n_threads)

    def _tiled(self, rows: Rows, columns: Rows | None, n_threads: int) -> TiledGram:
        """The matrix in tiles, unless its values would overflow."""
        tiled = TiledGram(self, rows, columns, n_threads)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.diagonal(np.array([norms.max(initial=0.0) for norms in tiled.squared_norms]))
        if not np.isfinite(values).all() or not np.isfinite(tiled.squared_norms[0]).all():
            raise FloatRangeError(
                "The dual coefficients or intercepts are not finite: X has values so large that the squared length "
                "of a row or its kernel value overflows float64. Scale X."
            )
        return tiled

    def audit_gram(self, rows: Any) -> CallableGram:
        return CallableGram(lambda X, Z: self.plain(X.astype(np.float64), Z.astype(np.float64)), rows, audited=self)

    @abstractmethod
    def accuracy(self, squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
        """How far values in tiles may be off, from the squared lengths and the terms of an inner product."""

    def plain_accuracy(self, rows: Rows) -> Accuracy:
        """How far values of `plain` in float64 may be off."""
        return self.accuracy(rows.squared_norms(np.zeros(rows.d)), rows.longest[0])

    def extended(self, X: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        """Values between dense rows of extended precision, and how far they may be off; Z are some of the rows X."""
        norms = np.asarray(np.einsum("ij,ij->i", X, X), dtype=np.float64)
        return self._of_products(X @ Z.T), self.accuracy(norms, X.shape[1], EXTENDED_UNIT)

    def _of_products(self, S: np.ndarray) -> np.ndarray:
        """Values from inner products, in their precision."""
        raise NotImplementedError

    @abstractmethod
    def plain(self, X: Any, Z: Any) -> np.ndarray:
        """The values by the textbook formula, for dense or sparse float64 rows."""

    @property
    @abstractmethod
    def params(self) -> tuple:
        """What the compiled transform takes: a named tuple, whose type says which transform it is."""

    @abstractmethod
    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        """k(x, x) from the squared lengths of the samples."""

    def float32_error(self, squared_norms: np.ndarray) -> float:
        """About how far a value computed in float32 may be off, relative to the largest diagonal value."""
        return 4 * float(np.finfo(np.float32).eps)

    def knows_float32(self, squared_length: float) -> bool:
        """Whether anything is proven of float32 values in tiles, of rows of up to this squared length."""
        return False

    def float32_errors(
        self, squared_norms: np.ndarray, moments: np.ndarray, coefficients: np.ndarray, most: float, terms: float
    ) -> np.ndarray:
        """How far sums of such values may be off, as `of_float32_distances` has it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Linear(_ProductKernel):
    """``<x, z>``."""

    name = "linear"
    is_linear = True

    @property
    def known_definite(self) -> bool:
        return True

    @property
    def params(self) -> tuple:
        return UNTRANSFORMED

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return squared_norms.copy()

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return linear_kernel(X, Z)

    def accuracy(self, squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
        return of_products(squared_norms, terms, unit)

    def _of_products(self, S: np.ndarray) -> np.ndarray:
        return S


@dataclass(frozen=True)
class Polynomial(_ProductKernel):
    """``(gamma <x, z> + coef0) ** degree``."""

    name = "poly"

    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    @property
    def known_definite(self) -> bool:
        # a sum of products of inner products, with non-negative weights (the binomial theorem)
        return self.gamma >= 0 and self.coef0 >= 0

    @property
    def params(self) -> tuple:
        return PolynomialOfProducts(float(self.gamma), float(self.coef0), int(self.degree))

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return (self.gamma * squared_norms + self.coef0) ** self.degree

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return (self.gamma * linear_kernel(X, Z) + self.coef0) ** self.degree

    def accuracy(self, squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
        return of_powers(squared_norms, terms, self.gamma, self.coef0, self.degree, unit)

    def _of_products(self, S: np.ndarray) -> np.ndarray:
        base = S * S.dtype.type(self.gamma) + S.dtype.type(self.coef0)
        value = np.ones_like(base)
        for _ in range(self.degree):  # a power by repeated multiplication: its rounding errors are known
            value *= base
        return value

    def float32_error(self, squared_norms: np.ndarray) -> float:
        return 4 * max(1, self.degree) * float(np.finfo(np.float32).eps)

    def feature_map(self, X: np.ndarray) -> np.ndarray:
        """The exact explicit map: ``feature_map(X) @ feature_map(Z).T == kernel(X, Z)``.

        One column for each monomial of total degree at most `degree`, weighted by the root of
        ``multinomial * gamma**k * coef0**(degree - k)``, k being the degree of the monomial. Needs coef0 >= 0
        (a negative one gives no real map) and is meant for few features: the columns number
        ``comb(d + degree, degree)``.
        """
        if self.coef0 < 0:
            raise ValueError(f"no real feature map exists for coef0={self.coef0!r}; it must be >= 0.")
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
    """``exp(-gamma ||x - z||^2)``.

    Distances come from inner products about the mean; where gamma is so large, or rows so far apart, that rounding
    would be seen in the values, from differences of the rows (`by_differences`).
    """

    name = "rbf"
    shift_invariant = True
    non_negative = True
    gamma: float = 1.0
    by_differences: bool = field(default=False, repr=False)

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> TiledGram:
        tiled = self._tiled(rows, columns, n_threads)
        if self.by_differences or (rows.sparse and rows.d > _WIDE):
            return tiled
        lengths = [np.sqrt(norms.max(initial=0.0)) for norms in tiled.squared_norms]
        worst = of_expanded_distances(np.array([max(lengths) ** 2]), rows.longest[0], self.gamma)
        if worst.absolute == 1.0 or worst.relative[0] > INACCURATE:
            return replace(self, by_differences=True)._tiled(rows, columns, n_threads)
        return tiled

    @property
    def known_definite(self) -> bool:
        return self.gamma >= 0

    @property
    def params(self) -> tuple:
        return (RBFOfDifferences if self.by_differences else RBFOfProducts)(float(self.gamma))

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return np.ones_like(squared_norms)

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        if sp.issparse(X):
            if X.shape[1] > _WIDE:
                return rbf_kernel(X, Z, gamma=self.gamma)
            X, Z = X.toarray(), Z.toarray()
        return np.exp(-self.gamma * cdist(X, Z, "sqeuclidean"))

    def accuracy(self, squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
        if self.by_differences:
            return of_differences(len(squared_norms), terms, unit)
        return of_expanded_distances(squared_norms, terms, self.gamma, unit)

    def plain_accuracy(self, rows: Rows) -> Accuracy:
        if rows.sparse and rows.d > _WIDE:
            return of_expanded_distances(rows.squared_norms(np.zeros(rows.d)), rows.longest[0], self.gamma)
        return of_differences(rows.n, rows.d)

    def extended(self, X: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        squared = np.zeros((len(X), len(Z)), X.dtype)
        for k in range(X.shape[1]):
            squared += np.square(X[:, k, None] - Z[:, k])
        return np.exp(X.dtype.type(-self.gamma) * squared), of_differences(len(X), X.shape[1], EXTENDED_UNIT)

    def float32_error(self, squared_norms: np.ndarray) -> float:
        if self.by_differences:
            return np.inf
        # The distance is a difference of terms as large as the squared lengths: that is what cancels.
        largest = float(squared_norms.max(initial=0.0))
        return 4 * (1 + self.gamma * largest) * float(np.finfo(np.float32).eps)

    def knows_float32(self, squared_length: float) -> bool:
        return not self.by_differences and within_float32(float(self.gamma), squared_length)

    def float32_errors(
        self, squared_norms: np.ndarray, moments: np.ndarray, coefficients: np.ndarray, most: float, terms: float
    ) -> np.ndarray:
        return of_float32_distances(squared_norms, moments, coefficients, most, terms, float(self.gamma))


@dataclass(frozen=True)
class Sigmoid(_ProductKernel):
    """``tanh(gamma <x, z> + coef0)``: not positive semi-definite in general."""

    name = "sigmoid"

    gamma: float = 1.0
    coef0: float = 0.0

    @property
    def params(self) -> tuple:
        return SigmoidOfProducts(float(self.gamma), float(self.coef0))

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return np.tanh(self.gamma * squared_norms + self.coef0)

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return sigmoid_kernel(X, Z, gamma=self.gamma, coef0=self.coef0)

    def accuracy(self, squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
        return of_sigmoids(squared_norms, terms, self.gamma, self.coef0, unit)

    def _of_products(self, S: np.ndarray) -> np.ndarray:
        return np.tanh(S * S.dtype.type(self.gamma) + S.dtype.type(self.coef0))

    def float32_error(self, squared_norms: np.ndarray) -> float:
        largest = float(squared_norms.max(initial=0.0))
        return 4 * (1 + self.gamma * largest) * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The rows *are* kernel values: ``rows[i, j] = k(x_i, z_j)``."""

    name = "precomputed"

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> MatrixGram:
        # `rows` against themselves are the training matrix; against others a table of values, square or not
        if columns is None:
            return MatrixGram(symmetric_part(rows.arrays[0]), symmetric=True)
        return MatrixGram(rows.arrays[0], symmetric=False)

    def audit_gram(self, rows: Any) -> MatrixGram:
        return self.gram(rows)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return np.asarray(X, dtype=np.float64)


_LOOKED_AT = 500  # rows of a large training set
_ASYMMETRY = 1e-6  # of the largest value: what single precision leaves


def _function_words(function: Any) -> str:
    """The name of a function, or of a kernel of scikit-learn's, with the parameters that a `partial` gives it."""
    given: dict[str, Any] = {}
    while isinstance(function, partial):
        given = {k: v for k, v in function.keywords.items() if k != "filter_params"} | given
        function = given.pop("metric", function.func)
    inner = ", ".join(f"{name}={value!r}" for name, value in given.items())
    if isinstance(function, str):
        return f"{function!r}{f' ({inner})' if inner else ''}"
    name = getattr(function, "__name__", type(function).__name__)
    return f"function {name}{f' with {inner}' if inner else ''}"


@dataclass(frozen=True)
class CallableKernel(Kernel):
    """A user's function ``function(X, Z) -> matrix``, called by blocks of rows.

    The matrix of a training set of moderate size is computed once, and is the symmetric part of what the function
    returns: functions need not be symmetric to the last bit. Beyond rounding they must be, because predictions are made
    with what the function returns, and a proof would be about another machine. Of many rows, 500 are looked at.
    """

    name = "function"
    function: Callable[[Any, Any], Any]

    def __str__(self) -> str:
        return _function_words(self.function)

    def gram(self, rows: Any, columns: Any = None, n_threads: int = 1) -> Gram:
        gram = CallableGram(self.function, rows, columns)
        if columns is not None:
            return gram
        if rows.n <= MODERATE:
            return MatrixGram(symmetric_part(self._checked(gram.whole(np.float64))), symmetric=True)
        some = np.unique(np.linspace(0, rows.n - 1, _LOOKED_AT).astype(np.int64))
        self._checked(gram.block(some, some, np.float64))
        return gram

    def _checked(self, K: np.ndarray) -> np.ndarray:
        asymmetry = float(np.abs(K - K.T).max(initial=0.0))
        if asymmetry > _ASYMMETRY * float(np.abs(K).max(initial=0.0)):
            raise ValueError(f"the kernel {self} must be symmetric; k(a, b) differs from k(b, a) by {asymmetry:.3g}.")
        return K

    def audit_gram(self, rows: Any) -> Gram:
        return self.gram(rows)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        values = self.function(X, X if Z is None else Z)
        return np.asarray(
            canonical(values, "what the kernel returns").toarray() if sp.issparse(values) else values, dtype=np.float64
        )
