"""Text by blocks of whole records, with line numbers: what CSV, JSON lines and LIBSVM have in common."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..messages import Argument, Place, counted, quoted
from ._errors import TableError
from ._source import Source

BLOCK = 1 << 22
LONGEST = 1 << 24  # of one record; a longer one is most likely a quote that is never closed
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
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


def wide_block(source: Source) -> int | None:
    """The size of blocks of a table of long lines, of which a block of the usual size would have a handful; or None."""
    return None if last_line_end(source.head) else 16 * BLOCK


class LineEnds:
    r"""Finds where the last whole line ends in text that comes in pieces; each piece is looked at once."""

    opened = False  # whether the text ends within a quoted cell

    def __init__(self) -> None:
        self._carried = False  # a \r at the end of the piece before, which may be the first half of \r\n

    def last(self, piece: bytes) -> int | None:
        """The end of the last whole line within this piece (0: that of the piece before); None if there is none."""
        cut = self._last(piece)
        if cut is None and self._carried and not piece.startswith(b"\n"):
            cut = 0
        self._carried = piece.endswith(b"\r") and not self.opened
        return cut

    def _last(self, piece: bytes) -> int | None:
        return last_line_end(piece) or None


class RecordEnds(LineEnds):
    """The same for CSV, of which a quoted cell can hold line ends.

    A quote opens a cell at its beginning only: the one of 5" pipe means nothing.
    """

    def __init__(self, delimiter: str) -> None:
        super().__init__()
        self._separators = np.frombuffer(b"\r\n" + delimiter.encode(), dtype=np.uint8)
        self._before = _NEWLINE  # the byte before the piece; a closing quote, or another byte that is no quote

    def _last(self, piece: bytes) -> int | None:
        was_open = self.opened
        if b'"' in piece:
            quotes = self._opening_and_closing(piece)
            self.opened = was_open ^ bool(len(quotes) % 2)
            closed = len(quotes) > 0 and quotes[-1] == len(piece) - 1 and not self.opened
            self._before = piece[-1] if piece[-1] != _QUOTE or closed else 0
            return _last_outside(piece, quotes, was_open)
        self._before = piece[-1]
        return None if was_open else super()._last(piece)

    def _opening_and_closing(self, piece: bytes) -> np.ndarray:
        """Places of quotes that open or close a cell, in turn, or that are doubled within one.

        Where all quotes mean something, every second one follows a separator or another quote, and none has to be left
        out.
        """
        text = np.frombuffer(piece, dtype=np.uint8)
        quotes = np.flatnonzero(text == _QUOTE)
        ahead = text[np.maximum(quotes - 1, 0)]
        if quotes[0] == 0:
            ahead[0] = self._before
        first = np.isin(ahead, self._separators)
        opening = slice(int(self.opened), None, 2)
        if (first[opening] | (ahead[opening] == _QUOTE)).all():
            return quotes
        kept: list[int] = []
        opened, last = self.opened, -1 if self._before == _QUOTE else -2
        for place, begins in zip(quotes.tolist(), first.tolist(), strict=True):
            if opened or begins or last == place - 1:
                kept.append(place)
                opened, last = not opened, place
        return np.array(kept, dtype=np.int64)


def _last_outside(piece: bytes, quotes: np.ndarray, opened: bool) -> int | None:
    """The end of the last line that does not end within quotes."""
    text = np.frombuffer(piece, dtype=np.uint8)
    for mark, end in ((_NEWLINE, len(piece)), (_RETURN, len(piece) - 1)):  # a \r at the very end may go on
        ends = np.flatnonzero(text[:end] == mark)
        outside = np.flatnonzero((np.searchsorted(quotes, ends) + opened) % 2 == 0)
        if len(outside):
            return int(ends[outside[-1]]) + 1
    return None


def text_blocks(source: Source, encoding: str | None, size: int) -> Iterator[bytes]:
    """The bytes of a source as UTF-8 without a byte order mark, cut anywhere."""
    encoding = encoding or next((name for bom, name in _BOMS.items() if source.head.startswith(bom)), None)
    blocks = source.blocks(size)
    first = True
    for data in blocks if encoding is None else _decoded(blocks, encoding, source.name):
        yield data.removeprefix(codecs.BOM_UTF8) if first else data
        first = False


def _decoded(blocks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """Blocks of another encoding as UTF-8."""
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        is_text = isinstance(decoder.decode(b""), str)
    except (LookupError, UnicodeError, TypeError):
        is_text = False
    if not is_text:  # there are codecs from bytes to bytes, and from text to text, too
        words = f"There is no encoding {encoding!r}; try 'latin-1', 'cp1252' or 'utf-16'."
        raise TableError(words, argument="encoding")
    if codecs.lookup(encoding).name == "utf-8":
        yield from blocks
        return
    try:
        for raw in blocks:
            yield decoder.decode(raw).encode()
            if len(decoder.getstate()[0]) > LONGEST:  # bytes that it holds back, and would go through each time again
                words = f"more than {LONGEST >> 20} MB make one character in {encoding}."
                raise TableError.at(Place(name), words)
        yield decoder.decode(b"", True).encode()
    except UnicodeError as error:
        raise TableError(f"{name} is not encoded as {encoding}: {error}.", place=Place(name)) from None


def record_blocks(
    source: Source, ends: LineEnds, encoding: str | None = None, size: int | None = None
) -> Iterator[Block]:
    """Blocks of whole records, checked to be text. Every byte is looked at once, however long a record is."""
    rest: list[bytes] = []
    length, line = 0, 1
    for piece in text_blocks(source, encoding, size or BLOCK):
        cut = ends.last(piece) if piece else None
        if cut is None:
            rest.append(piece)
            length += len(piece)
        else:
            block = Block(b"".join([*rest, piece[:cut]]), line)
            _check_text(block, source.name, encoding)
            yield block
            line += lines_in(block.data)
            rest, length = [piece[cut:]], len(piece) - cut
        if length > LONGEST:
            raise TableError.at(
                Place(source.name, line),
                f'a record of more than {LONGEST >> 20} MB begins here, which is no table; is a quote " never closed?',
            )
    if length:
        if ends.opened:
            words = 'a quote " is opened in this record and never closed.'
            raise TableError.at(Place(source.name, line), words)
        block = Block(b"".join(rest), line)
        _check_text(block, source.name, encoding)
        yield block


def _check_text(block: Block, name: str, encoding: str | None) -> None:
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        line = block.line + lines_in(block.data[: error.start])
        found = block.data[error.start]
        words = f"byte 0x{found:02x} is not UTF-8 text; say what it is, "
        raise TableError.at(Place(name, line), words, Argument("encoding", "latin-1"), " perhaps.") from None
    null = block.data.find(b"\0")
    if null >= 0:
        line = block.line + lines_in(block.data[:null])
        words = "a NUL byte, which text does not have; is it a binary file, or "
        raise TableError.at(Place(name, line), words, Argument("encoding", "utf-16"), "?")


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
            return TableError.at(Place(name, line), 'a blank before a quote " makes it part of the cell.')
        beyond = f", the first too many {quoted(cells[width])}" if len(cells) > width else ""
        return TableError.at(
            Place(name, line),
            f"{counted(len(cells), 'cell')}{beyond}, where the header has {width}; fill the line up, or put cells "
            f"that hold {quoted(delimiter)} between quotes.",
        )
    return None
