"""One process of a soak: threads that work, pauses in which all rest and memory is read, and an account at the end."""

import argparse
import ctypes
import faulthandler
import gc
import json
import os
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from tests.soak.jobs import chosen, job, tour

PAUSES = 24  # of a soak
PATIENCE = 300  # seconds for the jobs that are under way at the end
_NOT_OURS = ("/proc", "/dev", sys.prefix, sys.base_prefix)


def resident():
    """Megabytes of memory that the process holds: before and after what is free is given back.

    What Python has freed stays in the arenas of glibc, more of them the more threads there are; the second figure is
    without that, and is the one that tells a leak.
    """
    gc.collect()
    before = _resident()
    pa.default_memory_pool().release_unused()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):  # another C library
        pass
    return before, _resident()


def _resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def held():
    """What the process holds beside memory: files, threads (of Python, and of the system), and processes."""
    children = [
        int(child)
        for task in Path("/proc/self/task").iterdir()
        for child in _read(task / "children").split()
    ]  # fmt: skip
    files = [_target(Path("/proc/self/fd") / number) for number in os.listdir("/proc/self/fd")]
    names = sorted(thread.name for thread in threading.enumerate() if not thread.name.startswith("soak"))
    return {
        # Matplotlib keeps its fonts open, a few of them.
        "files": sorted(file for file in files if file.startswith("/") and not file.startswith(_NOT_OURS)),
        "threads": names,
        "tasks": len(os.listdir("/proc/self/task")),
        "processes": children,
    }


def _read(path):
    try:
        return path.read_text()
    except OSError:  # a thread that has just ended
        return ""


def _target(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


class Soak:
    """Threads that take random jobs until the time is over, and rest together at each pause."""

    def __init__(self, seed, threads, folder):
        self.seed, self.folder = seed, folder
        self.tally, self.errors, self.slowest = Counter(), [], ("", 0.0)
        self._lock, self._stop = threading.Lock(), False
        self._threads = threads
        self._rest = threading.Barrier(threads + 1)
        self._paused = threading.Event()

    def run(self, seconds):
        """Work; the memory at each pause, what is held at the first third and at the last, and threads that go on."""
        workers = [
            threading.Thread(target=self._work, args=(k,), name=f"soak-{k}", daemon=True) for k in range(self._threads)
        ]
        begin = time.monotonic()
        for worker in workers:
            worker.start()
        memory, thirds = [], []
        for pause in range(1, PAUSES + 1):
            time.sleep(max(0.0, begin + seconds * pause / PAUSES - time.monotonic()))
            self._paused.set()
            self._rest.wait()  # all are here
            memory.append((time.monotonic() - begin, *resident()))
            if pause in (PAUSES // 3, PAUSES):
                thirds.append(held())
            self._stop = pause == PAUSES
            self._paused.clear()
            self._rest.wait()  # all may go on
        for worker in workers:
            worker.join(60)
        return memory, thirds, [worker.name for worker in workers if worker.is_alive()]

    def _work(self, k):
        rng, number = np.random.default_rng([self.seed, k]), 0
        first = tour(k, self._threads)
        while not self._stop:
            kind, name = first[number] if number < len(first) else chosen(rng)
            number += 1
            begin = time.monotonic()
            try:
                with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                    outcome = job(kind, name, rng, Path(folder))
            except BaseException:
                outcome = "error"
                with self._lock:
                    self.errors.append(f"{kind} {name}, seed {self.seed}, thread {k}:\n{traceback.format_exc()}")
            with self._lock:
                self.tally[outcome] += 1
                self.slowest = max(self.slowest, (f"{kind} {name}", time.monotonic() - begin), key=lambda pair: pair[1])
            if self._paused.is_set():
                self._rest.wait()
                self._rest.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="for temporary files")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    mpl.use("agg")
    tempfile.tempdir = str(asked.folder)
    # Threads that wait for one another for ever say where they stand, and the process ends.
    faulthandler.dump_traceback_later(asked.seconds + PATIENCE, exit=True)
    soak = Soak(asked.seed, asked.threads, asked.folder)
    memory, (early, last), alive = soak.run(asked.seconds)
    account = {
        "memory": memory,
        "early": early,
        "last": last,
        "late": held(),
        "alive": alive,
        "left": sorted(str(path.relative_to(asked.folder)) for path in asked.folder.rglob("*")),
        "tally": dict(soak.tally),
        "errors": soak.errors,
        "slowest": soak.slowest,
    }
    faulthandler.cancel_dump_traceback_later()
    json.dump(account, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
