"""Kinds of arrays: dtype, shape by named sizes and range of their values; CSR matrices with all their indices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._errors import Mismatch, Where, inside
from ._kinds import Kind, Scope, Size, resolved, shown

FLOATS = ("float64", "float32")
WHOLE = ("int64", "int32")


@dataclass(frozen=True)
class Array(Kind):
    """An array of one of some dtypes with sides of named sizes, and values in a range.

    `low` and `high` may be sizes; with `finite=False` infinite values are allowed, with `nan=True` NaN as well.
    """

    dtypes: tuple[str, ...]
    shape: tuple[Size, ...]
    low: Any = None
    high: Any = None
    finite: bool = True
    nan: bool = False
    check: Callable[[np.ndarray], str | None] | None = None

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.name not in self.dtypes:
            raise Mismatch(where, f"must be an array of {' or '.join(self.dtypes)} to be saved; found {shown(value)}.")
        return value

    def read(self, node: Any, where: Where, scope: Scope) -> np.ndarray:
        if not isinstance(node, np.ndarray) or node.dtype.name not in self.dtypes:
            raise Mismatch(where, f"must be an array of {' or '.join(self.dtypes)}; found {shown(node)}.")
        if node.ndim != len(self.shape):
            raise Mismatch(where, f"must have {len(self.shape)} sides; found the shape {node.shape}.")
        for axis, (size, found) in enumerate(zip(self.shape, node.shape, strict=True)):
            scope.agree(size, found, where, f"side {axis} of its shape {node.shape}")
        self._check_values(node, where, scope)
        return node

    def _check_values(self, values: np.ndarray, where: Where, scope: Scope) -> None:
        if not values.size:
            return
        if values.dtype.kind == "f":
            if not self.nan and np.isnan(values).any():
                raise Mismatch(where, "must not hold NaN.")
            if self.finite and np.isinf(values).any():
                raise Mismatch(where, "must be finite.")
        for end, beyond, words in ((self.low, np.less, "below"), (self.high, np.greater, "above")):
            if end is None:
                continue
            limit = resolved(end, scope)
            with np.errstate(invalid="ignore"):
                if beyond(values, limit).any():
                    raise Mismatch(where, f"has values {words} {limit}.")
        problem = None if self.check is None else self.check(values)
        if problem:
            raise Mismatch(where, problem)


def floats(*shape: Size, **options: Any) -> Array:
    """An array of float64."""
    return Array(("float64",), shape, **options)


def either_float(*shape: Size, **options: Any) -> Array:
    """An array of float64 or float32."""
    return Array(FLOATS, shape, **options)


def whole(*shape: Size, **options: Any) -> Array:
    """An array of int64 or int32."""
    return Array(WHOLE, shape, **options)


def places(count: Size, of: str, **options: Any) -> Array:
    """Indices, each from 0 to below a size."""
    return whole(count, low=0, high=lambda scope: scope[of] - 1, **options)


def bools(*shape: Size) -> Array:
    """An array of truth values."""
    return Array(("bool",), shape)


@dataclass(frozen=True)
class Csr(Kind):
    """A CSR matrix of floats, every index of which is checked."""

    rows: Size
    columns: Size
    dtypes: tuple[str, ...] = FLOATS
    low: float | None = None

    def write(self, value: Any, where: Where) -> Any:
        if not sp.issparse(value) or value.format != "csr" or value.dtype.name not in self.dtypes:
            raise Mismatch(where, f"must be a CSR matrix to be saved; found {shown(value)}.")
        kind = "array" if isinstance(value, sp.sparray) else "matrix"
        parts = {name: np.asarray(getattr(value, name)) for name in ("data", "indices", "indptr")}
        return {"$csr": kind, "shape": [int(m) for m in value.shape], **parts}

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, dict) or set(node) != {"$csr", "shape", "data", "indices", "indptr"}:
            raise Mismatch(where, f"must be a CSR matrix; found {shown(node)}.")
        shape = node["shape"]
        limit = np.iinfo(np.int32).max
        if (
            not isinstance(shape, list)
            or len(shape) != 2
            or any(type(m) is not int or not 0 <= m <= limit for m in shape)
        ):
            raise Mismatch(where, f"claims the shape {shown(shape)}.")
        if node["$csr"] not in ("array", "matrix"):
            raise Mismatch(where, "is neither a sparse array nor a sparse matrix.")
        scope.agree(self.rows, shape[0], where, "its number of rows")
        scope.agree(self.columns, shape[1], where, "its number of columns")
        own = Scope()
        data = Array(self.dtypes, ("stored",), low=self.low).read(node["data"], inside(where, "data"), own)
        high = shape[1] - 1
        indices = whole("stored", low=0, high=high).read(node["indices"], inside(where, "indices"), own)
        indptr = whole(shape[0] + 1, low=0).read(node["indptr"], inside(where, "indptr"), own)
        if indptr[0] != 0 or indptr[-1] != own["stored"] or (np.diff(indptr) < 0).any():
            raise Mismatch(inside(where, "indptr"), "must rise from 0 to the number of stored values.")
        make = sp.csr_array if node["$csr"] == "array" else sp.csr_matrix
        return make((data, indices, indptr), shape=tuple(shape))


@dataclass(frozen=True)
class DenseOrCsr(Kind):
    """Rows as they were given: an array, or CSR."""

    rows: Size
    columns: Size
    dtypes: tuple[str, ...] = FLOATS
    finite: bool = True
    nan: bool = False

    def write(self, value: Any, where: Where) -> Any:
        kind: Kind = self._csr if sp.issparse(value) else self._dense
        return kind.write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        kind: Kind = self._csr if isinstance(node, dict) else self._dense
        return kind.read(node, where, scope)

    @property
    def _dense(self) -> Array:
        return Array(self.dtypes, (self.rows, self.columns), finite=self.finite, nan=self.nan)

    @property
    def _csr(self) -> Csr:
        return Csr(self.rows, self.columns, self.dtypes)
