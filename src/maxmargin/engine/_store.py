"""Machine code that was compiled beforehand: read-only files, one for each level of processors.

A file begins with a line that says what it is, the checksum of its header and the header's length; then the header
(JSON), then the entries, compressed pickles of what Numba's cache would keep. The header says what the code was made
by and for (compiler, Python, settings, processor), from which sources, and has place and checksum of each entry. Code
that does not fit, file by file and entry by entry, is as if it were not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import sys
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from ._levels import HOST, LEVELS, compiler_target, is_level_of
from ._sources import PACKAGE, name_of, source_digest, sources_of
from ._trust import read_trusted
from ._whole_file import whole_file

PACKAGE_STORE = PACKAGE / "_machine_code"
VARIABLE = "MAXMARGIN_MACHINE_CODE"  # another folder, or 0: no machine code from files
_MAGIC = b"maxmargin machine code 1"
_FIRST_LINE = len(_MAGIC) + 1 + 64 + 1 + 12 + 1
# What changes machine code without being part of Numba's key.
_SETTINGS = (
    "OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "USING_SVML", "LLVM_REFPRUNE_PASS",
    "EXTEND_VARIABLE_LIFETIMES",
)  # fmt: skip


class UnusableStoreError(Exception):
    """A file of machine code is damaged, or was made for something else."""


@dataclass(frozen=True)
class Entry:
    """Machine code of a function for one signature, as it is kept.

    Parameters
    ----------
    function : str
        Which function: `function_name`.
    signature : str
        Which signature: `signature_name`.
    content : bytes
        Compressed pickle.

    """

    function: str
    signature: str
    content: bytes

    @property
    def key(self) -> tuple[str, str]:
        """Which function for which signature."""
        return self.function, self.signature


def function_name(function: Any) -> str | None:
    """Which function of the package this is; None if it is none, or if its closure has no name."""
    code = function.__code__
    path = Path(code.co_filename)
    if not path.is_relative_to(PACKAGE):  # maybe by a link
        path = path.resolve()
    if not path.is_relative_to(PACKAGE):
        return None
    parts = [name_of(path), function.__qualname__, str(code.co_firstlineno)]
    for cell in function.__closure__ or ():
        value = cell.cell_contents
        value = getattr(value, "py_func", value)
        if hasattr(value, "__code__"):
            inner = function_name(value)
            if inner is None:
                return None
            parts.append(f"({inner})")
        elif isinstance(value, str | int | float | bool | None):
            parts.append(repr(value))
        else:
            return None
    return ":".join(parts)


def signature_name(signature: Any) -> str:
    """A name for the types of the arguments, the same in every process."""
    text = re.sub(r" at 0x[0-9a-f]+", "", str(signature))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def made_by() -> dict[str, Any]:
    """What machine code depends on, apart from sources and processor."""
    return {
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__.split(".")[0],
        "python": sys.implementation.cache_tag,
        "settings": {name: str(getattr(numba.config, name, None)) for name in _SETTINGS},
    }


def pack(data: Any) -> bytes:
    """What Numba's cache keeps of a compiled function, as the contents of an entry."""
    from numba.core.serialize import dumps

    return zlib.compress(dumps(data), 6)


def unpack(content: bytes) -> Any:
    """What `pack` has packed; only for contents of files that are trusted."""
    return pickle.loads(zlib.decompress(content))


