"""The page that helps to choose: its tables are those of the measurement, and its picture can be drawn again."""

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def choosing():
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("choosing", DOCS / "choosing.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_those_of_the_measurement(choosing):
    for what, file in choosing.TABLES.items():
        assert file.read_text(encoding="utf-8") == choosing.table(what)


def test_ten_sets_and_every_method_on_each(choosing):
    sets = json.loads(choosing.FIGURES.read_text(encoding="utf-8"))["sets"]
    assert len(sets) == 10
    assert len({tuple(facts["methods"]) for facts in sets.values()}) == 1


def test_the_picture_is_drawn_and_nothing_runs_out_of_it(choosing):
    figure = choosing.draw()
    figure.draw_without_rendering()
    page = figure.bbox
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert box.x0 >= page.x0 and box.x1 <= page.x1 and box.y0 >= page.y0 and box.y1 <= page.y1
    assert choosing.PICTURE.stat().st_size < 150_000
