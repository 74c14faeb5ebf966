"""How the time of a forest grows with the number of rows."""

from __future__ import annotations

from typing import Any

from ..contest import Contest
from ..growth import Times, growth_record, growth_text
from ..options import Options
from ..side_by_side import targeted
from .cases import FOREST, INTELEX, SKLEARN, Case, covtype, split
from .contenders import contenders

SIZES = (12_500, 25_000, 50_000, 100_000, 200_000)
QUICK_SIZES = (1000, 2000, 4000)


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    sizes = QUICK_SIZES if options.quick else SIZES
    case = Case("forest-growth", FOREST, covtype, {SKLEARN: 3, INTELEX: 2}, sizes[-1], 1000, {"n_estimators": 20})
    data = split(covtype(options), sizes[-1], 1000)
    kinds = contenders(case)
    names = [contender.name for contender in kinds]
    times: Times = {name: {} for name in names}
    with Contest(kinds, case, (data.X, data.y, data.X_test), options, targeted(names, case.required)) as contest:
        for n in sizes:
            for name in contest.names:
                contest.ask(name, "use_rows", n=n)
            for name, laps in contest.race("fit", hurried=True).items():
                times[name][n] = laps.median
    head = f"forest-growth: 20 trees, first n rows of {data.X.shape[1]} columns; data: {data.origin}"
    return growth_text(head, "n", sizes, times, contest.failed), growth_record(sizes, times)
