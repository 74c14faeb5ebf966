"""Sparse matrices that compiled code may trust: of sound structure, and in canonical form.

SciPy checks little of what a matrix is built from (``load_npz`` and assignments to ``X.indices`` nothing at all), and
keeps in flags whether indices are sorted, which are wrong after such an assignment. Compiled loops that follow an
index out of the matrix end the process; loops that meet an entry in two parts compute something else. So every sparse
matrix that a user gives comes through `canonical`, once, before anything else looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

_LARGEST = np.iinfo(np.int32).max


def canonical(X: Any, name: str = "X") -> Any:
    """A sparse matrix in canonical CSR or CSC form; what is not sparse comes back as it is.

    Indices are sorted within each row (column, for CSC), entries that were given in parts are added up, and index
    arrays are of 32 bits where that suffices. Zeros that are stored stay: in a graph of distances they mean something.
    The user's matrix is not changed; its arrays are shared where they are in that form already, and may be read-only.

    Parameters
    ----------
    X : object
        CSC stays CSC, all other formats become CSR. Sparse matrices stay matrices, sparse arrays stay arrays.
    name : str, default="X"
        What errors call it.

    Raises
    ------
    ValueError
        If the arrays of X do not make a matrix of its shape. The message names the first entry that is out of place.

    """
    if not sp.issparse(X):
        return X
    if X.ndim != 2:
        raise ValueError(f"{name} is a sparse array of {X.ndim} dimensions, shape {X.shape}; 2 are needed: reshape it.")
    if max(X.shape) > _LARGEST:
        what, most = ("columns", X.shape[1]) if X.shape[1] > _LARGEST else ("rows", X.shape[0])
        raise ValueError(f"{name} has {most} {what}, and no more than {_LARGEST} are supported: leave out empty ones.")
    X = _OTHERS[X.format](X, name) if X.format in _OTHERS else X
    data, indices, indptr = _compressed(X, name)
    make = _container(X, X.format)
    out = make((data, indices, indptr), shape=X.shape)
    if not out.has_canonical_format:  # looked up in the arrays: the flags of X are not carried over
        out = make((_summable(data), indices, indptr), shape=X.shape, copy=True)
        out.sum_duplicates()
    return out


def _summable(data: np.ndarray) -> np.ndarray:
    """Values of a type that SciPy can add: it cannot add half precision."""
    return data.astype(np.float32) if data.dtype == np.float16 else data


def csr_rows(X: Any, name: str = "X") -> sp.csr_array:
    """The rows of a sparse matrix as a canonical CSR array."""
    return sp.csr_array(canonical(X, name))


# ------------------------------------------------------------------ compressed rows and columns


def _compressed(X: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The checked arrays of a CSR or CSC matrix, without room that was left at their ends."""
    line, lines, crossing = ("row", X.shape[0], X.shape[1]) if X.format == "csr" else ("column", X.shape[1], X.shape[0])
    other = "columns" if line == "row" else "rows"
    data = _numbers(X.data, name)
    if data.ndim != 1:
        _refuse(name, f"{name}.data has {data.ndim} dimensions, and 1 is needed")
    indices, indptr = _pointers(X, name, line, lines, len(data))
    stored = int(indptr[-1])
    _within(indices[:stored], crossing, f"{name}.indices", partial(_line_of, indptr, line=line), name, other)
    narrow = np.int32 if stored <= _LARGEST else np.int64
    return (
        np.ascontiguousarray(data[:stored]),
        np.ascontiguousarray(indices[:stored], narrow),
        np.ascontiguousarray(indptr, narrow),
    )


def _numbers(values: Any, name: str) -> np.ndarray:
    """The values of a matrix in a type that SciPy can handle: objects and text become numbers, or are refused."""
    data = np.asarray(values)
    if data.dtype.kind not in "OSU":
        return data.astype(data.dtype.newbyteorder("="), copy=False)
    try:
        return data.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}.data holds values that are not numbers: {error}.") from None


def _pointers(X: Any, name: str, line: str, lines: int, values: int) -> tuple[np.ndarray, np.ndarray]:
    """`indices` and `indptr`, after a look at whether the second divides the first (and the values) into lines."""
    indices, indptr = _integers(X.indices, f"{name}.indices", name), _integers(X.indptr, f"{name}.indptr", name)
    if len(indptr) != lines + 1:
        _refuse(name, f"{name}.indptr has length {len(indptr)}, and {name} has {lines} {line}s: it must be {lines + 1}")
    if indptr[0] != 0:
        _refuse(name, f"{name}.indptr starts with {indptr[0]}, and must start with 0")
    falls = indptr[1:] < indptr[:-1]
    if falls.any():
        i = int(falls.argmax())
        _refuse(name, f"{name}.indptr falls from {indptr[i]} to {indptr[i + 1]} at {line} {i}, and must not fall")
    if indptr[-1] > min(len(indices), values):
        short, length = ("indices", len(indices)) if len(indices) <= values else ("data", values)
        _refuse(
            name, f"{name}.indptr ends with {indptr[-1]}, and {name}.{short} has length {length}, which is too short"
        )
    return indices, indptr


