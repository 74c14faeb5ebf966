"""Who is told while candidates are tried, and when the time for that is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from ..messages import Candidate, ProgressEvent
from ..search import SearchState, standard_error


class Reporter:
    """Events to whoever listens, one at a time, and the end of the time for tuning.

    Parameters
    ----------
    progress : callable or None
    deadline : float or None
        Of `time.perf_counter`.

    """

    def __init__(self, progress: Callable[[ProgressEvent], Any] | None, deadline: float | None) -> None:
        self._progress, self.deadline = progress, deadline
        self._lock = Lock()

    @property
    def out_of_time(self) -> bool:
        """Whether the time for tuning has passed."""
        return self.deadline is not None and time.perf_counter() > self.deadline

    def tell(self, event: ProgressEvent) -> None:
        """Pass an event on."""
        if self._progress is not None:
            with self._lock:
                self._progress(event)


class StateMonitor:
    """Stands where a search's own monitor stands: tells of finished candidates, stops the search in time.

    Called under the lock of the state.
    """

    verbose = True  # or the search would not call

    def __init__(self, state: SearchState, family: str, reporter: Reporter) -> None:
        self._state, self._family, self._reporter = state, family, reporter
        self._told = np.zeros(len(state.grid), dtype=bool)
        self.stopped = False

    def report(self, scores: np.ndarray, done: np.ndarray, marks: dict[int, str], last: bool = False) -> None:
        """Tell of candidates that were finished since."""
        for k in np.flatnonzero(done.all(axis=1) & ~self._told).tolist():
            self._told[k] = True
            record = self._state.record
            seconds = float((record.fit_seconds[k] + record.score_seconds[k]).sum())
            event = Candidate(
                self._family,
                {name: float(value) for name, value in self._state.grid.candidates[k].items()},
                float(scores[k].mean()),
                standard_error(scores[k]),
                seconds,
                int(self._told.sum()),
                len(self._told),
            )
            self._reporter.tell(event)
        if self._reporter.out_of_time and not last:
            self.stopped = True
            self._state.stop()

    def say(self, text: str) -> None:
        """Nothing: notes are collected elsewhere."""


class Reporting:
    """For a search: it reports to a `Reporter`. To be mixed in in front of it."""

    reporter: Reporter
    family: str
    monitor: StateMonitor | None = None

    def _monitor_of(self, state: SearchState) -> StateMonitor:
        self.monitor = StateMonitor(state, self.family, self.reporter)
        return self.monitor
