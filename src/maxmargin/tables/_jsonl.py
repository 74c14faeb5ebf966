"""JSON lines: one object a line, its keys the columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.json as pj

from ..messages import Place, quoted
from ._columnar import plain_column, plain_type
from ._dates import FORMS, arrow_instants, may_have
from ._errors import TableError, absent
from ._json_shape import Cells, deep_error, lines_of, too_deep, written_objects, written_value
from ._rows import rechunk, written_field
from ._source import Source
from ._text import Block, LineEnds, record_blocks, wide_block
from ._types import Wanted

_DATE_FORMS = tuple(FORMS)[:2]  # those of ISO 8601: JSON has no dates, and no other form is agreed on
_SORTS = {str: "text", bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}


class _Parser:
    """Blocks to tables, remembering which columns hold text: Arrow would take some of it for times."""

    def __init__(self, source: Source, columns: Sequence[str] | None, types: Wanted) -> None:
        self.name, self.texts, self.types = source.name, set[str](), types
        self.columns = None if columns is None else set(columns)
        self.seen: dict[str, None] = {}
        self._cells = Cells(source.limits, source.name)

    def parse(self, block: Block) -> Any:
        """A table of plain types; text stays text."""
        line = too_deep(block)
        if line is not None:
            raise self._mistake(block, line) or deep_error(self.name, line)
        self._cells.before(block, len(self.texts))
        table = self._read(block)
        self._cells.after(block, table)
        order = table.column_names
        self.seen |= dict.fromkeys(order)
        times = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if times:
            self.texts |= set(times)
            table = self._read(block)
        self.texts |= {field.name for field in table.schema if pa.types.is_string(field.type)}
        names = [name for name in order if self.columns is None or name in self.columns]
        types = dict(zip(order, table.schema.types, strict=True))
        for name in names:
            if not self.types.keeps(name):
                plain_type(types[name], name, self.name)
        return table if names == table.column_names else table.select(names)

    def _read(self, block: Block) -> Any:
        schema = pa.schema([(name, pa.string()) for name in sorted(self.texts)])
        try:
            table = pj.read_json(
                pa.BufferReader(block.data),
                pj.ReadOptions(use_threads=False, block_size=len(block.data) + 1),
                pj.ParseOptions(explicit_schema=schema if self.texts else None),
            )
            table.validate(full=True)
            return table
        except (pa.ArrowException, ValueError, OverflowError, KeyError) as error:
            raise self._mistake(block) or self._what_arrow_says(block, error) from None

    def _what_arrow_says(self, block: Block, error: BaseException) -> TableError:
        """Arrow's own words, with the line in place of its row within the block."""
        words = " ".join(str(error).split())[:160].rstrip(".")
        found = re.search(r",? in row (\d+)", words)
        lines = [line for line, _ in lines_of(block)]
        if found and int(found.group(1)) < len(lines):
            words = words.replace(found.group(0), "").removeprefix("JSON parse error: ").rstrip(".")
            return TableError.at(Place(self.name, lines[int(found.group(1))]), f"{words}.")
        return TableError.at(Place(self.name, block.line, onwards=True), f"{words}.")

    def _mistake(self, block: Block, before: int | None = None) -> TableError | None:
        """The first line (before one) that is no JSON object, or whose value is of another sort than those above."""
        sorts: dict[str, str] = dict.fromkeys(self.texts, "text")
        if block.line == 1 and block.data.lstrip().startswith(b"["):
            words = "a JSON array begins here; write one object a line, without [ and ]."
            return TableError.at(Place(self.name, 1), words)
        for line, text in lines_of(block):
            if before is not None and line >= before:
                break
            try:
                row = json.loads(text)
            except (ValueError, RecursionError) as error:
                return TableError.at(Place(self.name, line), f"{quoted(text.strip())} is not JSON ({error}).")
            if not isinstance(row, dict):
                words = f'{quoted(text.strip())} is not a JSON object such as {{"a": 1}}.'
                return TableError.at(Place(self.name, line), words)
            for name, value in row.items():
                sort = _SORTS.get(type(value), "")
                if sort and sorts.setdefault(name, sort) != sort:
                    return self.changed(line, name, value, sorts[name])
        return None

    def changed(self, line: int, name: str, value: object, before: str) -> TableError:
        words = f"{quoted(json.dumps(value))} where lines above have {before}; write one sort of value, or null."
        return TableError.at(Place(self.name, line, name), words)

    def first_other(self, block: Block, name: str, sorts: set[type], before: str) -> TableError:
        """The error for the first value of a column that is of none of these sorts."""
        for line, row in _objects(block):
            if row.get(name) is not None and type(row[name]) not in sorts:
                return self.changed(line, name, row[name], before)
        return TableError.at(Place(self.name, block.line, name, onwards=True), f"not {before}, as above.")


