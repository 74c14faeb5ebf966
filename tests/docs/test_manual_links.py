"""Links of the manual: what `make docs` checks of the pages that it has written."""

import importlib.util
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.fixture(scope="module")
def links():
    spec = importlib.util.spec_from_file_location("links", EXTENSIONS / "links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def manual(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "_static").mkdir()
    (tmp_path / "a b.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(
        '<h1 id="top">A</h1><a href="#top">up</a><a href="course/one.html#proof">proof</a><img src="a%20b.png">'
        '<a href="https://example.org/far#away">elsewhere</a><link rel="canonical" href="https://example.org/">'
    )
    (tmp_path / "course" / "one.html").write_text('<a name="proof"></a><a href="../index.html">back</a>')
    (tmp_path / "_static" / "macros.html").write_text('<link href="{{ a template of the theme }}">')
    return tmp_path


def test_a_manual_whose_links_lead_somewhere(links, manual):
    assert list(links.complaints(manual)) == []


@pytest.mark.parametrize(
    ("added", "complaint"),
    [
        ('<a href="gone.html">', "gone.html leads to no file"),
        ('<img src="gone.png">', "gone.png leads to no file"),
        ('<a href="#gone">', "#gone leads to no place of that page"),
        ('<a href="course/one.html#gone">', "course/one.html#gone leads to no place of that page"),
        ('<script src="https://example.org/x.js"></script>', "takes a network"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "takes a network"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(links, manual, added, complaint):
    with (manual / "index.html").open("a") as page:
        page.write(added)
    found = list(links.complaints(manual))
    assert len(found) == 1
    assert complaint in found[0] and found[0].startswith("index.html")


def test_a_complaint_is_a_warning_of_the_build(links, manual, caplog):
    class App:
        outdir = manual
        builder = type("Builder", (), {"format": "html"})

    links.check(App, None)
    assert caplog.records == []
    (manual / "course" / "one.html").unlink()
    links.check(App, None)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert caplog.records[0].name.startswith("sphinx.")
