"""Tables cut anew, and columns that are there twice: as what they hold, and as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from ._source import Source

_WRITTEN = b"written"


def written_field(field: Any) -> Any:
    """A field whose column is beside the one of the same name."""
    return field.with_metadata({**(field.metadata or {}), _WRITTEN: b""})


def split_written(table: Any) -> tuple[Any, Any]:
    """A table without the columns that are as they are written, and these alone."""
    beside = [_WRITTEN in (field.metadata or {}) for field in table.schema]
    places = range(len(beside))
    written = table.select([place for place in places if beside[place]])
    fields = [
        field.with_metadata({key: word for key, word in field.metadata.items() if key != _WRITTEN} or None)
        for field in written.schema
    ]
    plain = table.select([place for place in places if not beside[place]])
    return plain, pa.table(written.columns, schema=pa.schema(fields))


def rechunk(tables: Iterable[Any], rows: int, source: Source) -> Iterator[Any]:
    """The same rows in tables of `rows` rows each; the last is shorter."""
    held: list[Any] = []
    count = size = 0
    for table in tables:
        held.append(table)
        count += table.num_rows
        if count < rows:
            size += table.nbytes
            source.limits.memory(size, source.place, f"a chunk of {rows} rows")
            continue
        whole = pa.concat_tables(held)
        full = count - count % rows
        for begin in range(0, full, rows):
            yield whole.slice(begin, rows)
        held, count = ([whole.slice(full)], count - full) if count > full else ([], 0)
        size = sum(table.nbytes for table in held)
    if count:
        yield pa.concat_tables(held)
