"""What compiling costs: the first fit in a process without compiled code on disk, with it, and a later fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .. import table
from ..options import Options
from ..progress import say

_ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (400, 4000)  # a small problem is solved by other functions than a large one
LIMIT = 600


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    sizes = SIZES[:1] if options.quick else SIZES
    rows, measured = [], {}
    for n in sizes:
        say(f"first fit, {n} rows: without compiled code, then with it")
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = _child(n, folder), _child(n, folder)
        measured[n] = {"empty cache": cold, "warm cache": warm}
        for state, figures in measured[n].items():
            cells = [table.seconds(figures.get(key)) for key in ("import", "first", "second")]
            rows.append((f"{n} rows, {state}", *cells) if figures else (f"{n} rows, {state}", "failed"))
    header = ("first fit in a new process", "import", "first fit", "second fit")
    return f"{table.render(header, rows)}\n", measured


def _child(n: int, cache: str) -> dict[str, float]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", f"from benchmarks.kernel.first_fit import print_measured; print_measured({n})"]
    try:
        done = subprocess.run(
            command, env=environment, cwd=_ROOT, stdout=subprocess.PIPE, timeout=LIMIT, check=True, text=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        say(f"first fit: {error}")
        return {}
    return json.loads(done.stdout)


def _measure(n: int) -> dict[str, float]:
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)
    laps = [time.perf_counter()]
    from maxmargin.svm import SVC

    laps.append(time.perf_counter())
    for _ in range(2):
        SVC(gamma=0.1).fit(X, y)
        laps.append(time.perf_counter())
    return {name: laps[k + 1] - laps[k] for k, name in enumerate(("import", "first", "second"))}


def print_measured(n: int) -> None:
    """What the process that is measured does."""
    print(json.dumps(_measure(n)))
