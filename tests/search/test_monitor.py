"""What a search shows."""

import io

import numpy as np

from maxmargin.search import Grid
from maxmargin.search._monitor import SearchMonitor

GRID = Grid(("C", "gamma"), (np.array([0.1, 1.0]), np.array([0.01, 0.1, 1.0])))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def _state():
    scores = np.full((6, 2), np.nan)
    scores[0], scores[1, 0] = [0.8, 0.9], 0.7
    return scores, np.isfinite(scores), {5: "dropped"}


def test_a_terminal_shows_the_grid_and_redraws_it(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    stream = Terminal()
    monitor = SearchMonitor(True, GRID, 2, stream)
    monitor.report(*_state())
    first = stream.getvalue()
    assert "0.8500" in first and "0.7000'" in first and "dropped" in first
    assert "3 of 12 fits, best 0.8500 at C=0.1, gamma=0.01" in first and "left" in first
    monitor.report(*_state(), last=True)
    assert "\x1b[4F" in stream.getvalue()[len(first) :]  # three lines of the grid and one below it
    monkeypatch.setenv("LINES", "3")
    small = Terminal()
    SearchMonitor(True, GRID, 2, small).report(*_state())
    assert small.getvalue().count("\n") == 1


def test_a_pipe_gets_lines_without_escapes():
    stream = io.StringIO()
    monitor = SearchMonitor(True, GRID, 2, stream)
    for _ in range(10):
        monitor.report(*_state())
    monitor.report(*_state(), last=True)
    assert stream.getvalue().count("\n") == 2
    assert "\x1b" not in stream.getvalue()


def test_silence(numbers, regressor, capsys):
    regressor().fit(*numbers)
    assert capsys.readouterr() == ("", "")
    regressor(verbose=True).fit(*numbers)
    shown = capsys.readouterr()
    assert shown.out == "" and "20 of 20 fits, best" in shown.err
