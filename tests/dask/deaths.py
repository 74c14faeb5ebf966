"""Kill workers of a real cluster while it fits: ``python -m tests.dask.deaths --kills 20``.

A scheduler and three workers are started by Dask's own commands. During fits of each estimator one worker is killed by
SIGKILL at a random moment, and another one started in its place. Each fit has to end with the model of an undisturbed
one. Then, during a fit each: a worker is killed and none takes its place; one is added; one is stopped and goes on
after a while; and the rows fill the memory of the workers, which have to write them to disk. At the end all workers are
killed, and the fit has to end in an error within a minute. Whatever takes longer than `LONGEST` counts as hanging.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    "RandomForestClassifier": ({"n_estimators": 4, "max_depth": 8, "random_state": 0}, "labels"),
    "RandomForestRegressor": ({"n_estimators": 2, "max_depth": 6, "random_state": 0}, "targets"),
    "SVCCV": ({"Cs": 3, "gammas": 3}, "memory"),
}
# Rows of a search, which are in memory.
_FEW = 600
# Seconds after which a fit counts as hanging, and those that a stopped worker is silent.
LONGEST, _STOPPED = 300.0, 5.0


class Workers:
    """Worker processes of a scheduler, started by Dask's command."""

    def __init__(self, file: Path, count: int, memory: str = "2GB") -> None:
        self.file, self.memory = file, memory
        self.processes = [self._start(file) for _ in range(count)]

    def _start(self, file: Path) -> subprocess.Popen:
        command = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            "--scheduler-file",
            str(file),
            "--nthreads",
            "1",
            "--memory-limit",
            self.memory,
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*command, "--no-nanny", "--no-dashboard"], **quiet)

    def kill(self, number: int) -> None:
        """SIGKILL to one, and another one in its place."""
        self.lose(number)
        self.processes[number] = self._start(self.file)

    def lose(self, number: int) -> None:
        """SIGKILL to one."""
        self.processes[number].send_signal(signal.SIGKILL)
        self.processes[number].wait()

    def add(self) -> None:
        """One more."""
        self.processes.append(self._start(self.file))

    def stop(self, number: int) -> None:
        """One that does nothing for some seconds, and goes on."""
        self.processes[number].send_signal(signal.SIGSTOP)
        time.sleep(_STOPPED)
        self.processes[number].send_signal(signal.SIGCONT)

    def end(self) -> None:
        """SIGKILL to all of them."""
        for process in self.processes:
            process.kill()
            process.wait()


def run(kills: int, rows: int, seed: int, names: Sequence[str]) -> None:
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
                for name in names:
                    _disturbed(client, workers, name, kills, rows, generator)
                _other_mishaps(client, workers, rows)
            workers.end()
            workers = Workers(file, 3, "600MB")
            with Client(scheduler_file=str(file)) as client:
                client.wait_for_workers(3, timeout=300)
                _spilling(client)
                _without_workers(client, workers, rows)
        finally:
            if workers is not None:
                workers.end()
            scheduler.kill()
            scheduler.wait()


