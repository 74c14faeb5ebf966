"""The same table from every format, library and chunk."""

import datetime as dt
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from maxmargin.tables import ColumnReader, Fingerprint, SparseTable, TableError, fingerprint, read_table, scan_table

FORMATS = ("csv", "parquet", "feather", "stream", "jsonl")


def written(table, format):
    """The bytes of a table in a format."""
    file = io.BytesIO()
    if format == "csv":
        pa.csv.write_csv(table, file)
    elif format == "parquet":
        pa.parquet.write_table(table, file, row_group_size=7)
    elif format == "feather":
        pa.feather.write_feather(table, file, chunksize=5)
    elif format == "stream":
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=5)
    else:
        for row in table.to_pylist():
            plain = {name: str(value) if isinstance(value, dt.datetime) else value for name, value in row.items()}
            file.write(json.dumps(plain).encode() + b"\n")
    return file.getvalue()


@pytest.mark.parametrize("format", FORMATS)
def test_formats_agree(mixed, format):
    data = written(mixed, format)
    table = read_table(io.BytesIO(data))
    assert table.equals(mixed.cast(table.schema))
    assert table.schema.names == mixed.schema.names
    assert {str(type_) for type_ in table.schema.types} <= {"bool", "int64", "double", "timestamp[us]", "string"}
    assert fingerprint(table) == fingerprint(mixed)


@pytest.mark.parametrize("format", FORMATS)
def test_chunks_agree(mixed, format):
    data = written(mixed, format)
    chunks = list(scan_table(io.BytesIO(data), rows=7))
    assert [chunk.num_rows for chunk in chunks] == [7, 7, 7, 3]
    assert all(chunk.schema == chunks[0].schema for chunk in chunks)
    whole = pa.concat_tables(chunks)
    assert whole.cast(mixed.schema, safe=False).drop_columns(["age"]).equals(mixed.drop_columns(["age"]))
    digest = Fingerprint()
    for chunk in chunks:
        digest.update(chunk)
    assert digest.hexdigest() == fingerprint(mixed)


@pytest.mark.parametrize("format", FORMATS)
def test_columns(mixed, format):
    data = written(mixed, format)
    assert read_table(io.BytesIO(data), columns=["when", "city"]).column_names == ["when", "city"]
    assert next(scan_table(io.BytesIO(data), columns=["when", "city"])).column_names == ["when", "city"]
    with pytest.raises(TableError, match="has no column 'City': did you mean 'city'"):
        read_table(io.BytesIO(data), columns=["City"])


def test_fingerprint_of_libraries(mixed):
    expected = fingerprint(mixed)
    assert len(expected) == 64
    assert fingerprint(pl.from_arrow(mixed)) == expected
    assert fingerprint(mixed.to_pandas()) == expected
    assert fingerprint(mixed.to_pandas(types_mapper=pd.ArrowDtype)) == expected
    chunked = pa.concat_tables([mixed.slice(0, 5), mixed.slice(5, 1), mixed.slice(6)])
    assert fingerprint(chunked) == expected


def test_fingerprint_notices_every_change(mixed):
    table = mixed.slice(0, 6)
    seen = {fingerprint(table), fingerprint(table.slice(1)), fingerprint(table.slice(0, 5))}
    seen |= {fingerprint(table.rename_columns([*table.column_names[:-1], "other"]))}
    seen |= {fingerprint(table.select(table.column_names[::-1]))}
    rows = table.to_pylist()
    for i, row in enumerate(rows):
        for name in row:
            other = {**row, name: None} if row[name] is not None else None
            if other:
                seen.add(fingerprint(pa.Table.from_pylist(rows[:i] + [other] + rows[i + 1 :], schema=table.schema)))
    changed = sum(value is not None for row in rows for value in row.values())
    assert len(seen) == 5 + changed


