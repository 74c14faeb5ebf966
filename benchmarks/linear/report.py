"""Tables of the linear benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from .. import table
from ..names import OURS, SKLEARN
from ..targets import Target
from .cases import GAP
from .contenders import contenders
from .one_case import CaseResult

READING = f"""How to read it. Seconds are medians. "gap" is how far the objective is above the best bound that the
referee could prove, in float64 from the coefficients alone, over the objective; of one problem a class the sum.
"intercept" says whether the problem that was solved has it free or penalises it, as LIBLINEAR does; the gap is of that
problem. Peers run at "tol", the loosest of 1e-1 to 1e-6 (by halves at the end) that brings their gap to {GAP:g};
maxmargin at its default. "ratio" is the peer's time over ours; the required one is for the fastest of scikit-learn's
solvers. A peer that gave up or was stopped before it got there is marked by ">": it would take longer. Solvers that
are not among the fastest ran once. "peak MB" is memory beyond data and imports."""

_FIT = ("fit", "seconds", "runs", "gap", "tol", "intercept", "peak MB", "ratio", "required", "", "note")


def case_text(result: CaseResult) -> str:
    """The table of a case."""
    head = f"{result.case.name}: {result.data.shape_text}, {result.case.title}; data: {result.data.origin}"
    rows = [_row(result, contender.name) for contender in contenders(result.case)]
    return f"{head}\n{table.render(_FIT, rows, left=('intercept', '', 'note'))}\n"


def _row(result: CaseResult, name: str) -> Sequence[str]:
    if name not in result.fits:
        return (name, result.absent.get(name, "not run"))
    laps, judged = result.fits[name], result.judged.get(name)
    at_least, ratio = name in result.at_least, result.ratio(name) if name != OURS else None
    required = result.case.required if name == result.best else None
    return (
        name,
        f"{'>' if at_least else ''}{table.seconds(laps.median)}",
        str(laps.runs),
        table.small(judged.relative_gap if judged else None),
        f"{result.tol[name]:.2g}",
        table.MISSING if judged is None else "penalised" if judged.penalised else "free",
        table.megabytes(laps.peak_mb),
        table.ratio(ratio, at_least),
        table.ratio(required),
        table.verdict(ratio, required, at_least),
        _note(result, name),
    )


def _note(result: CaseResult, name: str) -> str:
    notes = [result.notes[name]] if result.notes.get(name) else []
    judged = result.judged.get(name)
    if name in result.at_least:
        notes.append("was stopped" if judged is None else f"did not reach {GAP:g}, gave up")
    elif judged is not None and not judged.reached:
        notes.append(f"its gap is above {GAP:g}")
    if judged is not None and result.case.penalty == "l1":
        notes.append(f"{judged.nonzeros} not zero")
    return "; ".join(notes)


def targets(results: Sequence[CaseResult]) -> list[Target]:
    """The required ratio of each case."""
    found = []
    for result in results:
        best = result.best
        ratio = None if best is None else result.ratio(best)
        found.append(
            Target(result.case.name, "fit", best or SKLEARN, ratio, result.case.required, best in result.at_least)
        )
    return found
