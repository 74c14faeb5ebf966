"""Sums and products of kernels, and the constant that weighs them.

A sum of kernels is the kernel of the two feature spaces side by side, a product that of their tensor product: both are
positive semi-definite where their parts are (of products, Schur's theorem).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from numbers import Real
from typing import Any

import numpy as np

from ..data import Rows
from ..messages import FloatRangeError
from ._accuracy import EXTENDED_UNIT, UNIT, Accuracy, of_powers, roundings
from ._gram import Gram
from ._kernel import Kernel
from ._kernels import CallableKernel, Precomputed, _ProductKernel
from ._transform import PolynomialOfProducts

_BLOCK = 2**21  # values of a block that a product is computed of: 16 MB


@dataclass(frozen=True)
class Constant(_ProductKernel):
    """``value``, whatever the samples: ``Constant(2.0) * RBF(0.5)``, or shorter ``2.0 * RBF(0.5)``."""

    name = "constant"

    value: float = 1.0

    @property
    def known_definite(self) -> bool:
        return self.value >= 0

    @property
    def params(self) -> tuple:
        return PolynomialOfProducts(0.0, float(self.value), 1)

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        return np.full(len(squared_norms), float(self.value))

    def plain(self, X: Any, Z: Any) -> np.ndarray:
        return np.full((X.shape[0], Z.shape[0]), float(self.value))

    def accuracy(self, squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
        return of_powers(squared_norms, terms, 0.0, self.value, 1, unit)

    def _of_products(self, S: np.ndarray) -> np.ndarray:
        return np.full_like(S, self.value)


class _Combined(Kernel):
    """What sums and products share."""

    kernels: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        parts = self.kernels if isinstance(self.kernels, (tuple, list)) else ()
        if len(parts) < 2 or not all(isinstance(part, Kernel) for part in parts):
            raise TypeError(f"{type(self).__name__} takes a tuple of two or more kernels; got {self.kernels!r}.")
        if any(isinstance(part, Precomputed) for part in parts):
            raise ValueError(
                "a precomputed kernel cannot be combined with others: combine the matrices, and give "
                'kernel="precomputed".'
            )
        object.__setattr__(self, "kernels", tuple(parts))

    @property
    def known_definite(self) -> bool:
        return all(kernel.known_definite for kernel in self.kernels)

    @abstractmethod
    def _of(self, parts: Sequence[Gram]) -> CombinedGram:
        """The matrix from those of the parts."""

    def gram(self, rows: Rows, columns: Rows | None = None, n_threads: int = 1) -> CombinedGram:
        found = self._of([kernel.gram(rows, columns, n_threads) for kernel in self.kernels])
        if columns is None:
            with np.errstate(over="ignore", invalid="ignore"):
                finite = np.isfinite(found.diagonal()).all()
            if not finite:
                raise FloatRangeError(
                    "X has values so large that a sum or product of its kernel values overflows float64. Scale X."
                )
        return found

    def audit_gram(self, rows: Any) -> CombinedGram:
        return self._of([kernel.audit_gram(rows) for kernel in self.kernels])


@dataclass(frozen=True, repr=False)
class Sum(_Combined):
    """``k_1(x, z) + k_2(x, z) + ...``, written ``RBF(0.5) + Linear()``."""

    name = "sum"

    kernels: tuple[Kernel, ...]

    def _of(self, parts: Sequence[Gram]) -> CombinedGram:
        return SumGram(parts)

    def __repr__(self) -> str:
        return " + ".join(repr(kernel) for kernel in self.kernels)


@dataclass(frozen=True, repr=False)
class Product(_Combined):
    """``k_1(x, z) * k_2(x, z) * ...``, written ``Polynomial(degree=2) * RBF(1.0)``."""

    name = "product"

    kernels: tuple[Kernel, ...]

    def _of(self, parts: Sequence[Gram]) -> CombinedGram:
        return ProductGram(parts)

    def __repr__(self) -> str:
        return " * ".join(f"({kernel!r})" if isinstance(kernel, Sum) else repr(kernel) for kernel in self.kernels)


def combined(kind: type[Sum] | type[Product], left: Any, right: Any) -> Kernel:
    """A sum or product of kernels, functions and numbers, else NotImplemented. Sums of sums are one sum."""
    parts: list[Kernel] = []
    for part in (left, right):
        if isinstance(part, Real) and not isinstance(part, bool):
            part = Constant(float(part))
        elif not isinstance(part, Kernel) and callable(part):
            part = CallableKernel(part)
        if not isinstance(part, Kernel):
            return NotImplemented
        parts.extend(part.kernels if isinstance(part, kind) else (part,))
    return kind(tuple(parts))


def largest_degree(kernel: Any) -> int:
    """The largest degree of a polynomial in a kernel: how often its values are multiplied."""
    parts = getattr(kernel, "kernels", ())
    return max((largest_degree(part) for part in parts), default=int(getattr(kernel, "degree", 0)))


class CombinedGram(Gram):
    """Kernel values that are sums or products of those of other matrices."""

    def __init__(self, parts: Sequence[Gram]) -> None:
        self.parts = list(parts)
        self.shape = self.parts[0].shape

    _merge: Callable[..., Any]  # of two blocks of values: a function of NumPy

    def _same(self, change: Callable[[Gram], Gram]) -> CombinedGram:
        return type(self)([change(part) for part in self.parts])

    def restricted(self, index: np.ndarray) -> CombinedGram:
        return self._same(lambda part: part.restricted(index))

    def with_threads(self, n_threads: int) -> CombinedGram:
        return self._same(lambda part: part.with_threads(n_threads))

    def diagonal(self) -> np.ndarray:
        return reduce(self._merge, [part.diagonal() for part in self.parts])

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        return reduce(self._merge, [part.block(i, j, dtype) for part in self.parts])

    def whole(self, dtype: Any) -> np.ndarray:
        return self.own_whole(dtype)

    def own_whole(self, dtype: Any) -> np.ndarray:
        first, *rest = self.parts
        out = first.own_whole(dtype)
        for part in rest:
            self._merge(out, part.whole(dtype), out=out)
        return out

    def accuracy(self) -> Accuracy:
        return self._joint([part.accuracy() for part in self.parts], UNIT)

    @staticmethod
    @abstractmethod
    def _joint(parts: list[Accuracy], unit: float) -> Accuracy:
        """The accuracy of the values from those of the parts."""

    def extended_work(self, count: int) -> float:
        return sum(part.extended_work(count) for part in self.parts)

    def extended(self, j: np.ndarray) -> tuple[np.ndarray, Accuracy]:
        found = [part.extended(j) for part in self.parts]
        values = reduce(self._merge, [values for values, _ in found])
        return values, self._joint([accuracy for _, accuracy in found], EXTENDED_UNIT)


def _each(accuracy: Accuracy) -> float:
    """The largest error of a value, relative to the sizes of its two samples."""
    return 1.001 * (float(accuracy.relative.max(initial=0.0)) * (1 + accuracy.absolute) + accuracy.absolute)


class SumGram(CombinedGram):
    """``K_1 + K_2 + ...``."""

    _merge = staticmethod(np.add)

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        return reduce(np.add, [part.product(j, coef, dtype, i) for part in self.parts])

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        values, sizes, additions = zip(*(part.sized_products(j, coef) for part in self.parts), strict=True)
        return reduce(np.add, values), reduce(np.add, sizes), max(additions) + len(self.parts)

    def float32_error(self) -> float:
        # the diagonal of a sum is at least that of each part
        return sum(part.float32_error() for part in self.parts)

    @staticmethod
    def _joint(parts: list[Accuracy], unit: float) -> Accuracy:
        # s = sqrt(sum_p s_p^2), of which Cauchy's inequality says sum_p s_pi s_pj <= s_i s_j
        scale = np.sqrt(sum(part.scale**2 for part in parts)) * (1 + 1e-12)
        each = max(_each(part) for part in parts)
        return Accuracy(np.zeros(len(scale)), each + 1.001 * roundings(len(parts), unit) * (1 + each), scale)


class ProductGram(CombinedGram):
    """``K_1 * K_2 * ...``, element by element."""

    _merge = staticmethod(np.multiply)

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        rows = np.arange(self.shape[0]) if i is None else np.asarray(i)
        out = np.zeros((len(coef), len(rows)))
        for part, block in self._blocks(rows, j, dtype):
            out[:, part] = coef @ block.T
        return out

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        f, size = np.zeros((len(coef), self.shape[0])), np.zeros((len(coef), self.shape[0]))
        for part, block in self._blocks(np.arange(self.shape[0]), j, np.float64):
            f[:, part], size[:, part] = coef @ block.T, np.abs(coef) @ np.abs(block).T
        return f, size, len(j) + 2

    def _blocks(self, rows: np.ndarray, j: np.ndarray, dtype: Any) -> Iterator[tuple[slice, np.ndarray]]:
        step = max(1, _BLOCK // max(1, len(j)))
        for start in range(0, len(rows) if len(j) else 0, step):
            part = slice(start, min(start + step, len(rows)))
            yield part, self.block(rows[part], j, dtype)

    def float32_error(self) -> float:
        # the errors are relative to the largest diagonal values of the parts, which need not be of one sample
        diagonals = [np.abs(part.diagonal()) for part in self.parts]
        largest = float(reduce(np.multiply, diagonals).max(initial=0.0))
        together = float(np.prod([d.max(initial=0.0) for d in diagonals]))
        if not (largest > 0 and 1e-30 < together < 1e30):
            return np.inf
        return sum(part.float32_error() for part in self.parts) * together / largest

    @staticmethod
    def _joint(parts: list[Accuracy], unit: float) -> Accuracy:
        scale = reduce(np.multiply, [part.scale for part in parts]) * (1 + 1e-12)
        each = float(np.expm1(sum(np.log1p(_each(part)) for part in parts)))  # (1 + e_1) (1 + e_2) ... - 1
        more = roundings(len(parts), unit) * (1 + each)
        return Accuracy(np.zeros(len(scale)), 1.001 * (each + more) + 1e-300, scale)
