"""JSON lines and LIBSVM text, and scanning where types are not those of the beginning."""

import datetime as dt
import io

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from maxmargin.tables import (
    ColumnReader,
    SparseTable,
    TableError,
    UnseenValuesWarning,
    describe_table,
    read_table,
    scan_table,
)


def chunks(content, **options):
    return list(scan_table(io.BytesIO(content.encode()), **options))


# ---------------------------------------------------------------- JSON lines


def test_json_lines(read):
    table = read('{"a": 1, "b": "x", "d": "2020-01-01"}\n\n{"b": null, "a": 2.5, "c": true, "d": null}\n')
    assert table.to_pydict() == {
        "a": [1, 2.5],
        "b": ["x", None],
        "d": [dt.datetime(2020, 1, 1), None],
        "c": [None, True],
    }
    assert read('{"d": "2020-01-01"}\n', types={"d": "text"}).to_pydict() == {"d": ["2020-01-01"]}
    assert read('{"d": "2020-01-01"}\n{"d": "soon"}\n').to_pydict() == {"d": ["2020-01-01", "soon"]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"a": 1}\n{"a": "x"}\n', "line 2, column 'a': '\"x\"' where lines above have numbers"),
        ('{"a": 1}\n{"a": true}\n', "line 2, column 'a'"),
        ('{"a": 1}\n\n{"a":\n', "line 3: '{\"a\":' is not JSON"),
        ('{"a": 1}\n[1]\n', "line 2: '[1]' is not a JSON object"),
        ('[{"a": 1}]\n', "write one object a line"),
        ('{"a": [1, 2]}\n', "column 'a': nested values"),
        ('{"a": {"b": 1}}\n', "column 'a': nested values"),
        ('{"a": ' + "[" * 300_000 + "\n", "line 1: values are nested more than 50 deep"),
        ('{"a": "' + "[" * 100 + '"}\n' + '{"a":' * 300_000, "line 2: values are nested more than 50 deep"),
        ('{"a": 1}\n\n{"a": 1, "a": 2}\n', "line 3: Column(/a) was specified twice"),
        ("\n\n", "has no rows"),
        ("{}\n", "without any key"),
    ],
)
def test_json_lines_that_are_refused(content, words):
    with pytest.raises(TableError) as caught:
        read_table(io.BytesIO(content.encode()), format="jsonl")
    assert words in str(caught.value)


def test_brackets_in_strings(read):
    text = "[{" * 200
    assert read('{"a": "' + text + '"}\n').to_pydict() == {"a": [text]}


def test_types_of_json_lines(read):
    content = '{"a": 1, "d": "2020-01-01"}\n'
    for reading in (read, lambda *_, **options: chunks(content, **options)[0]):
        assert reading(content, types={"d": "text"})["d"].to_pylist() == ["2020-01-01"]
        with pytest.raises(TableError, match="column 'a': "):
            reading(content, types={"a": "text", "d": "number"} if reading is not read else {"a": "bool"})
    with pytest.raises(TableError, match="column 'd': dates, where numbers should be"):
        read(content, types={"d": "number"})


def test_json_lines_across_blocks(read, monkeypatch):
    content = "".join(f'{{"a": {i}, "d": "2020-01-{i % 28 + 1:02}"}}\n' for i in range(50)) + '{"a": 1.5, "z": "x"}\n'
    whole = read(content)
    assert [str(type_) for type_ in whole.schema.types] == ["double", "timestamp[us]", "string"]
    monkeypatch.setattr("maxmargin.tables._text.BLOCK", 40)
    assert read(content).equals(whole)
    with pytest.raises(TableError, match="line 52, column 'a': '\"x\"' where lines above have numbers"):
        read(content + '{"a": "x"}\n')
    with pytest.raises(TableError, match="line 52, column 'a': '\"x\"' where lines above have numbers"):
        chunks(content.replace(', "z": "x"', "") + '{"a": "x"}\n')
    with pytest.raises(TableError, match="line 51, column 'z': lines above do not have it"):
        chunks(content)


# ---------------------------------------------------------------- LIBSVM text


def test_libsvm_as_scikit_learn_reads_it(read):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 9)) * (rng.uniform(size=(40, 9)) < 0.4)
    y = rng.integers(-2, 3, 40)
    for zero_based in (True, False):
        file = io.BytesIO()
        dump_svmlight_file(X, y, file, zero_based=zero_based, comment="written by a test")
        table = read(file.getvalue(), format="libsvm", features=9, zero_based=zero_based)
        expected, labels = load_svmlight_file(io.BytesIO(file.getvalue()), n_features=9, zero_based=zero_based)
        assert (table.X != expected).nnz == 0
        assert table.X.dtype == np.float64
        np.testing.assert_array_equal(table.y, labels)


def test_a_long_first_line(read):
    assert read("1 " + " ".join(f"{i}:1" for i in range(1, 20_001)) + "\n").X.shape == (1, 20_000)


