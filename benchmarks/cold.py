"""What a newcomer waits for: fit and predict with nothing compiled yet, for every public estimator.

``apart`` starts a process with an empty cache for every estimator and every form of the rows (dense float64, dense
float32, CSR); ``together`` lets one process do all of them, one after the other, so that what they share is compiled
once. All of it is compilation: 600 rows of 8 features take milliseconds. Numba's compile events say which function
took how long, without the functions that are compiled on its behalf.

Seconds are those of the processor, which other work on the machine hardly moves; "waited" is the clock on the wall.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter, defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba.core import event
from sklearn.base import is_regressor

from . import table
from .options import SEED, Options
from .parts import run_parts
from .progress import say

MINUTES = 15.0
PARTS = ("apart", "together")
ROOMS = ("svm", "linear_model", "kernel_model", "tree", "ensemble", "neighbors", "cluster")
FORMS = ("float64", "float32", "CSR")
SHAPE = (600, 8)
LIMIT = 900
_LONGEST = 40  # functions that a table names one by one
_ROOT = Path(__file__).resolve().parent.parent


def estimators() -> dict[str, type]:
    """Every public estimator with its room: what has `fit`, and can be made without arguments."""
    found = {}
    for room in ROOMS:
        module = import_module(f"maxmargin.{room}")
        for name in module.__all__:
            kind = getattr(module, name)
            if inspect.isclass(kind) and hasattr(kind, "fit"):
                found[name] = kind
    return found


def rows(form: str, seed: int = SEED) -> Any:
    """The same rows in one of the forms."""
    X = np.random.default_rng(seed).normal(size=SHAPE)
    if form == "CSR":
        X[np.abs(X) < 0.5] = 0.0
        return sp.csr_array(X)
    return X.astype(form)


def targets(kind: type, seed: int = SEED) -> np.ndarray:
    """Two classes for a classifier, numbers for a regressor; both follow the rows, with noise."""
    X = rows("float64", seed)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * np.random.default_rng(seed + 1).normal(size=len(X))
    return score if is_regressor(kind()) else (score > 0) * 1


class Compilations(event.Listener):
    """Listens to numba: which functions it compiles, how often, and how long each takes without those it calls."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.signatures: list[str] = []
        self._running = threading.local()

    def on_start(self, event: Any) -> None:
        """A compilation begins, maybe within another."""
        self._stack().append([time.thread_time(), 0.0])

    def on_end(self, event: Any) -> None:
        """A compilation ends; its time does not count for the one that it was needed for."""
        start, inner = self._stack().pop()
        whole = time.thread_time() - start
        if self._stack():
            self._stack()[-1][1] += whole
        name = _name(event.data["dispatcher"])
        self.count[name] += 1
        self.seconds[name] += whole - inner
        self.signatures.append(f"{name}{event.data['args']}")

    def _stack(self) -> list[list[float]]:
        if not hasattr(self._running, "stack"):
            self._running.stack = []
        return self._running.stack


def _name(dispatcher: Any) -> str:
    function = dispatcher.py_func
    return f"{function.__module__.removeprefix('maxmargin.')}.{function.__qualname__}"


def measure(names: list[str], forms: list[str]) -> dict[str, Any]:
    """Fit and predict in this process; what each took, and what was compiled for it."""
    kinds = estimators()
    listener = Compilations()
    steps = {}
    with event.install_listener("numba:compile", listener), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            y = targets(kinds[name])
            for form in forms:
                steps[f"{name} {form}"] = _step(kinds[name], rows(form), y, listener)
    return {
        "steps": steps,
        "functions": {name: [listener.count[name], listener.seconds[name]] for name in listener.count},
        "signatures": listener.signatures,
    }


def _step(kind: type, X: Any, y: np.ndarray, listener: Compilations) -> dict[str, Any]:
    compiled, used, clock = listener.count.total(), time.process_time(), time.perf_counter()
    problem = None
    try:
        model = kind().fit(X, y)  # type: ignore[attr-defined]
        if hasattr(model, "predict"):
            model.predict(X)
    except (ValueError, TypeError) as error:  # what an estimator does not take, it refuses
        problem = str(error)
    return {
        "seconds": time.process_time() - used,
        "waited": time.perf_counter() - clock,
        "compilations": listener.count.total() - compiled,
        "problem": problem,
    }


def print_measured(names: list[str], forms: list[str]) -> None:
    """What the process that is measured does."""
    print(json.dumps(measure(names, forms)))


def _child(names: list[str], forms: list[str]) -> dict[str, Any]:
    """Measure in a process of its own, whose cache is empty and which uses no machine code made beforehand."""
    code = f"from benchmarks.cold import print_measured; print_measured({names!r}, {forms!r})"
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_CACHE_DIR": cache, "MAXMARGIN_MACHINE_CODE": "0"},
            cwd=_ROOT,
            capture_output=True,
            timeout=LIMIT,
            check=False,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(f"{', '.join(names)}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _apart(options: Options) -> tuple[str, Any]:
    steps: dict[str, Any] = {}
    functions: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0])
    for name in estimators():
        for form in FORMS[:1] if options.quick else FORMS:
            say(f"cold: {name}, {form}")
            found = _child([name], [form])
            steps.update(found["steps"])
            for function, (count, seconds) in found["functions"].items():
                functions[function][0] += count
                functions[function][1] += seconds
    text = f"A process with an empty cache for each estimator and form of its rows\n\n{_tables(steps, functions)}"
    return text, {"steps": steps, "functions": functions}


def _together(options: Options) -> tuple[str, Any]:
    say("cold: all estimators in one process")
    found = _child(list(estimators()), list(FORMS[:1] if options.quick else FORMS))
    text = f"All estimators in one process, one after the other\n\n{_tables(found['steps'], found['functions'])}"
    return text, found


def _tables(steps: dict[str, Any], functions: dict[str, Any]) -> str:
    lines = [
        (name, step["problem"])
        if step["problem"]
        else (name, table.seconds(step["seconds"]), table.seconds(step["waited"]), str(step["compilations"]))
        for name, step in steps.items()
    ]
    total = {key: sum(step[key] for step in steps.values()) for key in ("seconds", "waited", "compilations")}
    lines.append(("total", f"{total['seconds']:.1f}", f"{total['waited']:.1f}", str(total["compilations"])))
    by_estimator = table.render(("fit and predict", "seconds", "waited", "compilations"), lines)
    return f"{by_estimator}\n\n{_by_function(functions)}\n"


def _by_function(functions: dict[str, Any]) -> str:
    order = sorted(functions, key=lambda name: -functions[name][1])
    lines = [(name, table.seconds(functions[name][1]), str(functions[name][0])) for name in order[:_LONGEST]]
    groups: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    for name, (count, seconds) in functions.items():
        group = "numba and NumPy" if name.startswith(("numba.", "numpy.")) else name.split(".")[0]
        groups[group][0] += seconds
        groups[group][1] += count
    lines.append((f"the other {max(0, len(order) - _LONGEST)}", *_summed(functions, order[_LONGEST:])))
    lines += [(f"all of {group}", table.seconds(s), str(int(count))) for group, (s, count) in sorted(groups.items())]
    return table.render(("compiled function", "seconds", "times"), lines)


def _summed(functions: dict[str, Any], names: list[str]) -> tuple[str, str]:
    return table.seconds(sum(functions[n][1] for n in names)), str(int(sum(functions[n][0] for n in names)))


def run(options: Options) -> dict[str, Any]:
    """Print the tables, return the raw numbers."""
    return run_parts(options, {"apart": _apart, "together": _together})
