"""``maxmargin train``: the account, the files, the mistakes, and what a killed one leaves."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maxmargin import persistence
from maxmargin.certificates import Status
from maxmargin.cli import _train
from maxmargin.tables import read_table
from maxmargin.training import FAMILIES

FIXED = ("--model", "svc", "--C", 10, "--gamma", 0.03)


def test_train_tells_and_writes(tool, apples, tmp_path):
    ended = tool("train", apples, "--target", "keeps", *FIXED, "--report", "new/apples.html")
    assert ended.code == 0, ended.err
    out = ended.out
    for words in (
        "600 rows, 11 columns and the target keeps",
        "296 (49.3 %)",
        "an identifier",
        "constant: always 2023",
        "Tried on 470 training rows in 5 folds",
        "C=10, gamma=0.03",
        "Judged by 130 rows that were held out",
        "accuracy",
        "converged",
        "Proven: no model",
    ):
        assert words in out
    assert out.splitlines()[-2:] == ["Model: apples.mm", "Report: new/apples.html"]
    assert not [line for line in out.splitlines() if line != line.rstrip()]
    assert "470 rows to train on, 130 held out" in ended.err
    model = persistence.load("apples.mm")
    assert model[-1].certificate_.status is Status.CONVERGED
    page = (tmp_path / "new" / "apples.html").read_text()
    assert page.rstrip().endswith("</html>")
    assert "maxmargin train" in page and "--gamma 0.03" in page
    assert sorted(os.listdir(tmp_path)) == ["apples.mm", "new"]
    scores = json.loads(tool("info", "apples.mm", "--json").out)
    assert scores["scores"]["accuracy"]["value"] > scores["baseline"]["accuracy"]["value"] + 0.1


def test_json_is_one_document_and_nothing_else(tool, apples):
    ended = tool("train", apples, "--target", "keeps", *FIXED, "--json")
    document = json.loads(ended.out)
    assert document["model"] == "apples.mm" and document["report"] is None
    assert document["certificate"]["status"] == "converged"
    assert document["source"]["data"] == str(apples)
    assert document["split"]["test_rows"] == 130


def test_quiet_is_quiet(tool, apples):
    ended = tool("train", apples, "--target", "keeps", *FIXED, "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_files_are_not_replaced_in_silence(tool, apples, tmp_path):
    for name in ("apples.mm", "apples.html"):
        (tmp_path / name).write_text("precious")
    words = ("train", apples, "--target", "keeps", *FIXED, "--report", "apples.html")
    ended = tool(*words)
    assert ended.code == 2 and "apples.mm: exists already; --force" in ended.err
    ended = tool(*words, "--out", "other.mm")
    assert ended.code == 2 and "apples.html: exists already" in ended.err
    assert (tmp_path / "apples.mm").read_text() == "precious"
    assert tool(*words, "--force").code == 0
    persistence.load("apples.mm")
    ended = tool(*words, "--out", "apples.html", "--force")
    assert ended.code == 2 and "the same file" in ended.err


def test_the_same_command_makes_the_same_model(tool, apples, tmp_path):
    for name in ("a.mm", "b.mm"):
        assert tool("train", apples, "--target", "keeps", *FIXED, "--out", name).code == 0
    a, b = (persistence.load(name) for name in ("a.mm", "b.mm"))
    table = read_table(apples)
    np.testing.assert_array_equal(a.decision_function(table), b.decision_function(table))


def write_table(path, rows=60, seed=0):
    """A small table of numbers with two classes, in the format of its name."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, 2)) + y[:, None]
    if path.suffix == ".libsvm":
        path.write_text("".join(f"{t} 1:{a:.4f} 3:{b:.4f}\n" for t, (a, b) in zip(y, X, strict=True)))
        return
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": np.where(y == 1, "yes", "no")})
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.suffix == ".arrow":
        feather.write_feather(table, path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        lines = ["a;b;y", *(f"{r['a']};{r['b']};{r['y']}" for r in table.to_pylist())]
        text = "\ufeff" + "\r\n".join(lines)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.arrow", "t.jsonl", "t.libsvm"])
def test_every_format_trains_and_predicts(name, tool, tmp_path):
    path = tmp_path / name
    write_table(path)
    target = () if path.suffix == ".libsvm" else ("--target", "y")
    ended = tool("train", path, *target, "--model", "linear", "--C", 1)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[-1] == "Model: t.mm"
    predicted = tool("predict", "t.mm", path)
    assert predicted.code == 0, predicted.err
    assert predicted.out.startswith("prediction\n") and predicted.out.count("\n") == 61
    checked = tool("check", "t.mm", path)
    assert checked.code == 0, checked.out + checked.err


def test_standard_input(process, tmp_path):
    write_table(tmp_path / "t.csv")
    data = (tmp_path / "t.csv").read_bytes()
    done = process("train", "-", "--target", "y", "--model", "linear", "--C", 1, "--json", input=data)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "model.mm"
    assert (tmp_path / "model.mm").exists()


def test_numbers_are_learnt_too(tool, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["a,b,price", *(f"{a:.3f},{b:.3f},{2 * a - b:.3f}" for a, b in rng.normal(size=(60, 2)))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    ended = tool("train", "t.csv", "--target", "price", "--model", "linear", "--C", 1)
    assert ended.code == 0, ended.err
    assert "R2" in ended.out and "RMSE" in ended.out
    assert tool("predict", "t.mm", "t.csv", "--out", "p.csv").out.count("mean") == 1
    assert tool("predict", "t.mm", "t.csv", "--scores").code == 2


def test_options_reach_the_library(tool, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "\n".join(["a\tb\tc\ty", *(f"{k % 7},5\t{k % 3}\tn/a\t{'no' if k % 2 else 'yes'}" for k in range(40))])
    )
    words = ["train", path, "--target", "y", "--model", "linear", "--C", 2, "--decimal", ",", "--delimiter", "\\t"]
    words += ["--missing", "n/a", "--test", 0.25, "--seed", 3, "--json"]
    document = json.loads(tool(*words, "--kind", "b=category").out)
    assert document["settings"]["C"] == 2 and document["settings"]["seed"] == 3
    assert document["split"]["test_rows"] == 10
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds == {"a": "number", "b": "category", "c": "drop"}
    one = json.loads(tool(*words, "--column", "a", "--out", "one.mm").out)
    assert [column["name"] for column in one["columns"]] == ["a"]
    assert tool("check", "one.mm", path, "--decimal", ",", "--missing", "n/a").code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["none.csv", "--target", "y"], "none.csv does not exist"),
        (["t.csv"], "target"),
        (["t.csv", "--target", "yy"], "t.csv: the table has no column 'yy'"),
        (["t.csv", "--target", "y", "--model", "svm"], "model must be one of 'auto'"),
        (["t.csv", "--target", "y", "--C", "-1", "--model", "svc"], "C must be a positive number"),
        (["t.csv", "--target", "y", "--C", "1"], "--model"),
        (["t.csv", "--target", "y", "--test", "1.5"], "test"),
        (["t.csv", "--target", "y", "--kind", "a"], "COLUMN=KIND"),
        (["t.csv", "--target", "y", "--kind", "q=drop"], "'q'"),
        (["t.csv", "--target", "y", "--format", "xls"], "no format 'xls'"),
        (["t.csv", "--target", "y", "--out", "."], "is a folder"),
        (["t.csv", "--target", "y", "--out", "models/"], "models/: is the name of a folder"),
        (["t.csv", "--target", "y", "--report", "pages/"], "pages/: is the name of a folder"),
        (["t.csv", "--target", "y", "--column", "q"], "'q'"),
        (["bad.csv", "--target", "y"], "bad.csv, line 3"),
        (["latin.csv", "--target", "y"], "--encoding latin-1"),
        (["one.csv", "--target", "y"], "one.csv: target 'y' is"),
        (["hole.csv", "--target", "y"], "--drop-missing-target"),
        ([".", "--target", "y"], "is a directory"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_mistakes_are_one_sentence_and_leave_nothing(words, sentence, tool, tmp_path):
    write_table(tmp_path / "t.csv")
    (tmp_path / "bad.csv").write_text("a,y\n1,no\n2,yes,3\n")
    (tmp_path / "latin.csv").write_bytes("a,y\n1,né\n".encode("latin-1") * 20)
    (tmp_path / "one.csv").write_text("a,y\n" + "".join(f"{k}.5,no\n" for k in range(20)))
    (tmp_path / "hole.csv").write_text("a,y\n" + "".join(f"{k}.5,{('no', 'yes', '')[k % 3]}\n" for k in range(30)))
    before = sorted(os.listdir(tmp_path))
    ended = tool("train", *words)
    assert ended.code == 2, ended.out + ended.err
    assert sentence in ended.err.splitlines()[-1]
    assert "Traceback" not in ended.err
    assert sorted(os.listdir(tmp_path)) == before


def test_help_names_every_family():
    assert set(re.findall(r"[a-z]+", _train.MODELS)) >= set(FAMILIES)


def test_the_command_in_the_report_does_it_again():
    reading = _train.Reading(header=False, day_first=True, missing=["-"], delimiter=";")
    settings = {"model": "svc", "task": "auto", "C": 10.0, "test": 0.2, "seed": 3, "kinds": {"a b": "drop"}}
    settings |= {"drop_missing_target": True}
    command = _train._command("a b.csv", "y", settings, ["u"], ["a b=drop"], reading, "a.mm", "a.html")
    assert command == (
        "maxmargin train 'a b.csv' --target y --model svc --C 10.0 --seed 3 --drop-missing-target --delimiter ';' "
        "--no-header --day-first --missing - --column u --kind 'a b=drop' --out a.mm --report a.html"
    )


def test_an_unexpected_error_is_a_fault_that_keeps_its_traceback(tool, apples, monkeypatch, tmp_path):
    def broken(*args, **options):
        raise ZeroDivisionError("by no means")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("maxmargin.training.train", broken)
    ended = tool("train", apples, "--target", "keeps", "--quiet")
    assert ended.code == 3 and ended.err.count("\n") == 1 and "by no means" in ended.err
    kept = next(tmp_path.glob("maxmargin-*.txt"))
    assert str(kept) in ended.err and "Traceback" in kept.read_text()
    assert "Traceback" in tool("train", apples, "--target", "keeps", "--quiet", "--debug").err


def test_ctrl_c_ends_with_130(tool, apples, monkeypatch, tmp_path):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("maxmargin.training.train", interrupted)
    ended = tool("train", apples, "--target", "keeps", "--quiet")
    assert ended.code == 130 and ended.err == "maxmargin: interrupted.\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_train_leaves_a_whole_file_or_none(apples, tmp_path):
    words = [sys.executable, "-m", "maxmargin", "train", str(apples), "--target", "keeps", *map(str, FIXED), "--quiet"]
    words += ["--out", "apples.mm", "--force"]
    begin = time.perf_counter()
    subprocess.run(words, cwd=tmp_path, check=True, timeout=300)
    whole = time.perf_counter() - begin
    sizes = {(tmp_path / "apples.mm").stat().st_size}
    chance = random.Random(4)
    # One is killed at a random moment of its work, the others when they have begun to write.
    for number in range(4):
        (tmp_path / "apples.mm").unlink(missing_ok=True)
        for left in tmp_path.iterdir():
            left.unlink()
        training = subprocess.Popen(words, cwd=tmp_path)
        if number == 0:
            time.sleep(whole * chance.uniform(0.3, 1.0))
        else:
            while training.poll() is None and not os.listdir(tmp_path):
                time.sleep(0.0003)
            time.sleep(chance.uniform(0, 0.003))
        training.kill()
        training.wait(60)
        if (tmp_path / "apples.mm").exists():
            persistence.load(tmp_path / "apples.mm")
            sizes.add((tmp_path / "apples.mm").stat().st_size)
    assert max(sizes) - min(sizes) < 100  # the times in it differ by some digits


def test_a_table_is_read_described_split_and_prepared_once(tool, apples, tmp_path):
    """Also where a report is asked for: it is handed what the training knows."""
    calls = Counter()

    def count(frame, event, arg):
        if event == "call":
            calls[frame.f_code.co_qualname] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        ended = tool("train", apples, "--target", "keeps", *FIXED, "--report", tmp_path / "a.html")
    finally:
        sys.setprofile(before)
    assert ended.code == 0, ended.err
    once = ("read_table", "describe_table", "read_target", "make_split", "divide_table")
    assert [calls[name] for name in once] == [1] * len(once)
    assert calls["ColumnReader.fit"] == 2  # to decide what columns are, and as decided


# Sends SIGINT in the middle of something, and swallows what comes of it, as callbacks of C code do.
_SIGNALLED = """
import os, runpy, signal, sys, time

def interrupt(*given):
    try:
        for _ in range({times}):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
    except KeyboardInterrupt:
        print("dropped")

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            sys.meta_path.remove(self)
            interrupt()

sys.meta_path.insert(0, Finder())
{more}
sys.argv[0] = "maxmargin"
runpy.run_module("maxmargin", run_name="__main__")
"""
posix = pytest.mark.skipif(os.name != "posix", reason="a process does not end by a signal here")


def _interrupted(apples, tmp_path, module="none", times=1, more=""):
    words = ["train", str(apples), "--target", "keeps", *map(str, FIXED), "--quiet", "--out", "apples.mm"]
    code = _SIGNALLED.format(module=module, times=times, more=more)
    ended = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == -signal.SIGINT, ended.stderr
    assert "Traceback" not in ended.stderr and os.listdir(tmp_path) == []
    return ended


@posix
@pytest.mark.parametrize("module", ["cyclopts", "rich.console", "maxmargin.training", "sklearn.model_selection"])
def test_an_interrupt_while_something_is_imported_ends_the_process_by_the_signal(module, apples, tmp_path):
    ended = _interrupted(apples, tmp_path, module)
    assert "dropped" not in ended.stdout


@posix
@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_while_the_model_is_written_ends_the_process_by_the_signal(times, apples, tmp_path):
    """A second one, while the first is cleaned up after, leaves nothing behind either."""
    more = """
from maxmargin.persistence import _container

def broken(stream, members):
    stream.write(b"half")
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)

_container._write_members = broken
unlink = os.unlink

def slow(path, **options):
    if {times} == 2 and not str(path).endswith(".tuning"):  # that one goes before the model is written
        interrupt()
    unlink(path, **options)

os.unlink = slow
"""
    ended = _interrupted(apples, tmp_path, times=times, more=more.replace("{times}", str(times)))
    said = [line for line in ended.stderr.splitlines() if "compiling for this CPU" not in line]
    assert said == ["maxmargin: interrupted."] and "dropped" not in ended.stdout


@posix
def test_a_process_that_is_to_ignore_interrupts_does(apples, tmp_path):
    """As after nohup, or in the background of a shell."""
    code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + _SIGNALLED.format(
        module="maxmargin.training", times=1, more=""
    )
    words = ["train", str(apples), "--target", "keeps", *map(str, FIXED), "--quiet", "--out", "apples.mm"]
    subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, timeout=300, check=True)
    assert os.listdir(tmp_path) == ["apples.mm"]


def test_many_rows_of_a_kernel_machine_are_told_with_their_bracket(tool, apples, monkeypatch):
    from maxmargin.svm import _large_solve
    from maxmargin.training import _machine_families

    monkeypatch.setattr(_machine_families, "_EXACT_ROWS", 100)
    monkeypatch.setattr(_large_solve, "_EXACT_AT_ONCE", 50)
    ended = tool("train", apples, "--target", "keeps", *FIXED, "--report", "apples.html")
    assert ended.code == 0, ended.err
    for words in ("the optimum is at most", "and at least", "made of", "method", "the exact machine", "LargeSVC"):
        assert words in ended.out
    assert "largest violation" not in ended.out
    assert persistence.load("apples.mm")[-1].method_ and "made of" in tool("info", "apples.mm").out
    checked = tool("check", "apples.mm", apples)
    assert checked.code == 0 and "Holds" in checked.out and "largest violation" not in checked.out
    assert tool("predict", "apples.mm", apples).code == 0
    for words in (
        ("explain", "apples.mm"),
        ("explain", "apples.mm", apples),
        ("explain", "apples.mm", apples, "--row", 3),
    ):
        assert tool(*words).code == 0
    assert tool("report", "apples.mm", apples, "--out", "again.html").code == 0


def test_an_interrupted_run_goes_on(tool, apples, monkeypatch):
    """What was tuned is kept beside the model until the same command has ended."""
    from maxmargin.training import _families

    families = _families.FAMILIES
    words = ["train", apples, "--target", "keeps", "--model", "tree,logistic", "--no-time", "--out", "m.mm"]

    def interrupted(job):
        raise KeyboardInterrupt

    broken = replace(families["tree"], search=interrupted)
    with monkeypatch.context() as patch:
        patch.setitem(families, "tree", broken)
        ended = tool(*words)
    assert ended.code == 130 and not Path("m.mm").exists()
    assert "What was tuned is in m.mm.tuning: the same command again goes on from there." in " ".join(ended.err.split())
    again = replace(families["logistic"], search=interrupted)  # which would be called if it was tuned anew
    with monkeypatch.context() as patch:
        patch.setitem(families, "logistic", again)
        ended = tool(*words)
    assert ended.code == 0, ended.err
    assert "Note: tuned in an earlier run that was interrupted: logistic" in " ".join(ended.out.split())
    assert Path("m.mm").exists() and not Path("m.mm.tuning").exists()


def test_classes_weigh_what_is_said(tool, apples):
    words = ["train", apples, "--target", "keeps", "--model", "logistic", "--C", "1", "--quiet"]
    assert tool(*words, "--class-weight", "yes=3", "--class-weight", "no=1", "--out", "a.mm").code == 0
    assert persistence.load(Path("a.mm"))[-1].class_weight == {"yes": 3.0, "no": 1.0}
    assert tool(*words, "--class-weight", "balanced", "--out", "b.mm", "--report", "b.html").code == 0
    assert "--class-weight balanced" in Path("b.html").read_text(encoding="utf-8")
    ended = tool(*words, "--class-weight", "yes=much", "--out", "c.mm")
    assert ended.code == 2 and "--class-weight yes=much: say balanced, none, or LABEL=WEIGHT" in ended.err
    ended = tool(*words, "--class-weight", "perhaps=2", "--out", "c.mm")
    assert ended.code == 2 and "--class-weight names the class 'perhaps'; the target has 'no', 'yes'" in ended.err
