"""Tables that several tests share."""

import datetime as dt
import io
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from maxmargin.tables import read_table

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that tests.tables.fuzz is found


@pytest.fixture(scope="session")
def read():
    """A function: read a table from text or bytes."""

    def reading(content, **options):
        return read_table(io.BytesIO(content.encode() if isinstance(content, str) else content), **options)

    return reading


@pytest.fixture(scope="session")
def mixed():
    """An Arrow table with a column of every sort."""
    rows = 24
    return pa.table(
        {
            "id": list(range(1, rows + 1)),
            "city": ["Rome", "Oslo", None, "Oslo, N", 'the "Hague"', "Rome"] * 4,
            "age": [31, None, 25, 40, 7, 2**53 + 2] * 4,
            "size": [1.5, None, -2e-9, 3.0, 0.1, 1e12] * 4,
            "ok": [True, False, None, True, False, False] * 4,
            "day": [dt.datetime(2020, 2, 29) + dt.timedelta(days=40 * i) for i in range(rows)],
            "when": [
                dt.datetime(1969, 12, 31, 23, 59, 58, 250000) + dt.timedelta(hours=31 * i) for i in range(rows - 1)
            ]
            + [None],
            "same": ["x"] * rows,
        }
    )
