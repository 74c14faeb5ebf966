"""CSV as it comes: each of these tables works, or the error says what to change, with line and column."""

import datetime as dt
import gzip
import io
import threading

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, strategies as st

from maxmargin.tables import MISSING, TableError, read_table

DAY = dt.datetime(2020, 12, 31)


CELLS = {
    "integers": ("a\n1\n-2\n", [1, -2]),
    "numbers": ("a\n1\n+2.5\n.5\n1e3\n", [1.0, 2.5, 0.5, 1000.0]),
    "mixed": ("a\n1\nfoo\n2.5\n", ["1", "foo", "2.5"]),
    "blanks": ("a,b\n 1 ,x\n\t2,y\n", [1, 2]),
    "truth": ("a\ntrue\nFalse\nNA\n", [True, False, None]),
    "yes": ("a\nyes\nno\n", ["yes", "no"]),
    "postcodes": ("a\n00123\n12345\n", ["00123", "12345"]),
    "negative postcodes": ("a\n-07\n1\n", ["-07", "1"]),
    "zero": ("a\n0\n-0\n10\n", [0, 0, 10]),
    "hexadecimal": ("a\n0x10\n0x11\n", ["0x10", "0x11"]),
    "beyond 2^53": ("a\n9007199254740993\n1\n", [9007199254740993, 1]),
    "beyond 2^64": ("a\n123456789012345678901\n1\n", [123456789012345678901.0, 1.0]),
    "long integers": (f"a\n{'7' * 120}\n1\n", [float("7" * 120), 1.0]),
    "long postcodes": (f"a\n{'0' * 120}5\n1\n", ["0" * 120 + "5", "1"]),
    "long numbers": (f"a\n{'0' * 120}.5\n-{'1' * 90}e{'0' * 90}1\n", [0.5, -float("1" * 90 + "e1")]),
    "long text that begins as a number": (f"a\n{'7' * 150}x\n1\n", ["7" * 150 + "x", "1"]),
    "long text that begins as a date": (f"a\n2020-12-31 01:02:03.{'1' * 90}\n", ["2020-12-31 01:02:03." + "1" * 90]),
    "text that begins as infinity": ("a\nIn the end\n1\n", ["In the end", "1"]),
    "infinite": ("a\ninf\n-Infinity\n1\n", [float("inf"), float("-inf"), 1.0]),
    "thousands": ('a\n"1,234"\n"12,345,678.5"\n7\n', [1234.0, 12345678.5, 7.0]),
    "thousands by blanks": ("a;b\n1 234;x\n7;y\n", [1234.0, 7.0]),
    "thousands by apostrophes": ("a;b\n1'234'567;x\n7;y\n", [1234567.0, 7.0]),
    "versions": ("a\n1.234.567\n10.123.456\n", ["1.234.567", "10.123.456"]),
    "ISO dates": ("a\n2020-12-31\n?\n", [DAY, None]),
    "ISO unpadded": ("a\n2020-12-31\n2020-1-2 3:04\n", [DAY, dt.datetime(2020, 1, 2, 3, 4)]),
    "ISO times": ("a\n2020-12-31T01:02:03.5\n", [DAY.replace(hour=1, minute=2, second=3, microsecond=500000)]),
    "nanoseconds": ("a\n2020-12-31 01:02:03.123456789\n", [dt.datetime(2020, 12, 31, 1, 2, 3, 123456)]),
    "zones": ("a\n2020-12-31T02:00:00+02:00\n2020-12-31T00:00:00Z\n", [DAY, DAY]),
    "slashes": ("a\n2020/12/31\n", [DAY]),
    "points": ("a\n31.12.2020\n1.2.2021 10:20\n", [DAY, dt.datetime(2021, 2, 1, 10, 20)]),
    "day first": ("a\n31/12/2020\n01/02/2021\n", [DAY, dt.datetime(2021, 2, 1)]),
    "month first": ("a\n12/31/2020\n01/02/2021\n", [DAY, dt.datetime(2021, 1, 2)]),
    "month by name": ("a\n31 Dec 2020\n1-March-2021\n", [DAY, dt.datetime(2021, 3, 1)]),
    "month by name first": ('a\n"Dec 31, 2020"\n"March 1, 2021"\n', [DAY, dt.datetime(2021, 3, 1)]),
    "no such day": ("a\n2020-02-30\n2020-02-28\n", ["2020-02-30", "2020-02-28"]),
    "quotes": ('a,b\n"x, ""y""\nz",1\n5" pipe,2\n', ['x, "y"\nz', '5" pipe']),
    "quoted and more": ('a,b\n"x"y,1\n', ["xy"]),
    "unquoted quote pairs": ('a,b\n5" by 6",1\n"p, q",2\n', ['5" by 6"', "p, q"]),
    "a mark at the beginning": ("\ufeffa,b\n1,2\n", [1]),
    "semicolon": ("a;b\n1;2\n", [1]),
    "tab": ("a\tb\n1\t2\n", [1]),
    "bar": ("a|b\n1|2\n", [1]),
    "line ends of Windows": ("a,b\r\n1,x\r\n\r\n2,y\r\n", [1, 2]),
    "line ends of old Macintoshes": ("a,b\r1,x\r2,y\r", [1, 2]),
    "no line end at the end": ("a\n1\n2", [1, 2]),
    "blank lines": ("\n\na,b\n\n1,x\n   \n2,y\n\n", [1, 2]),
    "no value": ("a,b\n,1\nNA,2\n", [None, None]),
    "a huge cell": ("a,b\n" + "x" * 5_000_000 + ",1\n", ["x" * 5_000_000]),
}


