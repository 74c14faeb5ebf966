"""Reading takes time as a file has bytes; a file gets no more columns, memory or growth than its reader allows."""

import gzip
import io
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from tests.tables.fuzz_scaling import consume, exponent
from tests.tables.shapes import SHAPES, arrow, parquet

from maxmargin.tables import TableError, TableLimitError, _limits, _text, read_table, scan_table
from maxmargin.tables._arrow_sizes import unpacked_size

# The most memory a process has held, in MB. The figure of getrusage begins with that of the process that started it.
PEAK = "print(next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) // 1024)\n"


@pytest.mark.parametrize("name", SHAPES)
def test_what_becomes_of_a_pathological_table(name):
    shape = SHAPES[name]
    data = shape.make(3000)
    for chunks in (False, True):
        outcome = consume(shape, data, chunks)
        assert shape.outcome == "either" or outcome.startswith(shape.outcome), outcome


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a,b\n" + b'"\n",' * 2**20, "cells"),
        (b'{"a": ' + b"[" * 60 + b'"' + b'\\"' * 2**20, "not JSON|nested"),
        (b"".join(b'{"k%d": 1}\n' % i for i in range(30_000)), "max_expansion=200|max_columns"),
        (b'{"a":' + b"[\n" * 100_000 + b"]\n" * 100_000 + b"}\n", "not JSON|nested"),  # ended the process
    ],
    ids=["quotes", "escapes", "keys", "depth"],
)
def test_a_few_megabytes_do_not_take_hours(data, words, tmp_path):
    """Each took minutes or more, gigabytes, or the process; the limit of time only ends a hang."""
    path = tmp_path / "table"
    path.write_bytes(data)
    code = (
        "import sys\n"
        "from maxmargin.tables import TableError, read_table\n"
        "try: read_table(sys.argv[1], format=sys.argv[2])\n"
        "except TableError as error: print(error)\n"
        f"{PEAK}"
    )
    format = "csv" if data.startswith(b"a,") else "jsonl"
    ended = subprocess.run(
        [sys.executable, "-c", code, path, format], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    said, megabytes = ended.stdout.rsplit("\n", 2)[:2]
    assert any(word in said for word in words.split("|")), said
    assert int(megabytes) < 2000


class Looked(_text.RecordEnds):
    """Counts the bytes that are looked at."""

    seen = 0

    def last(self, piece):
        type(self).seen += len(piece)
        return super().last(piece)


@pytest.mark.parametrize("piece", [b'"\n",', b'"\n",1\n', b'x"y,"\n', b"1,2\n", b'""\n', b'"a""\r",\r'])
def test_records_are_cut_in_one_pass(piece, monkeypatch):
    monkeypatch.setattr(_text, "BLOCK", 512)
    monkeypatch.setattr("maxmargin.tables._csv.RecordEnds", Looked)
    monkeypatch.setattr(Looked, "seen", 0)
    data = b"a,b\n" + piece * 2000
    blocks = list(_text.record_blocks(_source(data), Looked(","), size=512)) if _whole(data) else None
    assert Looked.seen == (len(data) if blocks is not None else 0)
    if blocks is not None:
        assert b"".join(block.data for block in blocks) == data


def _source(data):
    from maxmargin.tables._source import Source

    return Source(io.BytesIO(data))


def _whole(data):
    ends = _text.RecordEnds(",")
    ends.last(data)
    return not ends.opened


@pytest.mark.parametrize("seed", range(30))
def test_records_are_cut_alike_wherever_pieces_end(seed):
    """Cut from pieces of any length, blocks end where a record ends: by a reader that goes byte by byte."""
    rng = np.random.default_rng(seed)
    data = b"".join(rng.choice([b'"', b'"', b"\n", b"\r", b"\r\n", b",", b"x", b'""', b' "'], 60).tolist())
    ends = _ends_byte_by_byte(data)
    for size in (1, 2, 3, 7, 64):
        try:
            blocks = list(_text.record_blocks(_source(data), _text.RecordEnds(","), size=size))
        except TableError as error:
            assert "never closed" in str(error) and ends is None
            continue
        assert ends is not None
        assert b"".join(block.data for block in blocks) == data
        places = np.cumsum([len(block.data) for block in blocks])[:-1]
        assert set(places.tolist()) <= ends
        assert [block.line for block in blocks[1:]] == [1 + _text.lines_in(data[:place]) for place in places]


def _ends_byte_by_byte(data):
    """Where records end; None if the last is within quotes."""
    ends, opened, before, closed = set(), False, "\n", False
    for place, mark in enumerate(data.decode()):
        if mark == '"' and (opened or before in ",\r\n" or closed):
            opened = not opened
            closed = not opened
        else:
            closed = False
            if not opened and (mark == "\n" or (mark == "\r" and data[place + 1 : place + 2] != b"\n")):
                ends.add(place + 1)
        before = mark
    return None if opened else ends


# ---------------------------------------------------------------- limits


def _limited(limit, data, **options):
    for reading in (read_table, lambda *args, **options: list(scan_table(*args, **options))):
        with pytest.raises(TableLimitError, match=f"{limit}=") as caught:
            reading(io.BytesIO(data), **options)
        assert caught.value.limit == limit and len(str(caught.value)) < 300
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        b"a,b,c\n1,2,3\n",
        b'{"a":1,"b":2,"c":3}\n',
        parquet(pa.table({"a": [1], "b": [2], "c": [3]})),
        arrow(pa.table({"a": [1], "b": [2], "c": [3]})),
    ],
    ids=["csv", "jsonl", "parquet", "arrow"],
)
def test_max_columns(data):
    error = _limited("max_columns", data, max_columns=2)
    assert error.allowed == 2 and "3 columns" in str(error)
    assert read_table(io.BytesIO(data), max_columns=3).num_columns == 3
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.limit, again.allowed) == (str(error), "max_columns", 2)


