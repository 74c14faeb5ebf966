"""The scripts of the manual about a user's own loss, penalty, kernel and solver: short, complete, and proven."""

import re
import textwrap
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "extending.rst").read_text(encoding="utf-8")
SCRIPTS = [
    textwrap.dedent(block)
    for block in re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", PAGE, re.MULTILINE)
]


def test_there_is_one_for_each():
    assert [re.search(r"loss=|penalty=|kernel=|solver=", script.splitlines()[-1]) is not None for script in SCRIPTS]
    assert len(SCRIPTS) == 4


@pytest.mark.parametrize("script", SCRIPTS, ids=["loss", "penalty", "kernel", "solver"])
def test_a_script_prints_a_certificate(script, capsys):
    script = script.strip()
    assert len(script.splitlines()) < 25
    exec(compile(script, "extending.rst", "exec"), {"__name__": "script"})
    printed = capsys.readouterr().out
    assert printed.startswith("Certificate")
    assert re.search(r"status +converged", printed)
    gap = float(re.search(r"relative gap +(\S+)", printed).group(1))
    assert 0 <= gap <= 1e-3
