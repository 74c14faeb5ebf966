"""The one thread that fits: the newest request of a page wins, and what it makes stale is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..messages import InputError
from ._request import LimitError

if TYPE_CHECKING:
    from ..engine.stoppable import Stoppable

_IDLE = 1.0  # seconds without a page after which what fits need is loaded all the same

# A request of a lane takes the place of the one that waits there; those of "fit" make all others stale as well.
LANES = {
    "fit": "fit",
    "course": "course",
    "cases": "cases",
    "without": "point",
    "probe": "probe",
    "frames": "frames",
    "frame": "frames",
    "python": "text",
    "preset": "text",
    "table": "text",
}
_STALE = {"fit": ("fit", "course", "cases", "point", "probe")}
Send = Callable[[dict[str, Any], Mapping[str, np.ndarray]], None]
Message = tuple[dict[str, Any], dict[str, np.ndarray]]
Handle = Callable[["Session", dict[str, Any], dict[str, np.ndarray], Callable[[], bool]], Message]


@dataclass(eq=False)
class Session:
    """A page: how to answer it, what it waits for, and the model that it has seen last."""

    send: Send
    waiting: dict[str, Message] = field(default_factory=dict)
    fitted: Any = None
    open: bool = True


@dataclass(eq=False)
class _Job:
    session: Session
    lane: str
    header: dict[str, Any]
    work: Stoppable
    began: float
    late: bool = False


class Worker:
    """Answers requests one after the other on a thread of its own."""

    def __init__(self, handle: Handle, seconds: float = 20.0) -> None:
        self._handle, self._seconds = handle, seconds
        self._change = threading.Condition()
        self._sessions: list[Session] = []
        self._job: _Job | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="maxmargin-playground", daemon=True)
        self._thread.start()

    def join(self, session: Session) -> None:
        """Serve a page from now on."""
        with self._change:
            self._sessions.append(session)
            self._change.notify()

    def leave(self, session: Session) -> None:
        """Serve it no longer, and stop what it waits for."""
        with self._change:
            session.open = False
            session.waiting.clear()
            if session in self._sessions:
                self._sessions.remove(session)
            if self._job is not None and self._job.session is session:
                self._job.work.stop()

    def ask(self, session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Answer as soon as possible; what this makes stale is dropped, and the page is told so."""
        lane = LANES[header["kind"]]
        with self._change:
            stale = _STALE.get(lane, (lane,))
            dropped = [session.waiting.pop(name)[0] for name in stale if name in session.waiting]
            if self._job is not None and self._job.session is session and self._job.lane in stale:
                self._job.work.stop()
            session.waiting[lane] = header, arrays
            self._change.notify()
        for old in dropped:
            session.send({"id": old.get("id"), "kind": old["kind"], "dropped": True}, {})

    def check_time(self) -> None:
        """Stop what takes too long; called now and then from another thread."""
        with self._change:
            job = self._job
            if job is not None and not job.late and time.monotonic() - job.began > self._seconds:
                job.late = True
                job.work.stop()

    def close(self) -> None:
        """Stop the thread."""
        with self._change:
            self._closed = True
            if self._job is not None:
                self._job.work.stop()
            self._change.notify()
        self._thread.join(timeout=5.0)

    def _load(self) -> None:
        """Load what fits need: seconds of work, which would hold up the files of the first page."""
        with self._change:
            self._change.wait_for(lambda: self._closed or self._sessions, _IDLE)
            if self._closed:
                return
        from .. import svm  # noqa: F401
        from ..engine import stoppable  # noqa: F401
        from ._fit import fit  # noqa: F401

    def _run(self) -> None:
        self._load()
        while (job := self._next()) is not None:
            self._answer(*job)
            with self._change:
                self._job = None

    def _next(self) -> tuple[_Job, dict[str, np.ndarray]] | None:
        from ..engine.stoppable import Stoppable

        with self._change:
            while True:
                if self._closed:
                    return None
                for session in self._sessions:
                    for lane in dict.fromkeys(LANES.values()):
                        if lane in session.waiting:
                            header, arrays = session.waiting.pop(lane)
                            self._sessions.remove(session)  # to the end: pages take turns
                            self._sessions.append(session)
                            self._job = _Job(session, lane, header, Stoppable(), time.monotonic())
                            return self._job, arrays
                self._change.wait()

    def _answer(self, job: _Job, arrays: dict[str, np.ndarray]) -> None:
        about = {"id": job.header.get("id"), "kind": job.header["kind"]}
        found: dict[str, np.ndarray] = {}
        try:
            said, found = job.work.call(self._handle, job.session, job.header, arrays, lambda: job.work.stopped)
        except Exception as error:
            said = self._refusal(job, error)
        if job.session.open:
            job.session.send({**about, **said}, found)

    def _refusal(self, job: _Job, error: Exception) -> dict[str, Any]:
        """What is said instead of an answer; what was stopped says nothing that is true of the whole."""
        from ._fit import explain_error

        if job.work.stopped:
            late = f"Stopped after {self._seconds:g} s, the most that a fit may take here."
            return {"error": {"kind": "limit", "message": late}} if job.late else {"dropped": True}
        if isinstance(error, InputError):
            return {"error": {"kind": "limit" if isinstance(error, LimitError) else "input", "message": str(error)}}
        return {"error": explain_error(error)}
