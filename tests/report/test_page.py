"""What a page may hold: no scripts, nothing from elsewhere, every text escaped, the same each time."""

import html
import re
import sys
import textwrap
from pathlib import Path
from threading import Event, Thread

import matplotlib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from maxmargin.linear_model import LogisticRegression
from maxmargin.report import Report, _render, report
from maxmargin.report._render import draw_svg
from maxmargin.svm import SVC, LinearSVC

NASTY = ["<script>alert(1)</script>", "quo\"te' & <b>", "$x^2 {{ 7 * 7 }} {% raw %}", "ünïcode 漢字 \u202e", "x" * 3000]


@pytest.fixture(scope="module")
def nasty():
    """Columns and classes of names that would break a page that trusts them."""
    X, k = make_blobs(60, centers=2, n_features=len(NASTY), cluster_std=6.0, random_state=0)
    y = np.array(["<img src=x onerror=alert(1)>", "a&b\"'"])[k]
    frame = pd.DataFrame(X, columns=NASTY)
    return report(SVC(kernel="linear").fit(frame, y), frame, y, title="</title><script>1</script>")


def test_texts_are_escaped(nasty, read):
    page = read(nasty.html)
    assert not page.crossed and not page.open
    assert "script" not in page.tags() and "img" not in page.tags() and "b" in page.tags()
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    for words in (NASTY[0], NASTY[1], NASTY[2], NASTY[3], "<img src=x onerror=alert(1)>", "</title><script>1</script>"):
        assert words in page.text
    assert "x" * 400 not in page.text


def test_pictures_write_names_as_they_are():
    def draw(figure):
        ax = figure.add_subplot()
        ax.plot([1, 2], [1, 1000])
        ax.set(yscale="log", xlabel="$\\frac{1}{$ <script>", title="a$b$c & d")

    svg = draw_svg("log", (3, 2), draw, label='say "<b>"')
    assert "$\\frac{1}{$ &lt;script&gt;" in svg and "a$b$c &amp; d" in svg
    assert "mathdefault" not in svg and ">1000<" in svg
    assert 'aria-label="say &quot;&lt;b&gt;&quot;"' in svg


ODD = [
    "data:image/png;base64,AAAA",
    'xlink:href="data:image/png;base64,AAAA"',
    '<image href="data:image/png;base64,AAAA"/>',
    '--><script>alert(1)</script><!-- id="x" href="#y" url(#z) #222223 font-family: serif',
    '</metadata><svg viewBox="0 0 1 1">',
    "\x00\x1b[31m\x7f \ud800",
]


@pytest.mark.parametrize("name", ODD)
def test_names_that_look_like_parts_of_a_page(name, two_classes, read, tmp_path):
    X, y = two_classes
    names = [name, *(f"column {j}" for j in range(1, np.shape(X)[1]))]
    model = LogisticRegression().fit(np.asarray(X), y)
    made = report(model, np.asarray(X), y, feature_names=names, class_names=[name, "other"], title=name)
    page = read(made.save(tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not page.crossed and not page.open and "script" not in page.tags()
    assert re.sub(r"[\x00\x1b\ud800]", "\ufffd", name) in page.text
    for _, target in references(page):
        assert not target.endswith(",AAAA")


def test_pictures_change_no_text():
    def draw(figure):
        figure.add_subplot().set(xlabel=ODD[0], ylabel='id="x" href="#y" url(#z) #222223 font-family: serif')

    svg = draw_svg("odd", (3, 2), draw, label="odd")
    assert f">{ODD[0]}<" in svg and '>id="x" href="#y" url(#z) #222223 font-family: serif<' in svg


def test_two_threads_do_not_share_their_settings():
    """The first leaves while the second draws: settings of neither may reach the other, or stay."""
    inside, left, seen, before = Event(), Event(), [], dict(matplotlib.rcParams)

    def second(figure):
        inside.set()
        left.wait(timeout=60)
        seen.append(matplotlib.rcParams["font.size"])

    thread = Thread(target=draw_svg, args=("second", (1, 1), second), kwargs={"label": ""})

    def first(figure):
        thread.start()
        inside.wait(timeout=0.2)  # in vain, if one draws at a time

    draw_svg("first", (1, 1), first, label="")
    left.set()
    thread.join(timeout=60)
    assert seen == [9.0]
    assert dict(matplotlib.rcParams) == before


def references(page):
    """Whatever a browser might follow."""
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "srcset", "poster", "background", "cite"):
            if attributes.get(name):
                yield tag, attributes[name]


def test_nothing_is_loaded(two_classes, read):
    X, y = two_classes
    text = report(SVC().fit(X, y), X, y).html
    page = read(text)
    ids = page.ids()
    for tag, target in references(page):
        assert target.startswith("data:") or (target[0] == "#" and target[1:] in ids), (tag, target)
    assert all(target.strip("'\"").startswith(("#", "data:")) for target in re.findall(r"url\(([^)]*)\)", text))
    assert "@import" not in text and "@font-face" not in text and "script" not in page.tags()
    without_names = re.sub(r'xmlns(:xlink)?="http://www\.w3\.org/[^"]+"', "", text)
    assert not re.search(r"(https?:)?//[a-z]", re.sub(r"data:image/png;base64,[A-Za-z0-9+/=\s]+", "", without_names))
    (policy,) = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "base-uri 'none'" in policy and "form-action 'none'" in policy  # these two have no default


@pytest.mark.usefixtures("no_pictures")
def test_style_for_dark_pages_and_paper(two_classes):
    X, y = two_classes
    text = report(LinearSVC().fit(X, y), X, y).html
    assert "@media screen and (prefers-color-scheme: dark)" in text  # of screens only: paper is never dark
    assert "@media print" in text and "break-inside: avoid" in text


def test_same_page_each_time_whatever_the_settings(two_classes):
    X, y = two_classes
    model = SVC().fit(X, y)
    first = report(model, X, y)
    with matplotlib.rc_context({"font.size": 30.0, "axes.facecolor": "red", "svg.fonttype": "path"}):
        before = dict(matplotlib.rcParams)
        second = report(model, X, y)
        assert dict(matplotlib.rcParams) == before
    assert first.html == second.html and first.data == second.data
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_twenty_six_classes(read):
    X, k = make_blobs(208, centers=26, n_features=4, cluster_std=3.0, random_state=0)
    y = np.array([chr(65 + i) for i in range(26)])[k]
    model = LogisticRegression().fit(X, y)
    page = report(model, X, y)
    assert set(page.pictures) == {"confusion", "calibration"}
    assert len(page.data["result"]["classes"]) == 26 and len(page.data["result"]["pairs"]) == 8
    worst = max(page.data["result"]["pairs"], key=lambda pair: pair["rows"])
    said = model.predict(X)
    assert worst["rows"] == ((y == worst["is"]) & (said == worst["predicted"])).sum()
    assert "26 classes" in page.data["answer"][0]["words"]
    assert len(page.html) < 1_000_000 and not read(page.html).crossed


@pytest.mark.usefixtures("no_pictures")
def test_many_columns_are_cut_and_counted(read):
    X, y = make_blobs(60, centers=2, n_features=200, cluster_std=30.0, random_state=0)
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(200)])
    page = report(LinearSVC().fit(frame, y), frame, y)
    seen = read(page.html)
    assert len(page.data["data"]["shown"]) == 60 and page.data["data"]["left_out"] == 140
    assert "140 columns are not shown." in seen.text
    assert "185 smaller ones are not shown." in seen.text
    assert page.data["samples"]["left_out"] == 192 or not page.data["samples"]["groups"]


