"""What a newcomer sees: the wheel in a fresh environment where nothing can be written.

``compilations``: every public estimator fits and predicts in every form of rows, and how many functions have to be
compiled for it: none. ``process``: a whole process, from its start to predictions of an `SVC`, against the same script
with scikit-learn. ``certificates``: what the certificates say with machine code of each level and with code that is
compiled for this processor; it has to be the same to the last digit. Building the wheel takes most of the time;
``MAXMARGIN_WHEEL=FOLDER`` takes one that is there.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from . import table
from .options import Options
from .parts import run_parts
from .progress import say

MINUTES = 15.0
PARTS = ("compilations", "process", "certificates")
FORMS = ("float64", "float32", "CSR")
_ROOT = Path(__file__).resolve().parent.parent
_RUNS, _QUICK_RUNS = 15, 5

_PROCESS = """
import numpy as np
from {package}.svm import SVC
rng = np.random.default_rng(0)
X = rng.normal(size=(600, 8))
y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
SVC().fit(X, y).predict(X)
"""

_ESTIMATORS = """
import inspect, json, sys, time, warnings
import numpy as np, scipy.sparse as sp
from numba.core import event
from sklearn.base import BaseEstimator, is_regressor
import maxmargin

class Listener(event.Listener):
    count = 0
    def on_start(self, event):
        Listener.count += 1
    def on_end(self, event):
        pass

def kinds():
    seen = set()
    hidden = {"__version__", "load", "save", "playground", "plotting", "report", "explanation"}
    for room in sorted(set(dir(maxmargin)) - hidden):
        module = getattr(maxmargin, room)
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name)
            public = inspect.isclass(kind) and issubclass(kind, BaseEstimator) and not inspect.isabstract(kind)
            if public and kind not in seen and (hasattr(kind, "predict") or hasattr(kind, "fit_predict")):
                seen.add(kind)
                yield kind

def told(model):
    text = str(getattr(model, "certificate_", ""))
    return [line for line in text.splitlines() if not line.strip().startswith("seconds")]

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
dense = rng.normal(size=(600, 8))
score = dense[:, 0] + dense[:, 1] * dense[:, 2] + 0.3 * rng.normal(size=600)
thin = np.where(np.abs(dense) < 0.5, 0.0, dense)
forms = {"float64": dense, "float32": dense.astype(np.float32), "CSR": sp.csr_array(thin)}
found = []
with event.install_listener("numba:compile", Listener()):
    for kind in kinds():
        y = score if is_regressor(kind()) else (score > 0) * 1
        for form, X in forms.items():
            before, begun, refused, model = Listener.count, time.perf_counter(), "", None
            try:
                model = kind(random_state=0) if "random_state" in inspect.signature(kind).parameters else kind()
                model.fit(X, y)
                if hasattr(model, "predict"):
                    model.predict(X)
            except (ValueError, TypeError) as error:
                refused = str(error)
            seconds = time.perf_counter() - begun
            found.append([kind.__name__, form, Listener.count - before, seconds, refused, told(model)])
