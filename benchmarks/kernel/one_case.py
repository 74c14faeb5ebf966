"""A case from beginning to end: fits, the referee's word, decision values, and our fits at the gaps of the peers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..contest import Contest
from ..datasets import Data
from ..names import OURS
from ..options import Options
from ..timing import Laps
from .cases import TOL, Case, gamma_value
from .contenders import CONTENDERS
from .judge import Judgement, judge_model, value_error

GAP_FLOOR = 1e-12  # smaller gaps are rounding errors: nobody is asked to beat them
BEYOND_DOUBT = 2.0  # times the required ratio: no noise of the machine turns that verdict


@dataclass
class EqualGap:
    """Our fit at a peer's gap: what was asked for, what the referee found, and the time it took."""

    gap_tol: float
    relative_gap: float
    laps: Laps

    @property
    def seconds(self) -> float:
        return self.laps.median


@dataclass
class CaseResult:
    """All that was measured in a case; `absent` says why a contender is missing in a table."""

    case: Case
    data: Data
    fits: dict[str, Laps] = field(default_factory=dict)
    judged: dict[str, Judgement] = field(default_factory=dict)
    decisions: dict[str, Laps] = field(default_factory=dict)
    value_errors: dict[str, float | None] = field(default_factory=dict)
    equal: dict[str, EqualGap] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def counted(self, peer: str) -> tuple[float | None, str]:
        """Our time that counts against a peer, and at what it was taken: the same tol, or the peer's gap."""
        if OURS not in self.fits:
            return None, ""
        if peer not in self.equal:
            return self.fits[OURS].median, "tol"
        return self.equal[peer].seconds, "gap"

    def ratio(self, peer: str) -> float | None:
        """Time of a peer over ours; None where there is nothing to compare, as with an answer that is no solution."""
        ours = self.counted(peer)[0]
        if ours is None or peer not in self.fits or not self.judged[peer].solved:
            return None
        return self.fits[peer].median / ours

    def decision_ratio(self, peer: str) -> float | None:
        if OURS not in self.decisions or peer not in self.decisions:
            return None
        return self.decisions[peer].median / self.decisions[OURS].median

    @property
    def fit_over_check(self) -> float | None:
        if OURS not in self.fits or OURS not in self.decisions:
            return None
        return self.fits[OURS].median / self.decisions[OURS].median


def run_case(case: Case, options: Options) -> CaseResult:
    data = case.data(options)
    result = CaseResult(case, data)
    rehearsal = [] if options.quick else [("fit", {"tol": TOL}), ("decide", {})]
    targeted = {OURS, *case.required}
    with Contest(CONTENDERS, case, (data.X, data.y), options, targeted, rehearsal) as contest:
        result.fits = contest.race("fit", tol=TOL, hurried=options.hurried)
        _judge_all(contest, result)
        settled = partial(_settled, case)
        result.decisions = contest.race("decide", only=list(result.fits), hurried=options.hurried, settled=settled)
        for name, laps in result.decisions.items():
            result.value_errors[name] = value_error(laps.value, result.judged[name])
        if OURS in result.judged:
            _equalise(contest, result)
    result.absent.update(contest.failed)
    return result


def _settled(case: Case, name: str, seconds: dict[str, float]) -> bool:
    """Whether a contender's decision values are so slow that running them again would be a waste of minutes."""
    required = case.required_decision.get(name)
    if required is None or OURS not in seconds:
        return False
    return seconds[name] > BEYOND_DOUBT * required * seconds[OURS]


def _judge(contest: Contest, result: CaseResult, name: str) -> Judgement | None:
    answer = contest.ask(name, "multipliers")
    if answer is None:
        return None
    X, y = result.data.X, result.data.y
    try:
        return judge_model(result.case, X, y, gamma_value(result.case.gamma, X), answer.value)
    except (IndexError, ValueError) as error:
        result.absent[name] = f"its multipliers make no sense: {error}"
        return None


def _judge_all(contest: Contest, result: CaseResult) -> None:
    for name in list(result.fits):
        judgement = _judge(contest, result, name)
        note = contest.ask(name, "note")
        if judgement is None or note is None:
            del result.fits[name]
        else:
            result.judged[name], result.notes[name] = judgement, note.value


def _equalise(contest: Contest, result: CaseResult) -> None:
    """Fit ours again to the gap of each peer that came closer, from the loosest of them to the tightest."""
    mine = result.judged[OURS].relative_gap
    closer = {n: j.relative_gap for n, j in result.judged.items() if n != OURS and GAP_FLOOR < j.relative_gap < mine}
    last: EqualGap | None = None
    for name in sorted(closer, key=lambda n: -closer[n]):
        if last is None or last.relative_gap > closer[name]:  # else: the last one was already as close
            last = _fit_to_gap(contest, result, 0.99 * closer[name])
        if last is None:
            return
        result.equal[name] = last


def _fit_to_gap(contest: Contest, result: CaseResult, gap_tol: float) -> EqualGap | None:
    laps = contest.race("fit", only=[OURS], tol=TOL, gap_tol=gap_tol).get(OURS)
    judgement = _judge(contest, result, OURS) if laps is not None else None
    if laps is None or judgement is None:
        return None
    return EqualGap(gap_tol, judgement.relative_gap, laps)


def raw(result: CaseResult) -> dict[str, Any]:
    """All numbers, for the JSON file."""
    return {
        "title": result.case.title,
        "data": {"origin": result.data.origin, "shape": list(result.data.X.shape)},
        "absent": result.absent,
        "notes": {name: note for name, note in result.notes.items() if note},
        "fit": {name: {**lap.raw(), **_judged(result.judged[name])} for name, lap in result.fits.items()},
        "decision": {
            name: {**lap.raw(), "value_error": result.value_errors.get(name)} for name, lap in result.decisions.items()
        },
        "equal_gap": {
            name: {"gap_tol": e.gap_tol, "relative_gap": e.relative_gap, **e.laps.raw()}
            for name, e in result.equal.items()
        },
        "ratio": {name: result.ratio(name) for name in result.fits if name != OURS},
        "decision_ratio": {name: result.decision_ratio(name) for name in result.decisions if name != OURS},
        "required": result.case.required,
        "required_decision": result.case.required_decision,
        "fit_over_check": result.fit_over_check,
    }


def _judged(judgement: Judgement) -> dict[str, Any]:
    return {key: value for key, value in vars(judgement).items() if key != "image"}
