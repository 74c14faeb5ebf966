"""The state of a search while engines work on it."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from threading import RLock
from typing import Any

import numpy as np

from ._folds import Fold
from ._grid import Grid
from ._monitor import SearchMonitor
from ._outcome import Outcome, Record
from ._race import Race
from ._scoring import FoldScorer

# Bytes of out-of-fold values that are kept. A winner whose values had no place is trained once more: that costs one
# candidate, while the values of all of them can be larger than the data.
_VALUES = 2**26


class SearchError(RuntimeError):
    """An error in one cell and fold of a search with ``error_score="raise"``."""


class SearchState:
    """What is open, finished, dropped and failed; may be used from several threads.

    What trains candidates asks what is `open`, in any order, and enters what comes out. An error that belongs to one
    candidate and fold goes to `fail`; any other, KeyboardInterrupt too, passes. In a race it calls `drop` now and then,
    always at the same points of its work.

    Parameters
    ----------
    grid : Grid
    folds : list of Fold
    scorer : FoldScorer
    record : Record, optional
        What an earlier search has finished.
    race : Race, optional
        Drops candidates that cannot win any more.
    error_score : float or "raise"
    keep_values : bool
        Whether the winner's out-of-fold values will be asked for.

    """

    def __init__(
        self,
        grid: Grid,
        folds: list[Fold],
        scorer: FoldScorer,
        *,
        record: Record | None = None,
        race: Race | None = None,
        error_score: Any = np.nan,
        keep_values: bool = False,
    ) -> None:
        self.grid, self.folds = grid, folds
        self.record = Record.empty(len(grid), len(folds)) if record is None else record
        self.dropped = np.zeros(len(grid), dtype=bool)
        self.failures: dict[tuple[int, int], Exception] = {}
        self.race = race
        self._scorer, self._error_score, self._keep_values = scorer, error_score, keep_values
        self.monitor: Any = SearchMonitor(False, grid, len(folds))  # told how far the search is
        self._lock = RLock()
        self._waiting: deque[tuple[int, int, Outcome]] = deque()
        self._stopped = self._scoring = False
        self._only: int | None = None
        self.drop()

    def open(self, candidate: int, fold: int) -> bool:
        """Whether this is still to be done: not finished, failed or dropped, and nobody has stopped the search."""
        with self._lock:
            if self._only is not None:
                return not self._stopped and candidate == self._only and (candidate, fold) not in self.record.values
            return not (
                self._stopped
                or self.record.done[candidate, fold]
                or self.dropped[candidate]
                or (candidate, fold) in self.failures
            )

    def anything_open(self, fold: int | None = None) -> bool:
        """Whether anything is still to be done, in one fold or in any."""
        with self._lock:
            folds = range(len(self.folds)) if fold is None else [fold]
            return any(self.open(k, f) for f in folds for k in range(len(self.grid)))

    def enter(self, candidate: int, fold: int, outcome: Outcome) -> None:
        """Score and record what came out; an error of the scorer is recorded as a failure."""
        if self._only is not None:  # a second time for its values: it has its score
            with self._lock:
                self._keep((candidate, fold), np.array(outcome.values))
            return
        if self._scorer.scorer is None:
            self._score(candidate, fold, outcome)
            return
        with self._lock:
            self._waiting.append((candidate, fold, outcome))
            if self._scoring:
                return
            self._scoring = True
        self._score_waiting()

    def _score_waiting(self) -> None:
        """Score one after the other, on one thread: a user's scorer need not stand several.

        The other threads leave their outcomes and go on. Were they to wait, a scorer that trains machines of its own
        would wait for ever: for the shared pool, whose threads wait for the scorer.
        """
        try:
            while True:
                with self._lock:
                    if not self._waiting:
                        self._scoring = False
                        return
                    place = self._waiting.popleft()
                self._score(*place)
        except BaseException:
            with self._lock:
                self._scoring = False
            raise

    def _score(self, candidate: int, fold: int, outcome: Outcome) -> None:
        begin = time.perf_counter()
        try:
            score = self._scorer.score(self.folds[fold], outcome)
        except Exception as error:
            self.fail(candidate, fold, error)
            return
        seconds = time.perf_counter() - begin
        with self._lock:
            record, place = self.record, (candidate, fold)
            record.scores[place], record.fit_seconds[place] = score, outcome.seconds
            record.score_seconds[place] = seconds
            record.certificates[place] = outcome.certificates
            record.done[place] = True
            if self._keep_values:
                self._keep(place, np.array(outcome.values))
            self.report()

    def drop(self) -> None:
        """In a race, drop the candidates that cannot win any more.

        An engine asks for it between pieces of work, when none of its threads is busy: what is dropped, and with it
        where later candidates start from, must not depend on which thread was faster.
        """
        if self.race is not None:
            with self._lock:
                self.dropped |= self.race.losers(self.record.scores, self.record.done)
                self.dropped &= ~self.record.complete
                self.report()

    def fail(self, candidate: int, fold: int, error: Exception) -> None:
        """Record an error; with ``error_score="raise"`` it ends the search."""
        with self._lock:
            self.failures[candidate, fold] = error
            if isinstance(self._error_score, str):
                self._stopped = True
                raise SearchError(self.describe(candidate, fold, error)) from error
            self.report()

    def reopen(self, candidate: int) -> bool:
        """Open the folds of one candidate, and nothing else, whose values were not kept; False if there are none."""
        with self._lock:
            self._only, self._stopped = candidate, False
            return self.anything_open()

    def __getstate__(self) -> dict[str, Any]:
        """A copy for another process: it tells nobody, and has no values of what is finished."""
        state = {name: value for name, value in vars(self).items() if name not in ("_lock", "monitor", "_waiting")}
        state["record"] = replace(self.record, values={})
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock, self._waiting = RLock(), deque()
        self.monitor = SearchMonitor(False, self.grid, len(self.folds))

    def take_in(self, found: Record, failures: dict[tuple[int, int], Exception]) -> None:
        """Enter what was open here, and is finished in the record of a copy or has failed there."""
        with self._lock:
            record = self.record
            for candidate, fold in np.argwhere(found.done & ~record.done):
                for name in ("scores", "fit_seconds", "score_seconds", "certificates", "done"):
                    getattr(record, name)[candidate, fold] = getattr(found, name)[candidate, fold]
            for place, values in found.values.items():
                self._keep(place, values)
            self.failures.update(failures)
            self.report()

    def stop(self) -> None:
        """Nothing is open any more."""
        with self._lock:
            self._stopped = True

    def describe(self, candidate: int, fold: int, error: Exception) -> str:
        """An error in words that say where it happened."""
        return f"{self.grid.name(candidate)}, fold {fold}: {type(error).__name__}: {error}"

    @property
    def failed(self) -> np.ndarray:
        """Where there was an error."""
        out = np.zeros(self.record.done.shape, dtype=bool)
        for place in self.failures:
            out[place] = True
        return out

    def report(self, last: bool = False) -> None:
        """Tell the monitor."""
        if not self.monitor.verbose:
            return
        with self._lock:
            marks = {int(k): "dropped" for k in np.flatnonzero(self.dropped)}
            marks |= {k: "failed" for k, _ in self.failures}
            self.monitor.report(self.record.scores, self.record.done, marks, last)

    def _keep(self, place: tuple[int, int], values: np.ndarray) -> None:
        """Keep out-of-fold values as long as there is room; those of finished candidates that lost make room."""
        kept, record = self.record.values, self.record
        kept[place] = values
        if self._only is not None or sum(v.nbytes for v in kept.values()) <= _VALUES:
            return
        means = np.where(record.complete, np.where(record.done, record.scores, 0.0).mean(axis=1), np.nan)
        lost = means < np.nanmax(means, initial=-np.inf)
        for other in [p for p in kept if lost[p[0]]]:
            del kept[other]
        if sum(v.nbytes for v in kept.values()) > _VALUES:
            del kept[place]
