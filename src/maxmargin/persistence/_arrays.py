"""Kinds of arrays: dtype, shape by named sizes and range of their values; CSR with all its indices; labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._errors import Mismatch, Where, inside
from ._kinds import Either, Kind
from ._scope import Scope
from ._sizes import Size, agree, below, resolved
from ._values import labels_of, shown

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

    def read(self, node: Any, where: Where, scope: Scope) -> np.ndarray:
        if not isinstance(node, np.ndarray) or node.dtype.name not in self.dtypes:
            raise Mismatch(where, f"must be an array of {' or '.join(self.dtypes)}; found {shown(node)}.")
        _check_shape(self.shape, node, where, scope)
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


def _check_shape(shape: Sequence[Size], values: np.ndarray, where: Where, scope: Scope) -> None:
    if values.ndim != len(shape):
        raise Mismatch(where, f"must have {len(shape)} sides; found the shape {values.shape}.")
    for axis, (size, found) in enumerate(zip(shape, values.shape, strict=True)):
        agree(scope, size, found, where, f"side {axis} of its shape {values.shape}")


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
    return whole(count, low=0, high=below(of), **options)


def bools(*shape: Size) -> Array:
    """An array of truth values."""
    return Array(("bool",), shape)


@dataclass(frozen=True)
class Csr(Kind):
    """A CSR matrix of floats, every index of which is checked."""

    rows: Size
    columns: Size
    dtypes: tuple[str, ...] = FLOATS

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
        agree(scope, self.rows, shape[0], where, "its number of rows")
        agree(scope, self.columns, shape[1], where, "its number of columns")
        own = Scope()
        data = Array(self.dtypes, ("stored",)).read(node["data"], inside(where, "data"), own)
        high = shape[1] - 1
        indices = whole("stored", low=0, high=high).read(node["indices"], inside(where, "indices"), own)
        indptr = whole(shape[0] + 1, low=0).read(node["indptr"], inside(where, "indptr"), own)
        if indptr[0] != 0 or indptr[-1] != own["stored"] or (np.diff(indptr) < 0).any():
            raise Mismatch(inside(where, "indptr"), "must rise from 0 to the number of stored values.")
        make = sp.csr_array if node["$csr"] == "array" else sp.csr_matrix
        return make((data, indices, indptr), shape=tuple(shape))


def dense_or_csr(rows: Size, columns: Size, dtypes: tuple[str, ...] = FLOATS, nan: bool = False) -> Either:
    """Rows as they were given: an array, or CSR."""
    dense, csr = Array(dtypes, (rows, columns), nan=nan), Csr(rows, columns, dtypes)
    return Either(lambda node, scope: csr if isinstance(node, dict) else dense)


@dataclass(frozen=True)
class Labels(Kind):
    """Labels: numbers, truth values or texts. `distinct` ones rise, as `numpy.unique` gives them."""

    shape: Sequence[Size]
    distinct: bool = False
    finite: bool = True
    among: str | None = None

    def read(self, node: Any, where: Where, scope: Scope) -> np.ndarray:
        values = labels_of(node, where)
        _check_shape(self.shape, values, where, scope)
        if self.finite and values.dtype.kind == "f" and not np.isfinite(values).all():
            raise Mismatch(where, "must be finite.")
        if self.distinct and len(values) > 1 and not all(_rises(values, where)):
            raise Mismatch(where, "must hold distinct labels in rising order.")
        if self.among is not None and values.size and not np.isin(values, scope.values[self.among]).all():
            raise Mismatch(where, f"has a label that is not in {self.among}.")
        return values


def _rises(values: np.ndarray, where: Where) -> Any:
    try:
        return values[:-1] < values[1:]
    except TypeError as error:
        raise Mismatch(where, "has labels that cannot be compared with each other.") from error
