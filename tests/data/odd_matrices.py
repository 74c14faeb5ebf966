"""Sparse matrices as few people write them, all of which are the same table; and some that are no matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

FORMATS = ("csr", "csr", "csr", "csc", "csc", "coo", "coo", "bsr", "lil", "dok", "dia")
ARRAYS = ("data", "indices", "indptr", "offsets")


def table(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Rows whose values can be split into parts that add up to them exactly, in 32 bits too."""
    X = np.rint(64 * rng.normal(size=(n, d))) / 64
    return np.where(rng.random((n, d)) < rng.uniform(0.3, 1.0), X, 0.0)


def odd(X: np.ndarray, rng: np.random.Generator, zeros: bool = True) -> tuple[Any, str]:
    """A sparse matrix with the values of X, and words for what is odd about it; `zeros` may be stored or not."""
    format, said = str(rng.choice(FORMATS if zeros else FORMATS[:7])), []
    make = getattr(sp, f"{format}_{rng.choice(['matrix', 'array'])}")
    if format in ("dok", "dia"):
        return make(X), format
    parts = _parts(X, rng, said, zeros)
    if format == "bsr":
        return _blocks(make, X, rng, said), " ".join([format, *said])
    if format == "lil":
        M = make(X.shape, dtype=X.dtype)
        for i, j, value in zip(*parts, strict=True):
            M.rows[i].append(int(j))
            M.data[i].append(value)
        return M, " ".join([format, *said])
    M = _compressed(make, parts, X.shape) if format in ("csr", "csc") else make((parts[2], parts[:2]), shape=X.shape)
    _other_types(M, rng, said)
    if format != "coo" and rng.random() < 0.2:
        said.append("flags that lie")
        M.has_sorted_indices = M.has_canonical_format = True
    if format == "coo" and rng.random() < 0.2:
        said.append("flags that lie")
        M.has_canonical_format = True
    if rng.random() < 0.3:
        said.append("read-only")
        for array in arrays(M):
            array.flags.writeable = False
    return M, " ".join([format, *said])


def _parts(X: np.ndarray, rng: np.random.Generator, said: list[str], zeros: bool) -> tuple[np.ndarray, ...]:
    """Rows, columns and values that add up to X, in any order."""
    row, column = np.nonzero(X)
    value = X[row, column]
    if rng.random() < 0.7 and len(row):
        said.append("duplicates")
        split = rng.integers(0, len(row), int(rng.integers(1, len(row) + 1)))
        part = rng.integers(-8, 9, len(split)).astype(X.dtype)
        row, column = np.append(row, row[split]), np.append(column, column[split])
        np.subtract.at(value, split, part)
        value = np.append(value, part)
    if zeros and rng.random() < 0.5:
        said.append("zeros")
        i, j = rng.integers(0, X.shape[0], 5), rng.integers(0, X.shape[1], 5)
        row, column, value = np.append(row, i), np.append(column, j), np.append(value, np.zeros(5, X.dtype))
    order = rng.permutation(len(row)) if rng.random() < 0.7 else np.lexsort((column, row))
    return row[order], column[order], value[order]


def _compressed(make: Any, parts: tuple[np.ndarray, ...], shape: tuple[int, int]) -> Any:
    """Lines in order, what is in them as it comes."""
    major, minor = (0, 1) if make.__name__.startswith("csr") else (1, 0)
    order = np.argsort(parts[major], kind="stable")
    indptr = np.append(0, np.cumsum(np.bincount(parts[major], minlength=shape[major])))
    return make((parts[2][order], parts[minor][order], indptr), shape=shape)


def _blocks(make: Any, X: np.ndarray, rng: np.random.Generator, said: list[str]) -> Any:
    """Blocks, each in two halves that are stored apart."""
    size = tuple(int(rng.choice([k for k in range(1, 5) if side % k == 0])) for side in X.shape)
    M = make(X, blocksize=size)
    if rng.random() < 0.5:
        return M
    said.append("duplicates")
    part = rng.integers(-8, 9, M.data.shape).astype(X.dtype)
    indptr = 2 * M.indptr
    indices, data = np.repeat(M.indices, 2), np.repeat(M.data, 2, axis=0)
    data[::2] -= part
    data[1::2] = part
    return make((data, indices, indptr), shape=X.shape)


def _other_types(M: Any, rng: np.random.Generator, said: list[str]) -> None:
    kind = rng.choice([np.int32, np.int64, np.int64, np.uint32, np.int16])
    said.append(np.dtype(kind).name)
    if M.format == "coo":
        M.coords = tuple(part.astype(kind) for part in M.coords)
        return
    M.indices = M.indices.astype(kind)
    if rng.random() < 0.5:
        M.indptr = M.indptr.astype(kind)
    if rng.random() < 0.2:
        said.append("room at the end")
        M.indices, M.data = np.append(M.indices, M.indices[:3]), np.append(M.data, M.data[:3])


