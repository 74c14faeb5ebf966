"""Progress: shown, recorded, and the way to stop."""

import io
import sys

import pytest

from maxmargin.solvers import Monitor


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_silent_by_default(capfd):
    monitor = Monitor()
    assert not monitor.wants_reports
    assert monitor.report(1, 0.5, 0.1) is False
    monitor.close("done")
    assert capfd.readouterr() == ("", "")


def test_plain_lines_where_there_is_no_terminal(capfd):
    monitor = Monitor(verbose=True, interval=0.0)
    assert monitor.wants_reports
    monitor.named("cats against dogs").report(100, 0.5, 0.125)
    monitor.report(200, 0.25, 0.0625)
    monitor.close("converged")
    out, err = capfd.readouterr()
    assert out == ""
    first, second, last = err.splitlines()
    assert first.startswith("maxmargin: cats against dogs: iteration 100, violation 5.00e-01, gap 1.25e-01, ")
    assert second.startswith("maxmargin: iteration 200, ")
    assert last == "maxmargin: converged"


def test_lines_are_rare_and_the_callback_hears_all(capfd):
    heard = []
    monitor = Monitor(verbose=True, callback=heard.append, interval=1e6)
    for k in range(5):
        monitor.report(k, 1.0, 1.0)
    assert len(capfd.readouterr().err.splitlines()) == 1
    assert [state["iteration"] for state in heard] == list(range(5))


def test_the_interval_is_for_all_problems_together(capfd):
    monitor = Monitor(verbose=True, interval=1e6)
    for name in ("a", "b", "c"):
        monitor.named(name).report(1, 1.0, 1.0)
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_callback_gets_the_state():
    heard = []
    Monitor(callback=heard.append).named("a against b").report(7, 0.5, 0.25)
    state = heard[0]
    assert (state["problem"], state["iteration"], state["violation"], state["gap"]) == ("a against b", 7, 0.5, 0.25)
    assert state["seconds"] >= 0


@pytest.mark.parametrize(("answer", "stops"), [(True, True), (None, False), (False, False)])
def test_callback_that_returns_true_stops(answer, stops):
    monitor = Monitor(callback=lambda state: answer)
    assert monitor.report(1, 1.0, 1.0) is stops


def test_one_problem_stops_them_all():
    whole = Monitor(callback=lambda state: state["problem"] == "second")
    first, second = whole.named("first"), whole.named("second")
    assert not first.report(1, 1.0, 1.0)
    assert second.report(1, 1.0, 1.0)
    assert first.report(2, 1.0, 1.0)
    assert whole.report(3, 1.0, 1.0)


def test_stop_from_outside():
    whole = Monitor()
    part = whole.named("a")
    assert not part.report(1, 1.0, 1.0)
    whole.stop()
    assert part.report(2, 1.0, 1.0)


def test_a_terminal_has_one_line_that_is_drawn_anew(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monitor = Monitor(verbose=True, interval=0.0)
    monitor.named("a against b").report(1234, 0.5, 0.25)
    monitor.report(5678, 0.5, 0.25)
    monitor.close("converged")
    text = terminal.getvalue()
    assert "1234" in text and "\x1b[2K" in text  # drawn, and taken away
    assert text.endswith("maxmargin: converged\n")


def test_a_terminal_without_rich(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monitor = Monitor(verbose=True, interval=0.0)
    monitor.report(1234, 0.5, 0.25)
    monitor.close()
    assert terminal.getvalue().startswith("maxmargin: iteration 1234, violation 5.00e-01")
