"""Rooms import from one another what their ``__init__`` exports: no private module, no private name, no string."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import maxmargin

ROOT = Path(maxmargin.__file__).parent


def breaches(source: str, path: str) -> Iterator[str]:
    """What a file of the package (its path below it) takes from other rooms without asking."""
    package = ["maxmargin", *Path(path).parts[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            target = [*above, *(node.module.split(".") if node.module else [])]
            taken = [[*target, name.name] for name in node.names]
        elif isinstance(node, ast.Import):
            taken = [name.name.split(".") for name in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            call = ast.unparse(node)
            own = "__package__" in call and "'.." not in call
            if not own and path != "__init__.py":  # rooms load on first use by name
                yield f"{path}:{node.lineno}: {call} hides an import from the linter"
            continue
        else:
            continue
        for name in taken:
            if name[0] == "maxmargin" and name[1:2] != package[1:2] and any(_is_private(part) for part in name[2:]):
                yield f"{path}:{node.lineno}: {'.'.join(name)} is private to its room"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_rooms_take_only_what_others_export():
    files = sorted(ROOT.rglob("*.py"))
    found = [breach for f in files for breach in breaches(f.read_text(encoding="utf-8"), str(f.relative_to(ROOT)))]
    assert len(files) > 400 and found == []


@pytest.mark.parametrize(
    "line, count",
    [
        ("from ..tree._tree import Tree, dense_rows", 2),
        ("from ..tree import _hidden", 1),
        ("from maxmargin.tree._tree import Tree", 1),
        ("import maxmargin.tree._tree", 1),
        ("import_module('maxmargin.report')", 1),
        ("from .. import engine as _engine", 0),
        ("from ..tree import Tree, __doc__", 0),
        ("from ._forest import Forest", 0),
        ("import_module('._forest', __package__)", 0),
        ("import_module(f'..{room}', __package__)", 1),
    ],
)
def test_breaches_are_found(line, count):
    assert len(list(breaches(line, "ensemble/_bagging.py"))) == count
    assert len(list(breaches(line.replace("from ..", "from ..."), "ensemble/deeper/_bagging.py"))) == count
