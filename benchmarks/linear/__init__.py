"""Linear models: fits at equal gap, growth with rows and features, and what float32 data cost."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_cases, run_parts
from ..targets import targets_text
from . import float32, growth
from .cases import CASES
from .one_case import raw, run_case
from .report import READING, case_text, targets

_OTHER = {"growth-n": growth.run_rows, "growth-d": growth.run_features, "float32": float32.run}
MINUTES = 9.0
PARTS = (*(case.name for case in CASES), *_OTHER)


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results, cases = run_cases(options, CASES, run_case, case_text, raw)
    others = run_parts(options, _OTHER)
    if results:
        print(targets_text(targets(results), options.quick), flush=True)
    return {"cases": cases, **others}
