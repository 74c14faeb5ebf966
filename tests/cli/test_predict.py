"""``maxmargin predict``: what it writes, to where, and how it refuses."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pytest

from maxmargin import persistence
from maxmargin.svm import SVC
from maxmargin.tables import read_table


@pytest.fixture(scope="module")
def said(trained, apples):
    """What the model itself says of the bundled table."""
    return persistence.load(trained).predict(read_table(apples)).tolist()


def test_standard_output_is_csv_with_identifiers(tool, trained, apples, said):
    ended = tool("predict", trained, apples)
    assert ended.code == 0
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert list(rows[0]) == ["crate", "prediction"]
    assert [row["prediction"] for row in rows] == said
    assert rows[0]["crate"] == "C1001"
    assert "600 rows predicted" in ended.err


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather", "jsonl"])
def test_files_by_their_ending(ending, tool, trained, apples, said, tmp_path):
    out = tmp_path / "new" / f"out.{ending}"
    ended = tool("predict", trained, apples, "--out", out, "--keep")
    assert ended.code == 0, ended.err
    assert str(out) in ended.out.splitlines()[-1]
    table = read_table(out)
    assert table.column_names[-1] == "prediction" and table.num_columns == 13
    assert table.column("prediction").to_pylist() == said
    assert table.column("orchard").to_pylist() == read_table(apples).column("orchard").to_pylist()
    assert [p.name for p in out.parent.iterdir()] == [out.name]


# Rows of a table that a model of `a` (a number), `when` (a date), `level` (a category) and `flag` reads; `note` is not.
ODD_CELLS = [
    ("1.50", "2020-01-02", " x ", "TRUE", "  padded"),
    ("+2", "2020-1-3", "x", "False", "NA"),
    ("NA", "?", "-", "", "-"),
    ("1e3", "2020-01-04 ", "y\t", " true", " "),
    ("-0.0", "", "", "FALSE", "a, b"),
    (" -7.250", "2021-01-01", " y", "true", '"quoted"'),
]
NAMES = ("a", "when", "level", "flag", "note")


@pytest.fixture(scope="module")
def reads_all(tmp_path_factory):
    """A model that reads four columns, and what it says of the rows above."""
    import pyarrow as pa
    from sklearn.pipeline import make_pipeline

    from maxmargin.svm import SVC
    from maxmargin.tables import make_preparation, scan_table

    rng = np.random.default_rng(0)
    rows = [
        f"{x:.3f},2020-01-{1 + i % 28:02d},{'xy'[i % 2]},{bool(i % 3)},n{i}" for i, x in enumerate(rng.normal(size=60))
    ]
    kinds = {"a": "number", "when": "date", "level": "category", "flag": "category", "note": "drop"}
    table = read_table(io.BytesIO("\n".join([",".join(NAMES), *rows]).encode()))
    model = make_pipeline(make_preparation(table, kinds=kinds), SVC(kernel="linear"))
    model.fit(table, np.where(rng.random(60) > 0.5, "yes", "no"))
    path = tmp_path_factory.mktemp("model") / "m.mm"
    persistence.save(model, path)
    file = io.StringIO(newline="")
    csv.writer(file).writerows([NAMES, *ODD_CELLS])
    odd = pa.concat_tables(scan_table(io.BytesIO(file.getvalue().encode()), types=model[0][0]))
    return path, model.predict(odd).tolist()


@pytest.mark.parametrize("name", ["table.csv", "wide.csv", "table.tsv"])
def test_cells_of_csv_are_kept_as_they_are_written(name, tool, reads_all, tmp_path):
    model, said = reads_all
    more = [f"x{i}" for i in range(600)] if name.startswith("wide") else []  # wide tables are read in another way
    with open(tmp_path / name, "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if name.endswith("tsv") else ",")
        writer.writerows([[*NAMES, *more], *([*row, *[" 1 "] * len(more)] for row in ODD_CELLS)])
    rows = list(csv.reader(io.StringIO(tool("predict", model, tmp_path / name, "--keep").out)))
    assert [tuple(row[:5]) for row in rows[1:]] == ODD_CELLS
    assert all(row[5:-1] == [" 1 "] * len(more) for row in rows[1:])
    assert [row[-1] for row in rows[1:]] == said
    assert tool("predict", model, tmp_path / name, "--keep", "--out", tmp_path / "p.jsonl").code == 0
    kept = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    for place, word in enumerate(NAMES):
        if word not in ("a", "flag"):
            assert [row[word] for row in kept] == [cells[place] or None for cells in ODD_CELLS]
    assert [row["a"] for row in kept] == [1.5, 2, None, 1000, 0, -7.25]
    assert [row["flag"] for row in kept] == [True, False, None, True, False, True]
    assert tool("predict", model, tmp_path / name, "--keep", "--out", tmp_path / "p.parquet").code == 0
    stored = read_table(tmp_path / "p.parquet")
    assert stored["a"].to_pylist() == [1.5, 2, None, 1000, 0, -7.25]
    assert stored["level"].to_pylist() == [cells[2] or None for cells in ODD_CELLS]


def test_numbers_of_csv_that_are_no_formulas_are_not_escaped(tool, reads_all, tmp_path):
    (tmp_path / "t.csv").write_text("a;when;level;flag;note\n-1.234,50;-;=x;true;-1,5\n")
    ended = tool("predict", reads_all[0], tmp_path / "t.csv", "--keep", "--decimal", ",")
    assert ended.out.splitlines()[1].startswith('"-1.234,50",-,\'=x,true,"\'-1,5",')


def test_cells_of_json_are_kept_as_they_are_written(tool, reads_all, tmp_path):
    lines = [
        '{"a": 5, "when": "2020-01-02", "level": " x ", "flag": true, "note": " n"}',
        '{"a": 1.50, "when": "2020-01-02 03:04", "level": "NA", "flag": null, "note": "-"}',
        '{"a": 12345678901234567890, "when": null, "level": null, "flag": false, "note": null}',
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    ended = tool("predict", reads_all[0], tmp_path / "t.jsonl", "--keep", "--out", tmp_path / "p.jsonl")
    assert ended.code == 0, ended.err
    for line, out in zip(lines, (tmp_path / "p.jsonl").read_text().splitlines(), strict=True):
        assert out.startswith(line[:-1] + ', "prediction": ')
    rows = list(csv.reader(io.StringIO(tool("predict", reads_all[0], tmp_path / "t.jsonl", "--keep").out)))
    assert rows[1][:5] == ["5", "2020-01-02", " x ", "true", " n"]
    assert rows[3][:5] == ["12345678901234567890", "", "", "false", ""]


@pytest.mark.parametrize(
    "cells",
    [
        ['["n\\"é", null]', "[]", "null"],
        ['[{"x": 12345678901234567890, "y": true}]', '[{"x": 1.50}, null]', '[{"": [[2e5]]}]'],
        ['{"x": [2e5, 1.50], "when": "2020-01-01"}', "null", "{}"],
    ],
    ids=["texts", "objects in lists", "objects"],
)
def test_lists_and_objects_of_json_are_kept_as_they_are_written(cells, tool, reads_all, tmp_path):
    lines = [f'{{"a": 1, "when": null, "level": "x", "flag": true, "note": {cell}}}' for cell in cells]
    (tmp_path / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert tool("predict", reads_all[0], "t.jsonl").code == 0
    ended = tool("predict", reads_all[0], "t.jsonl", "--keep", "--out", "p.jsonl")
    assert ended.code == 0, ended.err
    written = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition(', "prediction"')[0] + "}" for line in written] == lines
    assert tool("predict", reads_all[0], "t.jsonl", "--keep", "--out", "p.csv").code == 0
    with open(tmp_path / "p.csv", newline="", encoding="utf-8") as file:
        assert [row["note"] for row in csv.DictReader(file)] == ["" if cell == "null" else cell for cell in cells]


def test_columns_that_are_read_keep_their_own_types(tool, reads_all, tmp_path):
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "a": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
            "when": pa.array([10**18 + 1, None], pa.timestamp("ns")),
            "level": [" x ", "NA"],
            "flag": [True, None],
            "note": [" n", ""],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    assert tool("predict", reads_all[0], tmp_path / "t.parquet", "--keep", "--out", tmp_path / "p.parquet").code == 0
    assert pq.read_table(tmp_path / "p.parquet").drop_columns("prediction").equals(table)
    rows = list(csv.reader(io.StringIO(tool("predict", reads_all[0], tmp_path / "t.parquet", "--keep").out)))
    assert rows[1][:5] == ["1.50", "2001-09-09T01:46:40.000000001", " x ", "true", " n"]
    small = pa.table(
        {**dict(zip(table.column_names, table.columns, strict=True)), "a": pa.array([0.1, 2], pa.float32())}
    )
    pq.write_table(small, tmp_path / "t.parquet")
    rows = list(csv.reader(io.StringIO(tool("predict", reads_all[0], tmp_path / "t.parquet", "--keep").out)))
    assert [row[0] for row in rows[1:]] == ["0.1", "2"]


def _odd_columns():
    """Columns of two rows that no model reads, with what CSV and JSON lines have of the first; None if they cannot."""
    import pyarrow as pa

    return {
        "list": (pa.array([[1, 2], None]), None, [1, 2]),
        "object": (pa.array([{"x": 1.5}, None]), None, {"x": 1.5}),
        "list of dates": (pa.array([[0], None], pa.list_(pa.date32())), None, None),
        "bytes": (pa.array([b"\xff", None]), None, None),
        "bytes that are text": (pa.array([b"=x", None]), "'=x", "=x"),
        "time": (pa.array([3661, None], pa.time32("s")), "01:01:01.000", "01:01:01.000"),
        "duration": (pa.array([1, None], pa.duration("s")), None, None),
        "unknown zone": (pa.array([0, None], pa.timestamp("ms", "Nowhere/X")), None, None),
        "far day": (pa.array([2**31 - 1, None], pa.date32()), None, None),
        "far second": (pa.array([10**13, None], pa.timestamp("s")), None, None),
        "far past": (pa.array([-(2**62), None], pa.timestamp("us")), None, None),
        "before the year 1": (pa.array([-719_528 - 1, None], pa.date32()), "-0001-12-31", "-0001-12-31"),
        "float32": (pa.array([0.1, None], pa.float32()), "0.1", 0.1),
        "nan": (pa.array([float("nan"), None], pa.float32()), "nan", None),
    }


@pytest.mark.parametrize("name", list(_odd_columns()))
def test_columns_of_any_type_pass(name, tool, reads_all, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    column, text, value = _odd_columns()[name]
    read = {"a": [1.0, 2.0], "when": pa.array([0, 1], pa.date32()), "level": ["x", "y"], "flag": [True, False]}
    pq.write_table(pa.table({name: column, **read}), tmp_path / "t.parquet")
    said = [row["prediction"] for row in csv.DictReader(io.StringIO(tool("predict", reads_all[0], "t.parquet").out))]
    assert len(said) == 2
    before = pq.read_table(tmp_path / "t.parquet")
    assert tool("predict", reads_all[0], "t.parquet", "--keep", "--out", "p.parquet").code == 0
    kept = pq.read_table(tmp_path / "p.parquet")
    assert kept.column(name).type == before.column(name).type
    assert str(kept.column(name)) == str(before.column(name))  # NaN is not equal to itself
    assert kept.column("prediction").to_pylist() == said
    ended = tool("predict", reads_all[0], "t.parquet", "--keep")
    if text is None:
        assert ended.code == 2 and f"column {name!r} holds values of type" in ended.err and "parquet" in ended.err
    else:
        assert [row[name] for row in csv.DictReader(io.StringIO(ended.out))] == [text, ""]
    ended = tool("predict", reads_all[0], "t.parquet", "--keep", "--out", "p.jsonl")
    if value is None and name != "nan":
        assert ended.code == 2 and f"column {name!r} holds values of type" in ended.err
        assert not (tmp_path / "p.jsonl").exists()
    else:
        lines = (tmp_path / "p.jsonl").read_text().splitlines()
        assert [json.loads(line)[name] for line in lines] == [value, None]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_the_model_does_not_read_is_kept_as_it_is_written(ending, tool, tmp_path):
    numbers = np.random.default_rng(0).normal(size=40)
    lines = [
        f"{2**63 + 3 * i},{number:.3f},{i:03d},{'yes' if number > 0 else 'no'}" for i, number in enumerate(numbers)
    ]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["id,a,note,y", *lines]))
    kinds = ("--kind", "id=drop", "--kind", "note=drop")
    words = ("--model", "linear", "--C", "1", "--out", tmp_path / "m.mm")
    assert tool("train", table, "--target", "y", *kinds, *words).code == 0
    assert tool("predict", tmp_path / "m.mm", table, "--keep", "--out", tmp_path / f"p.{ending}").code == 0
    kept = read_table(
        tmp_path / f"p.{ending}", **({"types": {"id": "text", "note": "text"}} if ending == "csv" else {})
    )
    for name, place in (("id", 0), ("note", 2), ("y", 3)):
        assert kept.column(name).to_pylist() == [line.split(",")[place] for line in lines]


def _trained_on(table, tool, tmp_path, *words):
    """A linear model of the column `a` in a table that has `y`."""
    given = ("--target", "y", "--model", "linear", "--C", "1", "--out", tmp_path / "m.mm")
    ended = tool("train", table, *given, *words)
    assert ended.code == 0, ended.err
    return tmp_path / "m.mm"


def _values():
    """Numbers of 40 rows and their classes."""
    numbers = np.random.default_rng(0).normal(size=40).round(3).tolist()
    return {"a": numbers, "y": ["yes" if number > 0 else "no" for number in numbers]}


@pytest.mark.parametrize("keep", [(), ("--keep",)])
@pytest.mark.parametrize("start", [2**53, 2**63 - 100, 2**64])
@pytest.mark.parametrize("source", ["csv", "jsonl", "parquet"])
def test_long_identifiers_come_out_exactly(source, start, keep, tool, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = _values()
    ids = [start - (start == 2**64 and source == "parquet") * 100 + i for i in range(40)]
    rows = [dict(zip(("id", *values), row, strict=True)) for row in zip(ids, *values.values(), strict=True)]
    table = tmp_path / f"table.{source}"
    if source == "jsonl":
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif source == "csv":
        table.write_text("\n".join(["id,a,y", *(",".join(map(str, row.values())) for row in rows)]))
    else:
        pq.write_table(pa.table({"id": pa.array(ids, pa.uint64()), **values}), table)
    model = _trained_on(table, tool, tmp_path)
    said = tool("predict", model, table, *keep)
    assert [int(row["id"]) for row in csv.DictReader(io.StringIO(said.out))] == ids
    assert tool("predict", model, table, *keep, "--out", tmp_path / "p.jsonl").code == 0
    written = [json.loads(line)["id"] for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert written == (list(map(str, ids)) if source == "csv" else ids)
    assert tool("predict", model, table, *keep, "--out", tmp_path / "p.parquet").code == 0
    column = pq.read_table(tmp_path / "p.parquet").column("id")
    assert column.to_pylist() == (ids if source == "parquet" else list(map(str, ids)))


@pytest.mark.parametrize("source", ["parquet", "arrow"])
def test_columns_of_exact_types_are_left_alone(source, tool, tmp_path):
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq

    zone = pa.timestamp("ns", "Europe/Oslo")
    values = _values()
    kept = {
        "price": pa.array([Decimal(10**22 + i) / 1000 for i in range(40)], pa.decimal128(30, 3)),
        "seen": pa.array([10**18 + i for i in range(40)], pa.timestamp("ns")),
        "sent": pa.array([10**18 + i for i in range(40)], zone),
        "day": pa.array(range(40), pa.date32()),
        "level": pa.array(["=1+1", "b"] * 20).dictionary_encode(),
    }
    table = tmp_path / f"table.{source}"
    write = pq.write_table if source == "parquet" else pyarrow.feather.write_feather
    write(pa.table({**kept, **values}), table)
    model = _trained_on(table, tool, tmp_path, *(word for name in kept for word in ("--kind", f"{name}=drop")))
    for out, read in (("p.parquet", pq.read_table), ("p.arrow", pyarrow.feather.read_table)):
        assert tool("predict", model, table, "--keep", "--out", tmp_path / out).code == 0
        found = read(tmp_path / out)
        for name, column in kept.items():
            assert found.column(name).to_pylist() == column.to_pylist()
            assert found.column(name).type == (pa.string() if name == "level" else column.type)
    last = list(csv.DictReader(io.StringIO(tool("predict", model, table, "--keep").out)))[-2]
    assert (last["price"], last["level"], last["day"]) == ("10000000000000000000.038", "'=1+1", "1970-02-08")
    assert last["seen"] == "2001-09-09T01:46:40.000000038"
    assert last["sent"] == "2001-09-09T03:46:40.000000038+02:00"
    assert tool("predict", model, table, "--keep", "--out", tmp_path / "p.jsonl").code == 0
    line = (tmp_path / "p.jsonl").read_text().splitlines()[-2]
    assert '"price": 10000000000000000000.038, "seen": "2001-09-09T01:46:40.000000038"' in line


def test_pieces_give_what_the_whole_gives(tool, trained, apples, said, monkeypatch, tmp_path):
    from maxmargin import tables

    scan, pieces = tables.scan_table, []

    def small(*args, **options):
        for chunk in scan(*args, **{**options, "rows": 50}):
            pieces.append(len(chunk))
            yield chunk

    monkeypatch.setattr(tables, "scan_table", small)
    ended = tool("predict", trained, apples, "--out", tmp_path / "a.csv")
    assert ended.code == 0 and len(pieces) >= 9
    assert read_table(tmp_path / "a.csv").column("prediction").to_pylist() == said


def test_scores(tool, trained, apples):
    ended = tool("predict", trained, apples, "--scores")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    model = persistence.load(trained)
    values = model.decision_function(read_table(apples))
    np.testing.assert_array_equal([float(row["decision"]) for row in rows], values)


def test_json_needs_a_file_and_counts(tool, trained, apples, said, tmp_path):
    refused = tool("predict", trained, apples, "--json")
    assert refused.code == 2 and "--out" in refused.err and refused.out == ""
    ended = tool("predict", trained, apples, "--json", "--out", tmp_path / "a.csv")
    document = json.loads(ended.out)
    assert document["rows"] == 600
    assert document["predictions"] == {label: said.count(label) for label in ("no", "yes")}


def test_quiet_is_quiet(tool, trained, apples, tmp_path):
    ended = tool("predict", trained, apples, "--quiet", "--out", tmp_path / "a.csv")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert tool("predict", trained, apples, "--quiet").err == ""


def test_standard_input_gzipped(process, trained, apples, said):
    done = process("predict", trained, "-", input=gzip.compress(apples.read_bytes()))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["prediction"] for row in rows] == said


def test_what_is_wrong_with_a_table_is_said(tool, trained, apples, tmp_path):
    lines = apples.read_text().splitlines()
    without = tmp_path / "without.csv"
    without.write_text("\n".join(line.rsplit(",", 2)[0] for line in lines))
    for path, words in (
        (tmp_path / "none.csv", "does not exist"),
        (without, "without.csv: the table has no column 'storage_c'"),
        (tmp_path, "directory"),
    ):
        ended = tool("predict", trained, path, "--out", tmp_path / "out.csv")
        assert ended.code == 2 and words in ended.err and ended.err.count("\n") == 1
        assert not (tmp_path / "out.csv").exists()
    broken = tmp_path / "broken.csv"
    broken.write_text("\n".join([*lines[:5], 'a,"b', *lines[5:8]]))
    ended = tool("predict", trained, broken)
    assert ended.code == 2 and "line" in ended.err


def test_names_do_not_collide(tool, trained, apples):
    ended = tool("predict", trained, apples, "--name", "crate")
    assert ended.code == 2 and "crate" in ended.err and "--name" in ended.err
    assert tool("predict", trained, apples, "--name", "kept").out.startswith("crate,kept\n")
    ended = tool("predict", trained, apples, "--scores", "--name", "decision")
    assert ended.code == 2 and "--scores adds a column 'decision'" in ended.err


def test_endings_are_checked_before_work(tool, tmp_path):
    ended = tool("predict", tmp_path / "none.mm", tmp_path / "none.csv", "--out", "a.xlsx")
    assert ended.code == 2 and "ending" in ended.err
    ended = tool("predict", tmp_path / "none.mm", tmp_path / "none.csv", "--out", "a.csv/")
    assert ended.code == 2 and "a.csv/: is the name of a folder" in ended.err


def test_a_file_that_is_no_model(tool, apples):
    ended = tool("predict", apples, apples)
    assert ended.code == 2 and "apples.csv" in ended.err and ended.err.count("\n") == 1


def test_a_closed_pipe_is_no_error(trained, apples, tmp_path):
    import subprocess
    import sys

    many = tmp_path / "many.csv"
    head, *lines = apples.read_text().splitlines(keepends=True)
    many.write_text(head + "".join(lines) * 40)
    tool = subprocess.Popen(
        [sys.executable, "-m", "maxmargin", "predict", str(trained), str(many), "--keep"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert tool.stdout.readline()
    tool.stdout.close()
    complaint = tool.stderr.read()
    tool.stderr.close()
    assert tool.wait(120) == 141
    assert complaint == b""


FORMULAS = [
    "\ufeff=1",
    "\ufeff\ufeff@A1",
    "=1+1",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "＝1+1",
    "=a,b",
    '="x"',
]
HARMLESS = ["-5", "+1.5e-3", "-.5", "-", "+", "=", "a=b", "x-y", "", "5", "'=1"]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_text_is_no_formula_of_a_spreadsheet(ending, tmp_path):
    import pyarrow as pa

    from maxmargin.cli._writers import table_written

    cells = FORMULAS + HARMLESS
    table = pa.table({"=name": cells, "number": np.arange(len(cells)) - 5.5, "whole": np.arange(len(cells)) - 5})
    read = {}
    for formulas in (False, True):
        out = tmp_path / f"{formulas}.{ending}"
        with table_written(str(out), formulas=formulas) as writer:
            writer.write(table)
        text = out.read_text(encoding="utf-8")
        read[formulas] = list(csv.reader(io.StringIO(text), delimiter="," if ending == "csv" else "\t"))
    assert [row[0] for row in read[True]] == ["=name", *cells]
    assert [row[0] for row in read[False]] == ["'=name", *("'" + cell for cell in FORMULAS), *HARMLESS]
    assert [row[1:] for row in read[False]] == [row[1:] for row in read[True]]
    assert read[False][1][1:] == ["-5.5", "-5"]


def test_formulas_in_a_table_that_is_predicted(tool, trained, apples, tmp_path):
    rows = apples.read_text().splitlines()
    place = rows[0].split(",").index("crate")
    cells = rows[1].split(",")
    cells[place] = "=1+1"
    new = tmp_path / "new.csv"
    new.write_text("\n".join([rows[0], ",".join(cells)]) + "\n")
    assert tool("predict", trained, new).out.splitlines()[1].startswith("'=1+1,")
    assert tool("predict", trained, new, "--formulas").out.splitlines()[1].startswith("=1+1,")
    ended = tool("predict", trained, new, "--out", "out.jsonl")
    assert ended.code == 0 and '"crate": "=1+1"' in (tmp_path / "out.jsonl").read_text()


def test_limits_are_named_as_options(tool, trained, tmp_path):
    table = tmp_path / "bomb.csv.gz"
    table.write_bytes(gzip.compress(b"crate,b\n" + b"C1,2\n" * (14 << 20), mtime=0))
    ended = tool("predict", trained, table, "--max-columns", "1")
    assert ended.code == 2 and "2 columns, beyond --max-columns 1; raise --max-columns if" in ended.err
    ended = tool("train", table, "--target", "b", "--max-bytes", "1000")
    assert ended.code == 2 and "beyond --max-bytes 1000 (" in ended.err and "raise --max-bytes." in ended.err
    ended = tool("train", table, "--target", "b")
    assert ended.code == 2 and "beyond --max-expansion 200; raise --max-expansion if" in ended.err


@pytest.mark.parametrize("form", ["array", "frame"])
def test_a_model_that_was_saved_without_a_reader_predicts_tables(form, tool, tmp_path):
    """It asked every table for an option of LIBSVM text."""
    X = np.random.default_rng(0).normal(size=(40, 2)).round(3)
    y = np.where(X[:, 0] > 0, "up", "down")
    rows = X if form == "array" else pa.table({"a": X[:, 0], "b": X[:, 1]}).to_pandas()
    model = SVC().fit(rows, y)
    persistence.save(model, tmp_path / "m.mm")
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in X))
    ended = tool("predict", tmp_path / "m.mm", tmp_path / "t.csv")
    assert ended.code == 0, ended.err
    said = [row["prediction"] for row in csv.DictReader(io.StringIO(ended.out))]
    assert said == model.predict(rows).tolist()


def test_a_folder_that_is_made_is_named(tool, trained, apples):
    ended = tool("predict", trained, apples, "--out", "mistyped/p.csv")
    assert ended.code == 0 and "mistyped: this folder was not there, and was made." in ended.err
    assert "was made" not in tool("predict", trained, apples, "--out", "mistyped/q.csv").err
