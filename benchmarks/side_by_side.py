"""Contenders at one task, side by side: their times, the referee's word on their answers, and the ratios.

A contender is a library, or a library with one of its algorithms ("scikit-learn elkan"). What is required of a library
is required of the fastest of its algorithms whose answer is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import table
from .contender import Contender
from .contest import Contest
from .names import OURS
from .options import Options
from .targets import Target
from .timing import Laps


class Case(Protocol):
    """What is asked of a case."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def required(self) -> Mapping[str, float]:
        """Ratio that each library's time should have to ours."""

    @property
    def once(self) -> bool:
        """Whether long runs are not repeated."""


@dataclass(frozen=True)
class Verdict:
    """The referee's word on an answer.

    ``value`` is what a better answer has less of; where all right answers are alike it is 0. ``slack`` is the part of
    it within which two are equal. ``flaw`` says why it is no answer to the question; empty if it is one. ``figures``
    go into the table as they are, in the order of its columns.
    """

    value: float
    figures: tuple[str, ...]
    flaw: str = ""
    slack: float = 0.0
    numbers: dict[str, Any] = field(default_factory=dict, compare=False)

    def not_better_than(self, other: Verdict) -> bool:
        return other.value <= self.value + self.slack * abs(self.value)

    def raw(self) -> dict[str, Any]:
        return {"value": self.value, "flaw": self.flaw, **self.numbers}


@dataclass
class Result:
    """All that was measured in a case; `absent` says why a contender is missing in the table.

    ``beside`` has the times of what comes before and is shown only.
    """

    case: Any
    about: str
    names: list[str]
    laps: dict[str, Laps] = field(default_factory=dict)
    beside: dict[str, Laps] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def right(self, name: str) -> bool:
        """Whether there is a time, and for an answer to the question."""
        return name in self.laps and name in self.verdicts and not self.verdicts[name].flaw

    def ratio(self, name: str) -> float | None:
        """Time of a peer over ours; None where one of them has no answer, or ours is not as good as the peer's."""
        if not (self.right(OURS) and self.right(name)) or not self.verdicts[name].not_better_than(self.verdicts[OURS]):
            return None
        return self.laps[name].median / self.laps[OURS].median

    def fastest(self, library: str) -> str | None:
        """The algorithm of a library that a target is about."""
        able = [name for name in self.names if library_of(name) == library and self.right(name)]
        return min(able, key=lambda name: self.laps[name].median, default=None)


def library_of(name: str) -> str:
    """The library of a contender that is called after it and one of its algorithms."""
    return name.split(" ", 1)[0]


def targeted(names: Sequence[str], required: Mapping[str, float]) -> set[str]:
    """Ours, and all algorithms of the libraries that a target speaks of."""
    return {OURS, *(name for name in names if library_of(name) in required)}


def run_side_by_side(
    case: Case,
    about: str,
    contenders: Sequence[type[Contender]],
    data: tuple,
    options: Options,
    judge: Callable[[str, Any], Verdict],
    methods: Sequence[str],
    rehearsal: Sequence[tuple[str, dict]] = (),
) -> Result:
    """Time the last of the methods, the one before it beside, and have ``judge(name, answer)`` look at all answers.

    A contender hands over its answer by `found` and what there is to say of it by `note`. Ours is judged first.
    """
    names = [contender.name for contender in contenders]
    result = Result(case, about, names)
    rehearsal = [] if options.quick else rehearsal
    with Contest(contenders, case, data, options, targeted(names, case.required), rehearsal) as contest:
        hurried = options.hurried or case.once
        for method in methods[:-1]:
            result.beside = contest.race(method, hurried=hurried)
        result.laps = contest.race(methods[-1], hurried=hurried)
        for name in sorted(result.laps, key=lambda n: n != OURS):
            _judge(contest, result, judge, name)
    result.absent.update(contest.failed)
    return result


def _judge(contest: Contest, result: Result, judge: Callable[[str, Any], Verdict], name: str) -> None:
    found, note = contest.ask(name, "found"), contest.ask(name, "note")
    if found is None or note is None:
        del result.laps[name]
        return
    result.notes[name] = note.value
    try:
        result.verdicts[name] = judge(name, found.value)
    except (IndexError, ValueError) as error:
        result.absent[name] = f"its answer makes no sense: {error}"
        del result.laps[name]


def case_text(result: Result, what: str, figures: Sequence[str], beside: str = "") -> str:
    """The table of a case; `figures` are the columns of the verdicts."""
    header = (what, "seconds", "runs", *([beside] if beside else []), *figures, "peak MB", "ratio", "required", "")
    rows = [_row(result, name, bool(beside)) for name in result.names]
    head = f"{result.case.name}: {result.about}, {result.case.title}"
    return f"{head}\n{table.render((*header, 'note'), rows, left=('', 'note'))}\n"


def _row(result: Result, name: str, beside: bool) -> Sequence[str]:
    if name not in result.verdicts:
        return (name, result.absent.get(name, "not run"))
    laps, ratio = result.laps[name], result.ratio(name) if name != OURS else None
    about = name == result.fastest(library_of(name))
    required = result.case.required.get(library_of(name)) if about else None
    earlier = [table.seconds(result.beside[name].median if name in result.beside else None)] if beside else []
    return (
        name,
        table.seconds(laps.median),
        str(laps.runs),
        *earlier,
        *result.verdicts[name].figures,
        table.megabytes(laps.peak_mb),
        table.ratio(ratio),
        table.ratio(required),
        table.verdict(ratio, required),
        _note(result, name),
    )


def _note(result: Result, name: str) -> str:
    verdict = result.verdicts[name]
    notes = [note for note in (result.notes.get(name), verdict.flaw) if note]
    if name != OURS and result.right(OURS) and result.right(name) and result.ratio(name) is None:
        notes.append("its answer is better than ours")
    return "; ".join(notes)


def targets(results: Sequence[Result], of: str) -> list[Target]:
    """Every required ratio of the cases."""
    found = []
    for result in results:
        for library, wanted in result.case.required.items():
            fastest = result.fastest(library)
            ratio = None if fastest is None else result.ratio(fastest)
            found.append(Target(result.case.name, of, fastest or library, ratio, wanted))
    return found


def raw(result: Result) -> dict[str, Any]:
    """All numbers, for the JSON file."""
    return {
        "title": result.case.title,
        "data": result.about,
        "absent": result.absent,
        "notes": {name: note for name, note in result.notes.items() if note},
        "seconds": {name: laps.raw() for name, laps in result.laps.items()},
        "beside": {name: laps.raw() for name, laps in result.beside.items()},
        "verdicts": {name: verdict.raw() for name, verdict in result.verdicts.items()},
        "ratio": {name: result.ratio(name) for name in result.laps if name != OURS},
        "required": dict(result.case.required),
    }
