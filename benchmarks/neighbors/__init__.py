"""Nearest neighbours: exact searches for many queries at once, and growth with the rows that are searched."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_cases, run_parts
from ..side_by_side import Result, case_text, raw, run_side_by_side, targets
from ..targets import targets_text
from . import growth
from .cases import CASES, Case
from .contenders import contenders
from .judge import FIGURES, LOOKED_UP, Judge

MINUTES = 7.0
_OTHER = {"knn-growth": growth.run}
PARTS = (*(case.name for case in CASES), *_OTHER)

READING = f"""How to read it. Seconds are medians of `kneighbors` for all queries; "fit" is what making the rows ready
takes. Everybody has the same rows in the same type, and all cores. "exact" is the share of {LOOKED_UP} queries whose
neighbours are the nearest rows by the referee, who computes all their distances in float64; rows that products in the
type of the data cannot tell apart count as equally near. "as ours" is the share of all queries whose neighbours are as
near as ours. "error" is how far reported distances are from those of the rows that were named, over their mean.
"ratio" is the peer's time over ours; the required one is for the fastest algorithm of a library. Only exact answers
count. "peak MB" is memory beyond data, index and imports."""


def run_case(case: Case, options: Options) -> Result:
    data = case.data(options)
    subjects = (data.X, data.y, data.queries)
    rehearsal = [("fit", {}), ("search", {})]
    return run_side_by_side(
        case, data.text, contenders(case), subjects, options, Judge(case, data), ("fit", "search"), rehearsal
    )


def _text(result: Result) -> str:
    return case_text(result, "search", FIGURES, beside="fit")


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results, cases = run_cases(options, CASES, run_case, _text, raw)
    others = run_parts(options, _OTHER)
    if results:
        print(targets_text(targets(results, "search"), options.quick), flush=True)
    return {"cases": cases, **others}
