"""The page of the manual: its code runs, prints what the page shows, and makes its pictures."""

import contextlib
import io
import re
import textwrap
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "explaining.rst").read_text(encoding="utf-8")
BLOCK = re.compile(r"^\.\. code-block:: (python|text)\n\n((?:   .*\n|\n)+)", re.MULTILINE)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What each block prints beside what the page says, and the folder with the pictures."""
    plt = pytest.importorskip("matplotlib.pyplot")
    folder, namespace, pairs, printed = tmp_path_factory.mktemp("page"), {}, [], ""
    backend = plt.get_backend()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plt.switch_backend("Agg")
        for language, block in BLOCK.findall(TEXT):
            code = textwrap.dedent(block)
            if language == "text":
                pairs.append((printed.strip(), code.strip()))
                continue
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, "explaining.rst", "exec"), namespace)
            printed = out.getvalue()
    yield pairs, folder
    plt.close("all")
    plt.switch_backend(backend)


def test_page_shows_what_its_code_prints(page):
    assert len(page[0]) == 5
    for printed, shown in page[0]:
        assert printed == shown


def test_pictures_are_made_by_the_page(page):
    image = pytest.importorskip("PIL.Image")
    names = re.findall(r"^\.\. image:: _static/(\S+)$", TEXT, re.MULTILINE)
    assert names == ["path.png", "certificate.png", "kernel.png", "slacks.png", "margin_classes.png"]
    for name in names:
        with image.open(DOCS / "_static" / name) as kept, image.open(page[1] / name) as made:
            assert kept.size == made.size