def test_max_columns_of_sparse_rows():
    data = b"1 3:1 7000:1\n"
    assert read_table(io.BytesIO(data)).X.shape == (1, 7000)
    with pytest.raises(TableError, match="line 1: the index '7000' is not between 0 and max_columns=6999"):
        read_table(io.BytesIO(data), max_columns=6999)


def test_columns_have_a_default_limit(monkeypatch):
    monkeypatch.setattr(_limits, "MOST_COLUMNS", 4)
    _limited("max_columns", b"a,b,c,d,e\n1,2,3,4,5\n")
    _limited("max_columns", b'{"a":1,"b":1,"c":1}\n{"d":1,"e":1}\n')


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n" + b"1,2.5\n" * 100,
        b'{"a": 1, "b": "x"}\n' * 100,
        b"1 1:2 3:4\n" * 100,
        parquet(pa.table({"a": np.arange(100), "b": np.arange(100)})),
        arrow(pa.table({"a": np.arange(100), "b": np.arange(100)})),
    ],
    ids=["csv", "jsonl", "libsvm", "parquet", "arrow"],
)
def test_max_bytes(data):
    with pytest.raises(TableLimitError, match="max_bytes=1000 ") as caught:
        read_table(io.BytesIO(data), max_bytes=1000)
    assert caught.value.limit == "max_bytes"
    assert len(read_table(io.BytesIO(data), max_bytes=5000)) == 100


def test_max_bytes_is_of_a_chunk(monkeypatch):
    monkeypatch.setattr(_text, "BLOCK", 64)
    data = b"a,b\n" + b"1,2.5\n" * 1000
    assert sum(len(chunk) for chunk in scan_table(io.BytesIO(data), rows=10, max_bytes=1000)) == 1000
    with pytest.raises(TableLimitError, match="a chunk of 500 rows"):
        list(scan_table(io.BytesIO(data), rows=500, max_bytes=1000))


def test_gzip_that_grows_without_measure():
    data = gzip.compress(b"a,b\n" + b"1,2\n" * (18 << 20), mtime=0)
    with pytest.raises(TableLimitError, match=r"its gzip data .* max_expansion=200; ") as caught:
        for chunk in scan_table(io.BytesIO(data), columns=["a"], rows=1 << 20):
            assert chunk.num_rows <= 1 << 20
    assert caught.value.allowed == 200
    assert next(iter(scan_table(io.BytesIO(data), max_expansion=1100))).num_rows == 65536


