"""Whether float32 data are used as they are: the memory of a fit, against the size of a float64 copy of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import table
from ..contest import Contest
from ..datasets import standardised, thinned
from ..names import OURS
from ..options import Options
from .cases import Case, covtype_two
from .contenders import contenders

# Each loss with a peer to compare with. A few steps of it show what it copies.
_BESIDE = {
    "hinge": "scikit-learn dual",
    "squared_hinge": "scikit-learn primal",
    "logistic": "scikit-learn lbfgs",
}
_STEPS = 5
QUICK_ROWS = 100_000  # with fewer, what every fit takes would look like a copy
_MB = 2**20


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    data = covtype_two(options)
    data = standardised(thinned(data, QUICK_ROWS) if options.quick else data)
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    copy = 2 * X.nbytes / _MB
    rows, record = [], {}
    for loss, beside in _BESIDE.items():
        case = Case(f"float32, {loss}", covtype_two, loss, (beside,), required=1.0, max_iter=_STEPS)
        record[loss] = peaks = _peaks(case, X, data.y, options)
        for name in (OURS, beside):
            rows.append((loss.replace("_", " "), name, *_cells(peaks.get(name), copy)))
    n, d = X.shape
    head = f"float32: {n} x {d} dense, {X.nbytes / _MB:.0f} MB, {copy:.0f} MB as float64; data: {data.origin}"
    header = ("loss", "memory of a fit", "peak MB", "of a float64 copy", "")
    return f"{head}\n{table.render(header, rows, left=('memory of a fit', ''))}\n", {"copy_mb": copy, "peak_mb": record}


def _peaks(case: Case, X: np.ndarray, y: np.ndarray, options: Options) -> dict[str, float]:
    with Contest(contenders(case), case, (X, y), options, {OURS, *case.peers}, [("fit", {})]) as contest:
        answers = {name: contest.ask(name, "fit") for name in contest.names}
    return {name: answer.peak_mb for name, answer in answers.items() if answer is not None}


def _cells(peak: float | None, copy: float) -> tuple[str, str, str]:
    if peak is None:
        return table.MISSING, table.MISSING, "not measured"
    return table.megabytes(peak), f"{peak / copy:.2f}", "no copy" if peak < copy else "a copy"
