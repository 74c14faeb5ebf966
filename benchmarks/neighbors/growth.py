"""How the time of a search grows with the number of rows that are searched."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contest import Contest
from ..growth import Times, growth_record, growth_text
from ..options import Options
from ..side_by_side import targeted
from .cases import INTELEX_KD, SKLEARN, SKLEARN_BRUTE, SKLEARN_KD, Case, covtype_measured, split
from .contenders import contenders

SIZES = (4000, 16_000, 64_000, 256_000)
QUICK_SIZES = (1000, 2000, 4000)
QUERIES = 2000
QUICK_QUERIES = 200


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    sizes, queries = (QUICK_SIZES, QUICK_QUERIES) if options.quick else (SIZES, QUERIES)
    peers = (SKLEARN_KD, SKLEARN_BRUTE, INTELEX_KD)
    case = Case("knn-growth", covtype_measured, {SKLEARN: 1}, peers, rows=sizes[-1], dtype=np.float64)
    data = split(covtype_measured(options), sizes[-1], queries, np.float64)
    kinds = contenders(case)
    names = [contender.name for contender in kinds]
    times: Times = {name: {} for name in names}
    with Contest(kinds, case, (data.X, data.y, data.queries), options, targeted(names, case.required)) as contest:
        for n in sizes:
            for name in contest.names:
                contest.ask(name, "use_rows", n=n)
            for name, laps in contest.race("search", hurried=True).items():
                times[name][n] = laps.median
    head = f"knn-growth: first n rows of {data.X.shape[1]} columns, {len(data.queries)} queries; data: {data.origin}"
    return growth_text(head, "n", sizes, times, contest.failed), growth_record(sizes, times)
