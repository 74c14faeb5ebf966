"""Parquet and Arrow files: they know their types, which are brought down to the few that a table has here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..messages import Argument, Place, byte_size, quoted
from ._arrow_sizes import unpacked_size
from ._errors import TableError, TableLimitError, absent
from ._parquet_footer import DELTA_TEXT, DICTIONARY, RowGroup, row_groups
from ._parquet_sizes import pages_size, thrift_limits
from ._rows import rechunk, written_field
from ._source import Progress, Source
from ._types import Wanted


def plain_type(type_: Any, name: str, file: str) -> Any:
    """The type that a column gets: bool, int64, float64, timestamp in microseconds, or string."""
    is_ = pa.types
    if type_ in _plain_types():
        return type_
    if is_.is_dictionary(type_):
        return plain_type(type_.value_type, name, file)
    if is_.is_boolean(type_):
        return pa.bool_()
    if is_.is_integer(type_) and type_ != pa.uint64():
        return pa.int64()
    if is_.is_integer(type_) or is_.is_floating(type_) or is_.is_decimal(type_) or is_.is_null(type_):
        return pa.float64()
    if is_.is_date(type_) or is_.is_timestamp(type_):
        return pa.timestamp("us")
    if is_.is_duration(type_):
        return pa.float64()
    if is_.is_time(type_):
        return pa.string()
    if is_.is_string(type_) or is_.is_large_string(type_) or is_.is_string_view(type_):
        return pa.string()
    nested = "nested values" if is_.is_nested(type_) else "values"
    raise TableError.at(
        Place(file, column=name),
        f"{nested} of type {quoted(type_)} are not numbers, dates or text; flatten or convert the column, or leave it "
        "out with ",
        Argument("columns"),
        ".",
    )


def _kept_type(type_: Any) -> Any:
    """The type of a column that is only passed on: its own, but text as plain text, and a dictionary as its values."""
    if pa.types.is_dictionary(type_):
        return _kept_type(type_.value_type)
    if pa.types.is_null(type_):
        return pa.float64()
    return pa.string() if _is_text(type_) else type_


@cache
def _plain_types() -> frozenset[Any]:
    return frozenset({pa.bool_(), pa.int64(), pa.float64(), pa.timestamp("us"), pa.string()})


def plain_column(column: Any, target: Any) -> Any:
    """A column as its plain type."""
    if column.type == target:
        return column
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        return pa.chunked_array([pa.nulls(len(column), target)])
    if column.type == target:
        return column
    if pa.types.is_duration(column.type) and pa.types.is_floating(target):  # in seconds
        many = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
        return pc.divide(column.cast(pa.int64()).cast(pa.float64(), safe=False), many)
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        column = column.cast(pa.timestamp(column.type.unit))  # the instant in UTC
    # Nanoseconds are cut, and integers beyond 2^53 rounded: both are said in the manual.
    if pa.types.is_timestamp(target):
        return column.cast(options=pc.CastOptions(target, allow_time_truncate=True))
    if pa.types.is_time(column.type):  # whole seconds without the zeros of a finer unit, which Parquet stores
        return pc.replace_substring_regex(column.cast(target), r"\.0+$", "")
    return column.cast(target, safe=not pa.types.is_floating(target))


def _plain_table(table: Any, types: Wanted, file: str) -> Any:
    names = table.column_names
    targets = [
        _kept_type(field.type) if types.keeps(field.name) else plain_type(field.type, field.name, file)
        for field in table.schema
    ]
    columns = [
        _as(column, target, name, file) for name, column, target in zip(names, table.columns, targets, strict=True)
    ]
    fields = [pa.field(name, target) for name, target in zip(names, targets, strict=True)]
    for field, column, target in zip(table.schema, table.columns, targets, strict=True):
        if types.shows(field.name) and (own := _kept_type(field.type)) != target:
            fields.append(written_field(pa.field(field.name, own)))
            columns.append(_as(column, own, field.name, file))
    return pa.table(columns, schema=pa.schema(fields))


def _as(column: Any, target: Any, name: str, file: str) -> Any:
    try:
        return plain_column(column, target)
    except pa.ArrowException as error:
        words = " ".join(str(error).split())[:120]
        raise TableError.at(Place(file, column=name), f"cannot be read as {target} ({words}).") from None


def _chosen(schema: Any, columns: Sequence[str] | None, types: Wanted, source: Source) -> dict[str, int]:
    """Columns that are asked for, and their places."""
    names, where = list(schema.names), source.place
    chosen = list(names if columns is None else columns)
    places = {name: place for place, name in enumerate(names)}
    if not set(chosen) <= set(places):
        raise absent(chosen, names, str(where), place=where)
    source.limits.columns(len(chosen), where)
    counts = Counter(names)
    for name in chosen:
        if counts[name] > 1:
            raise TableError.at(where, f"{counts[name]} columns are named {quoted(name)}; rename them.")
        if not types.keeps(name):
            plain_type(schema.field(places[name]).type, name, source.name)
    if not chosen:
        raise TableError(f"{where} has no columns.", place=where)
    return {name: places[name] for name in chosen}


def _batches(
    source: Source, format: str, columns: Sequence[str] | None, types: Wanted, rows: int, progress: Progress | None
) -> Iterator[Any]:
    """Plain tables, one for each record batch; whatever a damaged file makes of Arrow becomes a `TableError`."""
    where, some, made = source.place, False, 0
    file = source.file()
    stored = source.size()
    try:
        if format == "parquet":
            stream = _parquet(file, columns, types, rows, source)
        else:
            stream = _ipc(file, columns, types, source)
        for batch in stream:
            batch.validate(full=True)  # a damaged file can hold offsets that lead out of its buffers
            made += sum(_plain_bytes(column) for column in batch.columns)
            source.limits.expansion(made, stored, where, _GROWS)
            if batch.num_rows:
                some = True
                yield _plain_table(pa.Table.from_batches([batch]), types, source.name)
            if progress is not None:
                progress(min(file.tell(), source.total or file.tell()), source.total)
    except MemoryError as error:  # of Arrow, too; a damaged file may ask for any size
        words = " ".join(str(error).split())[:100].rstrip(".")
        raise TableLimitError(
            f"{where} ({byte_size(stored)}): not enough memory to read it{f' ({words})' if words else ''}; read fewer "
            "columns or rows at a time. A file that should need less is damaged.",
            limit="memory",
            place=where,
        ) from None
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, TypeError) as error:
        if isinstance(error, TableError):
            raise
        words = " ".join(str(error).split())[:160].rstrip(".")
        raise TableError(
            f"{where} is damaged, or no {format} file ({words or type(error).__name__}): write it anew.",
            place=where,
        ) from None
    if not some:
        raise TableError(f"{where} has no rows.", place=where)


def _plain_bytes(column: Any) -> int:
    """Bytes of a column in which each cell has its own text: a dictionary can hold one long text for all of them."""
    if not pa.types.is_dictionary(column.type) or not _is_text(column.type.value_type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
    return int(column.indices.nbytes) + (pc.sum(lengths.take(column.indices)).as_py() or 0)


def _is_text(type_: Any) -> bool:
    return any(is_(type_) for is_ in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


_GROWS = "its columns unpack to far more than is stored"


def _parquet(file: Any, columns: Sequence[str] | None, types: Wanted, rows: int, source: Source) -> Iterator[Any]:
    import pyarrow.parquet as pq

    limits = thrift_limits(file, source.size())
    parquet = pq.ParquetFile(file, pre_buffer=False, page_checksum_verification=True, **limits)
    schema = parquet.schema_arrow  # made anew each time that it is asked for
    chosen = _chosen(schema, columns, types, source)
    groups = row_groups(file, parquet.schema)
    _refuse_growth(file, groups, source)
    texts = {name for name, place in chosen.items() if _is_text(schema.field(place).type)}
    size = min(rows, _rows_at_once(file, parquet, groups, texts)) if texts else rows
    yield from parquet.iter_batches(size, columns=list(chosen), use_threads=False)


_AT_ONCE = 1 << 26  # bytes


def _rows_at_once(file: Any, parquet: Any, groups: Sequence[RowGroup], texts: set[str]) -> int:
    """As many rows as take 64 MB if each had the longest text that pages can give again and again."""
    import pyarrow.parquet as pq

    # Read so, a column keeps its dictionary, and one row of each group shows how long its texts are.
    packed = pq.ParquetFile(file, metadata=parquet.metadata, pre_buffer=False, read_dictionary=sorted(texts))
    schema = parquet.schema
    paths = [schema.column(place).path for place in range(len(schema))]
    longest = 1
    for number, group in enumerate(groups):
        looked = []
        for path, chunk in zip(paths, group.chunks, strict=True):
            if path not in texts:
                continue
            if chunk.encodings & DICTIONARY:
                looked.append(path)
            if DELTA_TEXT in chunk.encodings:
                longest = max(longest, chunk.unpacked)
        if not looked:
            continue
        first = next(packed.iter_batches(1, row_groups=[number], columns=looked, use_threads=False), None)
        for column in first.columns if first is not None else ():
            if pa.types.is_dictionary(column.type):
                longest = max(longest, pc.max(pc.binary_length(column.dictionary)).as_py() or 0)
    return max(1, _AT_ONCE // longest)


def _refuse_growth(file: Any, groups: Sequence[RowGroup], source: Source) -> None:
    """Refuse pages that unpack to far more than is stored, by what the file says of itself, before one is unpacked."""
    unpacked = max(sum(group.unpacked for group in groups), pages_size(file, groups))
    source.limits.expansion(unpacked, source.size(), source.place, "its pages unpack to far more than is stored")


def _ipc(file: Any, columns: Sequence[str] | None, types: Wanted, source: Source) -> Iterator[Any]:
    unpacked = unpacked_size(file)
    source.limits.expansion(unpacked, source.size(), source.place, "its batches unpack to far more than is stored")
    head = file.read(6)
    file.seek(0)
    if head == b"ARROW1":
        reader = pa.ipc.open_file(file)
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        reader = pa.ipc.open_stream(file)
        batches = iter(reader)
    places = list(_chosen(reader.schema, columns, types, source).values())
    for batch in batches:
        yield batch.select(places)


def scan_columnar(
    source: Source, format: str, columns: Sequence[str] | None, types: Wanted, progress: Progress | None, rows: int
) -> Iterator[Any]:
    """The file in tables of `rows` rows."""
    return rechunk(_batches(source, format, columns, types, rows, progress), rows, source)


def read_columnar(
    source: Source, format: str, columns: Sequence[str] | None, types: Wanted, progress: Progress | None
) -> Any:
    """The whole file as an Arrow table."""
    parts, held = [], 0
    for table in _batches(source, format, columns, types, 1 << 16, progress):
        parts.append(table)
        held += table.nbytes
        source.limits.memory(held, source.place)
    return pa.concat_tables(parts)
