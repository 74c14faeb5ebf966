"""Searches for C and gamma by cross-validation: whole grids of kernel machines, refit included, at equal tolerance."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_parts
from ..targets import targets_text
from .cases import CASES, Case
from .limits import share
from .one_case import CaseResult, raw, run_case
from .report import READING, case_text, targets

MINUTES = sum(case.minutes for case in CASES)
PARTS = tuple(case.name for case in CASES)


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results: list[CaseResult] = []
    wanted = [case for case in CASES if options.wants(case.name)]

    def part(case: Case) -> Any:
        def measure(options: Options) -> tuple[str, Any]:
            seconds = share(case, wanted, options)
            results.append(run_case(case.small() if options.quick else case, options, seconds))
            return case_text(results[-1]), raw(results[-1])

        return measure

    cases = run_parts(options, {case.name: part(case) for case in CASES})
    if results:
        print(targets_text(targets(results), options.quick), flush=True)
    return {"cases": cases}
