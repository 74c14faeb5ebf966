"""Work in portions of a fraction of a second, so that Ctrl-C is heard between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ._interrupts import raise_interrupt
from ._pool import run_parallel


def run_portions(task: Callable[..., Any], portions: Sequence[tuple], threads: int, *, long: bool = False) -> list[Any]:
    """``[task(*p) for p in portions]`` on at most so many threads, each taking the next one when it is done.

    With ``long=True`` the calling thread only waits, as in `run_parallel`.
    """
    waiting = deque(range(len(portions)))
    results: list[Any] = [None] * len(portions)

    def work() -> None:
        while True:
            try:
                place = waiting.popleft()
            except IndexError:
                return
            raise_interrupt()
            results[place] = task(*portions[place])

    run_parallel(work, [()] * max(1, min(threads, len(portions))), on_error=waiting.clear, long=long)
    return results
