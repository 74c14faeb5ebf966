"""A training as it goes: a live table on a terminal, a line now and then elsewhere. All of it on standard error."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..messages import number, parameters
from ._errors import printable
from ._screen import Table, draw_table, make_console

if TYPE_CHECKING:
    from rich.console import Console

_PAUSE = 10.0  # seconds between two lines about the same thing where there is no terminal


@dataclass
class _Family:
    """How far the search of one family is."""

    tried: int = 0
    count: int = 0
    score: float = math.nan
    params: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    note: str = ""
    done: bool = False


def _tried(family: _Family) -> str:
    if family.tried >= family.count:  # all of them, or an open search
        return f"{family.tried}" if family.tried else ""
    return f"{family.tried} of {family.count}"


class Board:
    """What the events of a training have told so far. They may come from several threads."""

    def __init__(self) -> None:
        self.families: dict[str, _Family] = {}
        self.stage = "reading"
        self.fitting = ""
        self.begin = time.perf_counter()
        self.lock = threading.Lock()

    def take(self, event: Any) -> None:
        """Note one event of `maxmargin.training`."""
        kind = type(event).__name__
        with self.lock:
            if kind == "Stage":
                self.stage, self.fitting = event.detail or event.name, ""
            elif kind == "Candidate":
                family = self.families.setdefault(event.family, _Family())
                family.tried, family.count = max(family.tried, event.number), event.count
                family.seconds += event.seconds
                if not event.score <= family.score:  # the first one, or a better one
                    family.score, family.params = event.score, event.params
            elif kind == "Judged":
                self.families[event.family] = _Family(
                    *self._counts(event.family), event.score, event.params, event.seconds, event.note, done=True
                )
            elif kind == "Fitting":
                gap = f", gap {event.gap:.1e}" if math.isfinite(event.gap) else ""
                of = f" ({event.problem})" if event.problem else ""
                self.fitting = f"{event.iteration:,} steps{gap}{of}"

    def _counts(self, family: str) -> tuple[int, int]:
        known = self.families.get(family)
        return (known.tried, known.count) if known else (0, 0)

    def table(self) -> Table:
        """The families in the order of their search."""
        with self.lock:
            rows = [
                (
                    name,
                    _tried(f),
                    number(f.score),
                    parameters(f.params),
                    f"{f.seconds:.1f}" if f.seconds else "",
                    f.note if f.done else "...",
                )
                for name, f in self.families.items()
            ]
        return Table("", rows, ("family", "tried", "best", "with", "seconds", ""), right=(1, 2, 4))

    def status(self) -> str:
        """What is going on now."""
        seconds = time.perf_counter() - self.begin
        return " · ".join(part for part in (self.stage, self.fitting, f"{seconds:.0f} s") if part)


@contextmanager
def shown(quiet: bool) -> Iterator[Callable[[Any], None] | None]:
    """A function for ``train(progress=...)``; what it is told shows on standard error while the block runs."""
    if quiet:
        yield None
        return
    console = make_console(sys.stderr)
    if sys.stderr.isatty() and console.is_interactive:
        with _live(console) as take:
            yield take
    else:
        yield PlainLines(console).take


@contextmanager
def _live(console: Console) -> Iterator[Callable[[Any], None]]:
    from rich.console import Group
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    board = Board()
    spinner = Spinner("dots", style="cyan")

    def draw() -> Group:
        spinner.update(text=Text(printable(board.status()), style="dim"))
        table = board.table()
        return Group(draw_table(table), spinner) if table.rows else Group(spinner)

    # It goes when the work is done: the account on standard output has the final table.
    with Live(get_renderable=draw, console=console, refresh_per_second=6, transient=True, redirect_stdout=False):
        yield board.take


class PlainLines:
    """One line a stage and a family, and one every ten seconds in between."""

    def __init__(self, console: Console) -> None:
        self.board = Board()
        self.console = console
        self.last = time.perf_counter()

    def take(self, event: Any) -> None:
        """Note one event and say it if it is worth a line."""
        self.board.take(event)
        kind = type(event).__name__
        if kind == "Stage":
            self._line(self.board.stage)
        elif kind == "Judged":
            best = f"best {number(event.score)}" if math.isfinite(event.score) else ""
            self._line(f"{event.family}: " + ", ".join(p for p in (best, parameters(event.params), event.note) if p))
        elif time.perf_counter() - self.last >= _PAUSE:
            if kind == "Candidate":
                family = self.board.families[event.family]
                self._line(f"{event.family}: {_tried(family)} tried, best {number(family.score)}")
            else:
                self._line(self.board.status())

    def _line(self, text: str) -> None:
        self.last = time.perf_counter()
        self.console.print(printable(text), style="dim", soft_wrap=True)


@contextmanager
def bytes_shown(quiet: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """A function for ``read_table(progress=...)``; a terminal shows how much has been read."""
    console = make_console(sys.stderr)
    if quiet or not (sys.stderr.isatty() and console.is_interactive):
        yield None
        return
    with console.status("reading", spinner_style="cyan") as status:

        def told(done: int, total: int | None) -> None:
            share = f" of {total / 1e6:,.1f}" if total else ""
            status.update(f"reading, {done / 1e6:,.1f}{share} MB")

        yield told


@contextmanager
def rows_shown(quiet: bool) -> Iterator[Callable[[int], None]]:
    """A function that is told how many rows are done; a terminal shows it."""
    console = make_console(sys.stderr)
    if quiet or not (sys.stderr.isatty() and console.is_interactive):
        yield lambda rows: None
        return
    with console.status("reading", spinner_style="cyan") as status:
        yield lambda rows: status.update(f"{rows:,} rows")
