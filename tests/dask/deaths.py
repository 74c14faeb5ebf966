"""Kill workers of a real cluster while it fits: ``python -m tests.dask.deaths --kills 20``.

A scheduler and three workers are started by Dask's own commands. During fits of each estimator one worker is killed by
SIGKILL at a random moment, and another one started in its place. Each fit has to end with the model of an undisturbed
one. At the end all workers are killed during a fit, which has to end in an error within a minute.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client

import maxmargin.dask as on
from maxmargin.dask import ClusterError

CASES = {
    "LinearSVC": ({"loss": "hinge", "tol": 1e-5}, "labels"),
    "LogisticRegression": ({"tol": 1e-8}, "labels"),
    "LinearSVR": ({"epsilon": 0.1}, "targets"),
    "Ridge": ({}, "targets"),
    "LargeSVC": ({"n_landmarks": 50, "gap_tol": 0.5, "multi_class": "ovr"}, "labels"),
    "KMeans": ({"n_clusters": 12, "random_state": 0, "tol": 0, "max_iter": 60}, "labels"),
}


class Workers:
    """Worker processes of a scheduler, started by Dask's command."""

    def __init__(self, file: Path, count: int) -> None:
        self.file, self.processes = file, [self._start(file) for _ in range(count)]

    def _start(self, file: Path) -> subprocess.Popen:
        command = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            "--scheduler-file",
            str(file),
            "--nthreads",
            "1",
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*command, "--no-nanny", "--no-dashboard"], **quiet)

    def kill(self, number: int) -> None:
        """SIGKILL to one, and another one in its place."""
        self.processes[number].send_signal(signal.SIGKILL)
        self.processes[number].wait()
        self.processes[number] = self._start(self.file)

    def end(self) -> None:
        """SIGKILL to all of them."""
        for process in self.processes:
            process.kill()
            process.wait()


def run(kills: int, rows: int, seed: int) -> None:
    """All of it; an assertion fails where a fit does not end as it has to."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file", str(file), "--port", "0"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        scheduler = subprocess.Popen([*command, "--no-dashboard", "--host", "127.0.0.1"], **quiet)
        workers = None
        try:
            while not file.exists():
                time.sleep(0.1)
            workers = Workers(file, 3)
            with Client(scheduler_file=str(file)) as client:
                client.wait_for_workers(3, timeout=300)
                generator = random.Random(seed)
                for name in CASES:
                    _disturbed(client, workers, name, kills, rows, generator)
                _without_workers(client, workers, rows)
        finally:
            if workers is not None:
                workers.end()
            scheduler.kill()
            scheduler.wait()


def _samples(rows: int, kind: str) -> tuple[da.Array, da.Array]:
    made = da.random.default_rng(0)
    X = made.normal(size=(rows, 12), chunks=(rows // 9, 12))
    z = X @ np.linspace(-1, 1, 12) + made.normal(size=rows, chunks=rows // 9)
    return X, z if kind == "targets" else (z > 0).astype(int) + (z > 2)


def _disturbed(client: Client, workers: Workers, name: str, kills: int, rows: int, generator: random.Random) -> None:
    params, kind = CASES[name]
    estimator, (X, y) = getattr(on, name)(client=client, **params), _samples(rows, kind)
    begin = time.perf_counter()
    expected = estimator.fit(X, y)
    seconds = time.perf_counter() - begin
    largest = 0.0
    for _ in range(kills):
        timer = threading.Timer(generator.uniform(0, seconds), workers.kill, (generator.randrange(3),))
        timer.start()
        begin = time.perf_counter()
        found = estimator.fit(X, y)
        largest = max(largest, time.perf_counter() - begin)
        timer.join()
        fitted = {"KMeans": "cluster_centers_", "LargeSVC": "dual_coef_"}.get(name, "coef_")
        assert np.array_equal(getattr(found, fitted), getattr(expected, fitted)), f"{name}: another model"
        assert found.certificate_.verify(X, y).status is expected.certificate_.status
    print(
        f"{name}: {kills} kills, each with the same model; {seconds:.1f} s undisturbed, at most {largest:.1f} s",
        flush=True,
    )


def _without_workers(client: Client, workers: Workers, rows: int) -> None:
    X, y = _samples(rows, "labels")
    timer = threading.Timer(0.2, workers.end)
    timer.start()
    begin = time.perf_counter()
    try:
        on.LogisticRegression(client=client, tol=1e-9).fit(X, y)
    except ClusterError as error:
        print(f"no workers: an error after {time.perf_counter() - begin:.0f} s: {error}", flush=True)
    else:
        raise AssertionError("a fit without workers ended")
    finally:
        timer.join()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=90_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    run(chosen.kills, chosen.rows, chosen.seed)


if __name__ == "__main__":
    main()
