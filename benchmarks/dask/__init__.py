"""A cluster of two one-thread workers against one machine, dask-ml and Spark; and the cost model against the clock.

All are asked for the same objective, which the referee computes in float64. Peers go up a ladder of iterations until
theirs is within `EQUAL` of the best bound; the first rung that is counts. Rows are in the workers' memory (Spark's:
cached) before the clock starts, and each library has run once on few rows.

Where they are asked for by name, "dask_same" compares every estimator with that of one machine, and "dask_larger" fits
rows that no worker holds.
"""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..progress import say
from .cases import CASES, run_case
from .cluster import two_workers
from .larger import run_larger
from .model import run_model
from .same import run_same

PARTS = (*CASES, "model", "dask_same", "dask_larger")
MINUTES = 15


def run(options: Options) -> dict[str, Any]:
    """All parts; tables are printed, numbers returned."""
    results: dict[str, Any] = {}
    with two_workers() as client:
        for name in CASES:
            if options.wants(name) and not options.spent > 1:
                say(f"dask: {name}")
                results[name] = run_case(name, client, options)
        if options.wants("model") and not options.spent > 1:
            say("dask: cost model")
            results["model"] = run_model(client, options)
        if options.parts is not None and options.wants("dask_same"):
            say("dask: same optimum")
            results["dask_same"] = run_same(client, options)
    if options.parts is not None and options.wants("dask_larger"):
        say("dask: larger than memory")
        results["dask_larger"] = run_larger(options)
    return results
