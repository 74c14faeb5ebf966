"""Seconds that a fit may take."""

from __future__ import annotations

import time

import numpy as np


class TimeLimit:
    """Counts from when it is made; None is no limit. ``seconds`` is how long it was at first."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = np.inf if seconds is None else float(seconds)
        self._end = time.perf_counter() + self.seconds

    @property
    def left(self) -> float:
        """Seconds that are left: at most 0 when time is over, infinite without a limit."""
        return float(self._end - time.perf_counter())

    @property
    def over(self) -> bool:
        """Whether time is over."""
        return self.left <= 0

    def is_over(self) -> bool:
        """Whether time is over, for those who ask by calling."""
        return self.over

    def remaining(self) -> float:
        """Seconds that are left, for those who ask by calling."""
        return self.left

    def sooner(self, seconds: float) -> TimeLimit:
        """A limit that ends so many seconds earlier: what comes afterwards takes as long."""
        part = TimeLimit(None)
        part._end, part.seconds = self._end - seconds, self.seconds - seconds
        return part

    def share(self, parts: int) -> TimeLimit:
        """The limit of one of so many parts that have the rest of the time together."""
        return TimeLimit(None) if self.left == np.inf else TimeLimit(max(self.left, 0.0) / parts)
