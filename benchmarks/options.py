"""What a run was asked for."""

import math
from dataclasses import dataclass
from pathlib import Path

from .progress import elapsed

SEED = 0
DEFAULT_PLOT = Path("build/bench/time_against_gap.png")


@dataclass(frozen=True)
class Options:
    """Arguments of a run, checked.

    ``parts`` are the names of the cases and other parts to run, ``contenders`` those who take part, None for all of
    them; ``resume`` takes what an interrupted run has measured. ``minutes`` is what this benchmark should take from its
    ``start``, in seconds since the run began. When nine tenths of it are gone, long runs are not repeated; when all of
    it is gone, the parts that are left are skipped.
    """

    data: Path | None = None
    quick: bool = False
    parts: tuple[str, ...] | None = None
    contenders: tuple[str, ...] | None = None
    resume: bool = False
    plot: Path = DEFAULT_PLOT
    plot_asked_for: bool = False
    minutes: float = math.inf
    start: float = 0.0
    seed: int = SEED

    def wants(self, part: str) -> bool:
        return self.parts is None or part in self.parts

    @property
    def spent(self) -> float:
        """The part of the time that has gone."""
        return (elapsed() - self.start) / (60 * self.minutes)

    @property
    def hurried(self) -> bool:
        return self.spent > 0.9
