"""The words of the field: retired ones occur nowhere, neither in the sources nor in what commands and reports say."""

import inspect
import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import is_classifier

import maxmargin
from maxmargin.cli import main
from maxmargin.demo import table_path

ROOT = Path(__file__).parents[2]
# Private words for the margin, its boundaries, and the rates of a classifier.
RETIRED = re.compile(r"\b(streets?|ker[b]s?|false[ _-]alarms?)\b|_false_alarm|kerb_|street_", re.IGNORECASE)
PATTERNS = ("src/maxmargin/**/*.py", "src/maxmargin/**/*.html", "src/maxmargin/**/*.css", "src/maxmargin/**/*.js")
PATTERNS += (
    "docs/*.rst",
    "docs/*.py",
    "docs/course/*.rst",
    "docs/howto/*.rst",
    "docs/examples/**/*.py",
    "docs/examples/**/*.rst",
    "benchmarks/**/*",
)
FILES = sorted(
    {
        path
        for pattern in PATTERNS
        for path in ROOT.glob(pattern)
        if path.suffix in {".py", ".rst", ".html", ".css", ".js", ".md"}
    }
)
FILES += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]


COMMANDS = ("train", "predict", "explain", "check", "report", "export", "info", "playground")


def lines_with_retired_words(text):
    return [line.strip() for line in text.splitlines() if RETIRED.search(line)]


def test_the_sources():
    assert len(FILES) > 500
    found = {str(path.relative_to(ROOT)): lines_with_retired_words(path.read_text(encoding="utf-8")) for path in FILES}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "word", ["The street is wide", "on the kerb", "a false alarm", "max_false_alarm=0.1", "False-alarm rate"]
)
def test_a_retired_word_is_seen(word):
    assert lines_with_retired_words(word)


def test_what_the_commands_and_the_report_say(tmp_path, monkeypatch, capfd):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    shutil.copy(table_path(), "apples.csv")
    for line in (
        "train apples.csv --target keeps --model linear --report apples.html",
        "info apples.mm",
        "explain apples.mm",
        "explain apples.mm apples.csv --row 1",
        "check apples.mm apples.csv",
        "predict apples.mm apples.csv --scores",
        "report apples.mm apples.csv --out again.html",
        "export apples.mm --onnx",
        "--help",
        *(f"{command} --help" for command in COMMANDS),
    ):
        main(line.split())
    said = "".join(capfd.readouterr())
    page = Path("apples.html").read_text(encoding="utf-8") + Path("again.html").read_text(encoding="utf-8")
    assert "relative gap" in said and "false positive rate" in page
    assert lines_with_retired_words(said + page) == []
    for word in ("recall", "precision"):
        assert f">{word}</th>" in page


def machines():
    for room in ("svm", "linear_model", "kernel_model"):
        module = import_module(f"maxmargin.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and hasattr(thing, "fit") and is_classifier(thing()):
                yield thing


@pytest.mark.parametrize("machine", list(machines()), ids=lambda machine: machine.__name__)
def test_every_machine_states_the_width_of_its_margin(machine):
    assert isinstance(inspect.getattr_static(machine, "margin_width_", None), property)


def test_the_package_is_the_one_that_is_read():
    assert Path(maxmargin.__file__).is_relative_to(ROOT)
