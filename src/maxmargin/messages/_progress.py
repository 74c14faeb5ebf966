"""The one display of progress: a live table on a terminal, a cell that changes in a notebook, lines elsewhere."""

from __future__ import annotations

import math
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._console import TextTable, draw_table, make_console, printable
from ._events import BytesRead, Candidate, Fitting, Judged, ProgressEvent, RowsPredicted, Stage
from ._format import number, parameters

_REDRAWN = 0.25  # seconds between two pictures in a notebook


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

    @property
    def progress(self) -> str:
        """``3 of 36``; the number alone of all of them, or of an open search."""
        if self.tried >= self.count:
            return f"{self.tried}" if self.tried else ""
        return f"{self.tried} of {self.count}"


class ProgressState:
    """What events have told so far. They may come from several threads."""

    def __init__(self) -> None:
        self.families: dict[str, _Family] = {}
        self.stage = ""
        self.step = ""
        self._begin = time.perf_counter()
        self._lock = threading.Lock()

    def take(self, event: ProgressEvent) -> None:
        """Note one event."""
        with self._lock:
            match event:
                case Stage():
                    self.stage, self.step = event.detail or event.name, ""
                case Candidate():
                    family = self.families.setdefault(event.family, _Family())
                    family.tried, family.count = max(family.tried, event.number), event.count
                    family.seconds += event.seconds
                    if not event.score <= family.score:  # the first one, or a better one
                        family.score, family.params = event.score, event.params
                case Judged():
                    known = self.families.get(event.family, _Family())
                    self.families[event.family] = _Family(
                        known.tried, known.count, event.score, event.params, event.seconds, event.note, done=True
                    )
                case Fitting():
                    self.step = _step(event) if self.stage else _fit_alone(event)
                case BytesRead():
                    of = f" of {event.total / 1e6:,.1f}" if event.total else ""
                    self.step = f"reading, {event.done / 1e6:,.1f}{of} MB"
                case RowsPredicted():
                    self.step = f"{event.rows:,} rows"

    def table(self) -> TextTable:
        """The families in the order of their search."""
        with self._lock:
            rows = [
                (
                    name,
                    f.progress,
                    number(f.score),
                    parameters(f.params),
                    f"{f.seconds:.1f}" if f.seconds else "",
                    f.note if f.done else "...",
                )
                for name, f in self.families.items()
            ]
        return TextTable("", rows, ("family", "tried", "best", "with", "seconds", ""), right=(1, 2, 4))

    def status(self) -> str:
        """What is going on now."""
        seconds = f"{time.perf_counter() - self._begin:.0f} s" if self.stage else ""
        return " · ".join(part for part in (self.stage, self.step, seconds) if part) or "reading"

    def line(self, event: ProgressEvent, pause_over: bool) -> str:
        """What a log says of an event that was just taken; nothing if it is not worth a line."""
        match event:
            case Stage():
                return self.stage
            case Judged():
                best = f"best {number(event.score)}" if math.isfinite(event.score) else ""
                return f"{event.family}: " + ", ".join(p for p in (best, parameters(event.params), event.note) if p)
            case Candidate() if pause_over:
                family = self.families[event.family]
                return f"{event.family}: {family.progress} tried, best {number(family.score)}"
            case Fitting() if pause_over:
                return self.status()
        return ""


def _step(event: Fitting) -> str:
    """A fit within a training."""
    gap = f", gap {event.gap:.1e}" if math.isfinite(event.gap) else ""
    of = f" ({event.problem})" if event.problem else ""
    return f"{event.iteration:,} steps{gap}{of}"


def _fit_alone(event: Fitting) -> str:
    """A fit by itself."""
    of = f"{event.problem}: " if event.problem else ""
    figures = f"violation {event.violation:.2e}, gap {event.gap:.2e}, {event.seconds:.1f} s"
    return f"maxmargin: {of}iteration {event.iteration}, {figures}"


