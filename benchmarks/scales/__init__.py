"""Kernel machines at every scale: C from 1e-12 to 1e12, and features whose units differ by ten orders of magnitude."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from maxmargin.svm import SVC

from .. import table
from ..datasets import Data, in_float64, load, standardised
from ..options import Options
from ..parts import run_parts

MINUTES = 2.0
PARTS = ("every-C", "unscaled")
KERNELS = ("linear", "poly", "rbf")

READING = """How to read it. Every fit has the default parameters but for kernel and C. A dot is a fit that converged,
an 's' one that stalled (rounding errors of float64 allow no better), a 'b' one that used up its steps. "violation" and
"gap" are the largest of those that did not converge."""

_MARKS = {"converged": ".", "stalled": "s", "budget exhausted": "b"}


def fit(X: np.ndarray, y: np.ndarray, kernel: str, C: float) -> dict[str, Any]:
    """One fit, and what its certificate says."""
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVC(kernel=kernel, C=C).fit(X, y)
    proof = model.certificate_.worst
    return {
        "C": C,
        "status": str(proof.status),
        "violation": proof.kkt_violation,
        "gap": proof.relative_gap,
        "steps": proof.iterations,
        "seconds": time.perf_counter() - begin,
    }


def sets(options: Options) -> Iterator[tuple[str, Data]]:
    """Breast cancer, sonar, heart and the pairs of iris, standardised and as they are."""
    named = [(name, load(name, options.data)) for name in ("breast_cancer", "heart_scale")]
    if options.data is not None and (options.data / "sonar.npz").exists():  # there is no stand-in for it
        named.insert(1, ("sonar", load("sonar", options.data)))
    X, y = load_iris(return_X_y=True)
    for pair in ((0, 1), (0, 2), (1, 2)):
        rows = np.isin(y, pair)
        named.append((f"iris {pair[0]}-{pair[1]}", Data(X[rows], y[rows], "bundled with scikit-learn")))
    for name, data in named:
        yield f"{name}, standardised", standardised(data)
        yield f"{name}, raw", in_float64(data)


def every_c(options: Options) -> tuple[str, Any]:
    """The table over C."""
    Cs = np.logspace(-12, 12, 7 if options.quick else 25)
    rows, record = [], {}
    for name, data in sets(options):
        for kernel in KERNELS:
            fits = [fit(data.X, data.y, kernel, float(C)) for C in Cs]
            record[f"{name}, {kernel}"] = fits
            rows.append([name, kernel, "".join(_MARKS.get(f["status"], "?") for f in fits), *_figures(fits)])
    header = ["data", "kernel", "C = 1e-12 ... 1e12", "seconds", "slowest", "violation", "gap"]
    text = table.render(header, rows, left=("kernel", "C = 1e-12 ... 1e12"))
    return f"{text}\n{_summary([f for fits in record.values() for f in fits])}\n", record


def unscaled(options: Options) -> tuple[str, Any]:
    """2000 rows of six columns with deviations from 1e-6 to 1e4."""
    rng = np.random.default_rng(options.seed)
    Z = rng.standard_normal((500 if options.quick else 2000, 6))
    y = (Z @ rng.standard_normal(6) + 0.5 * rng.standard_normal(len(Z)) > 0).astype(int)
    X = Z * np.logspace(-6, 4, 6)
    record = [{"kernel": kernel, **fit(X, y, kernel, C)} for kernel in KERNELS for C in (1e-6, 1.0, 1e9)]
    rows = [
        [
            f["kernel"],
            f"{f['C']:g}",
            f["status"],
            table.small(f["violation"]),
            table.small(f["gap"]),
            str(f["steps"]),
            table.seconds(f["seconds"]),
        ]
        for f in record
    ]
    text = table.render(["kernel", "C", "status", "violation", "gap", "steps", "seconds"], rows, left=("status",))
    return f"{text}\n{_summary(record)}\n", record


def _figures(fits: list[dict[str, Any]]) -> list[str]:
    seconds, open_ = [f["seconds"] for f in fits], [f for f in fits if f["status"] != "converged"]
    worst = [max((f[figure] for f in open_), default=None) for figure in ("violation", "gap")]
    return [table.seconds(sum(seconds)), table.seconds(max(seconds)), *(table.small(value) for value in worst)]


def _summary(fits: list[dict[str, Any]]) -> str:
    ends = ", ".join(f"{count} {status}" for status, count in Counter(f["status"] for f in fits).most_common())
    return f"  {len(fits)} fits: {ends}; {sum(f['seconds'] for f in fits):.1f} s in all"


def run(options: Options) -> dict[str, Any]:
    """Print both tables and return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    SVC().fit(np.eye(4), [0, 1, 0, 1])  # compiled before the clock runs
    return run_parts(options, {"every-C": every_c, "unscaled": unscaled})
