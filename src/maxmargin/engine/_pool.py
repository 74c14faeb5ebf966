"""One shared pool of threads for tiles of work.

Tasks are leaves: they never wait for other tasks of the pool, so any number of Python threads may use it at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import Any

_lock = Lock()
_pool: ThreadPoolExecutor | None = None


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


def run_parallel(
    task: Callable[..., Any], arguments: Sequence[tuple], on_error: Callable[[], None] | None = None
) -> list[Any]:
    """``[task(*a) for a in arguments]`` on the shared pool, the first one on the calling thread.

    An exception (Ctrl-C too) leaves only after every task has ended, because tasks write into the caller's arrays;
    `on_error` is called first, to tell long tasks to end early.
    """
    if len(arguments) <= 1:
        return [task(*a) for a in arguments]
    pool = _shared_pool()
    futures = [pool.submit(task, *a) for a in arguments[1:]]
    try:
        first = task(*arguments[0])
        rest = [future.result() for future in futures]
    except BaseException:
        if on_error is not None:
            on_error()
        for future in futures:
            future.cancel()
        wait(futures)
        raise
    return [first, *rest]
