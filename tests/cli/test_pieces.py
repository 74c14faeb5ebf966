"""What the commands are made of: words, exit codes, files, JSON, progress."""

import io
import math
import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name

import pytest

from maxmargin.cli import _errors, _files, _screen, main
from maxmargin.cli._options import OutputOptions
from maxmargin.messages import Argument, Place, TextTable
from maxmargin.tables import TableError
from maxmargin.training import Candidate, Fitting, Judged, Stage, TrainingError, TrainingInterrupted

# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (_errors.UserError("give --out."), 2, "give --out."),
        (ValueError("C must be\n  positive"), 2, "C must be positive"),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 2, "a.csv: no such file or directory."),
        (PermissionError(13, "Permission denied", "b.mm"), 2, "b.mm: permission denied."),
        (ImportError("pip install 'maxmargin[arrow]'"), 2, "pip install 'maxmargin[arrow]'"),
        (MemoryError(), 2, "not enough memory"),
        (OSError(28, "No space left on device"), 2, "no space left on device."),
        (KeyboardInterrupt(), 130, "interrupted"),
        (KeyError("x"), 3, "a fault of maxmargin itself, KeyError"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_end_in_one_sentence_and_a_code(error, code, sentence, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert _errors.complain(error, debug=False) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err and said.err.count("\n") == 1
    assert said.err.startswith("maxmargin: ")
    kept = list(tmp_path.iterdir())
    assert len(kept) == (code == 3)
    if kept:
        assert str(kept[0]) in said.err
        assert "KeyError: 'x'" in kept[0].read_text()


def test_debug_shows_the_traceback(capsys):
    try:
        raise KeyError("x")
    except KeyError as error:
        assert _errors.complain(error, debug=True) == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_closed_pipe_is_silent(capsys):
    assert _errors.complain(BrokenPipeError(), debug=False) == 141
    assert capsys.readouterr() == ("", "")


def test_nothing_in_a_sentence_moves_the_cursor():
    assert _errors.in_one_line("a\x1b[31m b\r\nc\u202e é") == "a\\x1b[31m b c\\u202e é"


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        (Argument("drop_missing_target", True), "--drop-missing-target"),
        (Argument("task", "regression"), "--task regression"),
        (Argument("target"), "--target"),
        (Argument("kinds"), "--kind"),
        (Argument("kinds", key="a b"), "--kind a b=..."),
        (Argument("C", 1.5), "--C 1.5"),
        (Argument("gamma", 1e-3), "--gamma 0.001"),
        (Argument("seed", 0), "--seed 0"),
        (Argument("max_bytes", 1000), "--max-bytes 1000"),
        (Argument("header", False), "--no-header"),
        (Argument("day_first", True), "--day-first"),
        (Argument("decimal", ","), "--decimal ,"),
        (Argument("columns"), "--column"),
        (Argument("types", {"a": "text"}), "types={'a': 'text'}"),
    ],
    ids=str,
)
def test_arguments_of_the_library_are_said_as_options(argument, option, capsys):
    assert _errors.complain(TrainingError("say ", argument, " or a='b'."), debug=False) == 2
    assert capsys.readouterr().err == f"maxmargin: say {option} or a='b'.\n"


def test_an_interrupted_training_says_how_to_go_on(capsys):
    error = TrainingInterrupted("tune", (), {"model": "svc", "C": 0.1, "gamma": 2.0})
    assert str(error).endswith("The best so far is svc: go on with model='svc', C=0.1, gamma=2.0.")
    assert _errors.complain(error, debug=False) == 130
    assert "go on with --model svc, --C 0.1, --gamma 2.0." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (TableError("Column 'a' holds lists.", place=Place(column="a")), "t.csv: column 'a' holds lists."),
        (TrainingError("the table has no rows."), "t.csv: the table has no rows."),
        (TableError.at(Place("u.csv", 3), "odd."), "u.csv, line 3: odd."),
        (TrainingError("C must be positive.", argument="C"), "C must be positive."),
    ],
    ids=["column", "table", "placed", "argument"],
)
def test_errors_about_a_table_name_its_file(error, sentence, capsys):
    with pytest.raises(type(error)) as raised, _errors.about("t.csv"):
        raise error
    _errors.complain(raised.value, debug=False)
    assert capsys.readouterr().err == f"maxmargin: {sentence}\n"


# ---------------------------------------------------------------- files


