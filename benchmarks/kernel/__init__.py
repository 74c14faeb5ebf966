"""Kernel machines: fits and decision values at equal gap, growth with n, cost of compiling, time against gap."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..progress import say
from . import first_fit, growth, time_against_gap
from .cases import CASES
from .one_case import CaseResult, raw, run_case
from .report import READING, case_text, targets_text

_OTHER = {"first-fit": first_fit.run, "growth": growth.run, "time-against-gap": time_against_gap.run}
PARTS = (*(case.name for case in CASES), *_OTHER)


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results: list[CaseResult] = []
    record: dict[str, Any] = {"cases": {}}
    for case in CASES:
        if options.wants(case.name) and not _too_late(options, case.name):
            results.append(run_case(case, options))
            record["cases"][case.name] = raw(results[-1])
            print(case_text(results[-1]), flush=True)
    for name, part in _OTHER.items():
        asked = options.wants(name) or (name == "time-against-gap" and options.plot_asked_for)
        if asked and not _too_late(options, name):
            text, record[name] = part(options)
            print(text, flush=True)
    if results:
        print(targets_text(results, options.quick), flush=True)
    return record


def _too_late(options: Options, name: str) -> bool:
    late = options.spent > 1
    if late:
        say(f"{name}: left out")
        print(f"{name}: left out, the {options.minutes:g} minutes of --minutes are over\n", flush=True)
    return late