def _samples(rows: int, kind: str, partitions: int = 9) -> tuple[da.Array, da.Array]:
    made = da.random.default_rng(0)
    X = made.normal(size=(rows, 12), chunks=(rows // partitions, 12))
    z = X @ np.linspace(-1, 1, 12) + made.normal(size=rows, chunks=rows // partitions)
    return X, z if kind == "targets" else (z > 0).astype(int) + (z > 2)


def _data(name: str, rows: int) -> tuple[Any, Any]:
    kind = CASES[name][1]
    if kind == "memory":
        X, y = _samples(_FEW, "labels")
        return X.compute(), y.compute()
    return _samples(rows, kind)


def _fitted(estimator: Any, X: Any, y: Any) -> tuple[Any, float]:
    """The model and the seconds; an error where there is none in time."""
    begin, found = time.perf_counter(), {}

    def fit() -> None:
        try:
            found["model"] = estimator.fit(X, y)
        except BaseException as error:
            found["error"] = error

    thread = threading.Thread(target=fit, daemon=True)
    thread.start()
    thread.join(LONGEST)
    assert not thread.is_alive(), f"{type(estimator).__name__} hangs"
    if "error" in found:
        raise found["error"]
    return found["model"], time.perf_counter() - begin


def _same(name: str, found: Any, expected: Any, X: Any) -> None:
    """Whether two models are the same, to the last bit."""
    few = np.asarray(X[:500])
    assert np.array_equal(found.predict(few), expected.predict(few)), f"{name}: another model"
    for part in ("coef_", "dual_coef_", "cluster_centers_", "oob_error_curve_"):
        one, other = getattr(found, part, None), getattr(expected, part, None)
        assert (one is None) == (other is None), f"{name}: another model"
        if part == "oob_error_curve_" and one is not None:  # sums of squares, in the order of the partitions
            assert np.allclose(one, other, rtol=1e-9), f"{name}: another error out of bag"
        elif one is not None:
            assert np.array_equal(one, other), f"{name}: other coefficients"


def _disturbed(client: Client, workers: Workers, name: str, kills: int, rows: int, generator: random.Random) -> None:
    estimator, (X, y) = getattr(on, name)(client=client, **CASES[name][0]), _data(name, rows)
    expected, seconds = _fitted(estimator, X, y)
    expected, seconds = _fitted(estimator, X, y)  # without compiling
    largest = 0.0
    for _ in range(kills):
        timer = threading.Timer(generator.uniform(0, seconds), workers.kill, (generator.randrange(3),))
        timer.start()
        found, took = _fitted(estimator, X, y)
        largest = max(largest, took)
        timer.join()
        _same(name, found, expected, X)
    assert found.certificate_.verify(X, y).status is expected.certificate_.status
    print(
        f"{name}: {kills} kills, each with the same model; {seconds:.1f} s undisturbed, at most {largest:.1f} s",
        flush=True,
    )


def _other_mishaps(client: Client, workers: Workers, rows: int) -> None:
    """A worker that is lost, one that is added, and one that is silent for a while."""
    mishaps = {"lost": lambda: workers.lose(0), "added": workers.add, "silent": lambda: workers.stop(1)}
    for name in ("LogisticRegression", "RandomForestClassifier"):
        estimator, (X, y) = getattr(on, name)(client=client, **CASES[name][0]), _data(name, rows)
        expected, seconds = _fitted(estimator, X, y)
        for what, happen in mishaps.items():
            if what == "lost" and workers.processes[0].poll() is not None:
                workers.kill(0)
            timer = threading.Timer(0.5 * seconds, happen)
            timer.start()
            found, took = _fitted(estimator, X, y)
            timer.join()
            _same(name, found, expected, X)
            print(f"{name}: a worker {what}, the same model after {took:.1f} s", flush=True)


def _spilling(client: Client) -> None:
    """1.9 GB of rows on workers that have 1.8 GB together, and keep what is theirs on disk."""
    X, y = _samples(20_000_000, "labels", 100)
    model, seconds = _fitted(on.Ridge(client=client), X.persist(), y)
    assert model.certificate_.holds
    print(f"Ridge: rows as large as the memory of all workers, {seconds:.1f} s", flush=True)


def _without_workers(client: Client, workers: Workers, rows: int) -> None:
    X, y = _samples(rows, "labels")
    timer = threading.Timer(0.2, workers.end)
    timer.start()
    begin = time.perf_counter()
    try:
        _fitted(on.LogisticRegression(client=client, tol=1e-9), X, y)
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
    parser.add_argument("--estimators", nargs="*", choices=list(CASES), default=list(CASES))
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    run(chosen.kills, chosen.rows, chosen.seed, chosen.estimators)


if __name__ == "__main__":
    main()
