"""The page of topics stays true: its names, their parameters and attributes and the tests that it names exist."""

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "topics.rst").read_text(encoding="utf-8")


def rows_of(page):
    """(topic, names, tests) of every row of every table, without the headings."""
    found = re.findall(
        r"^   \* - (.*?)\n     - (.*?)\n     - (.*?)(?=\n   \* - |\n\n|\Z)", page, re.MULTILINE | re.DOTALL
    )
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in found]
    return [row for row in rows if row != ("Topic", "Name", "Test")]


def names_in(cell):
    return re.findall(r":(?:class|func):`~(maxmargin(?:\.\w+)+)`", cell)


def resolve(name):
    room, _, attribute = name.rpartition(".")
    module = import_module(room)
    assert attribute in module.__all__, f"{name} is not public"
    return getattr(module, attribute)


@cache
def functions_in(file):
    """Names of a file's tests; those in classes with the class in front."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    methods = {
        f"{node.name}::{part.name}"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.FunctionDef)
    }
    return functions | methods


def complaints(row):
    """What is wrong with a row, in words."""
    topic, names, tests = row
    public = [resolve(name) for name in names_in(names)]
    if not public:
        yield f"{topic}: no public name"
    callables = [thing for thing in public if not (inspect.isclass(thing) and issubclass(thing, Exception))]
    parameters = {parameter for thing in callables for parameter in inspect.signature(thing).parameters}
    for stated in re.findall(r"``(\w+)=", names):
        if stated not in parameters:
            yield f"{topic}: nothing in its row takes {stated}"
    for stated in re.findall(r"``(\w+)``", names):
        if not any(hasattr(thing, stated) or re.search(rf"\b{stated}\b", thing.__doc__ or "") for thing in public):
            yield f"{topic}: nothing in its row has {stated}"
    named = re.findall(r"``([^`]+)``", tests)
    if not named:
        yield f"{topic}: no test"
    for test in named:
        file, _, function = test.partition("::")
        if not (ROOT / file).is_file():
            yield f"{topic}: there is no file {file}"
        elif not function.rpartition("::")[2].startswith("test_") or function not in functions_in(file):
            yield f"{topic}: there is no {test}"


@pytest.mark.parametrize("row", rows_of(PAGE), ids=lambda row: re.sub(r"\W+", "_", row[0])[:40])
def test_names_and_tests_exist(row):
    assert list(complaints(row)) == []


def test_every_line_of_the_tables_is_read():
    assert len(rows_of(PAGE)) == len(re.findall(r"^   \* - (?!Topic$)", PAGE, re.MULTILINE)) > 80
    named = re.findall(r"``(tests/[^`]+)``", PAGE)
    assert len(named) == sum(len(re.findall(r"``tests/", row[2])) for row in rows_of(PAGE))


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (("A", "nothing", "``tests/test_topics.py::test_names_and_tests_exist``"), "no public name"),
        (("A", ":class:`~maxmargin.svm.SVC`", ""), "no test"),
        (
            ("A", ":class:`~maxmargin.svm.SVC` with ``c=1``", "``tests/test_topics.py::rows_of``"),
            "nothing in its row takes c",
        ),
        (
            ("A", ":class:`~maxmargin.svm.SVC`", "``tests/test_topics.py::test_nothing``"),
            "there is no tests/test_topics",
        ),
        (("A", ":class:`~maxmargin.svm.SVC`", "``tests/test_topics.py::rows_of``"), "there is no tests/test_topics"),
        (("A", ":class:`~maxmargin.svm.SVC`", "``tests/nowhere.py::test_a``"), "there is no file tests/nowhere.py"),
        (("A", ":class:`~maxmargin.svm.SVC`: ``forest_``", ""), "nothing in its row has forest_"),
    ],
)
def test_what_is_wrong_is_found(row, complaint):
    assert any(complaint in found for found in complaints(row))
    with pytest.raises(AssertionError, match="is not public"):
        list(complaints(("A", ":func:`~maxmargin.svm.stated_gamma`", "")))
