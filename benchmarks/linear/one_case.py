"""A case from beginning to end: our fit, the tolerances of the peers, and then all that are fast enough in turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..contest import Contest
from ..datasets import Data
from ..names import OURS
from ..options import Options
from ..timing import Laps
from .cases import GAP, Case
from .contenders import contenders, targeted
from .judge import Judge, Judgement
from .tolerance import find, judge_one, limit_for

NEAR = 1.5  # times the best: who is slower than that, and than a moment, is not run again
MOMENT = 0.5  # seconds


@dataclass
class CaseResult:
    """All that was measured in a case; `absent` says why a contender is missing in the table.

    A peer in ``at_least`` was stopped, or gave up, before it reached the gap: it would take longer than its time.
    """

    case: Case
    data: Data
    fits: dict[str, Laps] = field(default_factory=dict)
    judged: dict[str, Judgement] = field(default_factory=dict)
    tol: dict[str, float] = field(default_factory=dict)
    at_least: set[str] = field(default_factory=set)
    absent: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    timed: set[str] = field(default_factory=set)

    @property
    def ours(self) -> float | None:
        """Our time; None if there is none, or it is not for a model within the gap."""
        if OURS not in self.fits or not self.judged[OURS].reached:
            return None
        return self.fits[OURS].median

    def ratio(self, name: str) -> float | None:
        """Time of a peer over ours."""
        if self.ours is None or name not in self.fits:
            return None
        return self.fits[name].median / self.ours

    @property
    def best(self) -> str | None:
        """The fastest peer that a target speaks of: of those that reached the gap, if there are any."""
        able = [name for name in self.fits if name in targeted(self.case) and name != OURS]
        reached = [name for name in able if name not in self.at_least]
        return min(reached or able, key=lambda name: self.fits[name].median, default=None)


def run_case(case: Case, options: Options) -> CaseResult:
    data = case.data(options)
    result = CaseResult(case, data)
    judge = Judge(case, data.X, data.y)
    rehearsal = [] if options.quick else [("fit", {})]
    with Contest(contenders(case), case, (data.X, data.y), options, targeted(case), rehearsal) as contest:
        _fit_ours(contest, result, judge)
        for name in case.peers:
            _fit_peer(contest, result, judge, name, by_halves=not options.hurried)
        while running := _to_be_timed(result):
            result.timed.update(running)
            for name, laps in contest.race("fit", only=running, hurried=options.hurried).items():
                laps.peak_mb = max(laps.peak_mb or 0.0, result.fits[name].peak_mb or 0.0)
                result.fits[name] = laps
        for name in contest.names:
            note = contest.ask(name, "note") if name in result.fits else None
            result.notes[name] = "" if note is None else note.value
    result.absent.update(contest.failed)
    return result


def _fit_ours(contest: Contest, result: CaseResult, judge: Judge) -> None:
    """First, because from our solution it is not far to the bounds that everybody's gap is taken from."""
    answer = contest.ask(OURS, "fit")
    judgement = judge_one(contest, judge, OURS) if answer is not None else None
    if answer is not None and judgement is not None:
        result.fits[OURS] = Laps(answer.seconds, answer.peak_mb)
        result.judged[OURS], result.tol[OURS] = judgement, GAP


def _fit_peer(contest: Contest, result: CaseResult, judge: Judge, name: str, by_halves: bool) -> None:
    best = result.best
    known = None if best is None or best in result.at_least else result.fits[best].median
    if name not in contest.names:
        return
    found = find(contest, judge, name, limit_for(contest, name, known), by_halves=by_halves)
    if found is None or (found.judgement is None and known is not None):
        return  # it failed, or is slower than another one: the table says why
    result.fits[name], result.tol[name] = Laps([found.seconds], found.peak_mb), found.tol
    if found.judgement is not None:
        result.judged[name] = found.judgement
    if found.reached:
        contest.ask(name, "choose", tol=found.tol)
    else:
        result.at_least.add(name)


def _to_be_timed(result: CaseResult) -> list[str]:
    """Who has not been timed properly: ours, and all that reached the gap in not much more than the best time.

    Who was best in the search may turn out not to be: then it is another one's turn.
    """
    best = result.best
    if best in result.timed:
        return []
    longest = 0.0 if best is None else max(MOMENT, NEAR * result.fits[best].median)
    near = [n for n, laps in result.fits.items() if n not in result.at_least and laps.median <= longest]
    ours = [OURS] if OURS in result.fits else []
    return [name for name in dict.fromkeys(ours + near) if name not in result.timed]


def raw(result: CaseResult) -> dict[str, Any]:
    """All numbers, for the JSON file."""
    judged = {name: judgement.raw() for name, judgement in result.judged.items()}
    return {
        "title": result.case.title,
        "data": {"origin": result.data.origin, "shape": list(result.data.X.shape)},
        "absent": result.absent,
        "notes": {name: note for name, note in result.notes.items() if note},
        "fit": {
            name: {**laps.raw(), "tol": result.tol[name], "at_least": name in result.at_least, **judged.get(name, {})}
            for name, laps in result.fits.items()
        },
        "ratio": {name: result.ratio(name) for name in result.fits if name != OURS},
        "best": result.best,
        "required": result.case.required,
    }
