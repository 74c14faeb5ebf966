"""Work on a thread of its own that another thread may stop.

Nothing that is compiled imports this file, so that a change in it has nothing compiled again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._interrupts import Scope, current_scope, work_for

__all__ = ["Stoppable", "Stopped"]


class Stopped(Exception):  # noqa: N818  (no error: somebody has asked for it)
    """What was called by a `Stoppable` has been stopped."""


class Stoppable:
    """Calls something on this thread that another thread may stop, as Ctrl-C stops what runs on the main thread."""

    def __init__(self) -> None:
        self._scope = Scope()

    def stop(self) -> None:
        """Let what is called end as soon as it can; from any thread."""
        self._scope.keep()

    @property
    def stopped(self) -> bool:
        """Whether somebody has asked to stop."""
        return self._scope.kept

    def call(self, function: Callable, *args: Any, **options: Any) -> Any:
        """What the function returns; `Stopped` if it was stopped, even where it has come to its end since."""
        if current_scope() is not None:
            raise RuntimeError("this thread is at work for another call.")
        try:
            work_for(self._scope)
            result = None if self.stopped else function(*args, **options)
        except KeyboardInterrupt:
            if not self.stopped:
                raise
        finally:
            work_for(None)
        if self.stopped:
            raise Stopped
        return result
