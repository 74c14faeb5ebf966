"""What a run was asked for."""

from dataclasses import dataclass
from pathlib import Path

from .progress import elapsed

SEED = 0
MINUTES = 27.0
DEFAULT_PLOT = Path("build/bench/time_against_gap.png")


@dataclass(frozen=True)
class Options:
    """Arguments of a run, checked.

    ``parts`` are the names of the cases and other parts to run, None for all of them. ``minutes`` is what the whole
    run should take. Past half of it long decision functions are not repeated, past three quarters long fits neither;
    past all of it the parts that are left are skipped.
    """

    data: Path | None = None
    quick: bool = False
    parts: tuple[str, ...] | None = None
    plot: Path = DEFAULT_PLOT
    plot_asked_for: bool = False
    minutes: float = MINUTES
    seed: int = SEED

    def wants(self, part: str) -> bool:
        return self.parts is None or part in self.parts

    @property
    def spent(self) -> float:
        """The part of the time that has gone."""
        return elapsed() / (60 * self.minutes)