print(json.dumps(found))
"""


@cache
def _environment() -> tuple[Path, Path]:
    """The Python of a fresh environment that the wheel was installed in, and the folder of its machine code."""
    folder = Path(tempfile.mkdtemp(prefix="first-contact-"))
    wheels = sorted(Path(os.environ.get("MAXMARGIN_WHEEL", folder)).glob("maxmargin-*.whl"))
    if not wheels:
        say("first contact: building the wheel")
        _run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(_ROOT)])
        wheels = sorted(folder.glob("maxmargin-*.whl"))
    say(f"first contact: installing {wheels[0].name} ({wheels[0].stat().st_size / 1e6:.1f} MB)")
    _run([sys.executable, "-m", "venv", str(folder / "venv")])
    python = folder / "venv" / "bin" / "python"
    _run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheels[0])])
    where = _run([str(python), "-I", "-c", "import maxmargin; print(maxmargin.__path__[0])"], cwd=folder)
    return python, Path(where.strip()) / "_machine_code"


def _run(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:6])}: {done.stderr[-2000:]}")
    return done.stdout


def _where_nothing_can_be_written(python: Path, script: str, **variables: str) -> str:
    """Run a script; the environment is read-only and there is no home folder."""
    venv = python.parent.parent
    command = [str(python), "-I", "-c", script]
    if os.geteuid() == 0 and shutil.which("unshare"):  # permissions do not stop the administrator
        mounted = f'mount --bind {venv} {venv} && mount -o remount,ro,bind {venv} && exec "$@"'
        command = ["unshare", "-m", "sh", "-c", mounted, "sh", *command]
    else:
        for path in [*venv.rglob("maxmargin"), *venv.rglob("maxmargin/**/*")]:
            path.chmod(path.stat().st_mode & ~0o222)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "MAXMARGIN_"))}
    environment |= {"HOME": os.devnull, "XDG_CACHE_HOME": os.path.join(os.devnull, "cache"), **variables}
    return _run(command, env=environment, cwd="/")


def _compilations(options: Options) -> tuple[str, Any]:
    python, _ = _environment()
    say("first contact: every estimator")
    found = json.loads(_where_nothing_can_be_written(python, _ESTIMATORS).splitlines()[-1])
    lines = [(f"{n} {form}", str(count), refused or table.seconds(s)) for n, form, count, s, refused, _ in found]
    lines.append(("total", str(sum(row[2] for row in found)), table.seconds(sum(row[3] for row in found))))
    text = table.render(("fit and predict", "compilations", "seconds"), lines)
    return f"The wheel in an environment that cannot be written\n\n{text}\n", found


def _process(options: Options) -> tuple[str, Any]:
    python, _ = _environment()
    times: dict[str, list[float]] = {"maxmargin": [], "sklearn": []}
    for number in range((_QUICK_RUNS if options.quick else _RUNS) + 1):
        say(f"first contact: whole processes, round {number}")
        for package, seconds in times.items():
            begun = time.perf_counter()
            _where_nothing_can_be_written(python, _PROCESS.format(package=package))
            if number:  # the first one finds the files
                seconds.append(time.perf_counter() - begun)
    ours, theirs = (statistics.median(times[package]) for package in times)
    pairs = zip(times["maxmargin"], times["sklearn"], strict=True)
    ratio = statistics.median(one / other for one, other in pairs)
    lines = [("maxmargin", table.seconds(ours)), ("scikit-learn", table.seconds(theirs)), ("ratio", f"{ratio:.2f}")]
    text = table.render(("SVC().fit(X, y).predict(X) as a process", "seconds"), lines)
    return f"{text}\n", {"times": times, "ratio": ratio}


def _certificates(options: Options) -> tuple[str, Any]:
    python, store = _environment()
    said: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in [*sorted(store.iterdir()), None]:
            level = "host" if path is None else path.name.removesuffix(".mmc").rsplit(".", 1)[0]
            say(f"first contact: certificates with code for {level}")
            place = "0"
            if path is not None:
                alone = Path(folder, level)
                alone.mkdir()
                shutil.copy(path, alone)
                place = str(alone)
            out = _where_nothing_can_be_written(
                python, _ESTIMATORS, MAXMARGIN_MACHINE_CODE=place, NUMBA_CACHE_DIR=str(Path(folder, "cache"))
            )
            said[level] = {f"{row[0]} {row[1]}": row[5] for row in json.loads(out.splitlines()[-1])}
    names = [name for name, text in said["host"].items() if text]
    different = {name: levels for name in names if (levels := [k for k in said if said[k][name] != said["host"][name]])}
    lines = [(name, ", ".join(levels)) for name, levels in different.items()]
    lines.append(("the same in all", str(len(names) - len(different))))
    text = table.render(("certificate", "differs from host code"), lines)
    return f"{text}\n", {"said": said, "different": different}


def run(options: Options) -> dict[str, Any]:
    """Print the tables, return the raw numbers."""
    return run_parts(options, {"compilations": _compilations, "process": _process, "certificates": _certificates})
