"""The code in README.md and in the manual runs as pasted, and prints what it is said to print."""

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*(ROOT / "docs").glob("*.rst"), *(ROOT / "docs" / "howto").glob("*.rst")])


@pytest.fixture(autouse=True)
def headless_in_an_empty_folder(tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def python_blocks_of_page(page):
    pattern = r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)"
    return [textwrap.dedent(block) for block in re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE)]


def test_readme_code_runs_in_order_and_prints_what_is_shown(tmp_path, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    namespace = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    printed = capsys.readouterr().out.splitlines()
    shown = re.search(r"^```\n(Certificate.*?)^```", README, re.MULTILINE | re.DOTALL).group(1).splitlines()
    varies = re.compile(r"relative gap|largest KKT violation|iterations|seconds")
    for line in shown:
        if line and not varies.search(line):
            assert line in printed
    assert (tmp_path / "margin.png").stat().st_size > 10_000


def test_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert "docs/_static/margin.png" in links
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]


def test_picture_of_the_readme_is_light():
    assert (ROOT / "docs/_static/margin.png").stat().st_size < 150_000


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_blocks_of_page(page)], ids=lambda page: f"{page.parent.name}/{page.stem}"
)
def test_code_of_the_manual_runs(page):
    namespace = {}
    for block in python_blocks_of_page(page):
        exec(compile(block, page.name, "exec"), namespace)
