"""What a search shows while it runs: a grid of scores with the time left."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any

import numpy as np

from ._grid import Grid

_WIDTH = 8  # of a cell in the grid
# Seconds between two pictures: on a terminal, and in a file that somebody will read later.
_REDRAW, _LINE = 0.1, 5.0


class SearchMonitor:
    """Shows the state of a search on standard error, in place on a terminal, else a line every few seconds.

    Parameters
    ----------
    verbose : bool or int
        Nothing is shown if it is false.
    grid : Grid
    folds : int
        Number of folds.
    stream : file, optional
        Where to; standard error by default.

    """

    def __init__(self, verbose: bool | int, grid: Grid, folds: int, stream: Any = None) -> None:
        self.verbose, self.grid, self.folds = bool(verbose), grid, folds
        self._stream = stream
        self._begin = time.perf_counter()
        self._shown = -np.inf
        self._start: int | None = None
        self._lines = 0

    def report(self, scores: np.ndarray, done: np.ndarray, marks: dict[int, str], last: bool = False) -> None:
        """Show the scores so far; `marks` stand in the cells of candidates that are dropped or failed."""
        if not self.verbose:
            return
        now, stream = time.perf_counter(), self._out()
        if self._start is None:  # a resumed search has some cells already, which took no time now
            self._start = max(0, int(done.sum()) - 1)
        terminal = stream.isatty()
        if not last and now - self._shown < (_REDRAW if terminal else _LINE):
            return
        self._shown = now
        summary = self._summary(scores, done, marks, now - self._begin)
        if terminal:
            self._redraw(stream, [*self._table(scores, done, marks), summary])
        else:
            print(summary, file=stream, flush=True)

    def say(self, text: str) -> None:
        """One more line, below the grid."""
        if self.verbose:
            self._lines = 0
            print(f"maxmargin: {text}", file=self._out(), flush=True)

    def _out(self) -> Any:
        return sys.stderr if self._stream is None else self._stream

    def _summary(self, scores: np.ndarray, done: np.ndarray, marks: dict[int, str], seconds: float) -> str:
        closed = np.zeros(len(done), dtype=bool)
        closed[list(marks)] = True
        left, finished = int((~done[~closed]).sum()), int(done.sum())
        text = f"maxmargin: {finished} of {done.size} fits"
        complete = done.all(axis=1)
        if complete.any():
            means = np.where(complete, np.where(done, scores, 0.0).mean(axis=1), -np.inf)
            best = int(np.argmax(means))
            text += f", best {means[best]:.4f} at {self.grid.name(best)}"
        new = finished - (self._start or 0)
        rest = f", about {_clock(seconds * left / new)} left" if left and new > 0 else ""
        return text + f", {_clock(seconds)}{rest}"

    def _table(self, scores: np.ndarray, done: np.ndarray, marks: dict[int, str]) -> list[str]:
        """The grid, C downwards and gamma across; nothing where the terminal is too small for it."""
        across = self.grid.values[1] if len(self.grid.values) == 2 else np.array([np.nan])
        size = shutil.get_terminal_size()
        if len(self.grid.values[0]) + 3 > size.lines or (len(across) + 1) * (_WIDTH + 1) > size.columns:
            return []
        heads = [f"{'C | gamma':>{_WIDTH + 1}}", *(f"{g:>{_WIDTH}.3g}" for g in across)]
        lines = [" ".join(heads) if len(self.grid.values) == 2 else f"{'C':>{_WIDTH + 1}} {'score':>{_WIDTH}}"]
        count = done.sum(axis=1)
        means = np.where(done, scores, 0.0).sum(axis=1) / np.maximum(count, 1)
        for row, C in enumerate(self.grid.values[0]):
            cells = [f"{C:>{_WIDTH + 1}.3g}"]
            for column in range(len(across)):
                k = row * len(across) + column
                # an apostrophe stands beside a mean that is not over all folds yet
                text = "." if not count[k] else f"{means[k]:.4f}" + ("" if done[k].all() else "'")
                cells.append(f"{marks.get(k, text):>{_WIDTH}}")
            lines.append(" ".join(cells))
        return lines

    def _redraw(self, stream: Any, lines: list[str]) -> None:
        back = f"\x1b[{self._lines}F" if self._lines else ""
        stream.write(back + "".join(f"\x1b[2K{line}\n" for line in lines))
        stream.flush()
        self._lines = len(lines)


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = int(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
