"""Seconds without compiling, on a clock that the test moves."""

from __future__ import annotations

import numba
import pytest

from maxmargin.engine import Stopwatch, _stopwatch


class _Clock:
    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    found = _Clock()
    monkeypatch.setattr(_stopwatch, "time", found)
    return found


def test_compiling_is_not_counted(clock: _Clock) -> None:
    watch, compiling = Stopwatch(), _stopwatch._COMPILING
    clock.now = 1.0
    compiling.on_start(None)
    clock.now = 5.0
    compiling.on_start(None)  # a function that the first one calls, or another thread's
    clock.now = 6.0
    assert watch.seconds() == 1.0
    compiling.on_end(None)
    clock.now = 7.0
    compiling.on_end(None)
    clock.now = 9.0
    assert watch.seconds() == 3.0


def test_numba_says_when_it_compiles(clock: _Clock) -> None:
    """The clock moves while a function is compiled, and not the stopwatch."""

    @numba.njit
    def compiled(x):  # type: ignore[no-untyped-def]
        return x + 1

    class _Mover(numba.core.event.Listener):
        def on_start(self, event):  # type: ignore[no-untyped-def]
            clock.now += 10.0

        def on_end(self, event):  # type: ignore[no-untyped-def]
            pass

    mover = _Mover()
    watch = Stopwatch()
    with numba.core.event.install_listener("numba:compile", mover):
        assert compiled(1) == 2
    assert clock.now >= 10.0
    assert watch.seconds() == 0.0
