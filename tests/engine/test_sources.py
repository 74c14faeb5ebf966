"""What compiled code depends on: found by its imports, as Python's own parser finds them."""

import ast
from pathlib import Path

import pytest

from maxmargin.engine._sources import PACKAGE, _imports, name_of, package_digest, source_stamp, sources_of


def outside_functions(node):
    """All statements that run when a module is imported, but for those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from outside_functions(child)


def by_parser(path):
    """Files of the package that a file imports, by Python's parser."""
    found = set()

    def add(parts, names=()):
        target = PACKAGE.joinpath(*parts)
        if target.with_suffix(".py").is_file():
            found.add(target.with_suffix(".py"))
            return
        places = [target / "__init__.py"]
        places += [place for name in names for place in (target / f"{name}.py", target / name / "__init__.py")]
        found.update(place for place in places if place.is_file())

    for node in outside_functions(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "maxmargin":
                    add(name.name.split(".")[1:])
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            names = [name.name for name in node.names]
            if node.level:
                above = path.parents[node.level - 1].relative_to(PACKAGE).parts
                add([*above, *module], names)
            elif module[0] == "maxmargin":
                add(module[1:], names)
    return found


def test_imports_are_those_that_the_parser_finds():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 400
    for path in files:
        missed = by_parser(path) - _imports(path.read_text(encoding="utf-8"), path)
        assert not missed, f"{name_of(path)} imports {sorted(map(name_of, missed))}"


def test_files_with_compiled_code_import_at_their_top():
    """What a function imports is not looked at."""
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names}
        if names & {"jit", "jit_sums", "jit_exact", "jit_bare", "jit_within", "overload", "intrinsic"}:
            inside = [
                ast.unparse(inner)
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef)
                for inner in ast.walk(node)
                if isinstance(inner, ast.ImportFrom) and (inner.level or "maxmargin" in (inner.module or ""))
            ]
            assert not inside, f"{name_of(path)}: {inside}"


def test_what_is_imported_by_others_counts():
    names = set(map(name_of, sources_of(PACKAGE / "svm" / "_svc.py")))
    assert {"svm/_svc.py", "engine/__init__.py", "engine/_jit.py", "data/_storage.py"} <= names
    assert not any(name.startswith(("tree/", "cli/")) for name in names)


@pytest.mark.parametrize(
    "line",
    [
        "from maxmargin.engine import jit",
        "import maxmargin.engine",
        "import maxmargin.engine as engine, os",
        "from maxmargin.engine import (  # a comment with ) in it\n    jit,\n)",
        "from maxmargin import engine",
    ],
)
def test_files_outside_depend_on_what_they_import(tmp_path, line):
    path = tmp_path / "mine.py"
    path.write_text(f"{line}\n")
    names = set(map(name_of, sources_of(path)))
    assert {str(path), "engine/_jit.py"} <= names


def test_files_outside_without_imports_depend_on_themselves(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import numpy\nfrom . import other\n# from maxmargin.engine import jit\n")
    assert sources_of(path) == {path}
    before = source_stamp(path)
    path.write_text("import numpy as np\n")
    assert source_stamp(path) != before


def test_the_package_as_a_whole_has_a_checksum():
    assert package_digest() == package_digest()
    assert len(package_digest()) == 64 and Path(PACKAGE, "engine").is_dir()
