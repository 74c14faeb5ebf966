"""Tables cut anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from ._source import Source


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
