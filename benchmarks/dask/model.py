"""The cost model of the manual against the clock: logistic regression on rows that workers made.

    seconds = (3 n d + s n d (d + 4) + l n (4 d + 80) + n (12 d + 60)) / (W F) + t0 (tasks of all passes)

for s steps and l line searches of a fit, whose numbers are counted from its tasks. F and t0 come from three points by
least squares; the others are predicted.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from scipy.optimize import nnls

from .. import table
from ..options import Options
from ..progress import say
from .cases import _timed
from .cluster import WORKERS

# Rows, columns and partitions; F and t0 are fitted to the first three.
POINTS = (
    (100_000, 10, 4),
    (400_000, 60, 8),
    (20_000, 5, 64),
    (200_000, 20, 8),
    (400_000, 20, 16),
    (200_000, 60, 16),
    (100_000, 100, 8),
    (800_000, 10, 32),
    (50_000, 20, 64),
    (200_000, 100, 32),
)
FITTED = 3
_QUICK = 10  # times fewer rows
_BRANCHES = 8


def run_model(client: Any, options: Options) -> list[dict[str, Any]]:
    """A table of predicted and measured seconds."""
    points = [(n // _QUICK if options.quick else n, d, p) for n, d, p in POINTS]
    costs, measured = [], []
    for n, d, p in points:
        say(f"  {n} x {d} in {p} partitions")
        work, tasks, seconds = _measured(client, n, d, p, 1 if options.hurried else 3)
        costs.append([work / WORKERS, tasks])
        measured.append(seconds)
    matrix, clock = np.array(costs), np.array(measured)
    some = slice(None, FITTED)
    weights = 1 / clock[some]
    (per_operation, per_task), _ = nnls(matrix[some] * weights[:, None], clock[some] * weights)
    predicted = matrix @ [per_operation, per_task]
    rows = [
        [
            f"{n} x {d}",
            str(p),
            f"{int(tasks)}",
            table.seconds(guess),
            table.seconds(found),
            table.ratio(guess / found),
            "fitted" if k < FITTED else "",
        ]
        for k, ((n, d, p), (_, tasks), guess, found) in enumerate(zip(points, costs, predicted, measured, strict=True))
    ]
    header = ["rows x columns", "partitions", "tasks", "predicted", "measured", "ratio", ""]
    rate = 1 / per_operation if per_operation > 0 else np.inf
    constants = f"F = {rate / 1e9:.2f} 10^9 operations a second and worker, t0 = {per_task * 1e3:.2f} ms a task"
    print(f"model: LogisticRegression(tol=1e-6); {constants}\n{table.render(header, rows)}\n", flush=True)
    return [
        {"n": n, "d": d, "partitions": p, "predicted": float(guess), "measured": float(found), "fitted": k < FITTED}
        for k, ((n, d, p), guess, found) in enumerate(zip(points, predicted, measured, strict=True))
    ]


def _measured(client: Any, n: int, d: int, p: int, runs: int) -> tuple[float, float, float]:
    """Operations of a fit, tasks of it, and seconds."""
    import dask.array as da
    from distributed import wait

    from maxmargin.dask import LogisticRegression

    made = da.random.default_rng(0)
    rows = -(-n // p)
    X = made.normal(size=(n, d), chunks=(rows, d)).persist()
    z = X @ np.linspace(-1, 1, d) + made.normal(size=n, chunks=rows)
    y = (z > 0).astype(int).persist()
    wait([X, y])
    machine = LogisticRegression(client=client, tol=1e-6)
    machine.fit(X, y)
    passes = _passes(client, machine, X, y)
    seconds, _ = _timed(lambda: machine.fit(X, y), runs)
    work = 3.0 * n * d
    for kind, times in passes.items():
        work += times * n * _OPERATIONS.get(kind, lambda d: 4 * d)(d)
    all_passes = sum(passes.values()) + 1
    sums, left = 0, p
    while left > 1:
        left = -(-left // _BRANCHES)
        sums += left
    return work, float(all_passes * (p + sums)), seconds


# Operations of a row, by the kind of question that a pass answers.
_OPERATIONS = {
    "SecondOrder": lambda d: d * (d + 4),
    "Along": lambda d: 4 * d + 80,
    "Proof": lambda d: 12 * d + 60,
    "SumOfSlopes": lambda d: 2 * d + 60,
}


def _passes(client: Any, machine: Any, X: Any, y: Any) -> Counter:
    """The passes of a fit by kind, heard from what it asks."""
    from maxmargin.dask._cluster import Cluster

    heard: Counter = Counter()
    total = Cluster.total

    def listening(self: Any, name: str, function: Any, parts: Any, *shared: Any) -> Any:
        for _, question in shared[1] if len(shared) > 1 else ():
            heard[type(question).__name__] += 1
        return total(self, name, function, parts, *shared)

    Cluster.total = listening  # type: ignore[method-assign]
    try:
        machine.fit(X, y)
    finally:
        Cluster.total = total  # type: ignore[method-assign]
    return heard
