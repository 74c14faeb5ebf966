"""Ctrl-C at random moments: ``python -m tests.engine.fuzz_interrupts --count 5000 --seed 0``.

Every public estimator is fitted, and asked for predictions and proofs; searches, cross-validation, a report and the
command-line tool run as well. SIGINT arrives at a random moment of it, in child processes that take many each. It must
come out as KeyboardInterrupt (the tool: exit code 130), as no other error, and never be lost. How late it was heard is
printed; what counts as too late depends on the machine.

One that arrives in scikit-learn's own loop, while no function of this package is at work, is Python's to raise. Where
it finds Python calling back for an object that was deleted, Python drops it, in any program: such are counted apart.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Job = Callable[[], Any]
# Interrupts of one child, and seconds after which it must have ended: against hanging, not against slowness.
_A_CHILD, _HANGS = 1000, 7200
# Seconds in which a signal that was sent must be heard once the job has ended.
_LATE = 0.2
# What the outcome of an interrupt begins with that Python dropped while no function of the package was at work.
DROPPED = "dropped by Python outside the package"


def _data(rng: np.random.Generator) -> dict[str, np.ndarray]:
    X = rng.normal(size=(800, 6))
    signal_ = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=len(X))
    return {
        "X": X,
        "two": (signal_ > 0).astype(int),
        "three": np.digitize(signal_, [-0.5, 0.5]),
        "value": signal_,
        "few": X[:300],
    }


def estimators() -> dict[str, tuple[Any, str]]:
    """Every public estimator, with the name of the target that it is fitted to."""
    from maxmargin import cluster, ensemble, kernel_approximation, kernel_model, linear_model, neighbors, svm, tree

    grid = {"cv": 3, "Cs": 3}
    return {
        "SVC": (svm.SVC(C=10.0), "two"),
        "SVC of three classes": (svm.SVC(C=10.0), "three"),
        "SVC, hard margin": (svm.SVC(C=np.inf, gamma=5.0), "two"),
        "SVC, indefinite": (svm.SVC(kernel="sigmoid", max_iter=500), "two"),
        "SVCCV": (svm.SVCCV(**grid, gammas=3), "two"),
        "SVR": (svm.SVR(), "value"),
        "SVRCV": (svm.SVRCV(**grid, gammas=2), "value"),
        "LinearSVC": (svm.LinearSVC(), "two"),
        "LinearSVC, Crammer-Singer": (svm.LinearSVC(multi_class="crammer_singer"), "three"),
        "LinearSVCCV": (svm.LinearSVCCV(**grid), "two"),
        "LinearSVR": (svm.LinearSVR(), "value"),
        "NuSVC": (svm.NuSVC(nu=0.3), "two"),
        "NuSVR": (svm.NuSVR(nu=0.3), "value"),
        "OneClassSVM": (svm.OneClassSVM(nu=0.1), ""),
        "LargeSVC": (svm.LargeSVC(C=10.0, gap_tol=1e-4), "two"),
        "LargeSVC, landmarks": (svm.LargeSVC(method="landmarks", n_landmarks=200), "three"),
        "LargeSVC, cells": (svm.LargeSVC(method="cells"), "two"),
        "LargeSVR": (svm.LargeSVR(method="landmarks"), "value"),
        "LinearClassifier": (linear_model.LinearClassifier(), "two"),
        "LogisticRegression": (linear_model.LogisticRegression(), "three"),
        "LogisticRegression, L1": (linear_model.LogisticRegression(penalty="l1", C=0.1), "two"),
        "LogisticRegressionCV": (linear_model.LogisticRegressionCV(**grid), "two"),
        "Perceptron": (linear_model.Perceptron(max_iter=200, tol=None), "three"),
        "PolynomialRegression": (linear_model.PolynomialRegression(degree=2), "value"),
        "Ridge": (linear_model.Ridge(), "value"),
        "RidgeCV": (linear_model.RidgeCV(), "value"),
        "LinearRegression": (linear_model.LinearRegression(), "value"),
        "Lasso": (linear_model.Lasso(0.01), "value"),
        "LassoCV": (linear_model.LassoCV(cv=3), "value"),
        "ElasticNet": (linear_model.ElasticNet(0.01), "value"),
        "ElasticNetCV": (linear_model.ElasticNetCV(cv=3), "value"),
        "KernelRidge": (kernel_model.KernelRidge(kernel="rbf"), "value"),
        "KernelLogisticRegression": (kernel_model.KernelLogisticRegression(), "three"),
        "KernelPerceptron": (kernel_model.KernelPerceptron(), "three"),
        "KernelEmbedding": (kernel_approximation.KernelEmbedding(), ""),
        "Nystroem": (kernel_approximation.Nystroem(), ""),
        "PolynomialMap": (kernel_approximation.PolynomialMap(), ""),
        "TruncatedRBF": (kernel_approximation.TruncatedRBF(), ""),
        "CondensedNearestNeighbors": (neighbors.CondensedNearestNeighbors(), "two"),
        "KNeighborsClassifier": (neighbors.KNeighborsClassifier(20), "two"),
        "KNeighborsRegressor": (neighbors.KNeighborsRegressor(5, metric="manhattan"), "value"),
        "SyntheticOverSampler": (neighbors.SyntheticOverSampler(rows_a_class=2000), "two"),
        "UnderSampler": (neighbors.UnderSampler(), "two"),
        "KMeans": (cluster.KMeans(8, n_init=3), ""),
        "SpectralClustering": (cluster.SpectralClustering(3, affinity="nearest_neighbors"), ""),
        "AdaBoostClassifier": (ensemble.AdaBoostClassifier(n_estimators=40), "two"),
        "AdaBoostRegressor": (ensemble.AdaBoostRegressor(n_estimators=10), "value"),
        "BaggingClassifier": (ensemble.BaggingClassifier(n_estimators=5), "two"),
        "BaggingRegressor": (ensemble.BaggingRegressor(n_estimators=5, n_jobs=1), "value"),
        "CascadeClassifier": (ensemble.CascadeClassifier(), "two"),
        "HistGradientBoostingClassifier": (ensemble.HistGradientBoostingClassifier(max_iter=20), "three"),
        "HistGradientBoostingRegressor": (ensemble.HistGradientBoostingRegressor(max_iter=20), "value"),
        "DecisionBox": (ensemble.DecisionBox(), "two"),
        "DecisionPlane": (ensemble.DecisionPlane(), "two"),
        "DecisionStump": (ensemble.DecisionStump(), "two"),
        "RandomForestClassifier": (ensemble.RandomForestClassifier(20), "three"),
        "RandomForestRegressor": (ensemble.RandomForestRegressor(10), "value"),
        "DecisionTreeClassifier": (tree.DecisionTreeClassifier(), "three"),
        "DecisionTreeRegressor": (tree.DecisionTreeRegressor(max_leaf_nodes=50), "value"),
    }


def make_jobs(rng: np.random.Generator, folder: Path, names: list[str] | None = None) -> dict[str, Job]:
    """What is interrupted, by name."""
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    data, jobs = _data(rng), {}
    X = data["X"]
    for name, (model, target) in estimators().items():
        y = data[target] if target else None

        def fit(model: Any = model, y: Any = y) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clone(model).fit(X, y)

        def use(model: Any = model, y: Any = y, kept: list = []) -> None:  # noqa: B006  (fitted once)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if not kept:
                    kept.append(clone(model).fit(X, y))
                for _ in range(3):
                    if hasattr(kept[0], "predict"):
                        kept[0].predict(X)
                if hasattr(kept[0], "certificate_"):
                    kept[0].certificate_.verify(X, *([] if y is None else [y]))

        jobs[f"{name}, fitted"], jobs[f"{name}, used"] = fit, use
        if "Forest" in name or name in ("SVC", "Ridge", "LogisticRegression", "KNeighborsClassifier"):
            jobs[f"{name}, cross-validated"] = lambda model=model, y=y: cross_val_score(clone(model), X, y, cv=3)
    words = ("train", folder / "t.csv", "--target", "y", "--force", "--out", folder / "t.mm")
    for family in ("forest", "logistic", "svc"):
        jobs[f"the tool trains, {family}"] = lambda family=family: _tool(*words, "--model", family, "--folds", "3")

    def predict() -> None:
        if not (folder / "t.mm").exists():
            _tool(*words, "--model", "tree")
        _tool("predict", folder / "t.mm", folder / "t.csv", "--force", "--out", folder / "p.csv")

    jobs["the tool predicts"] = predict
    tree = clone(estimators()["DecisionTreeClassifier"][0]).fit(X, data["three"])
    jobs["a report"] = lambda: tree.report(X, data["three"])
    table = np.column_stack([data["few"], data["three"][:300]])
    np.savetxt(folder / "t.csv", table, delimiter=",", header="a,b,c,d,e,f,y", comments="", fmt="%.6g")
    return jobs if names is None else {name: jobs[name] for name in names}


def _tool(*words: Any) -> None:
    from maxmargin.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = main([str(word) for word in words])
    if code == 130:
        raise KeyboardInterrupt
    if code:
        raise RuntimeError(f"the tool ended with {code}")


class _Alarm:
    """Sends SIGINT to this process after some seconds, from a thread of its own."""

    def __init__(self, seconds: float) -> None:
        self.sent = 0.0
        self.thread = threading.Thread(target=self._send, args=(seconds,))

    def _send(self, seconds: float) -> None:
        time.sleep(seconds)
        self.sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)


def _dropped(what: Any) -> str:
    """Where Python has dropped an exception: in the callback of a weak reference, or when an object was deleted."""
    frames = traceback.extract_tb(what.exc_traceback)
    way = " > ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-12:])
    return f"({what.exc_type.__name__}, {what.err_msg or 'ignored'} in {what.object!r:.80}: {way})"


def _in_package(frame: Any) -> bool:
    """Whether a function of the package is at work."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".")[0] == "maxmargin":
            return True
        frame = frame.f_back
    return False