class ProgressDisplay:
    """Shows events while a block runs: ``with ProgressDisplay() as shown: train(..., progress=shown.take)``.

    Parameters
    ----------
    stream : text file, default=None
        Where to, unless it is a notebook; None is standard error.
    pause : float, default=10.0
        Seconds between two lines about the same thing, where lines are written.

    Notes
    -----
    A terminal has a live table, where rich is installed; it goes when the block ends. A notebook has the same as text,
    in a cell that changes. Elsewhere, and without rich, there is a line now and then.

    Examples
    --------
    >>> import sys
    >>> from maxmargin.messages import Judged, ProgressDisplay, Stage
    >>> with ProgressDisplay(sys.stdout) as shown:
    ...     shown.take(Stage("tune", "svc on 480 rows"))
    ...     shown.take(Judged("svc", {"C": 10.0}, 0.91, 0.01, 0.3, "36 candidates"))
    svc on 480 rows
    svc: best 0.91, C=10, 36 candidates

    """

    def __init__(self, stream: Any = None, *, pause: float = 10.0) -> None:
        self.state = ProgressState()
        self._stream, self._pause = stream, pause
        self._view: _View | None = None

    def take(self, event: ProgressEvent) -> None:
        """Show one event."""
        self.state.take(event)
        if self._view is None:
            self._view = _view_of(self.state, sys.stderr if self._stream is None else self._stream, self._pause)
        self._view.show(event)

    def close(self) -> None:
        """End the display; a live one disappears."""
        if self._view is not None:
            self._view.close()
            self._view = None

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _View(Protocol):
    def show(self, event: ProgressEvent) -> None: ...

    def close(self) -> None: ...


def _view_of(state: ProgressState, stream: Any, pause: float) -> _View:
    """The best that there is for a stream."""
    if stream.isatty():
        try:
            return _Terminal(state, stream)
        except (ImportError, RuntimeError):  # without rich, or a terminal that cannot be drawn on
            pass
    elif _in_notebook():
        return _Notebook(state)
    return _Log(state, stream, pause)


class _Terminal:
    """A table that rich draws anew six times a second, and a line below it."""

    def __init__(self, state: ProgressState, stream: Any) -> None:
        from rich.console import Group
        from rich.live import Live
        from rich.spinner import Spinner
        from rich.text import Text

        console = make_console(stream)
        if not console.is_interactive:
            raise RuntimeError("a terminal that cannot be drawn on")
        spinner = Spinner("dots", style="cyan")

        def draw() -> Group:
            spinner.update(text=Text(printable(state.status()), style="dim"))
            table = state.table()
            return Group(draw_table(table), spinner) if table.rows else Group(spinner)

        # It goes when the work is done: whoever has asked for the work says what came out.
        self._live = Live(
            get_renderable=draw, console=console, refresh_per_second=6, transient=True, redirect_stdout=False
        )
        self._live.start(refresh=True)

    def show(self, event: ProgressEvent) -> None:
        """Nothing: what is drawn is the state."""

    def close(self) -> None:
        self._live.stop()


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class _Notebook:
    """Text in a cell, put anew a few times a second."""

    def __init__(self, state: ProgressState) -> None:
        from IPython.display import display

        self._state, self._shown = state, time.perf_counter()
        self._handle: Any = display(self._bundle(), raw=True, display_id=True)

    def _bundle(self) -> dict[str, str]:
        table = self._state.table()
        lines = table.lines() if table.rows else []
        return {"text/plain": "\n".join(printable(line) for line in (*lines, self._state.status()))}

    def show(self, event: ProgressEvent) -> None:
        if time.perf_counter() - self._shown >= _REDRAWN:
            self.close()

    def close(self) -> None:
        self._shown = time.perf_counter()
        self._handle.update(self._bundle(), raw=True)


class _Log:
    """One line a stage and a family, and one after each pause in between."""

    def __init__(self, state: ProgressState, stream: Any, pause: float) -> None:
        self._state, self._stream, self._pause = state, stream, pause
        self._last = time.perf_counter()

    def show(self, event: ProgressEvent) -> None:
        line = self._state.line(event, time.perf_counter() - self._last >= self._pause)
        if line:
            self._last = time.perf_counter()
            print(printable(line), file=self._stream, flush=True)

    def close(self) -> None:
        """Nothing: lines stay."""
