"""Tables of the kernel benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from .. import table
from ..names import OURS
from ..targets import Target
from .contenders import CONTENDERS
from .one_case import CaseResult

READING = """How to read it. Seconds are medians. "gap" is the relative duality gap by the referee, in float64 from the
multipliers alone; of several classes the sum over all pairs, "worst" the worst pair; "sum" is how far the multipliers
are from summing to zero. "ratio" is the peer's time over ours: at the same tol where our gap is at least as small (at
"tol"), else with our fit repeated at 0.99 of the peer's gap (at "gap"), which is the time under "ours". "peak MB" is
memory beyond data and imports. "error" is how far decision values are from the referee's, up to the intercept.
"check" is one decision_function of ours on the training rows."""

_FIT = (
    "fit",
    "seconds",
    "runs",
    "gap",
    "worst",
    "sum",
    "vectors",
    "peak MB",
    "ours",
    "at",
    "ratio",
    "required",
    "",
    "note",
)
_DECIDE = ("decision function", "seconds", "runs", "error", "ratio", "required", "")


def case_text(result: CaseResult) -> str:
    """The two tables of a case."""
    head = f"{result.case.name}: {result.data.shape_text}, {result.case.title}; data: {result.data.origin}"
    parts = [head, table.render(_FIT, [_fit_row(result, name) for name in _names()], left=("at", "", "note"))]
    parts.append(table.render(_DECIDE, [_decision_row(result, name) for name in _names()], left=("",)))
    if result.fit_over_check is not None:
        check = table.seconds(result.decisions[OURS].median)
        parts.append(f"  check {check} s; fit over check {table.ratio(result.fit_over_check)}")
    return "\n".join(parts) + "\n"


def _names() -> list[str]:
    return [contender.name for contender in CONTENDERS]


def _fit_row(result: CaseResult, name: str) -> Sequence[str]:
    if name not in result.fits:
        return (name, result.absent.get(name, "not run"))
    laps, judged = result.fits[name], result.judged[name]
    ours, at = result.counted(name) if name != OURS else (None, "")
    required = result.case.required.get(name)
    ratio = result.ratio(name) if name != OURS else None
    return (
        name,
        table.seconds(laps.median),
        str(laps.runs),
        table.small(judged.relative_gap),
        table.small(judged.worst_gap if judged.problems > 1 else None),
        table.small(judged.sum_residual),
        table.count(judged.vectors),
        table.megabytes(laps.peak_mb),
        table.seconds(ours),
        at,
        table.ratio(ratio),
        table.ratio(required),
        table.verdict(ratio, required),
        _note(result, name),
    )


def _note(result: CaseResult, name: str) -> str:
    notes = [result.notes[name]] if result.notes.get(name) else []
    if not result.judged[name].solved:
        notes.append("this is no solution")
    if result.judged[name].clipped > 1e-6:
        notes.append(f"multipliers outside the box by {result.judged[name].clipped:.0e} C, clipped")
    equal = result.equal.get(name)
    if equal is not None and equal.relative_gap > result.judged[name].relative_gap:
        notes.append(f"ours did not reach this gap: {equal.relative_gap:.1e}")
    return "; ".join(notes)


def _decision_row(result: CaseResult, name: str) -> Sequence[str]:
    if name not in result.decisions:
        return (name, result.absent.get(name, "not run"))
    laps = result.decisions[name]
    required = result.case.required_decision.get(name)
    ratio = result.decision_ratio(name) if name != OURS else None
    return (
        name,
        table.seconds(laps.median),
        str(laps.runs),
        table.small(result.value_errors.get(name)),
        table.ratio(ratio),
        table.ratio(required),
        table.verdict(ratio, required),
    )


def targets(results: Sequence[CaseResult]) -> list[Target]:
    """Every required ratio of the cases."""
    return [
        Target(result.case.name, what, name, ratio_of(name), wanted)
        for result in results
        for what, required, ratio_of in (
            ("fit", result.case.required, result.ratio),
            ("decision", result.case.required_decision, result.decision_ratio),
        )
        for name, wanted in required.items()
    ]
