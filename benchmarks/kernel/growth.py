"""How the time of a fit grows with the number of rows at a fixed number of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import table
from ..contest import Contest
from ..options import Options
from .cases import TOL, Case, magic04_shuffled, targets
from .contenders import CONTENDERS, OURS

SIZES = (2000, 4000, 8000, 16000)
QUICK_SIZES = (250, 500, 1000, 2000)


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    sizes = QUICK_SIZES if options.quick else SIZES
    case = Case("growth", magic04_shuffled, targets(8, 3), C=1.0, gamma=0.1)
    data = case.data(Options(data=options.data)).rows(slice(sizes[-1]))
    times: dict[str, dict[int, float]] = {contender.name: {} for contender in CONTENDERS}
    with Contest(CONTENDERS, case, (data.X, data.y), options, {OURS, *case.required}) as contest:
        for n in sizes:
            for name in contest.names:
                contest.ask(name, "use_rows", n=n)
            for name, laps in contest.race("fit", tol=TOL, hurried=options.spent > 0.75).items():
                times[name][n] = laps.median
    exponents = {name: exponent(measured) for name, measured in times.items()}
    head = f"growth: first n rows of {data.X.shape[1]} features, {case.title}; data: {data.origin}, shuffled"
    rows = [
        (name, *(table.seconds(times[name].get(n)) for n in sizes), table.ratio(exponents[name]))
        if times[name]
        else (name, contest.failed.get(name, "not run"))
        for name in times
    ]
    text = table.render(("seconds at n =", *map(str, sizes), "exponent"), rows)
    return f"{head}\n{text}\n", {"sizes": list(sizes), "seconds": times, "exponent": exponents}


def exponent(measured: dict[int, float]) -> float | None:
    """The k of seconds = c n^k by least squares in logarithms; None from fewer than two sizes."""
    if len(measured) < 2:
        return None
    return float(np.polyfit(np.log(list(measured)), np.log(list(measured.values())), 1)[0])
