"""A contender in a process of its own, for one case.

A peer that crashes or hangs takes only its own process along, threads of one library do not meet those of another, and
the peak memory is the contender's alone. The clock runs in the worker, around the call itself. A worker whose turn it
is not waits on its pipe and costs nothing. Processes that a contender starts, as joblib's, end with its worker.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import memory

LIMIT = 300.0  # seconds that a single call may take before it counts as a hang
QUICK_LIMIT = 120.0


class ContenderError(Exception):
    """A contender that is not there, or could not do it; the message goes into the table."""


class TooSlowError(ContenderError):
    """A contender that had not answered after so many seconds, and was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")
        self.seconds = seconds


@dataclass(frozen=True)
class Answer:
    """Result of a call, seconds of each repetition, and the memory that it took beyond what was there before."""

    value: Any
    seconds: list[float]
    peak_mb: float


class Worker:
    """Starts ``contender(case, *data)`` in a fresh process; `ready` waits for it, `call` calls its methods."""

    def __init__(self, contender: type, case: Any, data: tuple, limit: float = LIMIT) -> None:
        context = multiprocessing.get_context("spawn")
        self._limit, self._data, self._ended = limit, data, False
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, contender, case), daemon=True)
        self._process.start()
        theirs.close()

    def ready(self) -> None:
        """Hand over the data, wait for imports and a first small warm-up."""
        try:
            self._pipe.send(self._data)
        except OSError:
            pass  # it has died already; what follows says so
        self._data = ()
        self._receive()

    def call(self, method: str, repeat: int = 1, limit: float | None = None, **arguments: Any) -> Answer:
        """Call a method with the arguments; who takes longer than `limit` seconds, if given, is ended."""
        try:
            self._pipe.send((method, repeat, arguments))
        except OSError:
            pass
        return self._receive(limit)

    def _receive(self, limit: float | None = None) -> Answer:
        limit = self._limit if limit is None else limit
        try:
            if not self._pipe.poll(limit):
                self.close()
                raise TooSlowError(limit)
            answer = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join(10)
            code = self._process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            raise ContenderError(f"its process died ({how})") from None
        if isinstance(answer, ContenderError):
            raise answer
        return answer

    def close(self) -> None:
        self._pipe.close()
        if self._ended:
            return
        self._ended = True
        self._end_group()
        if self._process.is_alive():
            self._process.kill()
        self._process.join()

    def _end_group(self) -> None:
        """End the worker's own processes. Not by SIGKILL: what joblib keeps to clean up its shared memory survives."""
        try:
            os.killpg(self._process.pid, signal.SIGTERM)
        except (AttributeError, ProcessLookupError, PermissionError):
            pass  # no groups on this system, or it died before it made one


def _serve(pipe: Any, contender: type, case: Any) -> None:
    """The life of a worker: set up, then answer calls until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair; it closes the workers
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # by this group the parent finds what the worker has started
        threading.Thread(target=_end_with_parent, daemon=True).start()
    multiprocessing.current_process().daemon = False  # else joblib would quietly run on one core
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries that chat on standard output would spoil the table
    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"  # the same for processes that it starts
    subject = _attempt(lambda: _set_up(contender, case, pipe.recv()))
    pipe.send(subject if isinstance(subject, ContenderError) else Answer(None, [], 0.0))
    while True:
        try:
            method, repeat, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(_attempt(lambda m=method, r=repeat, a=arguments: _timed(subject, m, r, a)))


def _end_with_parent() -> None:
    """A parent that is killed closes nothing, and a group of its own is out of reach for who ends the parent's."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.killpg(0, signal.SIGTERM)


def _set_up(contender: type, case: Any, data: tuple) -> Any:
    subject = contender(case, *data)
    subject.warm_up()
    gc.collect()
    gc.freeze()  # what is there by now stays: collecting before each run need not look at it again
    return subject


def _timed(subject: Any, method: str, repeat: int, arguments: dict) -> Answer:
    seconds: list[float] = []
    before = largest = 0.0
    for k in range(repeat):
        subject.before(method)
        gc.collect()
        if k == 0:
            memory.reset_peak()
            before = memory.resident()
        start = time.perf_counter()
        value = getattr(subject, method)(**arguments)
        seconds.append(time.perf_counter() - start)
        largest = max(largest, memory.peak())
    return Answer(value, seconds, max(0.0, largest - before))


def _attempt(work: Callable[[], Any]) -> Any:
    """What `work` returns, or what went wrong: whatever a peer may raise, the table shall say it and go on."""
    try:
        return work()
    except ContenderError as error:
        return error
    except (Exception, SystemExit) as error:
        where = traceback.extract_tb(error.__traceback__)[-1].name
        text = str(error).strip().splitlines()
        return ContenderError(f"{type(error).__name__}: {text[0] if text else ''} (in {where})")
