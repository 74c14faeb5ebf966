"""What the pages of a Parquet file unpack to, read from the headers of the pages themselves.

The footer says how large everything is, and can say anything. Arrow makes room for as many elements as a list in the
footer claims to have, and unpacks a page to its end, before anybody can look at what has become of it. A page begins
with a header in Thrift's compact protocol, which names its size as stored and as unpacked.
"""

from __future__ import annotations

import os
import struct
from typing import Any

# Codecs that can make far more of a page than is stored. Snappy makes at most about 20 bytes of one.
_STRONG = frozenset({"GZIP", "BROTLI", "LZ4", "LZ4_RAW", "LZ4_HADOOP", "ZSTD", "LZO"})
_ELEMENT = 4  # bytes: what an element of a long list of the footer takes at least
_SPARE = 16
_MOST_ELEMENTS = 1_000_000  # the limit of Arrow itself
_HEADER, _LONGEST_HEADER = 256, 1 << 24
_DEEPEST = 16


def thrift_limits(file: Any, size: int) -> dict[str, int]:
    """Limits for Arrow's reader of the footer: a list or a text has no more in it than there are bytes for it."""
    file.seek(max(0, size - 8))
    end = file.read(8)
    file.seek(0)
    footer = min(struct.unpack("<I", end[:4])[0], size) if len(end) == 8 else 0
    return {
        "thrift_container_size_limit": min(_MOST_ELEMENTS, footer // _ELEMENT + _SPARE),
        "thrift_string_size_limit": max(size, 1),
    }


def pages_size(file: Any, metadata: Any) -> int:
    """Bytes of all pages when unpacked, by their own headers; those that no codec can blow up are left out."""
    total = 0
    size = file.seek(0, os.SEEK_END)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for chunk in map(group.column, range(group.num_columns)):
            if chunk.compression in _STRONG:
                starts = [chunk.data_page_offset, chunk.dictionary_page_offset or 0]
                start = min(place for place in starts if place > 0) if max(starts) > 0 else 0
                total += _of_pages(file, start, min(size, start + chunk.total_compressed_size))
    file.seek(0)
    return total


def _of_pages(file: Any, at: int, end: int) -> int:
    total = 0
    while 0 < at < end:
        header = _page(file, at)
        if header is None:  # Arrow will say what is wrong
            break
        length, unpacked, stored = header
        if stored < 0 or unpacked < 0:
            break
        total += unpacked
        at += length + stored
    return total


def _page(file: Any, at: int) -> tuple[int, int, int] | None:
    """The length of the header of a page, and its size unpacked and stored; None if there is no header."""
    room = _HEADER
    while room <= _LONGEST_HEADER:
        file.seek(at)
        data = file.read(room)
        reader = _Compact(data)
        try:
            sizes = reader.numbers()
            return reader.at, sizes.get(2, 0), sizes.get(3, 0)
        except IndexError:  # a longer header, or the end of the file
            if len(data) < room:
                return None
            room *= 16
        except ValueError:
            return None
    return None


class _Compact:
    """As much of Thrift's compact protocol as it takes to come to the end of a structure."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def numbers(self, depth: int = 0) -> dict[int, int]:
        """The integers of a structure by their field, the largest if one is there twice; other fields are passed by."""
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        found: dict[int, int] = {}
        field = 0
        while kind := self._data[self.at]:
            self.at += 1
            if kind >> 4:
                field += kind >> 4
            else:
                field = self._signed()
            kind &= 15
            if kind in (4, 5, 6):
                value = self._signed()
                found[field] = max(value, found.get(field, value))
            elif kind not in (1, 2):  # true and false have no value of their own
                self._pass(kind, depth)
        self.at += 1
        return found

    def _pass(self, kind: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        if kind in (1, 2, 3):
            self._skip(1)
        elif kind in (4, 5, 6):
            self._number()
        elif kind == 7:
            self._skip(8)
        elif kind == 8:
            self._skip(self._number())
        elif kind in (9, 10):
            self._pass_list(depth)
        elif kind == 12:
            self.numbers(depth + 1)
        else:  # maps and what is unknown: headers of pages have none
            raise ValueError("an unknown type")

    def _pass_list(self, depth: int) -> None:
        head = self._data[self.at]
        self.at += 1
        count = self._number() if head >> 4 == 15 else head >> 4
        for _ in range(count):  # each element takes a byte or more, so that the data end before a false count does
            self._pass(head & 15, depth + 1)

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise IndexError

    def _number(self) -> int:
        value = shift = 0
        while True:
            byte = self._data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number too long")

    def _signed(self) -> int:
        value = self._number()
        return (value >> 1) ^ -(value & 1)
