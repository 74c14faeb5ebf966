"""The file: a zip whose members are stored as they are, with a manifest of their sizes and checksums.

Nothing is compressed: a file cannot claim to hold more than its own length, and `numpy.load` can read its arrays.

Arrays are in pools, one a dtype: ``arrays/float64.npy`` holds all float64 values, one after the other. A tree of JSON
values with arrays as leaves becomes one without: an array is replaced by ``{"$array": dtype, "at": first place in the
pool, "shape": [...]}``. The places follow each other without gap or overlap in the order of the tree, so that what is
allocated on reading is never more than what the file holds.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from math import prod
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from ..engine import whole_file
from . import _json
from ._errors import Mismatch, ModelFileError, cut_short

# ---------------------------------------------------------------- pools of arrays

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


# ---------------------------------------------------------------- the zip

# Version 2: certificates say why a kernel matrix counts as positive semi-definite.
FORMAT, VERSION = "maxmargin model", 2
MANIFEST, MODEL, PROVENANCE = "manifest.json", "model.json", "provenance.json"
_KNOWN = {MANIFEST, MODEL, PROVENANCE, *MEMBERS}
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UTF8 = 0x800
_END, _END_64, _LOCATOR = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_MOST_LISTED = 256 * len(_KNOWN)  # bytes of the list of members, which have short names

Chunks = Iterable[bytes | memoryview]


def write(path: str | os.PathLike[str], members: dict[str, Chunks]) -> None:
    """Write a file that is there when it is complete."""
    with whole_file(path) as stream:
        _write_members(stream, members)


def _write_members(stream: IO[bytes], members: dict[str, Chunks]) -> None:
    listed = {}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, parts in members.items():
            digest, size = hashlib.sha256(), 0
            with archive.open(_entry(name), "w", force_zip64=True) as out:
                for part in parts:
                    out.write(part)
                    digest.update(part)
                    size += len(part)
            listed[name] = {"size": size, "sha256": digest.hexdigest()}
        manifest = {"format": FORMAT, "version": VERSION, "members": listed}
        archive.writestr(_entry(MANIFEST), _json.dump(manifest, MANIFEST))


def _entry(name: str) -> zipfile.ZipInfo:
    """The same bytes for the same model, whenever it is written."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.external_attr = 0o600 << 16
    return entry


class Container:
    """An opened file whose list of members, sizes and format version have been checked."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, length: int) -> None:
        self.path, self._archive = path, archive
        self._entries = _checked_entries(archive, length)
        manifest = _json.parse(self._bytes(MANIFEST), MANIFEST)
        self.digests = _checked_manifest(manifest, self._entries)

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of each member."""
        return {name: entry.file_size for name, entry in self._entries.items()}

    def open(self, name: str) -> BinaryIO:
        """A member as a stream."""
        return self._archive.open(self._entries[name])  # type: ignore[return-value]

    def json(self, name: str) -> Any:
        """The value of a JSON member, after a look at its checksum."""
        data = self._bytes(name)
        if hashlib.sha256(data).hexdigest() != self.digests[name]:
            raise Mismatch(name, "does not have the checksum of the manifest: the file is damaged.")
        return _json.parse(data, name)

    def _bytes(self, name: str) -> bytes:
        if name not in self._entries:
            raise Mismatch(name, "is missing.")
        if self._entries[name].file_size > _json.MAX_BYTES:
            raise Mismatch(
                name, f"claims {self._entries[name].file_size} bytes; at most {_json.MAX_BYTES} are allowed."
            )
        with self.open(name) as stream:
            return stream.read(self._entries[name].file_size)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Container]:
    """A file to read from. Whatever goes wrong with it is a `ModelFileError` that names it."""
    try:
        with path.open("rb") as stream:
            length = os.fstat(stream.fileno()).st_size
            _check_ends(stream, length)
            with zipfile.ZipFile(stream) as archive:
                yield Container(path, archive, length)
    except (OSError, ModelFileError) as error:
        if isinstance(error, OSError) and not isinstance(
            error, FileNotFoundError | PermissionError | IsADirectoryError
        ):
            raise ModelFileError(f"{path}: cannot be read: {error}.") from error
        raise
    except zipfile.BadZipFile as error:
        raise ModelFileError(f"{path}: is not a whole model file ({error}).") from error
    except Mismatch as error:
        raise ModelFileError(f"{path}: {error}") from error
    except MemoryError as error:
        raise ModelFileError(f"{path}: there is not enough memory for it.") from error
    except Exception as error:  # a reader of foreign bytes has no other way to leave
        raise ModelFileError(
            f"{path}: is not a model file ({type(error).__name__}: {cut_short(str(error))})."
        ) from error