class Store:
    """One file of machine code, opened for reading.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    UnusableStoreError, OSError, UntrustedFileError
        If it cannot be used.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        first = read_trusted(path, 0, _FIRST_LINE)
        try:
            magic, digest, length = first[: len(_MAGIC)], *first[len(_MAGIC) + 1 :].split()
            size = int(length)
        except ValueError:
            raise UnusableStoreError(f"{path} is damaged") from None
        header = read_trusted(path, _FIRST_LINE, size)
        if magic != _MAGIC or hashlib.sha256(header).hexdigest().encode() != digest:
            raise UnusableStoreError(f"{path} is damaged")
        self.header: dict[str, Any] = json.loads(header)
        self._start = _FIRST_LINE + size
        self._unchanged: dict[str, bool] = {}

    @property
    def target(self) -> tuple[str, str, str]:
        """Triple, name and features of the processor that it was compiled for."""
        triple, cpu, features = self.header["target"]
        return triple, cpu, features

    def fits(self, target: tuple[str, str, str]) -> bool:
        """Whether its code is for this compiler, this Python, these settings and this processor."""
        if self.header["made_by"] != made_by():
            return False
        return self.target == target or is_level_of(self.header["level"], self.target[0], target)

    def is_of(self, level: str) -> bool:
        """Whether its code is for a level, or for just this processor, and made as it would be here."""
        same = self.header["made_by"] == made_by() and self.header["level"] == level
        return same and (level != HOST or self.target == compiler_target())

    def is_current(self, function: str) -> bool:
        """Whether the sources of a function are those that it was compiled from."""
        module = function.split(":", 1)[0]
        if module not in self._unchanged:
            numbers = self.header["modules"].get(module)
            self._unchanged[module] = numbers is not None and all(map(self._same, numbers))
        return self._unchanged[module]

    def _same(self, number: int) -> bool:
        name, digest = self.header["files"][number]
        try:
            return source_digest(PACKAGE / name) == digest
        except OSError:
            return False

    def entry(self, function: str, signature: str) -> Entry | None:
        """What there is for a function of current sources, whole; None if there is nothing."""
        place = self.header["functions"].get(function, {}).get(signature)
        if place is None or not self.is_current(function):
            return None
        return Entry(function, signature, self._read(place))

    def entries(self) -> Iterable[Entry]:
        """All entries of current sources; damaged ones are left out."""
        for function, signatures in self.header["functions"].items():
            for signature in signatures:
                try:
                    found = self.entry(function, signature)
                except UnusableStoreError:
                    continue
                if found is not None:
                    yield found

    def note(self) -> Any:
        """What its maker has written beside the entries."""
        return json.loads(zlib.decompress(self._read(self.header["note"])))

    def load(self, function: str, signature: str) -> Any:
        """What Numba's cache would have kept of a function; None if there is nothing."""
        found = self.entry(function, signature)
        return None if found is None else unpack(found.content)

    def _read(self, place: Any) -> bytes:
        offset, length, digest = place
        content = read_trusted(self.path, self._start + offset, length)
        if hashlib.sha256(content).hexdigest() != digest:
            raise UnusableStoreError(f"an entry of {self.path} is damaged")
        return content


def write_store(
    path: Path, entries: Iterable[Entry], level: str, target: tuple[str, str, str], note: Any = None
) -> None:
    """Write machine code into a file.

    Parameters
    ----------
    path : Path
        Where to.
    entries : iterable of Entry
        What to write; all of current sources, made by this compiler.
    level : str
        What it was compiled for: a name in `LEVELS`, or "host".
    target : tuple of str
        Triple, name and features of that processor.
    note : JSON value
        What the maker wants to know of it later.

    """
    functions: dict[str, dict[str, Any]] = {}
    blobs: list[bytes] = []
    offset = 0

    def put(content: bytes) -> list[Any]:
        nonlocal offset
        blobs.append(content)
        offset += len(content)
        return [offset - len(content), len(content), hashlib.sha256(content).hexdigest()]

    for entry in sorted(entries, key=lambda entry: entry.key):
        functions.setdefault(entry.function, {})[entry.signature] = put(entry.content)
    files, modules = _described(sorted({name.split(":", 1)[0] for name in functions}))
    header: Mapping[str, Any] = {
        "made_by": made_by(),
        "level": level,
        "target": target,
        "files": files,
        "modules": modules,
        "functions": functions,
        "note": put(zlib.compress(json.dumps(note).encode())),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    first = b"%s %s %012d\n" % (_MAGIC, hashlib.sha256(text).hexdigest().encode(), len(text))
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write(first + text)
        for blob in blobs:
            stream.write(blob)


def _described(names: list[str]) -> tuple[list[tuple[str, str]], dict[str, list[int]]]:
    """Names and checksums of all sources, and for each module the numbers of those that it depends on."""
    numbers: dict[Path, int] = {}
    modules = {
        name: sorted(numbers.setdefault(file, len(numbers)) for file in sources_of(PACKAGE / name)) for name in names
    }
    return [(name_of(file), source_digest(file)) for file in numbers], modules


def store_folder() -> Path | None:
    """Where machine code is looked for; None if it shall not be."""
    named = os.environ.get(VARIABLE)
    if named == "0":
        return None
    return Path(named) if named else PACKAGE_STORE


def store_path(folder: Path, level: str) -> Path:
    """The file of a level for this Python."""
    return folder / f"{level}.{sys.implementation.cache_tag}.mmc"


def store_paths() -> list[Path]:
    """The files that may be there, the best first."""
    folder = store_folder()
    return [] if folder is None else [store_path(folder, level) for level in (HOST, *LEVELS)]