def _objects(block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in lines_of(block):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield line, row


def _word(type_: Any) -> str:
    if pa.types.is_null(type_):
        return "missing"
    if pa.types.is_boolean(type_):
        return "bool"
    if pa.types.is_nested(type_):
        return "nested"
    return "text" if pa.types.is_string(type_) else "number"


_PYTHON: dict[str, set[type]] = {
    "bool": {bool},
    "number": {int, float},
    "text": {str},
    "date": {str},
    "nested": {list, dict},
}
_BEFORE = {
    "bool": "true or false",
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "nested": "lists or objects",
}


def _tables(source: Source, parser: _Parser, encoding: str | None) -> Iterator[tuple[Block, Any]]:
    some = False
    size = wide_block(source)
    for block in record_blocks(source, LineEnds(), encoding, size):
        if block.data.strip():
            table = parser.parse(block)
            if table.num_rows:
                some = True
                yield block, table
    if not some:
        raise TableError(f"{source.name} has no rows.", place=source.place)


def read_jsonl(source: Source, columns: Sequence[str] | None, types: Wanted, encoding: str | None) -> Any:
    """The whole file as an Arrow table."""
    parser = _Parser(source, columns, types)
    parts: list[tuple[int, dict[str, Any]]] = []  # rows, and columns by name
    words: dict[str, str] = {}
    for block, table in _tables(source, parser, encoding):
        _join(words, table, block, parser)
        there = dict(zip(table.column_names, table.columns, strict=True))
        parts.append((table.num_rows, there | _kept(there, types, block)))
    _refuse_absent(columns, parser)
    names = list(words if columns is None else columns)
    if not names:
        raise TableError(f"{source.name} has objects without any key.", place=source.place)
    fields = [_field(name, words[name], types) for name in names]
    wholes = [_whole(field, words[field.name], types.get(field.name), parts, source.name) for field in fields]
    return pa.table(
        wholes, schema=pa.schema([field.with_type(whole.type) for field, whole in zip(fields, wholes, strict=True)])
    )


def _refuse_absent(columns: Sequence[str] | None, parser: _Parser) -> None:
    if columns is not None and not set(columns) <= set(parser.seen):
        raise absent(columns, parser.seen, parser.name, place=Place(parser.name))


def _join(words: dict[str, str], table: Any, block: Block, parser: _Parser) -> None:
    """Take note of what the columns of one block hold."""
    for field in table.schema:
        word = _word(field.type)
        before = words.setdefault(field.name, word)
        if before == "missing":
            words[field.name] = word
        elif word not in ("missing", before):
            raise parser.first_other(block, field.name, _PYTHON[before], _BEFORE[before])


def _kept(columns: dict[str, Any], types: Wanted, block: Block) -> dict[str, Any]:
    """Columns that are passed on, their values as text as it is written: numbers can be longer than float64 holds.

    Lists and objects are JSON. Truth values and what is missing stay as they are.
    """
    exact = {
        name: column
        for name, column in columns.items()
        if (types.keeps(name) or types.shows(name)) and _word(column.type) in ("number", "nested")
    }
    texts = {name: column.cast(pa.string()) for name, column in exact.items() if column.type == pa.int64()}
    if len(texts) < len(exact):
        rows = list(written_objects(block.data.decode()))
        for name in exact.keys() - texts.keys():
            if len(rows) == len(exact[name]):
                values = [row.get(name) for row in rows]
            elif _word(exact[name].type) == "number":  # Inf, which Arrow takes for a number, is no JSON
                values = exact[name].cast(pa.string()).to_pylist()
            else:
                values = exact[name].to_pylist()
            if _word(exact[name].type) == "nested":
                values = [None if value is None else written_value(value) for value in values]
            texts[name] = pa.chunked_array([pa.array(values, pa.string())])
    return texts


def _field(name: str, word: str, types: Wanted) -> Any:
    """The field of a column, which says of numbers kept as text that they are none."""
    if types.keeps(name) and word == "number":
        return pa.field(name, pa.string(), metadata=_NUMBERS)
    if word == "nested":
        return pa.field(name, pa.string(), metadata=_VALUES)
    return pa.field(name, _target(word))


_NUMBERS, _VALUES = {b"json": b"number"}, {b"json": b"value"}


def _shown_field(name: str, word: str) -> Any:
    """The field of a column as it is written, beside the one of its values."""
    if word == "number":
        return written_field(pa.field(name, pa.string(), metadata=_NUMBERS))
    return written_field(pa.field(name, pa.bool_() if word == "bool" else pa.string()))


def _shown(column: Any | None, kept: Any | None) -> Any | None:
    """A column of one block as it is written, or None if it has no value."""
    if column is None or _word(column.type) == "missing":
        return None
    return column if kept is None else kept


def _whole(field: Any, word: str, asked: str | None, parts: list[tuple[int, dict[str, Any]]], where: str) -> Any:
    """A column of all blocks, as what is asked for, or else as what it is."""
    name = field.name
    if field.metadata:
        word = "text"
    if len(parts) == 1 and word == "number" and asked in (None, word) and name in parts[0][1]:
        return _only(parts[0][1][name])  # a line of many keys should take little for each
    present = [columns.get(name) for _, columns in parts]
    types = {
        plain_type(column.type, name, where) for column in present if column is not None and _word(column.type) == word
    }
    target = pa.float64() if len(types) != 1 else types.pop()
    chunks = [
        pa.nulls(rows, target) if column is None else plain_column(column, target).combine_chunks()
        for column, (rows, _) in zip(present, parts, strict=True)
    ]
    whole = pa.chunked_array(chunks, target)
    if word == "text" and asked != "text":
        whole = _dated(whole)
    found = "date" if pa.types.is_timestamp(whole.type) else word
    wanted = "number" if asked == "integer" else asked
    if wanted not in (None, "text", found) and found != "missing":
        words = f"{_BEFORE[found]}, where {_BEFORE[wanted]} should be."
        raise TableError.at(Place(where, column=name), words)
    return whole


def _only(column: Any) -> Any:
    """Numbers of a file that is one block."""
    return column if column.type in (pa.int64(), pa.float64()) else plain_column(column, pa.float64())


def _dated(texts: Any) -> Any:
    """Text as dates, if all of it is."""
    if texts.null_count == len(texts):
        return texts
    first = next(chunk for chunk in texts.chunks if chunk.null_count < len(chunk)).drop_null()[0].as_py()
    for form in _DATE_FORMS:
        if not may_have(first, form):
            continue
        chunks = [arrow_instants(chunk, form) for chunk in texts.chunks]
        if all(chunk is not None for chunk in chunks):
            return pa.chunked_array(chunks, pa.timestamp("us"))
    return texts


# ---------------------------------------------------------------- by chunks


def scan_jsonl(
    source: Source, columns: Sequence[str] | None, types: Wanted, encoding: str | None, rows: int
) -> Iterator[Any]:
    """The file in tables of `rows` rows; columns and types that are not given are those of the first block."""
    return rechunk(_scanned(source, columns, types, encoding), rows, source)


def _scanned(source: Source, columns: Sequence[str] | None, types: Wanted, encoding: str | None) -> Iterator[Any]:
    parser = _Parser(source, columns, types)
    words: dict[str, str] = {}
    for block, table in _tables(source, parser, encoding):
        if not words:
            words = _first_words(table, types)
            _refuse_absent(columns, parser)
            fields = {name: _field(name, word, types) for name, word in words.items()}
        names = list(words if columns is None else columns)
        unknown = [name for name in table.column_names if name not in words]
        if unknown:
            line = next((line for line, row in _objects(block) if unknown[0] in row), block.line)
            raise TableError.at(
                Place(source.name, line, unknown[0]),
                "lines above do not have it; put it into the first line, as null.",
            )
        there = dict(zip(table.column_names, table.columns, strict=True))
        kept = _kept(there, types, block)
        chunk = [
            _chunk(
                fields[name], words[name], there.get(name), kept.get(name) if types.keeps(name) else None, block, parser
            )
            for name in names
        ]
        shown = [name for name in names if types.shows(name)]
        chunk += [_shown(there.get(name), kept.get(name)) for name in shown]
        schema = pa.schema([*(fields[name] for name in names), *(_shown_field(name, words[name]) for name in shown)])
        yield pa.table(
            [
                pa.nulls(len(table), field.type) if column is None else column
                for field, column in zip(schema, chunk, strict=True)
            ],
            schema=schema,
        )


def _first_words(table: Any, types: Wanted) -> dict[str, str]:
    words = {}
    for field in table.schema:
        word = _word(field.type)
        if types.keeps(field.name) and word == "missing":
            word = "any"
        elif word == "text" and not types.keeps(field.name) and _dated(table.column(field.name)).type != field.type:
            word = "date"
        words[field.name] = types.words.get(field.name) or ("number" if word == "missing" else word)
    return {name: "number" if word == "integer" else word for name, word in words.items()}


def _target(word: str) -> Any:
    return {"bool": pa.bool_(), "number": pa.float64(), "date": pa.timestamp("us")}.get(word, pa.string())


def _chunk(field: Any, word: str, column: Any | None, kept: Any | None, block: Block, parser: _Parser) -> Any | None:
    """A column of one block as the type of all, or None if it has no value."""
    if column is None or column.null_count == len(column):
        return None
    found = _word(column.type)
    if word == "any":  # only passed on, and nothing there in the first block
        return column.cast(pa.string()) if kept is None else kept
    if word == "date" and found == "text":
        dated = _dated(column)
        found = "date" if dated.type == _target("date") else "text"
        column = dated
    if found != word:
        raise parser.first_other(block, field.name, _PYTHON[word] if word != "date" else set(), _BEFORE[word])
    return plain_column(column, field.type) if kept is None else kept
