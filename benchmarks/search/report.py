"""Tables of the search benchmark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import table
from ..kernel.cases import TOL
from ..names import OURS
from ..targets import Target
from .contenders import CONTENDERS, JOBS
from .one_case import CaseResult

READING = f"""How to read it. A search fits every cell of the grid in every fold at tol={TOL:g}, and the winner on all
rows; all have the same folds and {JOBS} jobs. Ours is run several times, and seconds are their median; a peer runs
once. One marked by ">" was stopped after its part of the time and would take longer; "open" is a ratio that may be
short for that reason alone. "gap" and "violation" are the referee's, in float64 from the multipliers alone: in the
first table those of the refitted winner, in the second the worst of some cells in two folds each, the corners of the
grid and the winner among them. "violation" is what tol bounds: our time counts only if it does so in these and, by
their certificates, in all cells. "differ" is by how much a score of ours in a fold differs from the peer's at most, in
test rows or in R2; "beyond" is how many do by more than two rows; "winner" is by how much the peer's mean score of its
winner is above that of ours. "peak MB" is memory beyond data and imports, and not taken of peers, which search in
several processes."""

_SEARCH = (
    "search",
    "seconds",
    "runs",
    "C",
    "gamma",
    "score",
    "gap",
    "violation",
    "peak MB",
    "ratio",
    "required",
    "",
    "note",
)
_CELLS = ("cells", "judged", "gap", "violation", "compared", "differ", "beyond", "winner")


def case_text(result: CaseResult) -> str:
    """The two tables of a case, and what the certificates of our cells say."""
    head = f"{result.case.name}: {result.data.shape_text}, {result.case.title}; data: {result.data.origin}"
    names = [contender.name for contender in CONTENDERS]
    parts = [head, table.render(_SEARCH, [_search_row(result, name) for name in names], left=("", "note"))]
    if result.found:
        parts.append(table.render(_CELLS, [_cells_row(result, name) for name in names if name in result.found]))
    if OURS in result.found:
        parts.append(_stated_text(result))
    return "\n".join(parts) + "\n"


def _search_row(result: CaseResult, name: str) -> Sequence[str]:
    if name not in result.searches:
        return (name, result.absent.get(name, "not run"))
    laps, at_least = result.searches[name], name in result.at_least
    required, ratio = result.case.required.get(name), result.ratio(name) if name != OURS else None
    return (
        name,
        f"{'>' if at_least else ''}{table.seconds(laps.median)}",
        str(laps.runs),
        *_winner_cells(result, name),
        table.megabytes(laps.peak_mb),
        table.ratio(ratio, at_least),
        table.ratio(required),
        table.verdict(ratio, required, at_least),
        _note(result, name),
    )


def _winner_cells(result: CaseResult, name: str) -> Sequence[str]:
    if name not in result.found:
        return (table.MISSING,) * 5
    found, winner = result.found[name], result.winners[name]
    C, gamma = result.case.candidates[found.best]
    score = found.scores[found.best].mean()
    return f"{C:.3g}", f"{gamma:.3g}", f"{score:.4f}", table.small(winner.relative_gap), table.small(winner.violation)


def _note(result: CaseResult, name: str) -> str:
    notes = [result.notes[name]] if result.notes.get(name) else []
    if name in result.at_least:
        notes.append("was stopped")
    if name in result.winners and not result.winners[name].solved:
        notes.append("its winner is no solution")
    if name == OURS and result.misses:
        notes.append(f"not at tol: {', '.join(result.misses)}")
    return "; ".join(notes)


def _cells_row(result: CaseResult, name: str) -> Sequence[str]:
    cells, agreed = result.cells.get(name), result.agreements.get(name)
    judged = ("0", table.MISSING, table.MISSING)
    if cells is not None:
        judged = (str(cells.judged), table.small(cells.gap), table.small(cells.violation))
    if agreed is None:
        return (name, *judged, *(table.MISSING,) * 4)
    differ = table.small(agreed.largest) if result.case.regression else f"{agreed.largest:.0f}"
    winner = "same" if agreed.same_winner else f"{agreed.winners:.1e}"
    return (name, *judged, str(agreed.compared), differ, table.count(agreed.beyond), winner)


def _stated_text(result: CaseResult) -> str:
    found = result.found[OURS]
    if found.violation is None or found.gap is None:
        return "  our cells have no certificates"
    at = int(np.count_nonzero(found.violation <= TOL))
    violation, gap = table.small(float(np.max(found.violation))), table.small(float(np.max(found.gap)))
    return f"  certificates: {at} of {found.violation.size} cells at tol; violation up to {violation}, gap up to {gap}"


def targets(results: Sequence[CaseResult]) -> list[Target]:
    """Every required ratio of the cases."""
    return [
        Target(result.case.name, "search", name, result.ratio(name), wanted, name in result.at_least)
        for result in results
        for name, wanted in result.case.required.items()
    ]
