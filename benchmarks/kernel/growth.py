"""How the time of a fit grows with the number of rows at a fixed number of features."""

from __future__ import annotations

from typing import Any

from ..contest import Contest
from ..growth import Times, growth_record, growth_text
from ..names import OURS
from ..options import Options
from .cases import TOL, Case, magic04_shuffled, targets
from .contenders import CONTENDERS

SIZES = (2000, 4000, 8000, 16000)
QUICK_SIZES = (250, 500, 1000, 2000)


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    sizes = QUICK_SIZES if options.quick else SIZES
    case = Case("growth", magic04_shuffled, targets(8, 3), C=1.0, gamma=0.1)
    data = case.data(Options(data=options.data)).rows(slice(sizes[-1]))
    times: Times = {contender.name: {} for contender in CONTENDERS}
    with Contest(CONTENDERS, case, (data.X, data.y), options, {OURS, *case.required}) as contest:
        for n in sizes:
            for name in contest.names:
                contest.ask(name, "use_rows", n=n)
            for name, laps in contest.race("fit", tol=TOL, hurried=options.hurried).items():
                times[name][n] = laps.median
    head = f"growth: first n rows of {data.X.shape[1]} features, {case.title}; data: {data.origin}, shuffled"
    return growth_text(head, "n", sizes, times, contest.failed), growth_record(sizes, times)