def test_libsvm_habits(read):
    table = read("+1 3:1 1:2.5 # a note\n# a line of them\n\n-1 2:.5\n1\n")
    np.testing.assert_array_equal(table.X.toarray(), [[2.5, 0, 1], [0, 0.5, 0], [0, 0, 0]])
    np.testing.assert_array_equal(table.y, [1, -1, 1])
    np.testing.assert_array_equal(read("1 0:1 2:3\n").X.toarray(), [[1, 0, 3]])
    np.testing.assert_array_equal(read("1 1:1\n", zero_based=True).X.toarray(), [[0, 1]])
    assert read("1 1:1\n", features=5).X.shape == (1, 5)


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("1 3:1 3:2\n", {}, "line 1: the index 3 occurs twice"),
        ("1 1:1\n2 1:1 qid:3\n", {}, "line 2: 'qid:3' is for ranking"),
        ("1 qid:3 1:1\n", {}, "line 1: 'qid:3' is for ranking"),
        ("1 1:1\n\n1 2:x\n", {}, "line 3: 'x' at index 2 is not a finite number"),
        ("1 1:1\n1 2:nan\n", {}, "line 2: 'nan' at index 2 is not a finite number"),
        ("1 -1:3\n", {}, "line 1: the index '-1' is not between 0 and"),
        ("1 99999999999:3\n", {}, "the index '99999999999' is not between"),
        ("a 1:3\n", {}, "the label 'a' is not a number"),
        ("1,2 1:3\n", {}, "'1,2' is several labels"),
        ("1 3\n", {}, "'3' is not of the form index:value"),
        ("1 1:1:1\n", {}, "'1:1' at index 1 is not a finite number"),
        ("# nothing\n", {}, "has no rows"),
        ("1 7:1\n", {"features": 3}, "line 1: the index 7 is not between 1 and 3"),
        ("1 0:1\n", {"zero_based": False}, "line 1: the index 0 is not between 1 and"),
        ("1 1:1\n", {"columns": ["a"]}, "columns= is for"),
    ],
)
def test_libsvm_that_is_refused(content, options, words):
    with pytest.raises(TableError) as caught:
        read_table(io.BytesIO(content.encode()), format="libsvm", **options)
    assert words in str(caught.value)


def test_libsvm_by_chunks():
    content = "1 1:1\n-1 2:1\n1 5:1\n"
    parts = chunks(content, rows=2)
    assert [part.X.shape for part in parts] == [(2, 5), (1, 5)]
    assert chunks("1 0:1\n1 4:2\n", rows=1)[1].X.shape == (1, 5)


# ---------------------------------------------------------------- chunks of CSV


def test_later_cells_have_to_fit():
    content = "a,b\n" + "1,x\n" * 10 + "1.5,y\n" + "later,z\n"
    assert chunks(content, rows=3)[-1]["a"].to_pylist() == ["1", "1.5", "later"]  # all of it is in the first block
    with pytest.raises(TableError, match="line 13, column 'a': 'later' is not a number"):
        chunks(content, rows=3, types={"a": "number"})


def test_types_of_the_first_chunk(monkeypatch):
    monkeypatch.setattr("maxmargin.tables._text.BLOCK", 16)
    content = "a,b,c\n" + "1,true,2020-01-31\n" * 5
    parts = chunks(content + "2.5,,\n", rows=2)
    assert [str(type_) for type_ in parts[0].schema.types] == ["double", "bool", "timestamp[us]"]
    assert all(part.schema == parts[0].schema for part in parts)
    for line, words in (
        (
            "x,true,\n",
            "line 7, column 'a': 'x' is not a number, as the first 2 rows are; leave the cell empty, or say types=",
        ),
        ("1,7,\n", "line 7, column 'b': '7' is neither true nor false"),
        ("1,,31/01/2020\n", "line 7, column 'c': '31/01/2020' is not a date"),
    ):
        with pytest.raises(TableError) as caught:
            chunks(content + line, rows=2)
        assert words in str(caught.value)
    assert chunks(content + "x,true,\n", rows=2, types={"a": "text"})[-1]["a"].to_pylist()[-1] == "x"


def test_types_of_a_reader(mixed):
    reader = ColumnReader().fit(mixed)
    content = "city,age,size,ok,day,when,note\n" + "007,1,1,true,2020-01-01,2020-01-01,007\n" * 3
    (table,) = chunks(content, types=reader)
    assert table["note"].to_pylist() == table["city"].to_pylist() == ["007"] * 3
    with pytest.warns(UnseenValuesWarning, match="'007'"):
        assert reader.transform(table).shape[0] == 3
    with pytest.raises(TableError, match="line 3, column 'age': 'old' is not a number"):
        chunks(content.replace("1,1,true", "old,1,true").replace("old", "1", 1), types=reader)