def test_places_are_checked_before_work(tmp_path):
    there = tmp_path / "a.mm"
    there.write_text("x")
    with pytest.raises(_errors.UserError, match="exists already; --force"):
        _files.check_place(there, force=False)
    _files.check_place(there, force=True)
    with pytest.raises(_errors.UserError, match="is the input, and would be overwritten"):
        _files.check_place(tmp_path / "." / "a.mm", "-", "none", there, force=True)
    with pytest.raises(_errors.UserError, match="is a folder"):
        _files.check_place(tmp_path, force=True)
    with pytest.raises(_errors.UserError, match="is a file, so nothing"):
        _files.check_place(there / "b.mm", force=True)
    assert there.read_text() == "x"
    _files.check_place(Path(os.devnull), force=False)  # written into: nothing is lost


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="no /dev/fd")
def test_descriptors_are_checked_before_work(tmp_path):
    file = tmp_path / "a"
    file.touch()
    with open(file) as reading, pytest.raises(_errors.UserError, match="open for reading"):
        _files.check_place(Path(f"/dev/fd/{reading.fileno()}"), force=False)
    with open(file, "a") as writing:
        _files.check_place(Path(f"/dev/fd/{writing.fileno()}"), force=False)
    with pytest.raises(_errors.UserError, match="nothing is open"):
        _files.check_place(Path("/dev/fd/987"), force=False)


@pytest.mark.parametrize(
    ("source", "name"), [("a/b.csv", "b"), ("b.csv.gz", "b"), ("b", "b"), ("-", "model"), (".hidden", "hidden")]
)
def test_outputs_are_named_after_their_source(source, name):
    assert _files.stem(source, "model") == name


# ---------------------------------------------------------------- tables


def test_tables_on_paper_are_never_cut_and_have_no_blanks_at_their_ends(capsys):
    screen = _screen.Screen(OutputOptions())
    long = "x" * 150
    screen.table(TextTable("Things", [("a", long), ("bb", "[bold]1\x1b[0m")], ("", "what")))
    out = capsys.readouterr().out
    assert out.splitlines() == ["Things", "      what", f"  a   {long}", "  bb  [bold]1\\x1b[0m"]


def test_headings_are_not_folded_to_the_width_of_their_table(capsys):
    _screen.Screen(OutputOptions()).table(TextTable("A heading of some words", [("a", "1")]))
    assert capsys.readouterr().out == "A heading of some words\n  a  1\n"


def test_narrow_terminals_fold(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    console = _screen.make_console(stream)
    _screen.show_table(console, TextTable("Things", [("name", "word " * 20)]))
    said = stream.getvalue()
    assert max(len(re.sub("\x1b\\[[0-9;]*m", "", line)) for line in said.splitlines()) <= 30
    assert said.count("word") == 20
    assert "\x1b[3" not in said  # bold may stay, colours may not


@pytest.mark.parametrize("output", [OutputOptions(quiet=True), OutputOptions(json=True)])
def test_quiet_and_json_have_no_account(output, capsys):
    screen = _screen.Screen(output)
    screen.say("a")
    screen.lines("b")
    screen.wrote("c", "d")
    screen.table(TextTable("e", [("f",)]))
    screen.document({"g": 1})
    assert capsys.readouterr().out == ('{\n  "g": 1\n}\n' if output.json else "")


# ---------------------------------------------------------------- progress

EVENTS = [
    Stage("data", "reading 480 rows"),
    Stage("tune", "svc"),
    Candidate("svc", {"C": 1.0, "gamma": 0.1}, 0.8, 0.01, 0.1, 1, 2),
    Candidate("svc", {"C": 10.0, "gamma": 0.1}, 0.9, 0.01, 0.1, 2, 2),
    Judged("svc", {"C": 10.0, "gamma": 0.1}, 0.9, 0.01, 0.3, "480 rows"),
    Judged("knn", {}, math.nan, math.nan, 0.0, "left out"),
    Stage("fit", "svc on 384 rows"),
    Fitting(1000, 1e-3, 0.2),
]


def test_progress_is_lines_where_there_is_no_terminal(capsys):
    with _screen.shown(quiet=False) as take:
        for event in EVENTS:
            take(event)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "reading 480 rows",
        "svc",
        "svc: best 0.9, C=10, gamma=0.1, 480 rows",
        "knn: left out",
        "svc on 384 rows",
    ]