def test_what_grows_little_is_read_whatever_its_ratio(monkeypatch):
    data = gzip.compress(b"a,b\n" + b"1,2\n" * 100_000, mtime=0)
    assert len(read_table(io.BytesIO(data), max_expansion=1)) == 100_000
    monkeypatch.setattr(_limits, "FREE", 1000)
    _limited("max_expansion", data)
    assert len(read_table(io.BytesIO(data), max_expansion=math.inf)) == 100_000


@pytest.mark.parametrize(
    "data",
    [
        parquet(pa.table({"a": np.zeros(100_000)}), compression="zstd", use_dictionary=False),
        parquet(pa.table({"a": np.zeros(100_000)})),
        arrow(pa.table({"a": np.zeros(100_000)}), compression="zstd"),
        b"{" + b",".join(b'"%d":1' % i for i in range(1000)) + b"}\n" + b"{}\n" * 2000,
        b"{}{}\n" + b"\n".join(b'{"k%d":1}' % i for i in range(2000)),
        b'{"a":[' + b",".join(b'{"k%d":1}' % i for i in range(2000)) + b"]}\n",
    ],
    ids=["pages", "runs", "buffers", "wide", "keys", "nested keys"],
)
def test_cells_that_grow_without_measure(data, monkeypatch):
    monkeypatch.setattr(_limits, "FREE", 1000)
    _limited("max_expansion", data)


def test_a_dictionary_of_one_long_text(tmp_path):
    """120 KB that stand for 2 GB are refused before they are made."""
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, dtype=np.int32)), ["x" * 100_000])
    path = tmp_path / "table.parquet"
    code = (
        "import sys\n"
        "from maxmargin.tables import TableLimitError, read_table\n"
        "try: read_table(sys.argv[1])\n"
        "except TableLimitError as error: print(error.limit)\n"
        f"{PEAK}"
    )
    for options in ({}, {"store_schema": False}):
        path.write_bytes(parquet(pa.table({"a": column}), **options))
        assert path.stat().st_size < 200_000
        ended = subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=120, check=True
        )
        limit, megabytes = ended.stdout.split()
        assert limit == "max_expansion" and int(megabytes) < 1000


def test_keys_that_few_lines_have_are_read_where_they_are_few():
    data = b"".join(b'{"k%d": %d}\n' % (i % 300, i) for i in range(3000))
    table = read_table(io.BytesIO(data))
    assert table.shape == (3000, 300) and table["k7"].null_count == 2990


@pytest.mark.parametrize("value", [0, -1, "many", True, math.nan])
@pytest.mark.parametrize("name", ["max_columns", "max_bytes", "max_expansion"])
def test_limits_are_numbers_above_zero(name, value):
    with pytest.raises(TableError, match=f"{name}=.* is not a number above 0"):
        read_table(io.BytesIO(b"a\n1\n"), **{name: value})


# ---------------------------------------------------------------- memory


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 123 failed")])
def test_memory_that_is_not_there_is_not_called_damage(error, monkeypatch):
    def fails(*args, **options):
        raise error

    monkeypatch.setattr("pyarrow.parquet.ParquetFile.iter_batches", fails)
    data = parquet(pa.table({"a": [1, 2]}))
    with pytest.raises(TableLimitError, match="not enough memory to read it") as caught:
        read_table(io.BytesIO(data))
    assert caught.value.limit == "memory"
    assert ("malloc of size 123 failed" in str(caught.value)) is bool(str(error))
    assert "or no parquet file" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of memory are POSIX")
