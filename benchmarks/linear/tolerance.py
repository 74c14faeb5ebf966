"""The loosest tolerance at which a peer reaches the gap, looked for outside of the clock.

Tolerances mean something else in every solver, so that only a referee can tell which of them are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import timing
from ..contest import Contest
from ..progress import say
from .judge import Judgement

TOLERANCES = tuple(10.0**-k for k in range(1, 7))
BETWEEN = 10.0**0.5  # the last step is tried by halves
LIMIT = 60.0  # seconds for a fit, as long as no other peer has been faster
LEAST = 3.0  # and the least, once one has

JudgeBy = Callable[[Any], Judgement]


@dataclass(frozen=True)
class Found:
    """The tolerance, what the fit took and how good it was; no judgement if it was stopped after those seconds."""

    tol: float
    seconds: float
    judgement: Judgement | None
    peak_mb: float

    @property
    def reached(self) -> bool:
        return self.judgement is not None and self.judgement.reached


def find(
    contest: Contest, judge: JudgeBy, name: str, limit: float, loosest: float = 1.0, by_halves: bool = True
) -> Found | None:
    """Fit at ever tighter tolerances until the gap is reached, the peer gives up or is stopped; None if it failed."""
    found: Found | None = None
    for tol in [t for t in TOLERANCES if t <= loosest]:
        found = _try(contest, judge, name, tol, limit)
        if found is None or found.judgement is None or found.judgement.gave_up or found.reached:
            break
    if found is None or not found.reached or not by_halves or found.tol >= min(loosest, TOLERANCES[0]):
        return found
    looser = _try(contest, judge, name, found.tol * BETWEEN, limit)
    return looser if looser is not None and looser.reached else found


def limit_for(contest: Contest, name: str, best: float | None) -> float:
    """Seconds that a fit may take, given the best time of scikit-learn's solvers so far."""
    if best is None:
        return LIMIT
    return max(LEAST, round(2 * best, 1)) if contest.targeted(name) else timing.patience(best)


def _try(contest: Contest, judge: JudgeBy, name: str, tol: float, limit: float) -> Found | None:
    contest.ask(name, "choose", tol=tol)
    answer = contest.ask(name, "fit", limit=limit)
    if answer is None:
        seconds = contest.stopped.get(name)
        return None if seconds is None else Found(tol, seconds, None, 0.0)
    judgement = judge_one(contest, judge, name)
    if judgement is None:
        return None
    say(f"{contest.case.name}: {name}: tol={tol:.2g}: {answer.seconds[0]:.3g} s, gap {judgement.relative_gap:.1e}")
    return Found(tol, answer.seconds[0], judgement, answer.peak_mb)


def judge_one(contest: Contest, judge: JudgeBy, name: str) -> Judgement | None:
    """The referee's word on a contender's last fit; a model that makes no sense puts it out of the race."""
    answer = contest.ask(name, "coefficients")
    if answer is None:
        return None
    try:
        return judge(answer.value)
    except ValueError as error:
        contest.dismiss(name, f"its model makes no sense: {error}")
        return None