def arrays(M: Any) -> list[np.ndarray]:
    """What a matrix is made of."""
    found = [getattr(M, name) for name in ARRAYS if isinstance(getattr(M, name, None), np.ndarray)]
    return found + (list(M.coords) if M.format == "coo" else [M.rows] if M.format == "lil" else [])


def imprint(M: Any) -> list:
    """To see whether a matrix was changed."""
    if M.format == "dok":
        return sorted((*map(int, key), float(value)) for key, value in M.items())
    return [(a.dtype, a.tolist()) for a in arrays(M)]


# ------------------------------------------------------------------ what is no matrix


def malformed(X: np.ndarray, rng: np.random.Generator) -> tuple[Any, str]:
    """A sparse matrix whose arrays do not fit together, and what is wrong with them. X has to have some values."""
    others = {"coo": COORDINATES, "lil": LISTS, "dia": DIAGONALS}
    format = str(rng.choice(["csr", "csr", "csr", "csc", "coo", "bsr", "lil", "dia"]))
    M = getattr(sp, f"{format}_{rng.choice(['matrix', 'array'])}")(X)
    faults = others.get(format, COMPRESSED)
    name = str(rng.choice(list(faults)))
    faults[name](M, rng)
    return M, f"{format} {name}"


def _wrong_index(*values: int) -> Callable[[Any, np.random.Generator], None]:
    def change(M: Any, rng: np.random.Generator) -> None:
        indices = M.indices.astype(np.int64)
        indices[rng.integers(len(indices))] = rng.choice(values)
        M.indices = indices if max(values) > 2**31 else indices.astype(np.int32)

    return change


def _wrong_pointer(change_of: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> Callable[..., None]:
    def change(M: Any, rng: np.random.Generator) -> None:
        M.indptr = change_of(M.indptr.copy(), rng)

    return change


def _put(indptr: np.ndarray, at: int, value: int) -> np.ndarray:
    indptr[at] = value
    return indptr


def _shorter(name: str) -> Callable[..., None]:
    return lambda M, rng: setattr(M, name, getattr(M, name)[: -int(rng.integers(1, 4))])


def _wrong_coordinate(value: int) -> Callable[..., None]:
    def change(M: Any, rng: np.random.Generator) -> None:
        coordinates = [part.astype(np.int64) for part in M.coords]
        coordinates[rng.integers(2)][rng.integers(M.nnz)] = value
        M.coords = tuple(coordinates)

    return change


def _wrong_list(value: int | None) -> Callable[..., None]:
    def change(M: Any, rng: np.random.Generator) -> None:
        row = M.rows[rng.choice([i for i in range(M.shape[0]) if M.rows[i]])]
        row.append(value) if value is None else row.__setitem__(0, value)

    return change


COMPRESSED = {
    "index too large": _wrong_index(10**8, 2**31 - 1, 1000),
    "index too large for 32 bits": _wrong_index(2**40, 2**32),
    "index below 0": _wrong_index(-5, -1, -(10**8)),
    "indices that are no integers": lambda M, rng: setattr(M, "indices", M.indices + 0.0),
    "pointer too large": _wrong_pointer(lambda p, rng: _put(p, int(rng.integers(1, len(p))), 10**8)),
    "pointer below 0": _wrong_pointer(lambda p, rng: _put(p, int(rng.integers(1, len(p))), -3)),
    "pointers that start late": _wrong_pointer(lambda p, rng: _put(p, 0, 1)),
    "pointers that end late": _wrong_pointer(lambda p, rng: _put(p, -1, int(p[-1]) + int(rng.integers(1, 9)))),
    "too few pointers": _wrong_pointer(lambda p, rng: p[: -int(rng.integers(1, 4))]),
    "too many pointers": _wrong_pointer(lambda p, rng: np.append(p, p[-1])),
    "indices too short": _shorter("indices"),
    "data too short": _shorter("data"),
}
COORDINATES = {
    "coordinate too large": _wrong_coordinate(10**8),
    "coordinate below 0": _wrong_coordinate(-2),
    "data too short": _shorter("data"),
    "coordinates that are no integers": lambda M, rng: setattr(M, "coords", (M.coords[0] + 0.0, M.coords[1])),
    "rows too short": lambda M, rng: setattr(M, "coords", (M.coords[0][:-1], M.coords[1])),
}
LISTS = {
    "column too large": _wrong_list(10**6),
    "column below 0": _wrong_list(-4),
    "a column without a value": _wrong_list(None),
}
DIAGONALS = {
    "too few diagonals": _shorter("data"),
    "a diagonal twice": lambda M, rng: setattr(M, "offsets", np.zeros_like(M.offsets)),
    "offsets that are no integers": lambda M, rng: setattr(M, "offsets", M.offsets + 0.0),
}