def test_memory_of_a_process_that_has_little(tmp_path):
    path = tmp_path / "large.parquet"
    path.write_bytes(parquet(pa.table({"a": ["x" * 1000 + str(i % 7) for i in range(100_000)]})))
    code = (
        "import resource, sys\n"
        "from maxmargin.tables import TableLimitError, read_table\n"
        "import pyarrow.parquet\n"
        "now = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (now + 50_000_000,) * 2)\n"
        "try: read_table(sys.argv[1], max_expansion=1e9)\n"
        "except TableLimitError as error: print(error.limit, error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout.startswith("memory ") and "damaged, or" not in ended.stdout, ended.stderr + ended.stdout


# ---------------------------------------------------------------- encodings and the measure itself


@pytest.mark.parametrize("encoding", ["zlib", "hex", "rot13", "undefined", "no such"])
def test_encodings_that_are_none(encoding):
    with pytest.raises(TableError, match="There is no encoding"):
        read_table(io.BytesIO(b"a,b\n1,2\n"), format="csv", encoding=encoding)


def test_text_that_ends_within_a_character():
    with pytest.raises(TableError, match="is not encoded as utf-16"):
        read_table(io.BytesIO("a,b\n1,2\n".encode("utf-16") + b"3"), format="csv")


def test_exponents():
    sizes = 2.0 ** np.arange(10, 20)
    for power in (0.5, 1.0, 2.0):
        assert exponent(sizes, 1e-6 * sizes**power, 4) == pytest.approx(power)
    assert exponent(sizes, 1e-16 * sizes**2, 4) == 0  # still faster than memory
    assert exponent(sizes, np.full(10, 0.001), 4) == 0
    assert len(SHAPES) >= 100


def test_the_schema_of_a_parquet_file_is_asked_for_once(monkeypatch):
    """Arrow makes it anew each time, in time that grows with the columns."""
    asked = []
    made = pa.parquet.ParquetFile.schema_arrow
    counted = property(lambda self: asked.append(1) or made.fget(self))
    monkeypatch.setattr(pa.parquet.ParquetFile, "schema_arrow", counted)
    data = parquet(pa.table({f"c{i}": ["x", "y"] for i in range(50)}))
    assert read_table(io.BytesIO(data)).shape == (2, 50)
    assert 1 <= len(asked) <= 4


def test_gzip_members_without_content():
    rows, nothing = gzip.compress(b"a,b\n1,2\n", mtime=0), gzip.compress(b"", mtime=0)
    assert read_table(io.BytesIO(nothing * 20 + rows)).shape == (1, 2)
    with pytest.raises(TableError, match=r"begins with 65,536 bytes of gzip data that unpack to nothing"):
        read_table(io.BytesIO(nothing * 4000 + rows))


@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_arrow_batches_are_measured_before_they_are_unpacked(make, compression, monkeypatch):
    table = pa.table({"a": np.zeros(10**7), "b": pa.array(["x"] * 10**7).dictionary_encode()})
    file = io.BytesIO()
    with make(file, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    for name in ("open_file", "open_stream"):
        monkeypatch.setattr(pa.ipc, name, lambda *_: pytest.fail("it is opened"))
    with pytest.raises(TableLimitError, match="its batches unpack to far more than is stored") as caught:
        read_table(io.BytesIO(file.getvalue()), format="arrow")
    assert caught.value.limit == "max_expansion"


@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_sizes_of_arrow_batches(make, compression):
    """What the descriptions say is what Arrow says after unpacking."""
    texts = np.random.default_rng(0).choice(["a", "bc", "def"], 5000)
    table = pa.table({"number": np.arange(5000.0), "text": texts, "coded": pa.array(texts).dictionary_encode()})
    file = io.BytesIO()
    with make(file, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=1000)
    found = unpacked_size(file)
    assert found == 0 if compression is None else 0.8 * table.nbytes <= found <= 1.2 * table.nbytes
    assert file.tell() == 0
    assert read_table(io.BytesIO(file.getvalue()), format="arrow").shape == (5000, 3)


def test_damaged_descriptions_of_arrow_batches_have_no_size():
    table, file = pa.table({"a": np.arange(100.0)}), io.BytesIO()
    with pa.ipc.new_stream(file, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    rng, data = np.random.default_rng(0), np.frombuffer(file.getvalue(), dtype=np.uint8)
    for _ in range(300):
        odd = data.copy()
        odd[rng.integers(0, len(odd), 4)] = rng.integers(0, 256, 4)
        assert unpacked_size(io.BytesIO(odd.tobytes())) >= 0


# ---------------------------------------------------------------- wide tables, padding and false sizes


def _of_length(rows, cells):
    names = ",".join(f"c{j}" for j in range(len(cells)))
    return "\n".join([names, *[",".join(cells)] * rows, ""]).encode()


def test_a_wide_table_is_not_read_by_a_call_for_each_column(monkeypatch):
    """Arrow's reader takes a tenth of a millisecond and 9 KB for each column."""
    from maxmargin.tables import _columns, _csv

    asked = []
    monkeypatch.setattr(_columns, "fit_types", lambda *given: asked.append(given))
    monkeypatch.setattr(_csv, "clean", lambda cells, how: asked.append(cells) or cells)
    data = _of_length(2, [str(j) if j % 3 else f"{j}.5" for j in range(3000)])
    table = read_table(io.BytesIO(data))
    assert table.num_columns == 3000 and len(asked) == 1
    assert table["c3"].to_pylist() == [3.5, 3.5] and table["c4"].to_pylist() == [4, 4]
    assert sum(len(chunk) for chunk in scan_table(io.BytesIO(data))) == 2 and len(asked) == 2


_ODD = (
    "1",
    "-0",
    "007",
    "1.5",
    "1e3",
    "",
    "NA",
    "x",
    "+4",
    "1,000",
    "true",
    "2021-03-04",
    "9" * 19,
    " 3",
    "1e999",
    '"',
)


@pytest.mark.parametrize("seed", range(20))
def test_wide_tables_are_read_as_narrow_ones(seed, monkeypatch):
    from maxmargin.tables import _csv

    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 6)), int(rng.integers(2, 40))
    few = [rng.choice(_ODD, 3) for _ in range(columns)]
    lines = [[_quoted(rng.choice(few[j])) for j in range(columns)] for _ in range(rows)]
    lines.insert(int(rng.integers(0, rows + 1)), [" "])
    data = ("\n".join([",".join(f"c{j}" for j in range(columns)), *map(",".join, lines)]) + "\r\n").encode()
    monkeypatch.setattr(_text, "BLOCK", 60)
    for chosen in (None, ["c1", "c0"]):
        for chunks in (False, True):
            answers = []
            for wide in (2, 10**9):
                monkeypatch.setattr(_csv, "_WIDE", wide)
                answers.append(_answer(data, chosen, chunks))
            assert answers[0] == answers[1]


def _quoted(cell):
    return '"' + cell.replace('"', '""') + '"' if "," in cell or '"' in cell else str(cell)


def _answer(data, chosen, chunks):
    try:
        if chunks:
            return [(part.schema, part.to_pydict()) for part in scan_table(io.BytesIO(data), columns=chosen, rows=2)]
        table = read_table(io.BytesIO(data), columns=chosen)
        return table.schema, table.to_pydict()
    except TableError as error:
        return str(error)


def test_a_wide_line_of_another_length_is_told():
    data = _of_length(2, ["1"] * 600) + b"1,2\n"
    with pytest.raises(TableError, match="line 4: 2 cells, where the header has 600"):
        read_table(io.BytesIO(data))


def test_zeros_after_gzip_are_not_looked_at_one_by_one():
    class File(io.BytesIO):
        reads = 0

        def read(self, size=-1):
            self.reads += 1
            return super().read(size)

    packed = gzip.compress(b"a,b\n1,2\n") + bytes(10**6) + gzip.compress(b"3,4\n") + bytes(10**6)
    file = File(packed)
    assert read_table(file)["a"].to_pylist() == [1, 3]
    assert file.reads < 50


@pytest.mark.parametrize(
    "end",
    [b"x", b"\0\0\x1f\x8b\x08", gzip.compress(b"5,6\n", mtime=0)[:-4]],
    ids=["a letter", "the beginning of one", "the most of one"],
)
def test_what_is_no_gzip_member_after_one_is_told(end):
    with pytest.raises(TableError, match="damaged or cut short within its gzip data"):
        read_table(io.BytesIO(gzip.compress(b"a,b\n1,2\n") + end))


def test_many_short_gzip_members_are_one_table():
    data = b"".join(map(gzip.compress, [b"a,b\n", b"", b"1,", b"2\n3", b"", b",4\n"] + [b"5,6\n"] * 2000))
    assert len(read_table(io.BytesIO(data))) == 2002


def test_a_large_index_in_a_small_file():
    """A model of 10^8 columns takes gigabytes, whatever its rows take."""
    data = b"1 1:2 3:4\n" * 50 + b"-1 100000000:1\n"
    error = _limited("max_columns", data, format="libsvm")
    assert error.allowed == 2**23
    assert read_table(io.BytesIO(data), max_columns=10**8).X.shape == (51, 10**8)
    assert read_table(io.BytesIO(data), max_expansion=math.inf).X.shape == (51, 10**8)
    assert read_table(io.BytesIO(data), features=10**8).X.shape == (51, 10**8)
    assert read_table(io.BytesIO(b"1 8000000:1\n")).X.shape == (1, 8_000_000)


def _footer(data):
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length], data[-8 - length : -8]


