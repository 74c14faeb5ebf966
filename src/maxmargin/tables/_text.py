"""Text by blocks of whole records, with line numbers: what CSV, JSON lines and LIBSVM have in common."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ._errors import TableError, shown
from ._source import Source

BLOCK = 1 << 22
LONGEST = 1 << 24  # of one record; a longer one is most likely a quote that is never closed
_QUOTE = ord('"')
_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Block:
    """Whole records as UTF-8, and the line (from 1) on which they begin."""

    data: bytes
    line: int


def lines_in(data: bytes) -> int:
    r"""Line ends: ``\n``, ``\r\n`` or ``\r``."""
    ends = data.count(b"\n")
    return ends + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else ends


def last_line_end(data: bytes) -> int:
    """Where the last whole line ends; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    # A file of old Macintoshes has \r alone. At the very end it may be the first half of \r\n.
    return end or data.rfind(b"\r", 0, len(data) - 1) + 1


def record_ends(delimiter: str) -> Callable[[bytes], int]:
    """A function like `last_line_end` that knows that a quoted cell can hold line ends."""
    separators = np.frombuffer(b"\r\n" + delimiter.encode(), dtype=np.uint8)

    def end(data: bytes) -> int:
        if b'"' not in data:
            return last_line_end(data)
        quotes = _opening_and_closing(data, separators)
        last = last_line_end(data)
        while last:
            before = int(np.searchsorted(quotes, last))
            if before % 2 == 0:
                return last
            last = last_line_end(data[: quotes[before - 1] + 1])
        return 0

    return end


def _opening_and_closing(data: bytes, separators: np.ndarray) -> np.ndarray:
    """Places of quotes that open (0th, 2nd, ...) and close (1st, 3rd, ...) a cell, or that are doubled within one.

    A quote opens a cell at its beginning only: the one of 5" pipe means nothing. Where all quotes mean something, every
    second one follows a separator or another quote, and none has to be left out.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    ahead = text[np.maximum(quotes[::2] - 1, 0)]
    if (np.isin(ahead, separators) | (ahead == _QUOTE) | (quotes[::2] == 0)).all():
        return quotes
    first = (np.isin(text[np.maximum(quotes - 1, 0)], separators) | (quotes == 0)).tolist()
    kept: list[int] = []
    opened, last = False, -2
    for place, begins in zip(quotes.tolist(), first, strict=True):
        if opened or begins or last == place - 1:
            kept.append(place)
            opened, last = not opened, place
    return np.array(kept, dtype=np.int64)


def text_blocks(source: Source, encoding: str | None, size: int) -> Iterator[bytes]:
    """The bytes of a source as UTF-8 without a byte order mark, cut anywhere."""
    encoding = encoding or next((name for bom, name in _BOMS.items() if source.head.startswith(bom)), None)
    decoder = None
    if encoding is not None:
        try:
            name = codecs.lookup(encoding).name
        except LookupError:
            raise TableError(f"There is no encoding {encoding!r}; try 'latin-1', 'cp1252' or 'utf-16'.") from None
        decoder = None if name == "utf-8" else codecs.getincrementaldecoder(encoding)()
    first = True
    for raw in source.blocks(size):
        data = raw
        if decoder is not None:
            try:
                data = decoder.decode(raw).encode()
            except UnicodeError as error:
                raise TableError(f"{source.name} is not encoded as {encoding}: {error}.") from None
        yield data.removeprefix(codecs.BOM_UTF8) if first else data
        first = False


def record_blocks(
    source: Source, end: Callable[[bytes], int], encoding: str | None = None, size: int | None = None
) -> Iterator[Block]:
    """Blocks of whole records, checked to be text."""
    rest, line = b"", 1
    for piece in text_blocks(source, encoding, size or BLOCK):
        data = rest + piece
        cut = end(data)
        if cut:
            block = Block(data[:cut], line)
            _check_text(block, source.name, encoding)
            yield block
            line += lines_in(block.data)
        rest = data[cut:]
        if len(rest) > LONGEST:
            raise TableError(
                f"{source.name}, line {line}: a record of more than {LONGEST >> 20} MB begins here, which is no table; "
                'is a quote " never closed?'
            )
    if rest:
        if end(rest + b"\n") != len(rest) + 1:
            raise TableError(f'{source.name}, line {line}: a quote " is opened in this record and never closed.')
        block = Block(rest, line)
        _check_text(block, source.name, encoding)
        yield block


def _check_text(block: Block, name: str, encoding: str | None) -> None:
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        line = block.line + lines_in(block.data[: error.start])
        found = block.data[error.start]
        raise TableError(
            f"{name}, line {line}: byte 0x{found:02x} is no UTF-8 text; say what it is, encoding='latin-1' perhaps."
        ) from None
    null = block.data.find(b"\0")
    if null >= 0:
        line = block.line + lines_in(block.data[:null])
        raise TableError(
            f"{name}, line {line}: a NUL byte, which text does not have; is it a binary file, or encoding='utf-16'?"
        )


def records(block: Block, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each record. Slow and exact: for the header, for a first look, and to find a mistake."""
    return ((line, cells) for line, cells, _ in _records(block.data.decode(), block.line, delimiter))


def first_record(block: Block, delimiter: str) -> tuple[int, list[str], int] | None:
    """Line and cells of the first record, and how many bytes it takes with what is before it."""
    text = block.data.decode()
    found = next(_records(text, block.line, delimiter), None)
    return found and (found[0], found[1], len(text[: found[2]].encode()))


def _records(text: str, line: int, delimiter: str) -> Iterator[tuple[int, list[str], int]]:
    cell = re.compile(
        r'(?:"([^"]*+(?:""[^"]*+)*+)"?([^\r\nD]*+)|([^\r\nD]*+))(D|\r\n|\n|\r|\Z)'.replace("D", re.escape(delimiter))
    )
    begin, cells = line, list[str]()
    for match in cell.finditer(text):
        quoted, after, plain, end = match.groups()
        line += lines_in(quoted.encode()) if quoted else 0
        cells.append(plain if quoted is None else quoted.replace('""', '"') + after)
        if end == delimiter:
            continue
        if cells != [""]:  # a blank line
            yield begin, cells, match.end()
        line += 1
        begin, cells = line, []
        if match.end() == len(text):
            return


def line_of(block: Block, delimiter: str, row: int, width: int) -> int:
    """The line of a row of a block, counting as the reader does: without blank lines."""
    rows = (line for line, cells in records(block, delimiter) if width == 1 or len(cells) == width)
    return next(islice(rows, row, None), block.line)


def ragged(block: Block, delimiter: str, width: int, name: str) -> TableError | None:
    """The error for the first record that has another number of cells than the header."""
    for line, cells in records(block, delimiter):
        if len(cells) == width or (len(cells) == 1 and not cells[0].strip()):
            continue
        if any(cell.startswith(' "') for cell in cells):
            return TableError(f'{name}, line {line}: a blank before a quote " makes it part of the cell.')
        beyond = f", the first too many {shown(cells[width])}" if len(cells) > width else ""
        return TableError(
            f"{name}, line {line}: {len(cells)} cells{beyond}, where the header has {width}; fill the line up, or put "
            f"cells that hold {shown(delimiter)} between quotes."
        )
    return None
