"""Malformed tables are read or refused; nothing else happens. `fuzz.py` next to this runs many more."""

import io
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from tests.tables import fuzz_footer
from tests.tables.fuzz import PIECES, attempt, case, run, valid_files
from tests.tables.shapes import parquet

from maxmargin.tables import TableError, read_table


def test_a_part_of_the_malformed_tables():
    tally = run(480, seed=1)
    assert sum(tally.values()) == 480
    outcomes = {outcome for _, outcome in tally}
    assert outcomes == {"read", "refused"}
    assert len({name for name, _ in tally}) == len(valid_files())


def test_the_same_seed_makes_the_same_tables():
    files = valid_files()
    first = [case(number, 3, files) for number in range(24)]
    assert first == [case(number, 3, valid_files()) for number in range(24)]
    assert len({data for _, _, data, _ in first}) > 20


def test_valid_files_are_read():
    for name, format, data in valid_files():
        options = {"decimal": ","} if name == "semicolon" else {}
        assert attempt(data, format, options) == "read", name


@settings(max_examples=150)
@given(st.lists(st.sampled_from((b"a", b"1", b"2.5", b" ", *PIECES)), max_size=25).map(b"".join), st.booleans())
def test_pieces_in_any_order(data, header):
    assert attempt(data, "csv", {"header": header}) in ("read", "refused")


@settings(max_examples=100)
@given(st.lists(st.sampled_from((b"1 ", b" 1:", b"2:3 ", b"\n", *PIECES)), max_size=15).map(b"".join))
def test_pieces_of_sparse_rows(data):
    assert attempt(data, "libsvm", {}) in ("read", "refused")


@settings(max_examples=100)
@given(st.lists(st.sampled_from((b'{"a": ', b"1", b'"x"', b"}\n", b', "b": ', *PIECES)), max_size=15).map(b"".join))
def test_pieces_of_json(data):
    assert attempt(data, "jsonl", {}) in ("read", "refused")


@settings(max_examples=100)
@given(st.binary(max_size=60))
def test_any_bytes(data):
    assert attempt(data, None, {}) in ("read", "refused")


def test_a_file_that_fails():
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(TableError, match="cannot be read: Input/output error"):
        read_table(Broken())


READ = """
import sys
from maxmargin.tables import TableError, read_table
try:
    read_table(sys.argv[1])
except TableError as error:
    print(error)
"""


def _in_a_process(path):
    """What a process says that reads the file, which Arrow could end."""
    ended = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def _three_columns(**options):
    rows = range(500)
    table = pa.table({"a": [i % 7 for i in rows], "s": [f"v{i % 5}" for i in rows], "f": np.zeros(500)})
    return parquet(table, use_dictionary=False, row_group_size=200, **options)


def _footer_start(data):
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


def test_a_parquet_histogram_of_another_length(tmp_path):
    """pyarrow ends the process when it is asked for a column with such a histogram."""
    data, path = _three_columns(compression="gzip"), tmp_path / "table.parquet"
    # Size statistics: no histogram of repetition levels, and one of the definition levels: 0 and 200 values.
    histograms = b"\x3c\x29\x06\x19\x26\x00\x90\x03\x00"
    at = data.index(histograms, _footer_start(data))
    before, after = data[: at + 1], data[at + len(histograms) : -8]
    length = int.from_bytes(data[-8:-4], "little")
    for changed, words in (
        (b"\x29\x06\x19\x16\x90\x03\x00", "row group 0 has a histogram of levels"),  # one level less
        (b"\x29\x06\x19\x36\x00\x00\x90\x03\x00", "row group 0 has a histogram of levels"),  # one more
        (b"\x29\x16\x00\x19\x26\x00\x90\x03\x00", ""),  # one of repetition levels, which Arrow allows
        (b"\x09\x06\x19\x26\x00\x90\x03\x00", "no list"),  # one of lists
    ):
        now = (length + len(changed) + 1 - len(histograms)).to_bytes(4, "little")
        path.write_bytes(before + changed + after + now + b"PAR1")
        assert pq.ParquetFile(path).metadata.num_rows == 500
        said = _in_a_process(path)
        assert f"is damaged, or no parquet file ({words}" in said if words else said == ""


def test_a_parquet_codec_that_nobody_knows(tmp_path):
    data, path = _three_columns(compression="gzip"), tmp_path / "table.parquet"
    at = data.index(b"\x18\x01s\x15\x04", _footer_start(data))  # the name of a column, and its codec
    path.write_bytes(data[: at + 4] + b"\x64" + data[at + 5 :])
    assert "is damaged" in _in_a_process(path)


def test_a_parquet_row_group_with_fewer_columns_than_the_schema(tmp_path):
    """The footer of three columns, and a row group that ends after the first two."""
    from maxmargin.tables._parquet_footer import row_groups

    three, two = (io.BytesIO(parquet(pa.table({name: [1.0, 2.0] for name in names}))) for names in ("abc", "ab"))
    schema = pq.ParquetFile(three).schema
    assert [len(group.chunks) for group in row_groups(three, schema)] == [3]
    with pytest.raises(ValueError, match=r"row group 0 has 2 columns, and the schema 3"):
        row_groups(two, schema)


def test_parquet_columns_that_take_more_than_the_file_has():
    """The footer without the pages; many columns could name the same ones, each of which is read for every column."""
    data = _three_columns(compression="none")
    assert len(data) > 2 * (len(data) - _footer_start(data))
    with pytest.raises(TableError, match=r"damaged, or no parquet file \(its footer says that columns take more bytes"):
        read_table(io.BytesIO(b"PAR1" + data[_footer_start(data) :]))


@pytest.mark.parametrize("codec", [0, 1, 2, 6])
def test_the_footer_is_read_as_arrow_reads_it(codec):
    from maxmargin.tables._parquet_footer import row_groups

    seen = 0
    for data in fuzz_footer.files():
        file = io.BytesIO(data)
        metadata = pq.ParquetFile(file).metadata
        groups = row_groups(file, metadata.schema)
        assert len(groups) == metadata.num_row_groups == 3
        for number, group in enumerate(groups):
            described = metadata.row_group(number)
            assert group.unpacked == described.total_byte_size
            for place, chunk in enumerate(group.chunks):
                if chunk.codec != codec:
                    continue
                column = described.column(place)
                seen += 1
                assert column.compression == {0: "UNCOMPRESSED", 1: "SNAPPY", 2: "GZIP", 6: "ZSTD"}[codec]
                starts = (column.data_page_offset, column.dictionary_page_offset)
                assert chunk.start == min(place for place in starts if place)
                assert chunk.stored == column.total_compressed_size
                assert chunk.unpacked == column.total_uncompressed_size
                assert bool(chunk.encodings & {2, 8}) == column.has_dictionary_page
    assert seen >= 5 * 3 * 2


def test_changed_footers_end_no_process():
    tally, ended, _ = fuzz_footer.run(600, seed=0)
    assert ended == {}
    assert sum(tally.values()) == 600 and min(tally["read"], tally["refused"]) > 50