def _with_footer(pages, footer):
    return pages + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("place", [0, 1])
def test_a_parquet_footer_that_claims_many_row_groups_or_columns(place, monkeypatch):
    """Arrow makes room for a million columns, 600 MB, before it looks for the first."""
    import pyarrow.parquet as pq

    given = []
    usual = pq.ParquetFile
    monkeypatch.setattr(pq, "ParquetFile", lambda *args, **options: given.append(options) or usual(*args, **options))
    pages, footer = _footer(parquet(pa.table({"a": np.zeros(5)})))
    lists = [at for at in range(len(footer)) if footer[at : at + 2] == b"\x19\x1c"]  # of one structure each
    at = lists[place] + 1
    footer = footer[:at] + b"\xfc\xbf\x84\x3d" + footer[at + 1 :] + bytes(17_000)  # of 999,999
    with pytest.raises(TableError, match=r"damaged, or no parquet file .*size limit"):
        read_table(io.BytesIO(_with_footer(pages, footer)))
    assert given[0]["thrift_container_size_limit"] < 10_000


def test_a_parquet_footer_that_says_less_than_its_pages_unpack_to():
    import pyarrow.parquet as pq

    file = io.BytesIO()
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False, "store_schema": False}
    pq.write_table(pa.table({"a": np.zeros(10_000_000)}), file, row_group_size=10**7, **options)
    metadata = pq.ParquetFile(file).metadata.row_group(0)
    pages, footer = _footer(file.getvalue())
    for size in {metadata.total_byte_size, metadata.column(0).total_uncompressed_size}:
        written = _zigzag(size)
        assert written in footer
        footer = footer.replace(written, b"\x80" * (len(written) - 1) + b"\x00")
    data = _with_footer(pages, footer)
    assert pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).total_byte_size == 0
    error = _limited("max_expansion", data)
    assert "its pages unpack to far more than is stored" in str(error)
    assert len(read_table(io.BytesIO(data), max_expansion=math.inf)) == 10**7


def _zigzag(number):
    number, out = 2 * number, []
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


@pytest.mark.parametrize("codec", ["zstd", "gzip", "brotli", "lz4"])
def test_pages_are_as_large_as_their_headers_say(codec):
    import pyarrow.parquet as pq

    from maxmargin.tables._parquet_footer import row_groups
    from maxmargin.tables._parquet_sizes import pages_size

    rng = np.random.default_rng(0)
    table = pa.table(
        {"a": rng.normal(size=50_000), "b": rng.choice(["x", "yy", "z" * 300], 50_000), "c": [None] * 50_000}
    )
    for version in ("1.0", "2.0"):
        file = io.BytesIO()
        options = {"data_page_version": version, "data_page_size": 4096, "row_group_size": 20_000}
        pq.write_table(table, file, compression=codec, **options)
        metadata = pq.ParquetFile(file).metadata
        said = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        headers = 0.05 * said + 5000  # which the footer counts, too
        assert said - headers < pages_size(file, row_groups(file, metadata.schema)) <= said