@pytest.mark.parametrize(("content", "expected"), CELLS.values(), ids=CELLS)
def test_cells_become_what_they_are(read, content, expected):
    found = read(content)["a"].to_pylist()
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("word", MISSING)
def test_missing_values(read, word):
    table = read(f"a,b,c\n1,x,2020-01-01\n{word},{word},{word}\n")
    assert [column.to_pylist()[1] for column in table.columns] == [None, None, None]
    assert [str(column.type) for column in table.columns] == ["int64", "string", "timestamp[us]"]


def test_other_missing_values(read):
    assert read("a\n1\n-99\nNA\n", missing=["-99"])["a"].to_pylist() == ["1", None, "NA"]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("sep=;\na;b\n1;2\n", {}, "line 1: 'sep=;' is a hint for spreadsheets"),
        ("sep=,\na,b\n1,2\n", {"header": True}, "line 1: 'sep=,' is a hint for spreadsheets"),
        ("a,b\n1,2\n3\n", {}, "line 3: 1 cell, where the header has 2"),
        ('a,b\n"x\ny",2\n3,4,5\n', {}, "line 4: 3 cells, the first too many '5'"),
        (b"a,b\n1,x\n2,caf\xe9\n", {}, "line 3: byte 0xe9 is not UTF-8 text; say what it is, encoding='latin-1'"),
        (b"a,b\n1,x\0\n", {}, "line 2: a NUL byte"),
        ("a,b,a\n1,2,3\n", {}, "line 1: columns 1 and 3 are both named 'a'"),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", {}, "has '5.1' where a column's name should be; say header=False"),
        ("1,2\n3,4\n", {}, "say header=False"),
        (
            "price;name\n1,5;x\n2,25;y\n",
            {},
            "line 2, column 'price': '1,5' is a number with a decimal comma; say decimal=','",
        ),
        ("price;name\n7;x\n1,234;y\n", {}, "line 3, column 'price': '1,234' can be read with a decimal comma or"),
        ("day\n1/2/2020\n3/4/2020\n", {}, "line 2, column 'day': '1/2/2020' is a date in which day and month"),
        ("a b\n1 2\n3 NA\n", {}, "its columns are set apart by blanks; write commas or tabs"),
        ('a,b\n1, "x, y"\n', {}, "line 2: a blank before a quote"),
        ("", {}, "is empty"),
        ("\n \n", {}, "no rows"),
        ("a,b\n", {}, "has a header and no rows"),
        ("a,b", {}, "has a header and no rows"),
        ('a,b\n1,2\n3,"x\n4,5\n', {}, 'line 3: a quote " is opened in this record and never closed'),
        ("a,b\n1,2\n", {"columns": ["A"]}, "has no column 'A'"),
        ("age,b\n1,2\n", {"columns": ["ages"]}, "has no column 'ages': did you mean 'age'?"),
        ("a,b\n1,2\nx,3\n", {"types": {"a": "number"}}, "line 3, column 'a': 'x' is not a number"),
        ("a,b\n1,2\nx,3\n", {"types": {"a": "date"}}, "line 2, column 'a': '1' is not a date"),
        ("a\n2020-01-01\n2020-99-01\n", {"types": {"a": "date"}}, "line 3, column 'a': '2020-99-01' is not a date"),
        ("a\ntrue\nmaybe\n", {"types": {"a": "bool"}}, "line 3, column 'a': 'maybe' is neither true nor false"),
        ("a\n1\n1.5\n", {"types": {"a": "integer"}}, "line 3, column 'a': '1.5' is not an integer"),
        ("a,b\n1,2\n", {"types": {"a": "float"}}, "types['a'] is 'float'; it can be number"),
        ("a,b\n1,2\n", {"encoding": "klingon"}, "no encoding 'klingon'"),
        ("a,b\n1,2\n", {"delimiter": ",,"}, "is not one character"),
        ("a,b\n1,2\n", {"decimal": "·"}, "is neither '.' nor ','"),
        ("a,b\n1,2\n", {"format": "xls"}, "no format 'xls'; it can be csv"),
        ("a,b\n1,2\n", {"features": 3}, "features= is for libsvm, and the table is csv"),
        ("a,b\n1,2\n", {"columns": "a"}, "one string; give a list"),
        (b"PK\x03\x04 a spreadsheet", {}, "save the sheet as CSV"),
        (b"\x1f\x8bnonsense", {}, "begins as gzip does, and is not"),
    ],
)
def test_what_cannot_be_read_is_said(read, content, options, words):
    with pytest.raises(TableError) as caught:
        read(content, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_header(read):
    assert read("1,2\n3,4\n", header=True).to_pydict() == {"1": [3], "2": [4]}
    assert read("5.1,setosa\n4.9,other\n", header=False).to_pydict() == {"x0": [5.1, 4.9], "x1": ["setosa", "other"]}
    assert read(",b\n0,5\n1,6\n").column_names == ["column 1", "b"]
    assert read("name,2019\nx,1\ny,2\n", header=True).column_names == ["name", "2019"]


def test_options(read):
    assert read("a;b\n1.234,5;x\n-7;y\n", decimal=",")["a"].to_pylist() == [1234.5, -7.0]
    assert read("day\n1/2/2020\n", day_first=True)["day"].to_pylist() == [dt.datetime(2020, 2, 1)]
    assert read("day\n1/2/2020\n", day_first=False)["day"].to_pylist() == [dt.datetime(2020, 1, 2)]
    assert read(b"a,b\n1,caf\xe9\n", encoding="latin-1")["b"].to_pylist() == ["café"]
    assert read("a,b\n1,é\n".encode("utf-16"))["b"].to_pylist() == ["é"]
    assert read("a:b\n1:2\n", delimiter=":").to_pydict() == {"a": [1], "b": [2]}
    assert read("a,b,c\n1,2,3\n", columns=["c", "a"]).to_pydict() == {"c": [3], "a": [1]}
    assert read("a,b\n1,2\n", types={"a": "text"}).to_pydict() == {"a": ["1"], "b": [2]}


def test_200_columns(read):
    names = [f"column number {j}" for j in range(200)]
    table = read(",".join(names) + "\n" + ",".join(map(str, range(200))) + "\n")
    assert table.column_names == names
    assert [column[0].as_py() for column in table.columns] == list(range(200))


def test_gzip(tmp_path):
    path = tmp_path / "table.csv.gz"
    packed = gzip.compress(b"a,b\n" + b"1,x\n" * 10_000)
    path.write_bytes(packed)
    assert read_table(path).num_rows == 10_000
    path.write_bytes(packed[:-20])
    with pytest.raises(TableError, match="cut short within its gzip data"):
        read_table(path)


@pytest.mark.parametrize("before", [b"", gzip.compress(b"", mtime=0), gzip.compress(b"", mtime=0) + bytes(7)])
def test_gzip_cut_anywhere_is_not_called_empty(before):
    packed = gzip.compress(bytes(range(32, 127)) * 9 + b"\n")  # dynamic codes: no content in the first dozens of bytes
    for length in range(2, len(packed) - 1):
        with pytest.raises(TableError, match="cut short within its gzip data"):
            read_table(io.BytesIO(before + packed[:length]))


@pytest.mark.parametrize("before", ["", "\ufeff"])
def test_a_byte_order_mark_in_the_first_cell_stays(before, read):
    table = read(before + "a,b\n\ufeffx,1\n\ufeffy,2\n")
    assert table.to_pydict() == {"a": ["\ufeffx", "\ufeffy"], "b": [1, 2]}


def test_gzip_twice():
    with pytest.raises(TableError, match="compressed with gzip twice: decompress it once"):
        read_table(io.BytesIO(gzip.compress(gzip.compress(b"a,b\n1,2\n"))))


def test_padding_between_an_empty_gzip_member_and_the_table():
    packed = gzip.compress(b"") + bytes(7) + gzip.compress(b"a,b\n1,2\n")
    assert read_table(io.BytesIO(packed)).to_pydict() == {"a": [1], "b": [2]}


def test_places(tmp_path, monkeypatch):
    with pytest.raises(TableError, match="does not exist"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(TableError, match="is a directory"):
        read_table(tmp_path)
    with pytest.raises(TypeError, match="open it as binary"):
        read_table(io.StringIO("a\n1\n"))
    with pytest.raises(TypeError, match="path"):
        read_table(3)
    wrong = tmp_path / "table.parquet"
    wrong.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(TableError, match=r"is not a Parquet file.*say format='csv'"):
        read_table(wrong)
    assert read_table(wrong, format="csv").num_rows == 1
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(_Pipe(b"a,b\n1,2\nx,3\n")))
    assert read_table("-").to_pydict() == {"a": ["1", "x"], "b": [2, 3]}


class _Pipe(io.RawIOBase):
    """Bytes that can be read once, a few at a time."""

    def __init__(self, data):
        self._rest = data

    def readable(self):
        return True

    def read(self, size=-1):
        size = 3 if size is None or size < 0 else min(3, size)
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def test_the_whole_column_decides(read, monkeypatch):
    """Whatever the blocks are: a type is that of all cells, and the line of a mistake is the same."""
    content = "a,b,c,d,e\n" + "".join(f"{i},{i},1/{i % 12 + 1}/2020,,{i}\n" for i in range(300))
    content += "A17,2.5,31/1/2020,x,1\n" + '"7\n8",3,2/3/2020,,"1,000"\n'
    whole = read(content)
    assert [str(type_) for type_ in whole.schema.types] == ["string", "double", "timestamp[us]", "string", "double"]
    assert whole["a"].to_pylist()[-2:] == ["A17", "7\n8"]
    assert whole["c"].to_pylist()[:2] == [dt.datetime(2020, 1, 1), dt.datetime(2020, 2, 1)]
    for size in (50, 1000):
        monkeypatch.setattr("maxmargin.tables._text.BLOCK", size)
        assert read(content).equals(whole)
        with pytest.raises(TableError, match="line 305: 2 cells"):
            read(content + "1,2\n")


def test_progress(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n" * 3_000_000)
    seen = []
    table = read_table(path, progress=lambda done, total: seen.append((done, total)))
    assert table.num_rows == 3_000_000
    size = path.stat().st_size
    assert [total for _, total in seen] == [size] * len(seen)
    assert len(seen) > 2
    assert sorted(done for done, _ in seen) == [done for done, _ in seen]
    assert seen[-1][0] == size


def test_types_of_another_table(read):
    table = read("a,b,c\n1,x,2020-01-01\n")
    again = read("a,b,c,d\n2,7,2021-01-01,007\n", types=table)
    assert again.to_pydict() == {"a": [2.0], "b": ["7"], "c": [dt.datetime(2021, 1, 1)], "d": ["007"]}
    assert again.schema.field("a").type == pa.float64()


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_numbers_survive_to_the_last_bit(read, numbers):
    content = "a,b\n" + "".join(f"{number!r},{number:.20e}\n" for number in numbers)
    table = read(content)
    np.testing.assert_array_equal(table["a"].to_numpy(), numbers)
    np.testing.assert_array_equal(table["b"].to_numpy(), numbers)


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_quoted_text_survives(read, texts):
    """What is between quotes comes out as it was, but for blanks around it and words that stand for nothing."""
    content = "a,b\n" + "".join('"' + text.replace('"', '""') + '",x\n' for text in texts)
    expected = [text.strip(" \t\n\v\f\r") for text in texts]
    found = read(content, types={"a": "text"})["a"].to_pylist()
    assert found == [None if text in MISSING else text for text in expected]


def test_arrow_reads_beside_the_main_thread(monkeypatch):
    """There it would take SIGINT for itself, and lose one that comes as it ends."""
    read, threads = pyarrow.csv.read_csv, []

    def recorded(*arguments):
        threads.append(threading.current_thread())
        return read(*arguments)

    monkeypatch.setattr(pyarrow.csv, "read_csv", recorded)
    assert read_table(io.BytesIO(b"a,b\n1,2\n3,4\n")).num_rows == 2
    assert threads and threading.main_thread() not in threads
