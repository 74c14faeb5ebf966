"""Solving the problems of one fit, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..engine import one_blas_thread, raise_interrupt, run_parallel

if TYPE_CHECKING:
    from ..solvers import Monitor

Solved = TypeVar("Solved")


def solve_all(
    solve: Callable[[int, Monitor], Solved],
    untouched: Callable[[int], Solved],
    names: Sequence[str],
    monitor: Monitor,
    *,
    side_by_side: bool,
) -> tuple[list[Solved], bool]:
    """Solve every problem of a fit; also whether Ctrl-C ended it.

    Parameters
    ----------
    solve : callable
        From the number of a problem and its monitor to its solution.
    untouched : callable
        What stands for the solution of a problem that Ctrl-C left before it was begun.
    names : sequence of str
        One a problem.
    monitor : Monitor
        Told of the progress, by name if there are several problems.
    side_by_side : bool
        Whether each problem gets a thread of its own, instead of all threads each in turn.

    """
    solved: list[Solved | None] = [None] * len(names)

    def run(k: int) -> None:
        solved[k] = solve(k, monitor.named(names[k]) if len(names) > 1 else monitor)
        raise_interrupt()

    interrupted = False
    with one_blas_thread():
        try:
            if side_by_side:
                run_parallel(run, [(k,) for k in range(len(names))], on_error=monitor.stop)
            else:
                for k in range(len(names)):
                    run(k)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            monitor.close()
    return [untouched(k) if found is None else found for k, found in enumerate(solved)], interrupted
