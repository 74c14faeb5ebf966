"""A tool that runs in this process, tables to run it on, and a model trained once."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from maxmargin.cli import main
from maxmargin.demo import table_path

pytest.importorskip("cyclopts")
pytest.importorskip("pyarrow")


@dataclass(frozen=True)
class Ended:
    """How a run of the tool ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def tool(capsys, monkeypatch, tmp_path):
    """A function: ``tool("train", path, ...) -> Ended``, in this process and an empty folder, with plain text."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "COLUMNS", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return run


@pytest.fixture
def process(tmp_path):
    """A function: the tool in a process of its own, in an empty folder."""

    def run(*words, **options):
        return subprocess.run(
            [sys.executable, "-m", "maxmargin", *map(str, words)],
            capture_output=True,
            timeout=300,
            cwd=tmp_path,
            env={**os.environ, **options.pop("env", {})},
            **options,
        )

    return run


@pytest.fixture(scope="session")
def apples():
    """The path of the bundled table."""
    return table_path()


@pytest.fixture(scope="session")
def trained(tmp_path_factory, apples):
    """The path of a model of the bundled table, with fixed parameters."""
    path = tmp_path_factory.mktemp("trained") / "apples.mm"
    words = [
        "train",
        apples,
        "--target",
        "keeps",
        "--model",
        "svc",
        "--C",
        10,
        "--gamma",
        0.03,
        "--out",
        path,
        "--quiet",
    ]
    assert main([str(word) for word in words]) == 0
    return path
