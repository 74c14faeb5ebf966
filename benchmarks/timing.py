"""How often to run, and in which order: turns of all contenders, so that a slow minute of the machine hits all alike.

The first run of everybody is a warm-up and is thrown away, except where it is so long that warming up cannot matter.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ONCE_OVER = 60.0  # a run longer than this is not repeated
SETTLED_OVER = 20.0  # nor a run longer than this, where the first one leaves no doubt
LONG = 3.0  # in a run longer than this a cold start is lost in the noise; if time is short it is not repeated
LONG_IF_UNTARGETED = 1.0  # the same for a contender that no target speaks of
# Seconds that such a contender may take for a call: twice the slowest of the others, within these bounds.
PATIENCE = (5.0, 8.0)


@dataclass(frozen=True)
class Plan:
    """How many runs in how large portions; whether the first run counts as one of them."""

    runs: int
    portion: int = 1
    first_counts: bool = False


@dataclass
class Laps:
    """Measured runs of one contender; memory and result are those of the first run, which may not be among them."""

    seconds: list[float] = field(default_factory=list)
    peak_mb: float | None = None
    value: Any = field(default=None, repr=False)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def runs(self) -> int:
        return len(self.seconds)

    def raw(self) -> dict[str, Any]:
        """All numbers, for the JSON file."""
        return {"median": self.median, "seconds": self.seconds, "peak_mb": self.peak_mb}


def patience(slowest: float) -> float:
    """Seconds for a call of a contender without a target, from those of the slowest contender with one."""
    least, most = PATIENCE
    return min(max(least, round(2 * slowest, 1)), most)


def plan(
    first: float, *, targeted: bool = True, quick: bool = False, hurried: bool = False, settled: bool = False
) -> Plan:
    """Runs that a contender gets, from the length of its first one.

    Time is short if the run is hurried; `settled` says that no other run could change the verdict.
    """
    once_over = LONG_IF_UNTARGETED if not targeted else LONG if hurried else SETTLED_OVER if settled else ONCE_OVER
    if first > once_over:
        return Plan(1, first_counts=True)
    if first > LONG:
        return Plan(3, first_counts=True)
    if first > 1.0:
        return Plan(3)
    if first > 0.05:
        return Plan(3 if quick else 5)
    return Plan(9, 3) if quick else Plan(21, 3) if first > 0.005 else Plan(60, 10)


def take_turns(plans: dict[str, Plan], run: Callable[[str, int], list[float]]) -> dict[str, list[float]]:
    """Run everybody a portion at a time, round after round; ``run(name, times)`` returns the seconds of each run.

    An empty answer means that the contender has dropped out.
    """
    seconds: dict[str, list[float]] = {name: [] for name in plans}
    left = {name: p.runs - p.first_counts for name, p in plans.items()}
    while any(n > 0 for n in left.values()):
        for name, p in plans.items():
            if left[name] > 0:
                portion = run(name, min(p.portion, left[name]))
                left[name] = left[name] - len(portion) if portion else 0
                seconds[name] += portion
    return seconds
