"""Which families are compared once more, on more rows: those that may still be the best, with their best candidates.

What is best on 10,000 rows need not be so on a million: trees go on learning where a line has all it can. The families
near the best one are judged again on four times as many rows, and so on as long as there are rows and time. Without a
limit of time there is one such round, so that the result does not depend on the speed of the machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ._families import FAMILIES, Family
from ._search import Job, SearchResult, search_each
from ._training import FamilyResult

GROWTH, FOLDS = 4, 3
_CANDIDATES = 2
_ERRORS, _NEAR = 3.0, 0.01  # standard errors, or points of the score, that a family may be behind
_QUADRATIC = frozenset(("svc", "svr", "kernelridge", "kernellogistic", "kernelperceptron"))


def survivors(compared: Sequence[FamilyResult], hurry: bool) -> list[Family]:
    """The families that may still be the best, the best first; fewer than two if nothing is left to decide.

    Parameters
    ----------
    compared : list of FamilyResult
        As `compare` gives them.
    hurry : bool
        Whether there is a limit of time, which then says what is too slow; else kernel machines, whose time grows with
        the square of the rows, are not compared again.

    """
    most = max(r.rows for r in compared if r.judged)
    near = [
        r
        for r in compared
        if r.judged and r.rows == most and r.behind <= max(_ERRORS * r.behind_error, _NEAR * max(abs(r.score), 0.1))
    ]
    if not hurry:
        if near[0].family in _QUADRATIC:
            return []
        near = [r for r in near if r.family not in _QUADRATIC]
    return [FAMILIES[r.family] for r in near]


def candidates_again(found: SearchResult) -> list[dict[str, Any]]:
    """The winner of a search and the next best of its candidates that are of the same kind."""
    best = found.params
    others = [row for row in found.table if set(row["params"]) == set(best) and row["params"] != best]
    others = [row for row in others if len(row["fold_scores"]) == len(found.fold_scores)]
    others.sort(key=lambda row: -row["score"] if np.isfinite(row["score"]) else np.inf)
    return [dict(best), *(dict(row["params"]) for row in others[: _CANDIDATES - 1])]


def expected_seconds(family: Family, found: SearchResult, result: FamilyResult, growth: float) -> float:
    """How long a family takes on so many times as many rows, by what it took."""
    again = candidates_again(found)
    seconds = [row["seconds"] for row in found.table if row["params"] in again and row["seconds"] > 0]
    mean = float(np.mean(seconds)) if seconds else result.seconds
    power = 2.0 if family.name in _QUADRATIC else 1.1
    return mean * len(again) * growth**power * min(1.0, FOLDS / max(1, len(found.fold_scores)))


def search_again(family: Family, job: Job, found: SearchResult) -> SearchResult:
    """The best candidates on more rows."""
    again = candidates_again(found)
    note = f"{len(again)} candidates again on {len(job.y)} rows"
    new = search_each(job, again, lambda **params: family.make(job, params), note)
    table = [*new.table, *found.table]
    return replace(new, table=table, note=f"{found.note}; then {new.note}")


def seconds_left(deadline: float | None) -> float:
    """Until the end of the time for tuning."""
    return float("inf") if deadline is None else deadline - time.perf_counter()