@pytest.mark.usefixtures("no_pictures")
def test_sparse_rows(read):
    X = sp.random(80, 300, 0.05, format="csr", random_state=0)
    y = np.asarray(X[:, :100].sum(axis=1)).ravel() > np.asarray(X[:, 100:200].sum(axis=1)).ravel()
    page = report(SVC(C=0.1).fit(X, y), X, y)
    assert page.data["certificate"]["state"] == "confirmed"
    assert "The table is sparse: 5.00% of its values are stored." in read(page.html).text
    group = page.data["samples"]["groups"][0]
    row = group["rows"][0]["row"]
    first = X[[row]].indices.min()
    assert group["rows"][0]["cells"][-1].startswith(f"{first}: ")


def test_many_rows_make_a_small_page():
    X, y = make_blobs(3000, centers=2, n_features=2, cluster_std=3.0, random_state=0)
    page = report(SVC(C=0.1).fit(X, y), X, y)
    assert "margin" in page.pictures and "800" in page.pictures["margin"]
    assert len(page.html) < 1_000_000


@pytest.mark.usefixtures("no_pictures")
def test_notebooks_get_a_frame(two_classes, read):
    X, y = two_classes
    page = report(LinearSVC().fit(X, y), X, y)
    shown = read(page._repr_html_())
    assert shown.tags() == {"iframe"}
    ((_, attributes),) = shown.elements
    assert html.unescape(attributes["srcdoc"]) == html.unescape(page.html)
    assert "sandbox" in attributes and "src" not in attributes
    assert repr(page).splitlines()[0] == f"Report: {page.data['title']}"


def test_saving_is_all_or_nothing(tmp_path, monkeypatch):
    place = tmp_path / "report.html"
    page = Report({"title": "old"})
    monkeypatch.setattr(Report, "html", "ä page")
    assert page.save(place) == place and place.read_bytes() == "ä page".encode()
    page.save(str(place))
    monkeypatch.setattr(Report, "html", "broken \udc80")  # no UTF-8
    with pytest.raises(UnicodeEncodeError):
        page.save(place)
    assert place.read_bytes() == "ä page".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(("module", "name"), [("jinja2", "Jinja2"), ("matplotlib", "Matplotlib")])
def test_missing_extras_are_named(module, name, monkeypatch, two_classes):
    X, y = two_classes
    model = LinearSVC().fit(X, y)
    monkeypatch.setattr(_render, "find_spec", lambda asked: None if asked == module else object())
    with pytest.raises(ImportError, match=rf"{name}.*pip install 'maxmargin\[report\]'"):
        model.report(X, y)


def test_estimators_do_not_load_the_page(run_python):
    run_python("""
        import sys
        import maxmargin.svm
        loaded = {"jinja2", "matplotlib", "maxmargin.report", "maxmargin.training"} & set(sys.modules)
        if loaded:
            sys.exit(f"import maxmargin.svm has loaded {sorted(loaded)}")
        import maxmargin.report
        loaded = {"jinja2", "matplotlib"} & set(sys.modules)
        if loaded:
            sys.exit(f"import maxmargin.report has loaded {sorted(loaded)}")
    """)


@pytest.mark.usefixtures("no_pictures")
def test_code_of_the_manual(tmp_path, monkeypatch, read):
    text = (Path(__file__).parents[2] / "docs" / "report.rst").read_text(encoding="utf-8")
    (block,) = re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    scope = {}
    exec(compile(textwrap.dedent(block), "report.rst", "exec"), scope)
    assert scope["page"].data["certificate"]["state"] == "confirmed"
    assert "Is a tumour malignant?" in read(Path("report.html").read_text(encoding="utf-8")).text
