"""Kernel machines of many rows: the proven gap to the exact one, what others reach in what time, growth with n."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_parts
from . import growth
from .cases import CASES, Case
from .contenders import CONTENDERS
from .one_case import READING, case_part
from .results import Results

__all__ = ["CASES", "CONTENDERS", "MINUTES", "PARTS", "Case", "run"]

MINUTES = 90.0
PARTS = (*(case.name for case in CASES), "growth")


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each line as soon as it is there, return the raw numbers."""
    results = Results.of(options)
    print(READING, end="\n\n", flush=True)
    parts = {case.name: case_part(case, results) for case in CASES}
    return run_parts(options, {**parts, "growth": growth.part(results)})
