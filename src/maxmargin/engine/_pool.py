"""One shared pool of threads for tiles of work.

Tasks are leaves: whatever a task asks to be run in parallel, it runs itself, one after the other. So no task ever waits
for another one, and any number of Python threads may use the pool at once.
"""

from __future__ import annotations

import os
import threading
from _thread import allocate_lock
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from ._interrupts import Scope, current_scope, shielded, unshielded, work_for

_lock = Lock()
_pool: ThreadPoolExecutor | None = None


class _Own(threading.local):
    """Whether a thread is at work on a task."""

    is_task = False


_own = _Own()


def _cores() -> int:
    """Cores this process may run on (a container or taskset can allow fewer than the machine has)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Number of threads meant by ``n_jobs``: None for all cores, -1 for all, -2 for all but one."""
    cores = _cores()
    if n_jobs is None:
        return cores
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; use None or -1 for all cores, or a positive number of threads.")
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else int(n_jobs)


def _shared_pool() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max_workers=_cores(), thread_name_prefix="maxmargin")
        return _pool


def _forget_pool() -> None:
    """Threads do not survive a fork: the child starts a pool of its own on first use."""
    global _pool, _lock
    _lock = Lock()
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


class _Job:
    """A task with its arguments, to be run once; `ended` is locked until it has run or will never run."""

    def __init__(self, task: Callable[..., Any], arguments: tuple, scope: Scope | None) -> None:
        self.task, self.arguments, self.scope = task, arguments, scope
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False
        self.ended = allocate_lock()
        self.ended.acquire()

    def run(self) -> None:
        """On a thread of the pool."""
        work_for(self.scope)
        try:
            self.result = _as_task(self.task, self.arguments)
        except BaseException as error:
            self.error = error
        finally:
            work_for(None)
            self.done = True
            self.ended.release()

    @unshielded
    def wait(self) -> None:
        """Until it has ended, unless a signal comes first.

        It looks up now and then: what `_thread.interrupt_main` simulates wakes nobody who waits for a lock.
        """
        while not self.done:
            if self.ended.acquire(timeout=0.1):
                self.ended.release()  # a signal in between leaves it locked, which `done` makes up for


def _as_task(task: Callable[..., Any], arguments: tuple) -> Any:
    nested, _own.is_task = _own.is_task, True
    try:
        return task(*arguments)
    finally:
        _own.is_task = nested


@unshielded
def _here(task: Callable[..., Any], arguments: Sequence[tuple]) -> list[Any]:
    """On the calling thread, one after the other."""
    return [task(*a) for a in arguments]


@shielded
def run_parallel(
    task: Callable[..., Any],
    arguments: Sequence[tuple],
    on_error: Callable[[], None] | None = None,
    *,
    long: bool = False,
) -> list[Any]:
    """``[task(*a) for a in arguments]`` on the shared pool, the first one on the calling thread.

    An exception (Ctrl-C too) leaves only after every task has ended, because tasks write into the caller's arrays;
    `on_error` is called first, to tell long tasks to end early.

    With ``long=True`` none runs on the calling thread, which waits: while it runs a compiled function Ctrl-C is not
    heard. Such tasks look at `stop_flag`.

    Inside a task they run on its own thread: nobody waits there for threads that may all be waiting themselves.
    """
    if _own.is_task or (len(arguments) <= 1 and not (long and arguments)):
        return _here(task, arguments)
    pool, scope = _shared_pool(), current_scope()
    own = [] if long else arguments[:1]
    jobs = [_Job(task, a, scope) for a in arguments[len(own) :]]
    futures = [pool.submit(job.run) for job in jobs]
    try:
        first = _here(lambda *a: _as_task(task, a), own)
        for job in jobs:
            job.wait()
            if job.error is not None:
                raise job.error
    except BaseException:
        if on_error is not None:
            on_error()
        for job, future in zip(jobs, futures, strict=True):
            if not future.cancel() and not job.done:
                with job.ended:
                    pass
        raise
    return [*first, *(job.result for job in jobs)]