def test_fingerprint_does_not_run_cells_together():
    assert fingerprint(pa.table({"a": ["ab", "c"]})) != fingerprint(pa.table({"a": ["a", "bc"]}))
    assert fingerprint(pa.table({"a": ["a", None]})) != fingerprint(pa.table({"a": [None, "a"]}))
    assert fingerprint(pa.table({"a": [1.0, None]})) != fingerprint(pa.table({"a": [None, 1.0]}))
    assert fingerprint(pa.table({"a": ["1"]})) != fingerprint(pa.table({"a": [1]}))


def test_fingerprint_by_chunks_without_values():
    """A type that is not known until later does not count."""
    digest = Fingerprint()
    for chunk in (
        pa.table({"a": pa.nulls(3)}),
        pa.table({"a": ["x", None]}),
        pa.table({"a": pa.nulls(2, pa.string())}),
    ):
        digest.update(chunk)
    assert digest.hexdigest() == fingerprint(pa.table({"a": [None, None, None, "x", None, None, None]}))


def test_fingerprint_of_sparse_rows():
    text = b"1 1:2 3:4\n-1 2:1\n1 1:1\n"
    whole = read_table(io.BytesIO(text))
    digest = Fingerprint()
    for chunk in scan_table(io.BytesIO(text), rows=1):
        digest.update(chunk)
    assert digest.hexdigest() == fingerprint(whole)
    assert fingerprint(SparseTable(whole.X, -whole.y)) != fingerprint(whole)
    assert fingerprint(SparseTable(whole.X[::-1], whole.y)) != fingerprint(whole)
    stored = whole.X.copy()
    stored.data[0] = 0.0
    dropped = stored.copy()
    dropped.eliminate_zeros()
    assert fingerprint(SparseTable(stored, whole.y)) == fingerprint(SparseTable(dropped, whole.y))


def test_types_of_parquet_become_plain():
    table = pa.table(
        {
            "small": pa.array([1, None], pa.int8()),
            "big": pa.array([2**64 - 1, 1], pa.uint64()),
            "half": pa.array([0.5, None], pa.float32()),
            "money": pa.array([1, 2], pa.decimal128(9, 2)),
            "day": pa.array([1, None], pa.date32()),
            "fine": pa.array([1_500, None], pa.timestamp("ns")),
            "zoned": pa.array([0, None], pa.timestamp("ms", "Europe/Rome")),
            "level": pa.array(["a", "b"]).dictionary_encode(),
            "long": pa.array(["a", None], pa.large_string()),
            "nothing": pa.nulls(2),
        }
    )
    found = read_table(io.BytesIO(written(table, "parquet")))
    words = {"small": "int64", "big": "double", "half": "double", "money": "double", "nothing": "double"}
    words |= {
        "day": "timestamp[us]",
        "fine": "timestamp[us]",
        "zoned": "timestamp[us]",
        "level": "string",
        "long": "string",
    }
    assert {field.name: str(field.type) for field in found.schema} == words
    assert found["money"].to_pylist() == [1.0, 2.0]
    assert found["fine"].to_pylist()[0] == dt.datetime(1970, 1, 1, 0, 0, 0, 1)
    assert found["zoned"].to_pylist()[0] == dt.datetime(1970, 1, 1)


