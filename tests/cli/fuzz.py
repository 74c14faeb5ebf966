"""Malformed tables through the tool: ``python -m tests.cli.fuzz --count 10000 --seed 0``.

Each table begins sound (a few rows of numbers, words, dates and holes, in one of the formats) and is then spoilt, as
text or byte by byte. `train` and `predict` must end with exit code 0, 1 or 2, and with no traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from maxmargin.cli import main

FORMATS = ("csv", "csv", "csv", "csv", "tsv", "jsonl", "libsvm", "parquet", "arrow", "csv.gz")
# What people and programs leave in cells.
CELLS = (
    "", " ", "NA", "nan", "NaN", "inf", "-inf", "1e999", "-1e-999", "1e308", "0x1F", "1,5", "1.5.2", "12,000", "٣", "½",
    "true", "False", "yes", "NULL", "None", "#N/A", "-", "--", "+", ".", "1e", "2023-13-45", "2023-02-29", "0000-00-00",
    "31/12/1999", "99:99", "2023-08-21T25:61:00Z", '"', '""', "'", "a,b", 'say "hi"', "line\nbreak", "\r", "\x00",
    "\x1b[31m", "\ufeff", "é", "\u202e", "𝔘", "=cmd|'/c calc'!A0", "../../etc/passwd", "x" * 5000, "9" * 400,
    "<script>", "%s%n", "{}", "{{7*7}}", "[bold]", "\\", "\\n", "1_000", "1 000", "१२", "Infinity", "1/0", "0", "-0.0",
    "9007199254740993", "18446744073709551616", "-9223372036854775809", "1:2", "qid:3", "#",
)  # fmt: skip
NAMES = (
    "", " ", "y", "prediction", "id", "Unnamed: 0", "a", "b", "é", "x" * 300, "\x1b[2J", "\x00", "C", "[x]", "1",
    "nan", "-",
)  # fmt: skip


def pick(rng, things):
    """One of several."""
    return things[int(rng.integers(len(things)))]


def sound(rng, like_the_model):
    """Names and rows of a table that can be learned from, as text; perhaps with the columns that a model asks for."""
    n, d = int(rng.integers(12, 28)), int(rng.integers(1, 5))
    kinds = [0, 1, 2] if like_the_model else rng.integers(0, 4, d).tolist()
    names = [f"c{j}" for j in range(len(kinds))] + ["y"]
    y = rng.permutation(np.arange(n) % 2)
    columns = []
    for kind in kinds:
        if kind == 0:
            columns.append([f"{v:.3g}" for v in rng.normal(size=n) + y])
        elif kind == 1:
            columns.append([str(rng.choice(["red", "green", "blue, dark"])) for _ in range(n)])
        elif kind == 2:
            columns.append([f"2024-{rng.integers(1, 13):02}-{rng.integers(1, 28):02}" for _ in range(n)])
        else:
            columns.append([str(v) if rng.random() < 0.8 else "" for v in rng.integers(0, 50, n)])
    target = rng.integers(0, 3)
    labels = [("no", "yes")[v] for v in y] if target == 0 else [str(v) for v in y]
    if target == 2:
        labels = [f"{v:.4g}" for v in rng.normal(size=n)]
    return names, [list(row) for row in zip(*columns, labels, strict=True)]


def spoil_cells(rng, names, rows):
    """Change names, cells, rows and columns."""
    for _ in range(int(rng.integers(0, 4))):
        kind = rng.integers(0, 12)
        if kind <= 3 and rows:
            row = rows[rng.integers(len(rows))]
            if row:
                row[rng.integers(len(row))] = pick(rng, CELLS)
        elif kind == 4 and rows:
            column = rng.integers(len(names)) if names else 0
            cell = pick(rng, CELLS)
            for row in rows:
                if column < len(row) and rng.random() < 0.9:
                    row[column] = cell
        elif kind == 5 and names:
            names[rng.integers(len(names))] = pick(rng, NAMES)
        elif kind == 6 and rows:
            rows[rng.integers(len(rows))] = [pick(rng, CELLS)] * int(rng.integers(0, 7))
        elif kind == 7:
            del rows[int(rng.integers(0, 4)) :]
        elif kind == 8 and len(names) > 1:
            names.pop(rng.integers(len(names)))
        elif kind == 9:
            names.append(names[0] if names else "y")
        elif kind == 10:
            rows.sort(key=lambda row: row[-1:])
        else:
            names.extend(f"e{j}" for j in range(40))
    return names, rows


def written(rng, names, rows, form):
    """The table as bytes of a format."""
    if form == "libsvm":
        lines = []
        for row in rows:
            cells = [f"{j + 1}:{cell}" for j, cell in enumerate(row[:-1]) if cell]
            lines.append(" ".join([row[-1] if row else "", *cells]))
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    if form == "jsonl":
        return "\n".join(json.dumps(dict(zip(names, map(_value, row), strict=False))) for row in rows).encode()
    if form in ("parquet", "arrow"):
        return _columnar(names, rows, form)
    comma = "\t" if form == "tsv" else str(rng.choice([",", ",", ",", ";", "|"]))
    lines = [comma.join(_quoted(cell, comma, rng) for cell in row) for row in [names, *rows]]
    text = pick(rng, ["\n", "\n", "\r\n", "\r"]).join(lines)
    coded = text.encode(pick(rng, ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")
    return gzip.compress(coded, 1) if form == "csv.gz" else coded


def _value(cell):
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(cell)
    return cell or None


def _quoted(cell, comma, rng):
    if rng.random() < 0.03 or not any(c in cell for c in (comma, '"', "\n", "\r")):
        return cell  # now and then without the quotes that it needs
    return '"' + cell.replace('"', '""') + '"'


def _columnar(names, rows, form):
    import pyarrow as pa
    from pyarrow import feather, parquet

    width = len(names)
    columns = list(zip(*[(row + [None] * width)[:width] for row in rows], strict=True)) or [[]] * width
    arrays = []
    for column in columns:
        values = [None if cell in ("", None) else _value(cell) for cell in column]
        try:
            arrays.append(pa.array(values))
        except (pa.ArrowException, OverflowError, UnicodeError):
            arrays.append(pa.array([None if v is None else str(v) for v in values]))
    table = pa.Table.from_arrays(arrays, names=names)
    buffer = io.BytesIO()
    if form == "parquet":
        parquet.write_table(table, buffer)
    else:
        feather.write_feather(table, buffer)
    return buffer.getvalue()


def spoil_bytes(rng, data):
    """Flip, cut, repeat and insert bytes."""
    data = bytearray(data)
    for _ in range(int(rng.integers(0, 3))):
        place = int(rng.integers(0, len(data) + 1))
        kind = rng.integers(0, 7)
        if kind == 0 and data:
            data[min(place, len(data) - 1)] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            del data[place : place + int(rng.integers(1, 20))]
        elif kind == 3:
            data[place:place] = rng.bytes(int(rng.integers(1, 9)))
        elif kind == 4:
            data[place:place] = pick(rng, ['"', "\x00", ",", "\n", "\r\n", "\ufeff", "{", "}", "[", "\t"]).encode()
        elif kind == 5:
            data[place:place] = data[place : place + int(rng.integers(1, 200))]
        elif rng.random() < 0.2:
            data[:] = rng.bytes(int(rng.integers(0, 60)))
    return bytes(data)


def spoilt_table(rng, like_the_model=False):
    """A format and the bytes of a table that may be anything."""
    form = pick(rng, FORMATS)
    names, rows = spoil_cells(rng, *sound(rng, like_the_model))
    data = written(rng, names, rows, form)
    return form, spoil_bytes(rng, data) if rng.random() < 0.6 else data


def command(rng, path, form, folder, model):
    """Words for the tool about one table: to predict it by a model, or to train one."""
    words = ["train", str(path)] if model is None else ["predict", str(model), str(path)]
    if words[0] == "predict":
        words += ["--out", str(folder / f"out.{rng.choice(['csv', 'parquet', 'jsonl'])}"), "--force"]
        words += ["--keep"] if rng.random() < 0.5 else []
        words += ["--scores"] if rng.random() < 0.3 else []
    else:
        words += ["--out", str(folder / "out.mm"), "--force"]
        words += [] if form == "libsvm" else ["--target", "y"]
        words += ["--model", str(rng.choice(["linear", "linear", "tree"])), "--C", "1"]
        if words[-3] == "tree":
            del words[-2:]
        words += ["--drop-missing-target"] if rng.random() < 0.3 else []
        words += ["--kind", f"c0={rng.choice(['number', 'category', 'date', 'drop'])}"] if rng.random() < 0.15 else []
    if rng.random() < 0.1:
        words += ["--format", form.removesuffix(".gz")]
    return words + (["--json"] if rng.random() < 0.3 else ["--quiet"] if rng.random() < 0.3 else [])


def judge(words):
    """Run the tool in this process; its exit code, and what is wrong with the way it ended, if anything."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    except BaseException as error:
        return None, f"raised {error!r}"
    said, complained = (s.buffer.getvalue().decode("utf-8", "replace") for s in (out, err) if not s.flush())
    if code not in (0, 1, 2):
        return code, f"exit code {code}: {complained}"
    if "Traceback" in complained or "Traceback" in said:
        return code, complained
    if code == 2 and not complained.splitlines()[-1].startswith("maxmargin: "):
        return code, f"no complaint: {complained!r}"
    if code == 2 and said and (words[0] == "predict" or "--json" in words):  # train may have told what it found
        return code, f"words on standard output: {said!r}"
    if "\x1b" in said + complained:
        return code, f"control characters: {said + complained!r}"
    if code == 0 and "--json" in words:
        json.loads(said)
    return code, ""


