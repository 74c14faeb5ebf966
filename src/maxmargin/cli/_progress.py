"""Progress on standard error, unless all shall be quiet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..messages import BytesRead, ProgressDisplay, ProgressEvent, RowsPredicted


@contextmanager
def shown(quiet: bool) -> Iterator[Callable[[ProgressEvent], None] | None]:
    """A function for ``train(progress=...)``; what it is told shows while the block runs."""
    if quiet:
        yield None
        return
    with ProgressDisplay() as display:
        yield display.take


@contextmanager
def bytes_shown(quiet: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """A function for ``read_table(progress=...)``."""
    with shown(quiet) as take:
        yield None if take is None else lambda done, total: take(BytesRead(done, total))


@contextmanager
def rows_shown(quiet: bool) -> Iterator[Callable[[int], None]]:
    """A function that is told how many rows are done."""
    with shown(quiet) as take:
        yield lambda rows: None if take is None else take(RowsPredicted(rows))
