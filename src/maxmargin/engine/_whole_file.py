"""Files that are seen whole or not at all: written under another name in the same folder, and then renamed."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ._interrupts import raise_interrupt, shielded

# Not every system has these: without O_BINARY, Windows would end lines in its own way.
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/\d+/(?:task/\d+/)?fd")  # folders of open descriptors
_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_LINKS = 40
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
_AS_FOLDER = ("ends in a slash, as the name of a folder does", "is a folder")


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream of bytes whose contents are at `path` when the block has ended, and nothing of them if it raises.

    Nor is anything written after an interrupt that has yet to be raised: what was computed since may be unfinished.
    A link stays, and the file that it leads to is replaced. What is no file (``/dev/null``, a named pipe) is written
    into, once all is there to be written, and so is an open descriptor (``/dev/stdout``, ``/dev/fd/3``), at its own
    place: ``>> log`` appends. The stream can be read and seeked in either case.

    Parameters
    ----------
    path : str or path
        Where to. A file that is there is replaced and keeps its permissions; a new one has those of any new file.

    """
    if not os.fspath(path):
        raise FileNotFoundError("The path is empty; give the name of a file.")
    if os.fsdecode(path).endswith(_SEPARATORS):
        # Left to the system, this would be a file without the slash, or "not a directory" if that is there.
        raise IsADirectoryError(f"{path} {_AS_FOLDER[os.path.isdir(path)]}; give the name of a file.")
    number = descriptor_of(path)
    if number is not None:
        with tempfile.TemporaryFile() as stream:
            yield stream
            raise_interrupt()
            _write_into(number, stream, path)
        return
    found, target = _status(path), os.path.realpath(path)
    if found is None or (stat.S_ISREG(found.st_mode) and _is(target, found)):
        with _replaced(Path(target), found) as stream:
            yield stream
        return
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"{path} {_AS_FOLDER[True]}; give the name of a file.")
    with tempfile.TemporaryFile() as stream:
        yield stream
        raise_interrupt()
        with _named(path), open(path, "wb") as device:
            _copy(stream, device)


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """The number of the open descriptor of this process that a path stands for, or None if it is a file of its own.

    Opened by its path, a descriptor of a file would begin at the start of it; what was redirected there would be lost.
    """
    path = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if _NUMBER.fullmatch(name) and _DESCRIPTORS.fullmatch(folder):
            own = folder.startswith(("/dev/", f"/proc/{os.getpid()}/"))
            return int(name) if own else None
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def _write_into(number: int, stream: IO[bytes], path: str | os.PathLike[str]) -> None:
    for output in (sys.stdout, sys.stderr):  # what was printed before stands before
        with suppress(OSError, ValueError, AttributeError):
            output.flush()
    with _named(path), os.fdopen(os.dup(number), "wb") as device:
        _copy(stream, device)


def _copy(stream: IO[bytes], device: IO[bytes]) -> None:
    stream.seek(0)
    shutil.copyfileobj(stream, device)


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors say what could not be written."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        raise


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is(target: str, found: os.stat_result) -> bool:
    """Whether the file has that name: ``/dev/fd/3`` may lead to one that has none any more."""
    there = _status(target)
    return there is not None and os.path.samestat(there, found)


@contextmanager
@shielded  # a second Ctrl-C waits until what the first has left is cleaned up
def _replaced(target: Path, found: os.stat_result | None) -> Iterator[IO[bytes]]:
    beside = target.with_name(f".{target.name[:40]}-{secrets.token_hex(16)}.part")
    try:
        # The system takes the umask off the permissions of a new file; one that others may not read is never readable.
        with os.fdopen(os.open(beside, _NEW, 0o666 if found is None else 0o600), "w+b") as stream:
            if found is not None:
                os.chmod(stream.fileno() if os.chmod in os.supports_fd else beside, stat.S_IMODE(found.st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())  # else a power cut could leave the new name with none of the contents
        raise_interrupt()
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = os.fspath(target)  # nobody knows the other name
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system lets one open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