def run(count, seed, folder, model, keep=None, report=None):
    """Judge so many tables; how each ended, and the failures."""
    ends, failures = Counter(), []
    begin = time.perf_counter()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        predicts = rng.random() < 0.4
        form, data = spoilt_table(rng, predicts)
        path = folder / f"table.{form}"
        path.write_bytes(data)
        words = command(rng, path, form, folder, model if predicts else None)
        code, wrong = judge(words)
        ends[words[0], form, code] += 1
        left = [p.name for p in folder.iterdir() if ".part" in p.name]
        if left:
            wrong = wrong or f"left behind: {left}"
        if wrong:
            failures.append((number, words, wrong))
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, keep / f"{number}.{form}")
        path.unlink()
        if report is not None and (number + 1) % 500 == 0:
            print(
                f"{number + 1} of {count}, {len(failures)} failures, {time.perf_counter() - begin:.0f} s", file=report
            )
    return ends, failures


def a_model(folder):
    """A model for `predict`, trained on a sound table with a number, a word and a date."""
    rng = np.random.default_rng(5)
    lines = ["c0,c1,c2,y"]
    for k in range(40):
        lines.append(
            f"{rng.normal() + k % 2:.3f},{('red', 'green')[k % 3 % 2]},2024-0{1 + k % 9}-11,{('no', 'yes')[k % 2]}"
        )
    table, model = folder / "sound.csv", folder / "sound.mm"
    table.write_text("\n".join(lines))
    code = main(["train", str(table), "--target", "y", "--model", "linear", "--C", "1", "--out", str(model), "--quiet"])
    assert code == 0
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for the tables that failed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        ends, failures = run(given.count, given.seed, place, a_model(place), given.keep, sys.stderr)
    for number, words, wrong in failures[:20]:
        print(f"table {number}: maxmargin {' '.join(words)}\n  {wrong.strip()[-1500:]}")
    for (what, form, code), times in sorted(ends.items(), key=str):
        print(f"{what:8} {form:8} exit code {code}: {times}")
    print(f"{given.count} tables, {len(failures)} failures")
    sys.exit(bool(failures))