def interrupt(job: Job, seconds: float) -> tuple[str, float]:
    """What became of a signal sent after so many seconds: heard, lost or the error, and how late it was heard."""
    alarm, ended, outcome = _Alarm(seconds), False, ""
    dropped: list[str] = []
    inside: list[bool] = []
    sys.unraisablehook = lambda what: dropped.append(_dropped(what))

    def arrived(number: int, frame: Any) -> None:
        inside.append(_in_package(sys._getframe(1)))  # the frame given may be none
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, arrived)
    try:
        try:
            alarm.thread.start()
            job()
            ended = True
        finally:
            alarm.thread.join()  # nothing else may run when the next one is sent
        time.sleep(_LATE)
        outcome = " ".join([DROPPED if dropped and not any(inside) else "lost", *dropped])
    except KeyboardInterrupt:
        outcome = "after" if ended else "heard"
    except BaseException as error:
        outcome = f"{type(error).__name__}: {error}"[:200]
    late = time.perf_counter() - alarm.sent
    alarm.thread.join()
    if signal.getsignal(signal.SIGINT) is not arrived:
        return "the handler was not put back", late
    return outcome, late


def child(count: int, seed: int, names: list[str] | None) -> None:
    """Interrupt jobs, a line of JSON for each: its name, the outcome, and the seconds until it was heard."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background hands it down as ignored
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        jobs = make_jobs(np.random.default_rng(0), Path(folder), names)
        takes: dict[str, float] = {}
        while count:
            name = str(rng.choice(list(jobs)))
            if name not in takes:
                jobs[name]()  # compiles, and fits what is used
                begin = time.perf_counter()
                jobs[name]()
                takes[name] = time.perf_counter() - begin
            outcome, late = interrupt(jobs[name], takes[name] * rng.uniform())
            if outcome == "after":  # it had ended before; what it takes varies, on a busy machine by a lot
                takes[name] *= 0.95
                continue
            count -= 1
            print(json.dumps([name, outcome, late]), flush=True)


def run(count: int, seed: int, names: list[str] | None = None) -> list[tuple[str, str, float]]:
    """So many interrupts in child processes; a child that hangs or dies counts as one more outcome."""
    found: list[tuple[str, str, float]] = []
    while len(found) < count:
        size = min(_A_CHILD, count - len(found))
        words = ["--child", "--count", str(size), "--seed", str(seed + len(found)), *(names or [])]
        command = [sys.executable, "-m", "tests.engine.fuzz_interrupts", *words]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            process = subprocess.Popen(command, stdout=out, stderr=err, cwd=Path(__file__).parents[2])
            try:
                code: Any = process.wait(_HANGS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = "hangs"
            out.seek(0)
            err.seek(0)
            found += [tuple(json.loads(line)) for line in out if line.startswith("[")]
            if code:
                found.append(("child", f"{code}: {err.read()[-2000:]}", 0.0))
        if size == _A_CHILD:
            print(f"{len(found)} of {count}", file=sys.stderr, flush=True)
    return found


def wrong(found: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    """Interrupts that were lost, or came out as something else."""
    return [one for one in found if one[1] != "heard" and not one[1].startswith(DROPPED)]


def main() -> int:
    """Run, print the figures, and tell by the exit code whether all were heard."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.child:
        child(given.count, given.seed, given.names or None)
        return 0
    found = run(given.count, given.seed, given.names or None)
    late = np.array([seconds for _, outcome, seconds in found if outcome == "heard"])
    amiss = wrong(found)
    others = [one for one in found if one[1].startswith(DROPPED)]
    print(f"{len(found)} interrupts, {len(late)} heard, {len(amiss)} lost or turned into other errors", end="")
    print(f", {len(others)} {DROPPED}")
    if len(late):
        print(f"heard within 0.5 s: {np.mean(late <= 0.5):.2%}; 95 % within {np.quantile(late, 0.95):.3f} s, ", end="")
        print(f"all within {late.max():.3f} s")
    for name, _, seconds in sorted((one for one in found if one[1] == "heard"), key=lambda one: -one[2])[:5]:
        print(f"  {seconds:.3f} s  {name}")
    for name, outcome, _ in [*amiss, *others][:20]:
        print(f"  {name}: {outcome}")
    return 1 if amiss else 0


if __name__ == "__main__":
    sys.exit(main())
