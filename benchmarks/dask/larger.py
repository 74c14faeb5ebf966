"""Rows that no worker holds: 20 million of 30 columns, made by the partitions, on two workers of 1 GB each."""

from __future__ import annotations

import resource
import threading
import time
import warnings
from typing import Any

import numpy as np

from .. import table
from ..options import Options
from ..progress import say

ROWS, COLUMNS, CHUNK, MEMORY = 20_000_000, 30, 200_000, "1GB"
_QUICK = 100  # times fewer rows
_ESTIMATORS = (
    ("LogisticRegression", {}),
    ("LinearSVC", {"loss": "hinge"}),
    ("KMeans", {"n_clusters": 8, "random_state": 0, "tol": 0}),
)


def run_larger(options: Options) -> list[dict[str, Any]]:
    """A table; the numbers of it."""
    from distributed import Client, LocalCluster

    rows, lines = ROWS // _QUICK if options.quick else ROWS, []
    limits = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": MEMORY}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with LocalCluster(**limits, processes=True, dashboard_address=None, silence_logs=50) as cluster:
            with Client(cluster) as client:
                client.wait_for_workers(2, timeout=120)
                for name, params in _ESTIMATORS:
                    say(f"  {name}")
                    lines.append(_fitted(client, name, params, rows))
    size = rows * COLUMNS * 8 / 1e9
    header = ["", "seconds", "peak MB of a worker", "status", "certificate"]
    cells = [
        [line["name"], table.seconds(line["seconds"]), f"{line['peak']:.0f}", line["status"], line["proof"]]
        for line in lines
    ]
    print(f"larger: {rows} x {COLUMNS} ({size:.2g} GB), two workers of {MEMORY}\n{table.render(header, cells)}\n")
    return lines


def _fitted(client: Any, name: str, params: dict[str, Any], rows: int) -> dict[str, Any]:
    import dask.array as da

    import maxmargin.dask

    chunk = min(CHUNK, rows // 20)
    made = da.random.default_rng(0)
    bits = made.integers(2, size=(rows, 3), chunks=(chunk, 3))  # clusters around the corners of a cube
    rest = made.normal(size=(rows, COLUMNS - 3), chunks=(chunk, COLUMNS - 3))
    X = da.concatenate([8.0 * bits + made.normal(size=(rows, 3), chunks=(chunk, 3)), rest], axis=1).rechunk({1: -1})
    z = X @ np.linspace(-1, 1, COLUMNS) + made.normal(size=rows, chunks=chunk)
    watch = _Memory(client)
    begin = time.perf_counter()
    estimator = getattr(maxmargin.dask, name)(client=client, **params)
    model = estimator.fit(X) if name == "KMeans" else estimator.fit(X, (z > 0).astype(np.int8))
    seconds, proof = time.perf_counter() - begin, model.certificate_
    said = proof.statement if hasattr(proof, "statement") else f"gap {proof.relative_gap:.1e}"
    return {"name": name, "seconds": seconds, "peak": watch.end(), "status": str(proof.status), "proof": said}


class _Memory:
    """The most memory that a worker takes, looked at while it works."""

    def __init__(self, client: Any) -> None:
        self.client, self.peak, self.done = client, 0.0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        while not self.done.wait(0.5):
            workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
            self.peak = max([self.peak, *(worker.get("metrics", {}).get("memory", 0) / 1e6 for worker in workers)])

    def end(self) -> float:
        """Megabytes: those that were seen, or the system's own figure where a worker has lived since the start."""
        self.done.set()
        self.thread.join()
        return max([self.peak, *self.client.run(_most_resident).values()])


def _most_resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
