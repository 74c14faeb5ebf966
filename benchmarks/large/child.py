"""A fit in a process of its own, which is ended when it takes too long or too much memory: the machine stays alive."""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..options import Options
from .cases import Case
from .contenders import CONTENDERS, Clock, Told
from .referee import objective

_LOOK = 0.2  # seconds between two looks at a process
_SPARE = 1500.0  # MB that have to stay free
_PREPARES = 600.0  # seconds for data, imports and compiling
# Kernel values that the referee computes at most: ten million rows and 900 landmarks would take it some minutes.
_REFEREE = 4e9


def total_memory() -> float:
    """Memory of this machine in MB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6


def ask(who: str, case: Case, options: Options, told: Told, limit: float) -> dict[str, Any]:
    """What a contender answers; ``failed`` where it did not, with the seconds after which it was stopped if it was."""
    return watched(_answer, (who, case, options, told), limit, told.memory)


def watched(target: Callable[..., None], arguments: tuple, limit: float, most: float) -> dict[str, Any]:
    """Run `target(pipe, *arguments)` in a process; what it has sent last, or why it was ended."""
    context = multiprocessing.get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        return _followed(pipe, process, limit, most)
    finally:
        process.kill()
        process.join()


def _followed(pipe: Any, process: Any, limit: float, most: float) -> dict[str, Any]:
    began, start, until = time.perf_counter(), None, _PREPARES
    while True:
        try:
            said = pipe.recv() if pipe.poll(_LOOK) else None
        except EOFError:
            process.join(10)
            return {"failed": f"its process ended with {process.exitcode}"}
        if said == "fits":
            start, until = time.perf_counter(), limit
        elif said == "fitted":
            start, until = None, np.inf
        elif said is not None:
            return said
        gone = time.perf_counter() - (began if start is None else start)
        if gone > until:
            what = "stopped" if start is not None else "not ready"
            return {"failed": f"{what} at {gone:.0f} s", **({} if start is None else {"stopped": gone})}
        held, free = _held(process.pid), _free()
        if held > most or free < _SPARE:
            return {"failed": f"stopped at {held:.0f} MB of memory, after {gone:.0f} s"}


def _held(pid: int | None) -> float:
    return _from(Path(f"/proc/{pid}/status"), "VmRSS", 0.0)


def _free() -> float:
    return _from(Path("/proc/meminfo"), "MemAvailable", np.inf)


def _from(path: Path, key: str, otherwise: float) -> float:
    try:
        found = re.search(rf"{key}:\s+(\d+) kB", path.read_text())
    except OSError:
        return otherwise
    return int(found.group(1)) / 2**10 if found else otherwise


def alone() -> None:
    """Ctrl-C is the parent's affair, and a process whose parent is gone ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(pipe: Any, who: str, case: Case, options: Options, told: Told) -> None:
    alone()
    try:
        X, y, new, labels = case.data(options)
        clock = Clock(lambda: pipe.send("fits"))
        fit = CONTENDERS[who].fit(case, X, y, told, clock)
        pipe.send("fitted")
        gc.collect()
        judged = fit.function is not None and len(X) * len(fit.function[0]) <= _REFEREE
        pipe.send(
            {
                "shape": list(X.shape),
                "seconds": clock.seconds,
                "peak": clock.peak,
                "accuracy": fit.score(new, labels),
                "bounds": fit.bounds,
                "confidence": fit.confidence,
                "landmarks": fit.landmarks,
                "objective": objective(case, X, y, fit.function) if judged and fit.function is not None else None,
                "words": fit.words,
            }
        )
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1].name
        pipe.send({"failed": f"{type(error).__name__}: {str(error).splitlines()[:1]} (in {where})"})