@pytest.mark.parametrize("format", ["parquet", "feather", "stream"])
def test_columns_that_a_reader_does_not_read_keep_their_types(format):
    exact = {
        "big": pa.array([2**64 - 1, 2**63 + 1], pa.uint64()),
        "money": pa.array([10**20 + 1, None], pa.decimal128(30, 2)),
        "fine": pa.array([1_501, None], pa.timestamp("ns")),
        "zoned": pa.array([1_501, None], pa.timestamp("ns", "Europe/Rome")),
    }
    texts = {"level": pa.array(["a", "b"]).dictionary_encode(), "long": pa.array(["a", None], pa.large_string())}
    table = pa.table({"a": pa.array([1, 2], pa.uint64()), **exact, **texts})
    reader = ColumnReader().fit(pa.table({"a": [0.5, 1.5]}))
    content = written(table, format)
    whole = read_table(io.BytesIO(content), types=reader)
    assert whole["a"].type == pa.float64()
    for name, column in exact.items():
        assert whole[name].type == column.type and whole[name].to_pylist() == column.to_pylist()
    for name, column in texts.items():
        assert whole[name].type == pa.string() and whole[name].to_pylist() == column.to_pylist()
    assert pa.concat_tables(scan_table(io.BytesIO(content), types=reader, rows=1)).equals(whole)
    np.testing.assert_array_equal(reader.transform(whole), [[1.0], [2.0]])


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([[1], [2]]), "nested"),
        (pa.array([{"a": 1}, None]), "nested"),
        (pa.array([b"x", b"y"]), "binary"),
    ],
)
@pytest.mark.parametrize("format", ["parquet", "feather"])
def test_columns_that_are_no_numbers_dates_or_text(column, words, format):
    data = written(pa.table({"fine": [1, 2], "odd": column}), format)
    with pytest.raises(TableError, match=f"column 'odd': .*{words}.* leave it out"):
        read_table(io.BytesIO(data))
    assert read_table(io.BytesIO(data), columns=["fine"]).to_pydict() == {"fine": [1, 2]}


@pytest.mark.parametrize("format", ["parquet", "feather"])
def test_times_of_day_are_text_and_durations_seconds(format):
    day = pa.array([3600 * 9 + 60 * 5, None], pa.time32("s"))
    table = pa.table({"t": day, "took": pa.array([1500, None], pa.duration("ms"))})
    read = read_table(io.BytesIO(written(table, format)))
    assert read.to_pydict() == {"t": ["09:05:00", None], "took": [1.5, None]}


@pytest.mark.parametrize("column", [pa.array([2**62], pa.timestamp("s")), pa.array([2**31 - 1], pa.date32())])
def test_dates_beyond_all_calendars_are_refused(column):
    with pytest.raises(TableError, match=r"column 'far': cannot be read as timestamp\[us\]"):
        read_table(io.BytesIO(written(pa.table({"far": column}), "stream")))


def test_names_that_occur_twice():
    table = pa.table([[1], [2]], names=["a", "a"])
    with pytest.raises(TableError, match="2 columns are named 'a'"):
        read_table(io.BytesIO(written(table, "feather")))


def test_no_rows(mixed):
    for format in ("parquet", "feather", "stream"):
        with pytest.raises(TableError, match="has no rows"):
            read_table(io.BytesIO(written(mixed.slice(0, 0), format)))


def test_content_before_extension(tmp_path, mixed):
    path = tmp_path / "table.csv"
    path.write_bytes(written(mixed, "parquet"))
    assert read_table(path).num_rows == mixed.num_rows
    with pytest.raises(TableError, match="is a Parquet file"):
        read_table(path, format="jsonl")
    for name, format, content in (
        ("lines.txt", "jsonl", b'{"a": 1}\n'),
        ("sparse", "libsvm", b"+1 1:2 # one\n"),
        ("table.TSV", "csv", b"a\tb\n1\t2\n"),
    ):
        (tmp_path / name).write_bytes(content)
        assert isinstance(read_table(tmp_path / name), SparseTable) == (format == "libsvm")


def test_memory_of_a_scan_is_bounded(tmp_path, monkeypatch):
    """Of a table of 100 blocks, Arrow never holds a fifth."""
    path = tmp_path / "long.csv"
    line = b",".join(b"%d.5" % j for j in range(20)) + b"\n"
    path.write_bytes(b",".join(b"c%d" % j for j in range(20)) + b"\n" + line * 40_000)
    monkeypatch.setattr("maxmargin.tables._text.BLOCK", path.stat().st_size // 100)
    before, most, rows = pa.total_allocated_bytes(), 0, 0
    for chunk in scan_table(path, rows=1000):
        rows += chunk.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert rows == 40_000
    assert most < 40_000 * 20 * 8 / 5


def test_arrays_of_numpy_as_columns():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert fingerprint(X) == fingerprint(pa.table({"x0": [1.0, 2.0], "x1": [None, 3.0]}))
