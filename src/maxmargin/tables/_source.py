"""Where bytes come from: a path, standard input or a file object; gzip is undone on the way."""

from __future__ import annotations

import io
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from ..messages import Place
from ._errors import TableError
from ._limits import Limits

Progress = Callable[[int, int | None], None]

_GZIP = b"\x1f\x8b"
_HEAD = 65536
_COPY = 1 << 20
_PIECE = 1 << 14  # what is left over at the end of a member is copied, and members can be short
# What compressed or packed files begin with, and what to do about them.
_PACKED = {
    b"PK\x03\x04": "a zip archive or a spreadsheet: unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save the sheet as CSV",
    b"BZh": "compressed with bzip2: decompress it first, or use gzip",
    b"\xfd7zXZ": "compressed with xz: decompress it first, or use gzip",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: decompress it first, or use gzip",
    b"SQLite format 3": "an SQLite database: export the table as CSV",
    b"\x89HDF": "an HDF5 file: save the table as CSV or Parquet",
    b"FEA1": "a Feather file of version 1: save it anew, as version 2",
    b"%PDF": "a PDF document",
}


class _Counted(io.RawIOBase):
    """Bytes of a file, counted; those that were looked at before come first."""

    def __init__(self, file: Any, looked: bytes, count: Callable[[int], None]) -> None:
        self._file, self._looked, self._count = file, looked, count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        if self._looked:
            data, self._looked = self._looked[:size], self._looked[size:]
        else:
            data = self._file.read(size) or b""
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)


class _Gunzipped:
    """The contents of gzip members one after the other; zeros after one are padding.

    The module gzip looks at padding byte by byte.
    """

    def __init__(self, raw: Any) -> None:
        self._raw, self._data, self._at = raw, b"", 0
        self._member: Any = None
        self._made, self._given = b"", 0  # what is unpacked, and how much of it has been handed out

    def read(self, size: int) -> bytes:
        while self._given == len(self._made) and self._has_data():
            piece = self._data[self._at : self._at + _PIECE]
            self._at += len(piece)
            if self._member is None:
                piece = piece.lstrip(b"\0")
                if not piece:
                    continue
                self._member = zlib.decompressobj(wbits=31)
            self._made, self._given = self._member.decompress(piece), 0
            if self._member.eof:
                self._at -= len(self._member.unused_data)
                self._member = None
        made = self._made[self._given : self._given + size]
        self._given += len(made)
        return made

    def _has_data(self) -> bool:
        if self._at < len(self._data):
            return True
        self._data, self._at = self._raw.read(_HEAD) or b"", 0  # few: they count as read when growth is measured
        if not self._data and self._member is not None:
            raise EOFError("it ends within a member")
        return bool(self._data)