def _check_ends(stream: BinaryIO, length: int) -> None:
    """A model file is a zip from its first byte to its last; what is put before or behind one is refused.

    So is a long list of members, before `zipfile` makes an object of each.
    """
    start = stream.read(4)
    end = _record(stream, length - _END.size, _END)
    if start != b"PK\x03\x04" or end is None or end[0] != b"PK\x05\x06" or end[-1]:
        raise Mismatch("", "is not a whole model file: it does not begin and end as a zip does.")
    count, size = end[4], end[5]
    place = length - _END.size - _LOCATOR.size
    locator = _record(stream, place, _LOCATOR)
    if locator is not None and locator[0] == b"PK\x06\x07":  # of a file beyond 4 GB: these figures count instead
        large = _record(stream, place - _END_64.size, _END_64)
        if large is None or large[0] != b"PK\x06\x06" or locator[2] != place - _END_64.size:
            raise Mismatch("", "is not a whole model file: it does not end as a zip does.")
        count, size = large[7], large[8]
    stream.seek(0)
    if count > len(_KNOWN) or size > _MOST_LISTED:
        raise Mismatch(
            "",
            f"lists {count} members in {size} bytes; a model file has at most {len(_KNOWN)}, in {_MOST_LISTED} bytes.",
        )


def _record(stream: BinaryIO, place: int, form: struct.Struct) -> tuple[Any, ...] | None:
    """The fields at a place, or None where the file does not have them."""
    if place < 0:
        return None
    stream.seek(place)
    data = stream.read(form.size)
    return form.unpack(data) if len(data) == form.size else None


def _checked_entries(archive: zipfile.ZipFile, length: int) -> dict[str, zipfile.ZipInfo]:
    """Members by name: known ones, each once, stored and not encrypted, and together no longer than the file."""
    entries: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for entry in archive.infolist():
        name = entry.filename
        if name not in _KNOWN or entry.orig_filename != name:
            raise Mismatch(repr(entry.orig_filename[:80]), "is no member of a model file.")
        if name in entries:
            raise Mismatch(name, "is there twice.")
        if entry.flag_bits & ~_UTF8:
            raise Mismatch(name, "is encrypted or written in a way that model files are not.")
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise Mismatch(name, "is compressed; members of model files are stored as they are.")
        total += entry.file_size
        if entry.file_size < 0 or total > length:
            raise Mismatch(name, f"claims {entry.file_size} bytes, more than the file of {length} bytes has.")
        entries[name] = entry
    return entries


def _checked_manifest(manifest: Any, entries: dict[str, zipfile.ZipInfo]) -> dict[str, str]:
    """Checksums by member; a newer version is told before anything else is looked at."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise Mismatch(MANIFEST, f"does not say that this is a {FORMAT!r}.")
    version = manifest.get("version")
    if type(version) is not int or version < 1:
        raise Mismatch(MANIFEST, f"has no format version; found {str(version)[:40]!r}.")
    if version > VERSION:
        raise Mismatch(
            MANIFEST,
            f"the file has format version {version}, and this maxmargin reads versions up to {VERSION}; "
            "it was written by a newer maxmargin, which is needed to load it.",
        )
    listed = manifest.get("members")
    if set(manifest) != {"format", "version", "members"} or not isinstance(listed, dict):
        raise Mismatch(MANIFEST, "must have a format, a version and members, and nothing else.")
    if set(listed) | {MANIFEST} != set(entries):
        odd = sorted(set(listed) ^ (set(entries) - {MANIFEST}))
        raise Mismatch(MANIFEST, f"and the file differ in their members: {', '.join(map(repr, odd))[:200]}.")
    for name, facts in listed.items():
        if not isinstance(facts, dict) or set(facts) != {"size", "sha256"} or facts["size"] != entries[name].file_size:
            raise Mismatch(name, f"has {entries[name].file_size} bytes; the manifest says {str(facts)[:80]}.")
        if not isinstance(facts["sha256"], str):
            raise Mismatch(name, "has no checksum in the manifest.")
    return {name: facts["sha256"] for name, facts in listed.items()}
