"""The tour of the manual shows what the commands print."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def tour():
    """The script that runs the page."""
    spec = importlib.util.spec_from_file_location("tour", DOCS / "tour.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_the_commands_print(tour):
    shown = tour.PAGE.read_text(encoding="utf-8")
    different = tour.differences(shown, tour.run_page(shown))
    assert not different, "\n".join([*different, "python docs/tour.py writes the page anew"])


def test_the_page_shows_every_command(tour):
    shown = tour.PAGE.read_text(encoding="utf-8")
    from maxmargin.cli._app import COMMANDS

    assert ":doc:`playground`" in shown  # which prints an address and waits
    assert not [name for name in COMMANDS if name != "playground" and f"$ maxmargin {name} " not in shown]


def test_differences_are_found(tour):
    assert tour.differences("a 1.00 b\nc", "a 1.01 b\nc") == []
    assert tour.differences("  seconds 3\n", "  seconds 9\n") == []
    times = "svc 0.8 ± 0.02  C=1573   {}  64 candidates on 480 rows"
    assert tour.differences(times.format("1.6"), times.format("0.47")) == []
    assert len(tour.differences(times.format("1.6"), times.format("1.6").replace("64", "81"))) == 1
    assert len(tour.differences("a 1 b", "a 2 b")) == 1
    assert len(tour.differences("a 1 b", "a 1 c")) == 1
    assert len(tour.differences("a", "a\nb")) == 1
