"""Searches for C and gamma by cross-validation: whole grids of kernel machines, refit included, at equal tolerance."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_cases
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
    wanted = [case for case in CASES if options.wants(case.name)]

    def run_one(case: Case, options: Options) -> CaseResult:
        return run_case(case.small() if options.quick else case, options, share(case, wanted, options))

    results, cases = run_cases(options, CASES, run_one, case_text, raw)
    if results:
        print(targets_text(targets(results), options.quick), flush=True)
    return {"cases": cases}
