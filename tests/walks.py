"""The files of the package that a call passes, in order, and the calls that come back to a file that is waiting.

    python -m tests.walks [SVC LinearSVC ...]

A file *waits* while one of its functions has called something in another file and has not got the answer. A call from
there into the waiting file is a call back: to follow the fit, a reader would have to go up again to where he has been.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import maxmargin

ROOT = Path(maxmargin.__file__).parent
# What every file stands on: decorators, thread pools and row accessors are on the way of each call.
GROUND = ("engine", "data", "messages")
# Bodies that run where they are written, though Python gives them a frame.
INLINE = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")


class Walk(NamedTuple):
    """Files in the order in which they are first entered, and how often each call back was made."""

    files: tuple[str, ...]
    back: Counter[tuple[str, str]]  # (file that calls, function called as "file:name")


def walk_of(call: Callable[[], Any]) -> Walk:
    """Follow one call, in the thread that makes it."""
    stack: list[str | None] = []
    files: dict[str, None] = {}
    back: Counter[tuple[str, str]] = Counter()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            file, name = _file(frame.f_code.co_filename), frame.f_code.co_qualname
            if name == "<module>":
                file = "import"  # what a first import runs is no part of the walk
            if file is not None and "import" not in stack and file != "import" and not name.endswith(INLINE):
                files.setdefault(file)
                caller = next((f for f in reversed(stack) if f), None)
                if file != caller and file in stack:
                    back[str(caller), f"{file}:{name}"] += 1
            stack.append(file)
        elif event == "return" and stack:
            stack.pop()

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Walk(tuple(files), back)


_KNOWN: dict[str, str | None] = {}


def _file(name: str) -> str | None:
    """The path of a file below the package; None for the ground, and for what is not of the package."""
    if name not in _KNOWN:
        path = Path(name)
        inside = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
        _KNOWN[name] = inside if inside and inside.split("/")[0] not in GROUND else None
    return _KNOWN[name]


def _blobs(classes: int, apart: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(90) % classes
    return np.random.default_rng(0).standard_normal((90, 3)) + apart * np.eye(3)[y], y


def _fit(make: str, classes: int = 2, apart: float = 1.5, **parameters: Any) -> Callable[[], Any]:
    def call() -> None:
        room, name = make.split(".")
        kind = getattr(__import__(f"maxmargin.{room}", fromlist=[name]), name)
        X, y = _blobs(classes, apart)
        kind(**parameters).fit(X, y)

    return call


def _train() -> None:
    from maxmargin.cli import main

    X, y = _blobs(2)
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        table, model = Path(folder, "table.csv"), Path(folder, "model.mmx")
        lines = [",".join([*map(str, row), "ab"[label]]) for row, label in zip(X.round(3), y, strict=True)]
        table.write_text("\n".join(["a,b,c,kind", *lines]) + "\n")
        code = main(["train", str(table), "--target", "kind", "--model", "svc", "--out", str(model)])
        assert code == 0


WALKS: dict[str, Callable[[], Any]] = {
    "SVC": _fit("svm.SVC", n_jobs=1),
    "SVC, three classes": _fit("svm.SVC", 3, n_jobs=1),
    "NuSVC": _fit("svm.NuSVC", nu=0.3, n_jobs=1),
    "SVR": _fit("svm.SVR", n_jobs=1),
    "NuSVR": _fit("svm.NuSVR", n_jobs=1),
    "OneClassSVM": _fit("svm.OneClassSVM", n_jobs=1),
    "LargeSVC": _fit("svm.LargeSVC", n_jobs=1),
    "LargeSVC, landmarks": _fit("svm.LargeSVC", method="landmarks", n_jobs=1),
    "LinearSVC": _fit("svm.LinearSVC", n_jobs=1),
    "LinearSVC, hinge": _fit("svm.LinearSVC", loss="hinge", n_jobs=1),
    "LinearSVC, three classes": _fit("svm.LinearSVC", 3, n_jobs=1),
    "LinearSVC, joint": _fit("svm.LinearSVC", 3, multi_class="crammer_singer", n_jobs=1),
    "LinearSVC, hard margin": _fit("svm.LinearSVC", C=np.inf, apart=20.0, n_jobs=1),
    "LinearSVR": _fit("svm.LinearSVR", n_jobs=1),
    "LinearClassifier": _fit("linear_model.LinearClassifier", 3, n_jobs=1),
    "LogisticRegression": _fit("linear_model.LogisticRegression", 3, n_jobs=1),
    "SVCCV": _fit("svm.SVCCV", n_jobs=1, Cs=3, gammas=3),
    "SVCCV, three classes": _fit("svm.SVCCV", 3, n_jobs=1, Cs=3, gammas=3),
    "RandomForestClassifier": _fit("ensemble.RandomForestClassifier", n_estimators=3, n_jobs=1),
    "KMeans": _fit("cluster.KMeans", n_clusters=2, n_init=2),
    "train": _train,
}


def main(names: Sequence[str]) -> None:
    """Print the walks of these names, or of all."""
    for name in names or WALKS:
        walk = walk_of(WALKS[name])
        print(f"{name}: {len(walk.files)} files, {len(walk.back)} kinds of calls back")
        print("   " + "\n   ".join(walk.files))
        for (caller, function), times in sorted(walk.back.items()):
            print(f"   back: {caller} calls {function} ({times})")


if __name__ == "__main__":
    main(sys.argv[1:])
