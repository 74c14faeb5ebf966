"""Arrays of a model in pools, one a dtype: ``arrays/float64.npy`` holds all its float64 values, one after the other.

A tree of JSON values with arrays as leaves becomes one without: an array is replaced by ``{"$array": dtype, "at": first
place in the pool, "shape": [...]}``. The places follow each other without gap or overlap in the order of the tree, so
that what is allocated on reading is never more than what the file holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, BinaryIO

import numpy as np

from ._errors import Mismatch

DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
}
_CHUNK = 2**20
_MAX_DIMENSIONS = 8


def member_of(dtype: str) -> str:
    """The name of a pool in the file."""
    return f"arrays/{dtype}.npy"


MEMBERS = {member_of(dtype): dtype for dtype in DTYPES}


def header(dtype: str, count: int) -> bytes:
    """The start of a ``.npy`` file with a vector of so many values; `numpy.load` reads it."""
    text = f"{{'descr': {DTYPES[dtype].str!r}, 'fortran_order': False, 'shape': ({count},), }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("latin1")


def pack(tree: Any) -> tuple[Any, dict[str, list[np.ndarray]]]:
    """The tree without arrays, and the arrays of each pool in order."""
    pools: dict[str, list[np.ndarray]] = {}
    ends: dict[str, int] = {}

    def replaced(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: replaced(value) for key, value in node.items()}
        if isinstance(node, list):
            return [replaced(value) for value in node]
        if not isinstance(node, np.ndarray):
            return node
        dtype = node.dtype.name
        if dtype not in DTYPES:
            raise Mismatch("", f"an array of dtype {node.dtype} cannot be saved.")
        reference = {"$array": dtype, "at": ends.get(dtype, 0), "shape": list(node.shape)}
        ends[dtype] = reference["at"] + node.size
        if node.ndim > 1 and node.flags.f_contiguous and not node.flags.c_contiguous:
            reference["order"] = "F"
            node = node.T
        pools.setdefault(dtype, []).append(np.ascontiguousarray(node).astype(DTYPES[dtype], copy=False))
        return reference

    return replaced(tree), pools


def chunks(dtype: str, arrays: list[np.ndarray]) -> Iterator[bytes | memoryview]:
    """The bytes of a pool."""
    yield header(dtype, sum(array.size for array in arrays))
    for array in arrays:
        if array.size:
            yield array.reshape(-1).view(np.uint8).data


class Pools:
    """The places of all arrays of a tree, from which they are read."""

    def __init__(self, tree: Any) -> None:
        self._ends: dict[str, int] = {}
        self._places: dict[str, list[dict]] = {}
        self._tree = tree
        self._collect(tree)

    @property
    def members(self) -> dict[str, int]:
        """The pools that the tree needs, and how many bytes each has to have."""
        return {
            member_of(dtype): len(header(dtype, end)) + end * DTYPES[dtype].itemsize
            for dtype, end in self._ends.items()
        }

    def _collect(self, node: Any) -> None:
        if isinstance(node, list):
            for value in node:
                if isinstance(value, (dict, list)):
                    self._collect(value)
        elif isinstance(node, dict):
            if "$array" in node:
                self._add(node)
                return
            for value in node.values():
                if isinstance(value, (dict, list)):
                    self._collect(value)

    def _add(self, node: dict) -> None:
        dtype, at = node["$array"], node.get("at")
        shape: Any = node.get("shape")
        extra = set(node) - {"$array", "at", "shape", "order"}
        if extra or not isinstance(dtype, str) or dtype not in DTYPES or node.get("order", "F") != "F":
            raise Mismatch("", f"a reference to an array is not understood: {str(node)[:120]}.")
        sizes = isinstance(shape, list) and all(type(m) is int and 0 <= m < 2**62 for m in shape)
        if not sizes or len(shape) > _MAX_DIMENSIONS:
            raise Mismatch("", f"an array of {dtype} claims the shape {str(shape)[:80]}.")
        if type(at) is not int or at != self._ends.get(dtype, 0):
            raise Mismatch("", f"an array of {dtype} begins at {at!r} instead of {self._ends.get(dtype, 0)}.")
        count = 0 if 0 in shape else prod(shape)
        if max(shape, default=0) >= 2**62 or at + count >= 2**60:
            raise Mismatch("", f"an array of {dtype} claims the shape {str(shape)[:80]}.")
        self._ends[dtype] = at + count
        self._places.setdefault(dtype, []).append(node)

    def read(self, open_member: Callable[[str], BinaryIO], digests: dict[str, str]) -> Any:
        """The tree with its arrays; `members` must have been compared with what the file has."""
        found: dict[int, np.ndarray] = {}
        for dtype, places in self._places.items():
            name = member_of(dtype)
            with open_member(name) as stream:
                digest = hashlib.sha256()
                expected = header(dtype, self._ends[dtype])
                start = stream.read(len(expected))
                if start != expected:
                    raise Mismatch(name, f"does not begin as a vector of {self._ends[dtype]} values of {dtype} does.")
                digest.update(start)
                for node in places:
                    found[id(node)] = _read_array(stream, digest, name, node)
                if stream.read(1):
                    raise Mismatch(name, "is longer than it says.")
            if digest.hexdigest() != digests[name]:
                raise Mismatch(name, "does not have the checksum of the manifest: the file is damaged.")
        return _fill(self._tree, found)


def _read_array(stream: BinaryIO, digest: Any, name: str, node: dict) -> np.ndarray:
    dtype, shape = DTYPES[node["$array"]], tuple(node["shape"])
    flipped = node.get("order") == "F"
    array = np.empty(shape[::-1] if flipped else shape, dtype)
    view = array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")
    done = 0
    while done < len(view):
        part = stream.read(min(_CHUNK, len(view) - done))
        if not part:
            raise Mismatch(name, "ends too early.")
        view[done : done + len(part)] = part
        digest.update(part)
        done += len(part)
    if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise Mismatch(name, "has a truth value that is neither 0 nor 1.")
    return (array.T if flipped else array).astype(dtype.newbyteorder("="), copy=False)


def _fill(node: Any, found: dict[int, np.ndarray]) -> Any:
    """Put arrays in the places of their references; the tree is not copied."""
    if isinstance(node, dict) and id(node) in found:
        return found[id(node)]
    places: Any = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in places:
        if isinstance(value, (dict, list)):
            node[key] = _fill(value, found)
    return node
