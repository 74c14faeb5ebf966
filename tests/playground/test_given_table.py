"""The table of a saved model: two of its columns are drawn, the others can be chosen."""

import numpy as np
import pyarrow as pa
import pytest

from maxmargin.cli import main
from maxmargin.demo import table_path
from maxmargin.playground import _serve
from maxmargin.playground._table import given_table

from .conftest import Command, Playground
from .serving import serving


@pytest.fixture(scope="module")
def apples(tmp_path_factory):
    """A model that was trained by the tool, and its table."""
    folder = tmp_path_factory.mktemp("model")
    out = folder / "apples.mm"
    options = ["--target", "keeps", "--model", "linear", "--C", "1", "--out", str(out), "--quiet"]
    assert main(["train", str(table_path()), *options]) == 0
    return out


def test_the_first_columns_are_drawn_and_others_can_be(browser, apples):
    own = Command(str(apples), str(table_path()))
    page = Playground(browser, own.address)
    names = page.js("playground.state.now.names")
    assert names["classes"] == page.js("playground.table.found.words[playground.table.found.groups.indexOf('keeps')]")
    assert "keeps" not in names["axes"] and len(page.points) > 100
    page.page.click("#table-open")
    assert page.page.inner_text("#table-about") == "The columns of apples.csv."
    axes = page.js("playground.table.found.axes")
    other = next(name for name in axes if name not in (*names["axes"], "keeps"))
    page.page.select_option("#table-y", label=other)
    page.page.click("#table-use")
    page.rest()
    assert page.js("playground.state.now.names.axes") == [names["axes"][0], other]
    column = page.js("n => [...playground.table.found.arrays['n' + n]]", axes.index(other))
    assert {p[1] for p in page.points} <= set(column)
    page.close()
    assert own.end() == (0, "")


def test_what_is_missing_is_said(apples, tmp_path, capsys):
    assert main(["playground", str(apples)]) == 2
    assert "name its table as well: maxmargin playground apples.mm DATA" in capsys.readouterr().err
    assert main(["playground", str(tmp_path / "none.mm"), str(table_path())]) == 2
    assert "none.mm" in capsys.readouterr().err
    assert main(["playground", str(apples), str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err
    assert main(["playground", "nothing-like-a-link"]) == 2
    assert "copy the whole link" in capsys.readouterr().err


def test_tables_without_numbers_are_refused_before_a_page_is_opened():
    with pytest.raises(ValueError, match="no column of numbers"):
        _serve.serve(table=pa.table({"a": ["x", "y"]}), browser=False)


def test_many_rows_are_drawn_from_at_random():
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=20_000), "y": np.arange(20_000), "k": rng.integers(0, 3, 20_000)})
    header, arrays = given_table(table, "k", "many.csv")
    assert (header["rows"], header["of"], header["target"]) == (5000, 20_000, "k")
    rows = arrays["n1"].astype(int)
    assert len(set(rows)) == 5000 and np.array_equal(arrays["n0"], table["x"].to_numpy()[rows])
    assert arrays["n1"].mean() == pytest.approx(10_000, rel=0.05)


def test_a_target_of_numbers_is_drawn_as_a_curve(browser):
    table = pa.table({"size": np.linspace(0, 4, 30), "shade": np.zeros(30), "price": np.linspace(0, 4, 30) ** 2})
    with serving(given=given_table(table, "price", "prices.csv")) as served:
        page = Playground(browser, served.page)
        assert page.js("playground.state.now.task") == "curve"
        assert page.js("playground.state.now.names.axes") == ["size", "price"]
        assert page.points[-1][:2] == [4.0, 16.0]
        page.close()