def _integers(array: Any, what: str, name: str) -> np.ndarray:
    array = np.asarray(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        _refuse(name, f"{what} is an array of {array.dtype} with {array.ndim} dimensions, and must be integers in 1")
    return array


def _within(indices: np.ndarray, bound: int, what: str, where: Callable[[int], str], name: str, other: str) -> None:
    """Refuse the first index that is not from 0 to `bound` - 1; `what` and `where` are for the message."""
    if not len(indices) or (indices.min() >= 0 and indices.max() < bound):
        return
    at = int(((indices < 0) | (indices >= bound)).argmax())
    allowed = f"indices from 0 to {bound - 1} would do" if bound else "there is no index that would do"
    _refuse(name, f"{what} holds {indices[at]}{where(at)}, and {name} has {bound} {other}: {allowed}")


def _line_of(indptr: np.ndarray, at: int, line: str) -> str:
    return f" in {line} {int(np.searchsorted(indptr, at, side='right')) - 1}"


def _refuse(name: str, fault: str) -> NoReturn:
    raise ValueError(f"{fault}. {name} is not a valid sparse matrix; build it again from its rows, columns and values.")


def _container(X: Any, form: str) -> Any:
    """The class of sparse matrices or sparse arrays, as X is one or the other."""
    return getattr(sp, f"{form}_matrix" if isinstance(X, sp.spmatrix) else f"{form}_array")


# ------------------------------------------------------------------ the other formats, as CSR


def _from_coordinates(X: Any, values: Any, row: Any, column: Any, name: str, called: tuple[str, str]) -> Any:
    values = _numbers(values, name)
    row, column = _integers(row, called[0], name), _integers(column, called[1], name)
    if not values.ndim == 1 or not len(row) == len(column) == len(values):
        lengths = f"{len(row)} rows, {len(column)} columns and {values.size} values"
        _refuse(name, f"{name} has coordinates of {lengths}, and there must be as many of each")
    for index, bound, what, other in ((row, X.shape[0], called[0], "rows"), (column, X.shape[1], called[1], "columns")):
        _within(index, bound, what, " at position {}".format, name, other)
    order = np.argsort(row, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row.astype(np.int64), minlength=X.shape[0]))])
    return _container(X, "csr")((values[order], column[order], indptr), shape=X.shape)


def _from_coo(X: Any, name: str) -> Any:
    return _from_coordinates(X, X.data, X.row, X.col, name, (f"{name}.row", f"{name}.col"))


def _from_dok(X: Any, name: str) -> Any:
    keys = np.array(list(X.keys()) or np.empty((0, 2), np.int64))
    values = np.array(list(X.values()), dtype=X.dtype)
    return _from_coordinates(X, values, keys[:, 0], keys[:, 1], name, (f"{name}.keys()", f"{name}.keys()"))


def _from_lil(X: Any, name: str) -> Any:
    lengths = [len(row) for row in X.rows]
    if len(lengths) != X.shape[0] or lengths != [len(values) for values in X.data]:
        _refuse(name, f"{name}.rows and {name}.data do not have the lengths of {X.shape[0]} rows")
    columns = np.array(list(chain.from_iterable(X.rows)) or np.empty(0, np.int64))
    values = np.array(list(chain.from_iterable(X.data)), dtype=X.dtype)
    row = np.repeat(np.arange(X.shape[0]), lengths)
    return _from_coordinates(X, values, row, columns, name, ("", f"{name}.rows"))


def _from_dia(X: Any, name: str) -> Any:
    offsets, data = _integers(X.offsets, f"{name}.offsets", name), np.asarray(X.data)
    if data.ndim != 2 or len(data) != len(offsets) or len(np.unique(offsets)) != len(offsets):
        _refuse(
            name, f"{name}.offsets and {name}.data do not describe different diagonals, one in each row of the data"
        )
    column = np.broadcast_to(np.arange(data.shape[1]), data.shape)
    row = column - offsets.astype(np.int64)[:, None]
    inside = (row >= 0) & (row < X.shape[0]) & (column < X.shape[1]) & (data != 0)
    return _from_coordinates(X, data[inside], row[inside], column[inside], name, ("", ""))


def _from_bsr(X: Any, name: str) -> Any:
    data = np.asarray(X.data)
    if data.ndim != 3 or any(not b or n % b for n, b in zip(X.shape, data.shape[1:], strict=True)):
        _refuse(name, f"{name}.data has shape {data.shape}, which are no blocks that fill a matrix of shape {X.shape}")
    (blocks, across), (height, width) = (n // b for n, b in zip(X.shape, data.shape[1:], strict=True)), data.shape[1:]
    indices, indptr = _pointers(X, name, "block row", blocks, len(data))
    stored = int(indptr[-1])
    place = partial(_line_of, indptr, line="block row")
    _within(indices[:stored], across, f"{name}.indices", place, name, "columns of blocks")
    lengths: np.ndarray = np.diff(indptr.astype(np.int64))
    row = np.repeat(np.arange(blocks), lengths)[:, None, None] * height
    row = np.broadcast_to(row + np.arange(height)[:, None], (stored, height, width))
    column = indices[:stored].astype(np.int64)[:, None, None] * width + np.arange(width)
    column = np.broadcast_to(column, row.shape)
    return _from_coordinates(X, data[:stored].ravel(), row.ravel(), column.ravel(), name, ("", ""))


_OTHERS = {"coo": _from_coo, "dok": _from_dok, "lil": _from_lil, "dia": _from_dia, "bsr": _from_bsr}
