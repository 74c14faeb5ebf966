"""How long a peer may search: its part of the time, and if that can be had, until the verdict is clear."""

from __future__ import annotations

from collections.abc import Sequence

from ..options import Options
from ..progress import elapsed
from .cases import Case

LEAST = 5.0
LONGEST = 1800.0  # whatever --minutes says
DECISIVE = 1.1  # times what the required ratio takes: a peer stopped there has lost


def left(options: Options) -> float:
    """Seconds of the benchmark that have not gone."""
    return max(0.0, 60 * options.minutes + options.start - elapsed())


def share(case: Case, wanted: Sequence[Case], options: Options) -> float:
    """Seconds for a case: what is left, divided among it and those that follow."""
    following = wanted[[c.name for c in wanted].index(case.name) :]
    return left(options) * case.minutes / sum(c.minutes for c in following)


def peer_limit(
    case: Case, peer: str, waiting: Sequence[str], ours: float | None, of_case: float, of_all: float
) -> float:
    """Seconds for a peer, of those that are left of the case and of the whole benchmark.

    The time of the case is divided among the peers that are `waiting` (this one among them) by their required ratios:
    as far as ours goes, that is what deciding takes. If it is not enough, half of all time left may be used.
    """
    fair = of_case * case.required[peer] / sum(case.required[name] for name in waiting)
    decisive = 0.0 if ours is None else min(DECISIVE * case.required[peer] * ours, of_all / 2)
    return round(min(max(LEAST, fair, decisive), LONGEST), 1)
