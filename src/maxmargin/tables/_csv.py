"""CSV: cells as strings by blocks, then each column as what all of its cells are."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from ..engine import run_parallel
from ..messages import Place, one_line, quoted
from ._columns import FixedColumn, GrowingColumn, add_batch, arrow_type, read_batch
from ._dialect import read_header, refuse_blanks, sniff_delimiter
from ._errors import TableError, absent
from ._narrow import CellFormat, clean, convert, first_misfit
from ._rows import rechunk, written_field
from ._source import Source
from ._text import Block, RecordEnds, last_line_end, line_of, lines_in, ragged, record_blocks, wide_block
from ._types import Wanted
from ._wide import wide_cells


@dataclass(frozen=True)
class CsvOptions:
    """How a file is laid out and written, as far as the caller says so."""

    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    cell_format: CellFormat = field(default_factory=CellFormat)
    columns: Sequence[str] | None = None
    types: Wanted = field(default_factory=lambda: Wanted({}))


@dataclass(frozen=True)
class Batch:
    """A block and its clean cells, by column; of wide tables also all of them in one array, column by column."""

    block: Block
    cells: dict[str, Any]
    rows: int
    together: Any = None
    written: Mapping[str, Any] = field(default_factory=dict)  # cells as they are, of columns that are shown so, too


class CsvFile:
    """A CSV source and its layout."""

    def __init__(self, source: Source, options: CsvOptions) -> None:
        self.source, self.options, self.cell_format = source, options, options.cell_format
        self.delimiter = options.delimiter or _sniffed(source, options.encoding)
        self.names: list[str] = []
        self.wanted: list[str] = []
        self._place: dict[str, int] = {}

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """The cells of `columns`, or of all that are wanted, as clean strings."""
        first, empty = True, True
        size = wide_block(self.source)
        for block in record_blocks(self.source, RecordEnds(self.delimiter), self.options.encoding, size):
            if first:
                if not block.data.lstrip(b"\r\n"):  # on one side, which copies nothing but blank lines
                    continue
                block, first = self._after_header(block), False
            if block.data.lstrip(b"\r\n") and (batch := self._parse(block, columns or self.wanted)).rows:
                empty = False
                yield batch
        if first:
            raise TableError(f"{self.source.name} is empty: there is nothing in it.", place=self.source.place)
        if empty:
            raise TableError(f"{self.source.name} has a header and no rows.", place=self.source.place)

    def _after_header(self, block: Block) -> Block:
        self.names, length = read_header(block, self.delimiter, self.options.header, self.source.name)
        self.source.limits.columns(len(self.names), Place(self.source.name, block.line))
        self._place = {name: place for place, name in enumerate(self.names)}
        if len(self.names) == 1:
            refuse_blanks(block, self.source.name)
        self.wanted = list(self.names if self.options.columns is None else self.options.columns)
        if not set(self.wanted) <= set(self.names):
            raise absent(self.wanted, self.names, self.source.name, place=self.source.place)
        return Block(block.data[length:], block.line + lines_in(block.data[:length]))

    def _parse(self, block: Block, columns: Sequence[str]) -> Batch:
        if len(self.names) >= _WIDE and lines_in(block.data) <= _FEW:
            together = wide_cells(block, self.delimiter, len(self.names), [self._place[name] for name in columns])
            if together is not None:
                return self._sliced(block, columns, together)
        places = [
            str(j) for j in range(len(self.names))
        ]  # stand in for names, of which Arrow treats some in its own way
        chosen = [places[self._place[name]] for name in columns]
        data = block.data
        if data.startswith(codecs.BOM_UTF8):  # it belongs to the first cell, and Arrow leaves one out
            data = codecs.BOM_UTF8 + data
        options = (
            pv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=places),
            pv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=_on_ragged),
            pv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False, include_columns=chosen
            ),
        )
        try:
            # On the main thread Arrow takes SIGINT for itself meanwhile, and loses one that comes when it is done:
            # 4 of 1,000 interrupts of `maxmargin predict`.
            (table,) = run_parallel(pv.read_csv, [(pa.BufferReader(data), *options)], long=True)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            wrong = ragged(block, self.delimiter, len(places), self.source.name)
            where = Place(self.source.name, block.line, onwards=True)
            raise wrong or TableError.at(where, f"{one_line(error)[:200].rstrip('.')}.") from None
        cells = {name: table.column(place).combine_chunks() for name, place in zip(columns, chosen, strict=True)}
        written = self._written(cells)
        cells = {
            name: written[name] if self.options.types.keeps(name) else clean(column, self.cell_format)
            for name, column in cells.items()
        }
        return Batch(block, cells, table.num_rows, written=written)

    def _sliced(self, block: Block, columns: Sequence[str], together: Any) -> Batch:
        rows = len(together) // len(columns)
        places = {name: place * rows for place, name in enumerate(columns)}
        types = self.options.types
        written = {}
        if types.rest is not None:
            written = self._written({name: together.slice(place, rows) for name, place in places.items()})
        together = clean(together, self.cell_format)
        cells = {
            name: written[name] if types.keeps(name) else together.slice(place, rows) for name, place in places.items()
        }
        return Batch(block, cells, rows, together, written)

    def _written(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """Columns that are passed on or shown as they are written, blanks and words for what is missing included."""
        types = self.options.types
        return {
            name: pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
            for name, column in cells.items()
            if types.keeps(name) or types.shows(name)
        }

    def place(self, batch: Batch, name: str, row: int) -> Place:
        """Where a cell is: file, line and column."""
        return Place(self.source.name, line_of(batch.block, self.delimiter, row, len(self.names)), name)

    def misfit(self, batch: Batch, name: str, type_: str) -> tuple[int, str]:
        """The row of the first cell that does not fit a type, and what it holds."""
        row = first_misfit(batch.cells[name], type_, self.cell_format)
        return row, quoted(batch.cells[name][row].as_py())


# Arrow's reader takes a tenth of a millisecond and 9 KB for each column of a block. Of many columns and few rows, that
# is far more than it takes to cut the lines up one by one.
_WIDE, _FEW = 500, 1000


def _on_ragged(row: Any) -> str:
    return "error" if row.text.strip() else "skip"


def _sniffed(source: Source, encoding: str | None) -> str:
    """The delimiter of the first lines."""
    head = source.head
    if encoding or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            head = head.decode(encoding or "utf-16", errors="replace").encode(errors="replace")
        except (LookupError, UnicodeError):  # said when the file is read
            return ","
    cut = last_line_end(head) if len(source.head) >= 1 << 15 else len(head)
    text = head[: cut or len(head)].removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    return sniff_delimiter(Block(text.encode(), 1))


# ---------------------------------------------------------------- whole


def read_csv(source: Source, options: CsvOptions) -> Any:
    """The whole file as an Arrow table.

    Columns are narrowed block by block, so that memory holds numbers and not their digits. If a later block shows that
    a column is something else (article numbers, then "A17"), its cells are read a second time.
    """
    if not source.rewindable:
        source.spool()
    file = CsvFile(source, options)
    columns: dict[str, Any] = {}
    held = 0
    for batch in file.batches():
        if not columns:
            columns = {name: _column(file, name) for name in file.wanted}
        add_batch(list(columns.values()), batch)
        held += sum(column.parts[-1].nbytes for column in columns.values())
        source.limits.memory(held, source.place)
    again = [name for name in file.wanted if not columns[name].settle()]
    if again:
        parts: dict[str, list[Any]] = {name: [] for name in again}
        for batch in file.batches(again):
            for name in again:
                parts[name].append(convert(batch.cells[name], columns[name].type, file.cell_format))
        for name in again:
            columns[name].parts = parts[name]
    arrays = [pa.chunked_array(columns[name].parts, arrow_type(columns[name].type)) for name in file.wanted]
    return pa.table(arrays, names=file.wanted)


def _column(file: CsvFile, name: str) -> GrowingColumn | FixedColumn:
    word = file.options.types.get(name)
    return GrowingColumn(file, name) if word is None else FixedColumn(file, name, word)


# ---------------------------------------------------------------- by chunks


def scan_csv(source: Source, options: CsvOptions, rows: int) -> Iterator[Any]:
    """The file in tables of `rows` rows; types that are not given are those of the first of them."""
    return rechunk(_scanned(CsvFile(source, options), rows), rows, source)


def _scanned(file: CsvFile, rows: int) -> Iterator[Any]:
    batches = file.batches()
    looked: list[Batch] = []
    seen = 0
    for batch in batches:
        looked.append(batch)
        seen += batch.rows
        if seen >= rows:
            break
    columns = dict(zip(file.wanted, _first_types(file, looked), strict=True))
    while looked:
        yield _table(columns, looked.pop(0))
    for batch in batches:
        yield _table(columns, batch)


def _first_types(file: CsvFile, looked: list[Batch]) -> list[FixedColumn]:
    columns = [_column(file, name) for name in file.wanted]
    for batch in looked:
        add_batch([column for column in columns if isinstance(column, GrowingColumn)], batch)
    rows = sum(batch.rows for batch in looked)
    return [_settled(column, rows) for column in columns]


def _settled(column: GrowingColumn | FixedColumn, rows: int) -> FixedColumn:
    if isinstance(column, FixedColumn):
        return column
    column.settle()
    return FixedColumn(column.file, column.name, column.word(), column.type, rows)


def _table(columns: Mapping[str, FixedColumn], batch: Batch) -> Any:
    arrays = read_batch(list(columns.values()), batch)
    fields = [pa.field(name, array.type) for name, array in zip(columns, arrays, strict=True)]
    for name, column in columns.items():
        if column.file.options.types.shows(name):
            fields.append(written_field(pa.field(name, pa.string())))
            arrays.append(batch.written[name])
    return pa.table(arrays, schema=pa.schema(fields))
