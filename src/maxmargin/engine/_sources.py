"""What compiled code was made from: the file of its function and all files of the package that this one imports.

A compiled function contains those that it calls. When one of them changes, in whatever file, its callers have to be
compiled again; what a file does not import, however indirectly, it cannot call. Imports in functions do not count:
they are how a method calls what is above it, and files with compiled code have none.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
_NAME = PACKAGE.name
_COMMENT = re.compile(r"#[^\n]*")
_IMPORT = re.compile(
    r"^(?:from[ \t]+(?P<dots>\.*)(?P<target>[\w.]*)[ \t]+import[ \t]+(?:\((?P<many>[^)]*)\)|(?P<few>[^\n]*))"
    rf"|import[ \t]+(?P<plain>{_NAME}\b[\w., \t]*))",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")


def sources_of(path: str | os.PathLike[str]) -> frozenset[Path]:
    """A file and all files of the package that it imports, directly or through others.

    Parameters
    ----------
    path : path
        A Python file, of the package or of somebody who uses it.

    Returns
    -------
    frozenset of Path

    """
    todo = [Path(os.path.abspath(path))]
    found: set[Path] = set()
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            todo += _read(file)[1]
    return frozenset(found)


def source_digest(path: Path) -> str:
    """The checksum of a file's contents, read again if it has changed."""
    return _read(path)[0]


def source_stamp(path: str | os.PathLike[str]) -> str:
    """One checksum over a file and all that it imports of the package."""
    both = hashlib.sha256()
    for line in sorted(f"{name_of(file)} {source_digest(file)}\n" for file in sources_of(path)):
        both.update(line.encode())
    return both.hexdigest()


def package_digest() -> str:
    """One checksum over all sources of the package."""
    both = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        both.update(f"{name_of(path)} {source_digest(path)}\n".encode())
    return both.hexdigest()


def name_of(path: Path) -> str:
    """A file's place in the package, wherever that is installed; of a file elsewhere, its full path."""
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else str(path)


def _read(path: Path) -> tuple[str, tuple[Path, ...]]:
    status = os.stat(path)
    return _read_version(path, status.st_mtime_ns, status.st_size)


@cache
def _read_version(path: Path, mtime: int, size: int) -> tuple[str, tuple[Path, ...]]:
    content = path.read_bytes()
    return hashlib.sha256(content).hexdigest(), tuple(_imports(content.decode("utf-8", "replace"), path))


def _imports(source: str, path: Path) -> set[Path]:
    """The files of the package that a source names in its imports."""
    found: set[Path] = set()
    for match in _IMPORT.finditer(_COMMENT.sub("", source)):
        if match["plain"]:
            for name in re.findall(rf"\b{_NAME}\b[\w.]*", match["plain"]):
                found |= _files(PACKAGE.joinpath(*name.split(".")[1:]), ())
            continue
        target = match["target"].split(".") if match["target"] else []
        if match["dots"]:
            base = path.parents[len(match["dots"]) - 1]
            if not base.is_relative_to(PACKAGE):
                continue
        elif target and target[0] == _NAME:
            base, target = PACKAGE, target[1:]
        else:
            continue
        found |= _files(base.joinpath(*target), _WORD.findall(match["many"] or match["few"] or ""))
    return found


def _files(target: Path, names: list[str] | tuple[str, ...]) -> set[Path]:
    """The file of a module; of a package, its ``__init__`` and those of the names that are modules in it."""
    module = target.with_suffix(".py")
    if module.is_file():
        return {module}
    inside = [target / "__init__.py"]
    inside += [place for name in names for place in (target / f"{name}.py", target / name / "__init__.py")]
    return {place for place in inside if place.is_file()}
