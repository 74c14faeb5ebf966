"""How much the compressed batches of an Arrow file or stream unpack to, read from their descriptions alone.

Arrow unpacks a whole batch before anybody can look at its size, and a few kilobytes can be a batch of gigabytes. Each
message is a description (a flatbuffer) and a body of buffers; a compressed buffer begins with its size when unpacked.
"""

from __future__ import annotations

import struct
from typing import Any

_MAGIC = b"ARROW1"
_CONTINUED = 0xFFFFFFFF
_DICTIONARY, _BATCH = 2, 3  # kinds of messages that have a body


def unpacked_size(file: Any) -> int:
    """Bytes of all compressed buffers when unpacked; 0 where a file is so damaged that Arrow will say so."""
    try:
        return _sum_of_messages(file)
    except (struct.error, IndexError, OverflowError, ValueError):
        return 0
    finally:
        file.seek(0)


def _sum_of_messages(file: Any) -> int:
    file.seek(8 if _read(file, 0, 6) == _MAGIC else 0)
    total, at = 0, file.tell()
    while len(head := _read(file, at, 8)) == 8:
        first, second = struct.unpack("<II", head)
        start, size = (at + 8, second) if first == _CONTINUED else (at + 4, first)  # the second: before Arrow 0.15
        if size == 0:  # the end
            break
        description = _read(file, start, size)
        kind, header, length = _message(description)
        if kind == _DICTIONARY:
            header = _followed(description, _field(description, header, 1))
        if kind in (_DICTIONARY, _BATCH):
            total += _unpacked(file, description, header, start + size)
        if length < 0:
            raise ValueError("a body of negative length")
        at = start + size + length
    return total


def _read(file: Any, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _message(description: bytes) -> tuple[int, int, int]:
    """The kind of a message, where its header is, and the length of its body."""
    root = _followed(description, 0)
    kind, header, length = (_field(description, root, number) for number in (1, 2, 3))
    return (
        description[kind] if kind else 0,
        _followed(description, header) if header else 0,
        struct.unpack_from("<q", description, length)[0] if length else 0,
    )


def _unpacked(file: Any, description: bytes, batch: int, body: int) -> int:
    if not _field(description, batch, 3):  # not compressed
        return 0
    buffers = _followed(description, _field(description, batch, 2))
    (count,) = struct.unpack_from("<I", description, buffers)
    total = 0
    for offset, length in struct.iter_unpack("<qq", description[buffers + 4 : buffers + 4 + 16 * count]):
        if length >= 8:  # -1: as it is
            total += max(length, struct.unpack("<q", _read(file, body + offset, 8))[0])
    return total


def _followed(description: bytes, at: int) -> int:
    """Where an offset of a flatbuffer leads to."""
    return at + int(struct.unpack_from("<I", description, at)[0])


def _field(description: bytes, table: int, number: int) -> int:
    """Where a field of a table is; 0 if it is not there."""
    fields = table - struct.unpack_from("<i", description, table)[0]
    size = struct.unpack_from("<H", description, fields)[0]
    place = 4 + 2 * number
    offset = struct.unpack_from("<H", description, fields + place)[0] if place + 2 <= size else 0
    return table + offset if offset else 0