class Source:
    """Something to read from, once or (`rewindable`) again and again."""

    def __init__(self, source: Any, progress: Progress | None = None, limits: Limits | None = None) -> None:
        self._progress = progress
        self.limits = limits or Limits()
        self._taken = 0  # bytes of the file since the start
        self._owned: Any = None
        self._looked = b""
        self.total: int | None = None
        if hasattr(source, "read"):
            self._take_object(source)
        elif isinstance(source, str) and source == "-":
            self.name, self._file = "standard input", sys.stdin.buffer
        elif isinstance(source, str | os.PathLike):
            self._take_path(Path(source))
        else:
            raise TypeError(f"A path, '-' or a binary file object is needed; got {type(source).__name__}.")
        try:
            self._look()
        except BaseException:
            self.close()
            raise

    @property
    def taken(self) -> int:
        """Bytes of the file, as it is stored, that were read since the start."""
        return self._taken

    @property
    def place(self) -> Place:
        """The file, for errors about it."""
        return Place(self.name)

    def _look(self) -> None:
        """What the source begins with, and whether it can be read again."""
        self.rewindable = self._seekable()
        self._origin = self._file.tell() if self.rewindable else 0
        head = self._raw(_HEAD)
        self._rewind(head)
        self.gzipped = head[:2] == _GZIP
        self.head = self._unpacked(head) if self.gzipped else head
        if self.gzipped and self.head.startswith(_GZIP):
            raise TableError(f"{self.name} is compressed with gzip twice: decompress it once.", place=self.place)
        for magic, words in _PACKED.items():
            if self.head.startswith(magic):
                raise TableError(f"{self.name} is {words}.", place=self.place)

    def _take_path(self, path: Path) -> None:
        self.name = str(path)
        try:
            found = os.stat(path)
            if stat.S_ISDIR(found.st_mode):
                raise IsADirectoryError
            self._owned = self._file = open(path, "rb")
            self.total = found.st_size if stat.S_ISREG(found.st_mode) else None
        except IsADirectoryError:
            raise TableError(f"{self.name} is a directory: name a file in it.", place=self.place) from None
        except FileNotFoundError:
            raise TableError(f"{self.name} does not exist.", place=self.place) from None
        except PermissionError:
            raise TableError(f"{self.name} may not be read: its permissions forbid it.", place=self.place) from None
        except (OSError, ValueError) as error:  # such as a name with a NUL in it
            raise TableError(
                f"{self.name!r} cannot be opened: {getattr(error, 'strerror', None) or error}.", place=self.place
            ) from None

    def _take_object(self, file: Any) -> None:
        if isinstance(file, io.TextIOBase):
            raise TypeError("The file is open as text: open it as binary, with mode 'rb'.")
        name = getattr(file, "name", None)
        self.name, self._file = (name if isinstance(name, str) else "the table"), file

    def _seekable(self) -> bool:
        try:
            return bool(self._file.seekable())
        except (AttributeError, ValueError):
            return False

    def _raw(self, size: int) -> bytes:
        try:
            parts: list[bytes] = []
            while size > 0 and (more := self._file.read(size)):
                parts.append(more)
                size -= len(more)
        except OSError as error:
            raise TableError(f"{self.name} cannot be read: {error.strerror or error}.", place=self.place) from None
        if not all(isinstance(part, bytes) for part in parts):
            raise TypeError("The file object gives text: open it as binary, with mode 'rb'.")
        return b"".join(parts)

    def _rewind(self, looked: bytes) -> None:
        if self.rewindable:
            self._file.seek(self._origin)
        else:
            self._looked = looked

    def _unpacked(self, head: bytes) -> bytes:
        """What gzipped data begin with; a few members without any content may come first."""
        found, whole, cut = b"", len(head), False
        try:
            while not found and head[:2] == _GZIP:
                member = zlib.decompressobj(wbits=31)
                found = member.decompress(head, _HEAD)
                head, cut = member.unused_data.lstrip(b"\0"), not member.eof
        except zlib.error as error:
            raise TableError(f"{self.name} begins as gzip does, and is not: {error}.", place=self.place) from None
        if not found and whole == _HEAD:
            raise TableError(
                f"{self.name} begins with {whole:,} bytes of gzip data that unpack to nothing: decompress it, and "
                f"compress it again.",
                place=self.place,
            )
        if not found and cut:
            raise self._damaged("it ends before its first byte of content")
        return found

    def _damaged(self, why: Any) -> TableError:
        words = f"{self.name} is damaged or cut short within its gzip data ({why}): copy or download it again."
        return TableError(words, place=self.place)

    # ---------------------------------------------------------------- reading

    def start(self) -> Any:
        """A stream of the bytes from the beginning, decompressed."""
        if self.rewindable:
            self._file.seek(self._origin)
        elif self._looked is None:
            raise RuntimeError("the source has been read")
        self._taken = 0

        def count(size: int) -> None:
            self._taken += size
            if self._progress is not None and size:
                self._progress(self._taken, self.total)

        raw = _Counted(self._file, self._looked, count)
        self._looked = b"" if self.rewindable else None  # type: ignore[assignment]
        return _Gunzipped(raw) if self.gzipped else raw

    def blocks(self, size: int) -> Iterator[bytes]:
        """The bytes in blocks of `size`; the last is shorter."""
        stream, made = self.start(), 0
        while block := self._fill(stream, size):
            if self.gzipped:
                made += len(block)
                self.limits.expansion(made, self._taken, self.place, "its gzip data unpack to far more than is stored")
            yield block

    def _fill(self, stream: Any, size: int) -> bytes:
        parts: list[bytes] = []
        try:
            while size > 0 and (data := stream.read(size)):
                parts.append(data)
                size -= len(data)
        except (EOFError, zlib.error) as error:
            raise self._damaged(error) from None
        except OSError as error:
            raise TableError(f"{self.name} cannot be read: {error.strerror or error}.", place=self.place) from None
        return b"".join(parts)

    def spool(self) -> None:
        """Make it rewindable, and plain bytes, by a copy in a temporary file where it is not."""
        if self.rewindable and not self.gzipped:
            return
        copy = tempfile.TemporaryFile()
        for block in self.blocks(_COPY):
            copy.write(block)
        self.close()
        self._owned = self._file = copy
        self._origin, self._looked, self.rewindable, self.gzipped = 0, b"", True, False
        self.total = copy.tell()
        copy.seek(0)

    def file(self) -> Any:
        """A seekable file of the plain bytes, for readers that jump about."""
        self.spool()
        if self._origin:
            raise TableError(f"{self.name} is read from its middle: rewind it first.", place=self.place)
        self._file.seek(0)
        return self._file

    def size(self) -> int:
        """Bytes of the file that `file` gives."""
        place = self._file.tell()
        self._file.seek(0, os.SEEK_END)
        size = int(self._file.tell())
        self._file.seek(place)
        return size

    def close(self) -> None:
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
