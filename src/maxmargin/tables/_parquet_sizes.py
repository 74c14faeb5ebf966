"""What the pages of a Parquet file unpack to, read from the headers of the pages themselves.

The footer says how large everything is, and can say anything. Arrow makes room for as many elements as a list in the
footer claims to have, and unpacks a page to its end, before anybody can look at what has become of it. A page begins
with a header in Thrift's compact protocol, which names its size as stored and as unpacked.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Any

from ._parquet_footer import RowGroup
from ._thrift import Compact

# Codecs that cannot make far more of a page than is stored: none, and Snappy, which makes about 20 bytes of one.
_WEAK = frozenset({0, 1})
_ELEMENT = 4  # bytes: what an element of a long list of the footer takes at least
_SPARE = 16
_MOST_ELEMENTS = 1_000_000  # the limit of Arrow itself
_HEADER, _LONGEST_HEADER = 256, 1 << 24


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


def pages_size(file: Any, groups: Iterable[RowGroup]) -> int:
    """Bytes of all pages when unpacked, by their own headers; those that no codec can blow up are left out."""
    total = 0
    size = file.seek(0, os.SEEK_END)
    for group in groups:
        for chunk in group.chunks:
            if chunk.codec not in _WEAK:
                total += _of_pages(file, chunk.start, min(size, chunk.start + chunk.stored))
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
        reader = Compact(data)
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
