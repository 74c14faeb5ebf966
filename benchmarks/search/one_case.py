"""A case from beginning to end: our search repeated, each peer's once, and then what they found held side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..contest import Contest
from ..datasets import Data
from ..kernel.judge import Judgement
from ..names import OURS
from ..options import Options
from ..progress import elapsed, say
from ..timing import Laps
from .agreement import Agreement, agreement
from .cases import Case, Folds
from .contenders import CONTENDERS, Found
from .fold_models import Cell, sample
from .judge import Cells, judge_cells, judge_winner, stated_at_tolerance
from .limits import left, peer_limit

CHECKING = 30.0  # seconds that a peer may take to fit single cells again
DRIFT = 1e-3  # of a score: libraries with threads of their own do not repeat themselves to the last digit


@dataclass
class CaseResult:
    """All that was measured in a case; `absent` says why a contender is missing in the table.

    A peer in ``at_least`` was stopped before it was done: it would take longer than its time.
    """

    case: Case
    data: Data
    folds: Folds = field(repr=False)
    searches: dict[str, Laps] = field(default_factory=dict)
    at_least: set[str] = field(default_factory=set)
    found: dict[str, Found] = field(default_factory=dict)
    winners: dict[str, Judgement] = field(default_factory=dict)
    cells: dict[str, Cells] = field(default_factory=dict)
    agreements: dict[str, Agreement] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> float | None:
        """Our time; None if there is none, or not all that was looked at is at the tolerance."""
        if OURS not in self.searches or OURS not in self.found or self.misses:
            return None
        return self.searches[OURS].median

    @property
    def misses(self) -> list[str]:
        """What of ours is not at the tolerance that everybody was asked for."""
        wrong = []
        if OURS in self.found and not stated_at_tolerance(self.found[OURS]):
            wrong.append("cells that say so themselves")
        if OURS in self.cells and not self.cells[OURS].at_tolerance:
            wrong.append("cells by the referee")
        return wrong

    def ratio(self, name: str) -> float | None:
        """Time of a peer over ours; None where its winner is no solution."""
        if self.ours is None or name not in self.searches:
            return None
        if name in self.winners and not self.winners[name].solved:
            return None
        return self.searches[name].median / self.ours


def run_case(case: Case, options: Options, seconds: float) -> CaseResult:
    """Measure a case in about so many seconds."""
    until = elapsed() + seconds
    data = case.data(options)
    folds = case.split(data)
    result = CaseResult(case, data, folds)
    rehearsal = [] if options.quick else [("rehearse", {})]
    subjects = (data.X, data.y, folds)
    with Contest(CONTENDERS, case, subjects, options, {OURS, *case.required}, rehearsal) as contest:
        result.searches = contest.race("search", only=[OURS], hurried=options.hurried)
        _look_at(contest, result, OURS)
        _run_peers(contest, result, options, until)
        _judge_cells(contest, result, options)
    result.absent.update(contest.failed)
    return result


def _run_peers(contest: Contest, result: CaseResult, options: Options, until: float) -> None:
    """Each once, those of which least is required first: what they leave is for the others."""
    required = result.case.required
    waiting = sorted((n for n in contest.names if n in required), key=lambda n: required[n])
    ours = result.searches[OURS].median if OURS in result.searches else None
    while waiting:
        name = waiting[0]
        limit = peer_limit(result.case, name, waiting, ours, until - elapsed() - (ours or 0.0), left(options))
        waiting.pop(0)
        say(f"{result.case.name}: search: {name}, up to {limit:g} s")
        answer = contest.ask(name, "search", limit=limit)
        if answer is not None:
            result.searches[name] = Laps(answer.seconds)
            _look_at(contest, result, name)
        elif name in contest.stopped:
            result.searches[name] = Laps([contest.stopped[name]])
            result.at_least.add(name)


def _look_at(contest: Contest, result: CaseResult, name: str) -> None:
    """Fetch what a contender found, and have its winner judged."""
    found, note = contest.ask(name, "found"), contest.ask(name, "note")
    if found is None or note is None:
        result.searches.pop(name, None)
        return
    result.found[name], result.notes[name] = found.value, note.value
    try:
        result.winners[name] = judge_winner(result.case, result.data, found.value)
    except (IndexError, ValueError) as error:
        result.absent[name] = f"its multipliers make no sense: {error}"
        del result.found[name], result.searches[name]
    if name != OURS and name in result.found and OURS in result.found:
        rows = np.array([len(test) for _, test in result.folds])
        result.agreements[name] = agreement(result.found[OURS], found.value, rows, result.case.regression)


def _judge_cells(contest: Contest, result: CaseResult, options: Options) -> None:
    """Have the same cells and folds of everybody judged; a peer that takes long to fit them again is let off."""
    if not result.found:
        return
    cells = sample(result.case, next(iter(result.found.values())).best, options.seed)
    for name in list(result.found):
        models = contest.ask(name, "fold_models", cells=cells, limit=None if name == OURS else CHECKING)
        if models is not None:
            _keep_cells(result, name, cells, models.value)
        elif name == OURS:
            del result.searches[OURS]  # without its machines nobody can say what was solved


def _keep_cells(result: CaseResult, name: str, cells: list[Cell], models: list) -> None:
    found = result.found[name]
    result.cells[name] = judge_cells(result.case, result.data, result.folds, found, cells, models)
    drift = result.cells[name].drift
    if drift > DRIFT:
        strange = f"cells that were judged do not have the scores of its search, by up to {drift:.1g}"
        result.notes[name] = "; ".join(note for note in (result.notes[name], strange) if note)


def raw(result: CaseResult) -> dict[str, Any]:
    """All numbers, for the JSON file."""
    return {
        "title": result.case.title,
        "data": {"origin": result.data.origin, "shape": list(result.data.X.shape)},
        "absent": result.absent,
        "notes": {name: note for name, note in result.notes.items() if note},
        "grid": [{"C": C, "gamma": gamma} for C, gamma in result.case.candidates],
        "search": {
            name: {**laps.raw(), "at_least": name in result.at_least, **_raw_found(result, name)}
            for name, laps in result.searches.items()
        },
        "cells": {name: cells.raw() for name, cells in result.cells.items()},
        "agreement": {name: agreement.raw() for name, agreement in result.agreements.items()},
        "ratio": {name: result.ratio(name) for name in result.searches if name != OURS},
        "required": result.case.required,
    }


def _raw_found(result: CaseResult, name: str) -> dict[str, Any]:
    if name not in result.found:
        return {}
    found, winner = result.found[name], result.winners[name]
    stated = {"violation": found.violation, "gap": found.gap}
    return {
        "best": found.best,
        "scores": found.scores.tolist(),
        "stated": {key: value.tolist() for key, value in stated.items() if value is not None},
        "winner": {"gap": winner.relative_gap, "violation": winner.violation, "vectors": winner.vectors},
    }