@pytest.mark.parametrize("whole", [False, True])
def test_json_that_a_reader_does_not_read_stays_as_it_is_written(whole, read):
    reader = ColumnReader().fit(pa.table({"a": [0.5, 1.5, 2.0]}))
    cells = {
        "long": ["18446744073709551617", "-3", None],
        "id": ["9007199254740993", "9007199254740992", None],
        "fine": ["1.50", "0.12345678901234567890", "-2E-3"],
    }
    lines = [
        f'{{"a": {i}, "ok": true, "day": "2020-01-0{i + 1}", '
        + ", ".join(f'"{name}": {texts[i] or "null"}' for name, texts in cells.items())
        + "}"
        for i in range(3)
    ]
    content = "\n".join([lines[0], lines[1].replace(', "id"', ',\n"id"'), lines[2]])
    table = read(content, types=reader) if whole else chunks(content, types=reader)[0]
    assert {name: table[name].to_pylist() for name in cells} == cells
    assert all(table.schema.field(name).metadata == {b"json": b"number"} for name in cells)
    assert table["day"].to_pylist() == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert table["ok"].to_pylist() == [True] * 3
    np.testing.assert_array_equal(table["a"], [0, 1, 2])


def test_numbers_of_arrow_that_are_no_json_are_kept_as_arrow_reads_them():
    reader = ColumnReader().fit(pa.table({"a": [0.5, 1.5, 2.0]}))
    (table,) = chunks('{"a": 1, "b": 1.50}\n{"a": 1, "b": Inf}\n', types=reader)
    assert table["b"].to_pylist() == ["1.5", "inf"]


def test_json_that_a_reader_does_not_read_may_begin_with_nothing():
    reader = ColumnReader().fit(pa.table({"a": [0.5, 1.5, 2.0]}))
    line = '{{"a": 1, "b": {}, "c": {}, "d": {}, "e": 7}}\n'.format
    content = line("null", "null", "null") * 400_000 + line(2**53 + 1, '"x"', "true") + line(1.5, '"y"', "null")
    *_, last = chunks(content, types=reader)
    assert last.slice(len(last) - 3).to_pydict() == {
        "a": [1.0] * 3,
        "b": [None, "9007199254740993", "1.5"],
        "c": [None, "x", "y"],
        "d": [None, "true", None],
        "e": ["7"] * 3,
    }


def test_rows(read):
    with pytest.raises(TableError, match="rows=0"):
        scan_table(io.BytesIO(b"a\n1\n"), rows=0)
    with pytest.raises(TableError, match="does not exist"):  # at once, and not when the first chunk is asked for
        scan_table("nowhere.csv")


@pytest.mark.parametrize(
    ("array", "values", "words"),
    [
        ("indices", [0, 10**8, 2, 1], "100000000"),
        ("indices", [0, -5, 2, 1], "-5"),
        ("indptr", [0, 3, 1, 4], "indptr"),
        ("indptr", [0, 2, 10**9, 4], "indptr"),
    ],
)
def test_sparse_rows_that_make_no_matrix_are_not_described(array, values, words):
    X = sp.csr_array((np.ones(4), np.array([0, 1, 2, 1]), np.array([0, 2, 3, 4])), shape=(3, 3))
    setattr(X, array, np.array(values, dtype=np.int32))
    with pytest.raises(ValueError, match=words):
        describe_table(SparseTable(X, np.ones(3)))


def test_sparse_rows_in_several_parts_are_counted_once():
    X = sp.csr_array((np.ones(4), np.array([1, 1, 1, 1]), np.array([0, 4])), shape=(1, 2))
    assert "50.0% of the cells stored" in str(describe_table(SparseTable(X, np.ones(1))).columns[0].reason)


def test_a_block_of_json_in_which_dates_are_missing():
    file = io.BytesIO(b'{"a": "2020-01-02", "b": 1}\n{"a": null, "b": 2}')  # the last line is a block of its own
    (chunk,) = scan_table(file, format="jsonl")
    assert chunk["a"].to_pylist() == [dt.datetime(2020, 1, 2), None]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_json_lines_are_known_in_utf_16(encoding):
    mark = "\ufeff" if encoding[-2:] in ("le", "be") else ""
    assert read_table(io.BytesIO((mark + '{"a": "é"}\n').encode(encoding)))["a"].to_pylist() == ["é"]
    table = read_table(io.BytesIO((mark + "1 3:0.5\n").encode(encoding)))
    assert isinstance(table, SparseTable) and table.X[0, 2] == 0.5


@pytest.mark.parametrize("cell", ["0,126", "1.234,5"])
def test_a_decimal_comma_where_a_number_has_to_be(cell):
    content, types = f"a;b\n1;2\n{cell};3\n", {"a": "number"}
    with pytest.raises(TableError, match=f"line 3, column 'a': '{cell}' is not a number, unless.*say decimal=','"):
        chunks(content, types=types)
    assert chunks(content, types=types, decimal=",")[0]["a"][1].as_py() == float(
        cell.replace(".", "").replace(",", ".")
    )
    with pytest.raises(TableError, match="'x,5' is not a number, which this column has to hold"):
        chunks("a;b\nx,5;2\n", types=types)
