"""Events as they are shown: on a terminal, in a notebook, in a log."""

import io
import math
import sys
import threading
import types

from maxmargin.messages import (
    BytesRead,
    Candidate,
    Fitting,
    Judged,
    ProgressDisplay,
    ProgressState,
    RowsPredicted,
    Stage,
)

EVENTS = [
    Stage("tune", "svc"),
    Candidate("svc", {"C": 1.0, "gamma": 0.1}, 0.8, 0.01, 0.1, 1, 2),
    Candidate("svc", {"C": 10.0, "gamma": 0.1}, 0.9, 0.01, 0.1, 2, 2),
    Judged("svc", {"C": 10.0, "gamma": 0.1}, 0.9, 0.01, 0.3, "480 rows"),
    Judged("knn", {}, math.nan, math.nan, 0.0, "left out"),
    Stage("fit", "svc on 384 rows"),
    Fitting(1000, 1e-3, 0.2),
]


def test_the_best_of_each_family_is_kept():
    state = ProgressState()
    threads = [threading.Thread(target=state.take, args=(event,)) for event in EVENTS[1:3]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.table().rows[0][:4] == ("svc", "2", "0.9", "C=10, gamma=0.1")
    for event in EVENTS[3:]:
        state.take(event)
    assert [row[-1] for row in state.table().rows] == ["480 rows", "left out"]
    assert state.table().rows[1][2] == ""
    assert "svc on 384 rows" in state.status() and "1,000 steps, gap 1.0e-03" in state.status()


def test_a_log_has_a_line_after_each_pause():
    rare, often = io.StringIO(), io.StringIO()
    for stream, pause in ((rare, 1e6), (often, 0.0)):
        with ProgressDisplay(stream, pause=pause) as shown:
            for event in EVENTS[:4]:
                shown.take(event)
    assert rare.getvalue().splitlines() == ["svc", "svc: best 0.9, C=10, gamma=0.1, 480 rows"]
    assert often.getvalue().splitlines()[1:3] == ["svc: 1 of 2 tried, best 0.8", "svc: 2 tried, best 0.9"]


def test_bytes_and_rows_make_no_lines():
    stream = io.StringIO()
    with ProgressDisplay(stream, pause=0.0) as shown:
        shown.take(BytesRead(1_500_000, 3_000_000))
        assert shown.state.status() == "reading, 1.5 of 3.0 MB"
        shown.take(RowsPredicted(2000))
        assert shown.state.status() == "2,000 rows"
    assert stream.getvalue() == ""


def test_a_fit_by_itself_says_who_speaks():
    stream = io.StringIO()
    with ProgressDisplay(stream, pause=0.0) as shown:
        shown.take(Fitting(7, 0.25, 1.5, "a against b", 0.5))
    assert stream.getvalue() == "maxmargin: a against b: iteration 7, violation 5.00e-01, gap 2.50e-01, 1.5 s\n"


def test_names_cannot_move_the_cursor():
    stream = io.StringIO()
    with ProgressDisplay(stream) as shown:
        shown.take(Stage("data", "column \x1b[31m"))
    assert stream.getvalue() == "column \\x1b[31m\n"


class Cell:
    """What IPython gives to change what a cell shows."""

    def __init__(self):
        self.texts = []

    def display(self, bundle, raw, display_id):
        self.texts.append(bundle["text/plain"])
        return self

    def update(self, bundle, raw):
        self.texts.append(bundle["text/plain"])


def test_a_notebook_has_a_cell_that_changes(monkeypatch):
    cell = Cell()
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=cell.display))
    stream = io.StringIO()
    with ProgressDisplay(stream) as shown:
        for event in EVENTS:
            shown.take(event)
    assert stream.getvalue() == "" and cell.texts[0].startswith("svc · ")
    lines = cell.texts[-1].splitlines()
    assert lines[0].split() == ["family", "tried", "best", "with", "seconds"]
    assert lines[1].split() == ["svc", "2", "0.9", "C=10,", "gamma=0.1", "0.3", "480", "rows"]
    assert lines[-1].startswith("svc on 384 rows · 1,000 steps")
