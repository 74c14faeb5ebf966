"""LIBSVM text: a label, then ``index:value`` for each cell that is not 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from ..messages import Argument, Place, quoted
from ._errors import TableError
from ._frame import SparseTable
from ._source import Source
from ._text import Block, LineEnds, record_blocks

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class _Part:
    """The rows of one block, with indices as they are written, and the line of each row."""

    labels: np.ndarray
    lengths: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    lines: np.ndarray


def _parse(block: Block, name: str, largest: float) -> _Part:
    texts, lines = _content(block)
    tokens = pc.utf8_split_whitespace(pa.array(texts, pa.string()))
    counts = np.asarray(pc.list_value_length(tokens), dtype=np.int64)
    flat = tokens.flatten()
    starts = np.cumsum(counts) - counts
    rest = np.ones(len(flat), dtype=bool)
    rest[starts] = False
    pairs = pc.split_pattern(flat.filter(pa.array(rest)), ":")
    try:
        if len(pairs) and pc.any(pc.not_equal(pc.list_value_length(pairs), 2)).as_py():
            raise ValueError("a token without a colon")
        halves = pairs.flatten()
        even = pa.array(np.arange(len(halves)) % 2 == 0)
        labels = np.asarray(flat.take(pa.array(starts)).cast(pa.float64()))
        indices = np.asarray(halves.filter(even).cast(pa.int64()))
        values = np.asarray(halves.filter(pc.invert(even)).cast(pa.float64()))
        part = _sorted(_Part(labels, counts - 1, indices, values, np.array(lines)), largest)
    except (pa.ArrowException, ValueError):
        part = None
    if part is None:
        raise _mistake(texts, lines, name, largest) or TableError.at(
            Place(name, block.line, onwards=True), "cannot be read as LIBSVM text."
        )
    return part


def _content(block: Block) -> tuple[list[str], list[int]]:
    """Lines without comments and blanks around them, and their numbers; empty ones are left out."""
    texts, lines = [], []
    for offset, text in enumerate(re.split(r"\r\n|\n|\r", block.data.decode())):
        stripped = text.partition("#")[0].strip()
        if stripped:
            texts.append(stripped)
            lines.append(block.line + offset)
    return texts, lines


def _sorted(part: _Part, largest: float) -> _Part | None:
    """Indices ascending in each row; None if something is not as it should be."""
    indices, values = part.indices, part.values
    if not (np.isfinite(values).all() and np.isfinite(part.labels).all()):
        return None
    if len(indices) and (indices.min() < 0 or indices.max() > largest):
        return None
    row = np.repeat(np.arange(len(part.lengths)), part.lengths)
    same = row[1:] == row[:-1]
    if (indices[1:] < indices[:-1])[same].any():
        order = np.lexsort((indices, row))
        indices, values = indices[order], values[order]
    if (indices[1:] == indices[:-1])[same].any():
        return None
    return _Part(part.labels, part.lengths, indices, values, part.lines)


def _mistake(texts: list[str], lines: list[int], name: str, largest: float) -> TableError | None:
    """The first thing that is wrong, token by token."""
    for text, line in zip(texts, lines, strict=True):
        label, *tokens = text.split()
        words = None if _finite(label) else f"the label {quoted(label)} is not a number"
        if "," in label:
            words = f"{quoted(label)} is several labels; one number is needed"
        seen: set[int] = set()
        for token in tokens if words is None else ():
            words = _wrong(token, seen, largest)
            if words:
                break
        if words:
            return TableError.at(Place(name, line), f"{words}.")
    return None


def _finite(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text)) and bool(np.isfinite(float(text)))


def _wrong(token: str, seen: set[int], largest: float) -> str | None:
    index, colon, value = token.partition(":")
    if index == "qid":
        return f"{quoted(token)} is for ranking, which no model here does; leave qid out"
    if not colon or not re.fullmatch(r"-?\d+", index, re.ASCII):
        return f"{quoted(token)} is not of the form index:value"
    if index.startswith("-") or len(index) > 18 or int(index) > largest:
        return f"the index {quoted(index)} is not between 0 and max_columns={largest:.0f}"
    if not _finite(value):
        return f"{quoted(value)} at index {index} is not a finite number"
    if int(index) in seen:
        return f"the index {index} occurs twice"
    seen.add(int(index))
    return None


def _parts(source: Source, encoding: str | None) -> Iterator[_Part]:
    some = False
    for block in record_blocks(source, LineEnds(), encoding):
        part = _parse(block, source.name, source.limits.largest_index())
        if len(part.labels):
            some = True
            yield part
    if not some:
        raise TableError(f"{source.name} has no rows.", place=source.place)


def _table(parts: list[_Part], first: int, features: int, name: str) -> SparseTable:
    """One table of several parts, whose indices begin with `first`."""
    lengths = np.concatenate([part.lengths for part in parts])
    indices = np.concatenate([part.indices for part in parts]) - first
    if len(indices) and (indices.min() < 0 or indices.max() >= features):
        row = np.repeat(np.concatenate([part.lines for part in parts]), lengths)
        place = int(np.argmax((indices < 0) | (indices >= features)))
        found, last = indices[place] + first, features + first - 1
        raise TableError.at(Place(name, int(row[place])), f"the index {found} is not between {first} and {last}.")
    rows = np.concatenate([[0], np.cumsum(lengths)])
    values = np.concatenate([part.values for part in parts])
    labels = np.concatenate([part.labels for part in parts])
    narrow = np.int32 if len(values) < 2**31 else np.int64
    X = sp.csr_array((values, indices.astype(narrow), rows.astype(narrow)), shape=(len(labels), features))
    return SparseTable(X, labels)


@dataclass
class _Range:
    """Smallest and largest index so far."""

    least: int = 1
    most: int = 0

    def add(self, part: _Part) -> None:
        if len(part.indices):
            self.least = min(self.least, int(part.indices.min()))
            self.most = max(self.most, int(part.indices.max()))

    def settle(self, features: int | None, zero_based: bool | None) -> tuple[int, int]:
        """The first index, and the number of columns."""
        first = self.least if zero_based is None else int(not zero_based)
        return first, features if features is not None else max(1, self.most - first + 1)


def read_libsvm(source: Source, features: int | None, zero_based: bool | None, encoding: str | None) -> SparseTable:
    """The whole file."""
    found, parts, held = _Range(), [], 0
    for part in _parts(source, encoding):
        found.add(part)
        parts.append(part)
        held += part.indices.nbytes + part.values.nbytes + part.labels.nbytes
        source.limits.memory(held, source.place)
    first, width = found.settle(features, zero_based)
    if features is None:
        source.limits.sparse_columns(width, source.taken, source.place)
    return _table(parts, first, width, source.name)


def scan_libsvm(
    source: Source, features: int | None, zero_based: bool | None, encoding: str | None, rows: int
) -> Iterator[SparseTable]:
    """The file in tables of `rows` rows, all equally wide: a first pass looks for the largest index if need be."""
    found = _Range()
    if features is None or zero_based is None:
        if source.rewindable:
            for part in _parts(source, encoding):
                found.add(part)
        elif features is None:
            words = f"{source.name} can be read once only: say "
            raise TableError(words, Argument("features"), ", the number of its columns.", place=source.place)
    first, width = found.settle(features, zero_based)
    if features is None:
        source.limits.sparse_columns(width, source.taken, source.place)
    for part in _parts(source, encoding):
        table = _table([part], first, width, source.name)
        for begin in range(0, len(table), rows):
            yield SparseTable(table.X[begin : begin + rows], table.y[begin : begin + rows])
