"""The footer of a Parquet file: where the columns of each row group are stored, and how.

pyarrow knows this, too, but ends the process when it is asked for a column whose description contradicts itself: nobody
catches the exception of C++. So the footer is read here, and Arrow is not asked.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from ._thrift import I32, I64, STRUCTURE, TEXT, Compact

DICTIONARY = frozenset({2, 8})  # encodings whose values stand in a page of their own
DELTA_TEXT = 7  # the encoding in which each text can repeat the one before it


class Chunk(NamedTuple):
    """A column of a row group, as the footer describes it."""

    codec: int
    encodings: frozenset[int]
    start: int  # of its first page; 0 if the footer names no place
    stored: int  # bytes
    unpacked: int
    levels: tuple[int, int]  # lengths of the histograms of repetition and definition levels; 0 without one


class RowGroup(NamedTuple):
    """A row group: a chunk for each column of the schema, in its order."""

    chunks: Sequence[Chunk]
    unpacked: int


def row_groups(file: Any, schema: Any) -> list[RowGroup]:
    """The row groups of a file with this Parquet schema; ValueError if they do not fit it, or are damaged."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    length = struct.unpack("<I", file.read(8)[:4])[0]
    file.seek(max(0, size - 8 - length))
    reader = Compact(file.read(min(length, size)))
    file.seek(0)
    try:
        groups = _needed(reader.structure(_FILE), 4)
    except IndexError:
        raise ValueError("its footer ends too early") from None
    columns = [schema.column(place) for place in range(len(schema))]
    levels = [(column.max_repetition_level + 1, column.max_definition_level + 1) for column in columns]
    room = size
    for number, group in enumerate(groups):
        if len(group.chunks) != len(levels):
            raise ValueError(f"row group {number} has {len(group.chunks)} columns, and the schema {len(levels)}")
        for chunk, most in zip(group.chunks, levels, strict=True):
            if any(length not in (0, allowed) for length, allowed in zip(chunk.levels, most, strict=True)):
                raise ValueError(f"row group {number} has a histogram of levels that does not fit the schema")
            room -= chunk.stored
            if chunk.stored < 0 or room < 0:  # or the same pages could be there for many columns
                raise ValueError("its footer says that columns take more bytes than the file has, or less than none")
    return groups


def _needed(found: dict[int, Any], field: int) -> Any:
    if field not in found:
        raise ValueError(f"its footer has no field {field} where one is needed")
    return found[field]


def _int32(reader: Compact, kind: int) -> int:
    return reader.integer(kind, 32)


def _int64(reader: Compact, kind: int) -> int:
    return reader.integer(kind, 64)


def _texts(reader: Compact, kind: int) -> int:
    return reader.pass_list(kind, TEXT)


def _int32s(reader: Compact, kind: int) -> int:
    return reader.pass_list(kind, I32)


def _int64s(reader: Compact, kind: int) -> int:
    return reader.pass_list(kind, I64)


def _structures(reader: Compact, kind: int) -> int:
    return reader.pass_list(kind, STRUCTURE)


def _encodings(reader: Compact, kind: int) -> frozenset[int]:
    return frozenset(reader.integer(I32, 32) for _ in range(reader.count(kind, I32)))


def _structure(reader: Compact, kind: int, known: Any) -> dict[int, Any]:
    if kind != STRUCTURE:
        raise ValueError("no structure where one should be")
    return reader.structure(known)


def _levels(reader: Compact, kind: int) -> tuple[int, int]:
    found = _structure(reader, kind, _SIZE_STATISTICS)
    return found.get(2, 0), found.get(3, 0)


def _geography(reader: Compact, kind: int) -> None:
    _structure(reader, kind, _GEOSPATIAL_STATISTICS)


def _description(reader: Compact, kind: int) -> Chunk:
    found = _structure(reader, kind, _COLUMN)
    starts = [place for place in (_needed(found, 9), found.get(11, 0)) if place > 0]
    return Chunk(
        codec=_needed(found, 4),
        encodings=_needed(found, 2),
        start=min(starts, default=0),
        stored=_needed(found, 7),
        unpacked=_needed(found, 6),
        levels=found.get(16, (0, 0)),
    )


def _chunks(reader: Compact, kind: int) -> list[Chunk]:
    return [_needed(reader.structure(_CHUNK), 3) for _ in range(reader.count(kind, STRUCTURE))]


def _groups(reader: Compact, kind: int) -> list[RowGroup]:
    found = (reader.structure(_GROUP) for _ in range(reader.count(kind, STRUCTURE)))
    return [RowGroup(_needed(group, 1), _needed(group, 2)) for group in found]


# Fields by their numbers. All lists are among them: Arrow takes their elements for what they should be, whatever type
# the list says they have, and a list that is read otherwise here would show another file.
_SIZE_STATISTICS = {2: _int64s, 3: _int64s}
_GEOSPATIAL_STATISTICS = {2: _int32s}
_COLUMN = {
    2: _encodings,
    3: _texts,
    4: _int32,
    6: _int64,
    7: _int64,
    8: _structures,
    9: _int64,
    11: _int64,
    13: _structures,
    16: _levels,
    17: _geography,
}
_CHUNK = {3: _description}
_GROUP = {1: _chunks, 2: _int64, 4: _structures}
_FILE = {2: _structures, 4: _groups, 5: _structures, 7: _structures}
