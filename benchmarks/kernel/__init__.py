"""Kernel machines: fits and decision values at equal gap, growth with n, cost of compiling, time against gap."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_cases, run_parts
from ..targets import targets_text
from . import first_fit, growth, time_against_gap
from .cases import CASES
from .one_case import raw, run_case
from .report import READING, case_text, targets

_OTHER = {"first-fit": first_fit.run, "growth": growth.run, "time-against-gap": time_against_gap.run}
MINUTES = 20.0
PARTS = (*(case.name for case in CASES), *_OTHER)


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results, cases = run_cases(options, CASES, run_case, case_text, raw)
    others = run_parts(options, _OTHER, also=["time-against-gap"] if options.plot_asked_for else [])
    if results:
        print(targets_text(targets(results), options.quick), flush=True)
    return {"cases": cases, **others}