def test_progress_is_a_live_table_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with _screen.shown(quiet=False) as take:
        for event in EVENTS:
            take(event)
    assert "svc" in stream.getvalue() and "0.9" in stream.getvalue()
    with _screen.shown(quiet=True) as take:
        assert take is None


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_help_lists_the_commands_and_exit_codes(words, tool):
    ended = tool(*words)
    assert ended.code == 0 and ended.err == ""
    for command in ("train", "predict", "explain", "check", "report", "export", "info", "Exit codes"):
        assert command in ended.out


@pytest.mark.parametrize("command", ["train", "predict", "explain", "check", "report", "export", "info"])
def test_every_command_explains_its_options(command, tool):
    ended = tool(command, "--help")
    assert ended.code == 0 and ended.err == ""
    for option in ("--json", "--quiet", "--debug", f"Usage: maxmargin {command}"):
        assert option in ended.out
    assert "None" not in ended.out


def test_help_loads_nothing_heavy(run_python):
    done = run_python("""
        import sys
        from maxmargin.cli import main
        for words in (["--help"], ["train", "--help"], ["trian"]):
            main(words)
        heavy = {"numba", "sklearn", "scipy", "numpy", "pyarrow", "matplotlib", "jinja2", "onnx"} & set(sys.modules)
        if heavy:
            sys.exit(f"help has loaded {sorted(heavy)}")
    """)
    assert "Usage: maxmargin COMMAND" in done.stdout


def test_options_keep_their_case(tool):
    out = tool("train", "--help").out
    assert "--C " in out and "--gamma " in out and "--drop-missing-target" in out


@pytest.mark.parametrize("option", ["C", "gamma", "kernel"])
def test_help_names_the_families_of_an_option(option, tool):
    from maxmargin.training._families import FAMILIES

    lines = tool("train", "--help").out.replace("│", " ").splitlines()
    first = next(k for k, line in enumerate(lines) if line.strip().startswith(f"--{option} "))
    last = next(k for k, line in enumerate(lines) if k > first and line.strip().startswith("--"))
    words = set(
        " ".join(lines[first:last]).replace(",", " ").replace(";", " ").replace(":", " ").replace(".", " ").split()
    )
    named = {name for name in FAMILIES if name in words}
    kernels = {"linear"} if option == "kernel" else set()
    assert named == {family.name for family in FAMILIES.values() if option in family.takes} | kernels


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["trian"], 'Unknown command "trian". Did you mean "train"?'),
        (["train"], "DATA"),
        (["train", "a.csv", "--gama", "1"], "Unknown option: --gama"),
        (["train", "a.csv", "--c", "1"], "Unknown option: --c"),
        (["train", "a.csv", "--C", "much"], 'unable to convert "much" into float'),
        (["predict", "a.mm"], "DATA"),
        (["export", "a.mm"], "--onnx"),
    ],
)
def test_mistakes_in_arguments_are_one_sentence(words, sentence, tool):
    ended = tool(*words)
    assert ended.code == 2 and ended.out == ""
    assert sentence in ended.err and ended.err.count("\n") == 1


def test_version(tool):
    from maxmargin import __version__

    assert tool("--version").out == f"{__version__}\n"


def test_main_takes_the_words_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["maxmargin", "--version"])
    assert main() == 0
    assert capsys.readouterr().out


def test_signals_are_given_back(tool):
    before = signal.getsignal(signal.SIGTERM)
    tool("--version")
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    "place", ["cyclopts.App.parse_args", "maxmargin.cli._app.make_app", "maxmargin.cli._main._run"]
)
def test_an_interrupt_that_is_swallowed_outside_a_command_is_not_lost(place, tool, monkeypatch, tmp_path):
    """As in a callback of a weak reference, where Python drops exceptions."""
    module, _, name = place.rpartition(".")
    function = getattr(resolve_name(module), name)

    def interrupted(*given, **options):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return function(*given, **options)

    monkeypatch.setattr(place, interrupted)
    before = signal.getsignal(signal.SIGINT)
    assert tool("info", tmp_path / "none.mm").code == 130
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("command", ["predict", "check", "explain", "report"])
def test_detectors_are_for_pictures(command, tool, tmp_path):
    from tests.persistence.zoo import case

    from maxmargin.persistence import save

    save(case("SlidingWindow").model, tmp_path / "detector.mm")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    ended = tool(command, str(tmp_path / "detector.mm"), str(tmp_path / "table.csv"))
    assert ended.code == 2 and "detector of objects in pictures, which takes no tables" in ended.err
