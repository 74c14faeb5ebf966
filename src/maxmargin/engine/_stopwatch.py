"""Seconds of work: what compiling takes is not part of them."""

from __future__ import annotations

import threading
import time
from typing import Any

from numba.core import event


class _Compiling(event.Listener):
    """Adds up the seconds in which any thread compiles: the threads of a fit wait for the one that does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running, self._begin, self._total = 0, 0.0, 0.0

    def seconds(self) -> float:
        """Seconds so far."""
        with self._lock:
            return self._total + (time.perf_counter() - self._begin if self._running else 0.0)

    def on_start(self, event: Any) -> None:
        with self._lock:
            if self._running == 0:
                self._begin = time.perf_counter()
            self._running += 1

    def on_end(self, event: Any) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                self._total += time.perf_counter() - self._begin


_COMPILING = _Compiling()
event.register("numba:compile", _COMPILING)


class Stopwatch:
    """Measures from its making on.

    Numba compiles a function when it is first called. A stopwatch leaves that time out: it is not part of the work, and
    the next run does not have it.
    """

    def __init__(self) -> None:
        self._begin, self._compiled = time.perf_counter(), _COMPILING.seconds()

    def seconds(self) -> float:
        """Seconds since the start, without those spent compiling."""
        return max(time.perf_counter() - self._begin - (_COMPILING.seconds() - self._compiled), 0.0)
