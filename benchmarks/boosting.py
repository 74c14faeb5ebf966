"""Gradient boosting against scikit-learn's and LightGBM's: seconds of fits and predictions, and loss on held-out rows.

All three grow as many trees of 31 leaves with the same settings, without early stopping, and predict the rows of the
training. A fifth of the rows is held out; the referee computes the loss of what each says of them by numpy alone. Each
runs in turn, so that a slow minute of the machine hits all alike; figures are the fastest of the runs. Ours include the
certificate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import table
from .datasets import load
from .options import SEED, Options

MINUTES = 5.0
LIGHTGBM = "LightGBM"
# What fits and predictions have to be quicker by than those of scikit-learn, and of LightGBM.
_TARGETS = {"scikit-learn": 2.0, LIGHTGBM: 1.0}


@dataclass(frozen=True)
class Case:
    """A set of rows by name, whether its targets are classes, and how many rounds are made."""

    name: str
    classes: bool
    rounds: int


CASES = [
    Case("california_housing", False, 100),
    Case("diamonds", False, 100),
    Case("covtype", True, 10),
    Case("made", False, 30),
]
PARTS = [case.name for case in CASES]


def _rows(case: Case, options: Options) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(SEED)
    if case.name == "made":
        n = 20_000 if options.quick else 1_000_000
        X = rng.normal(size=(n, 28))
        y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] + rng.normal(size=n)
        return X, y
    if options.data is None or not (options.data / f"{case.name}.npz").exists():
        data = load("covtype" if case.classes else "california_housing", options.data)
        X, y = data.X, data.y
    else:
        with np.load(options.data / f"{case.name}.npz", allow_pickle=False) as arrays:
            X, y = arrays["X"], arrays["y"]
    order = rng.permutation(len(y))[: 5000 if options.quick else None]
    return np.ascontiguousarray(np.asarray(X, dtype=np.float64)[order]), np.asarray(y)[order]


def _contenders(case: Case, rounds: int) -> dict[str, Callable[[], Any]]:
    """Estimators with the same settings, by the names of their libraries; those that are not installed are left out."""
    from sklearn import ensemble as theirs

    from maxmargin import ensemble as ours

    kind = "HistGradientBoostingClassifier" if case.classes else "HistGradientBoostingRegressor"
    found: dict[str, Callable[[], Any]] = {
        "maxmargin": lambda: getattr(ours, kind)(max_iter=rounds, early_stopping=False),
        "scikit-learn": lambda: getattr(theirs, kind)(max_iter=rounds, early_stopping=False),
    }
    try:
        import lightgbm
    except ImportError:
        return found
    model = lightgbm.LGBMClassifier if case.classes else lightgbm.LGBMRegressor
    found[LIGHTGBM] = lambda: model(n_estimators=rounds, verbose=-1, min_child_weight=1e-3)
    return found


def held_out_loss(model: Any, X: np.ndarray, y: np.ndarray, classes: bool) -> float:
    """Mean log loss, or mean squared error."""
    if not classes:
        return float(np.mean((np.asarray(model.predict(X)) - y) ** 2))
    p = np.asarray(model.predict_proba(X))
    return float(-np.mean(np.log(np.maximum(p[np.arange(len(y)), np.searchsorted(model.classes_, y)], 1e-15))))


def measure(case: Case, options: Options) -> tuple[list[list[str]], dict[str, Any]]:
    """Lines of the table and the raw numbers of a case."""
    X, y = _rows(case, options)
    cut = len(y) * 4 // 5
    rounds = min(case.rounds, 5) if options.quick else case.rounds
    contenders = _contenders(case, rounds)
    record: dict[str, Any] = {name: {"fit": [], "predict": [], "loss": None} for name in contenders}
    for turn in range(3):
        for name, make in contenders.items():
            few = slice(0, 2000 if turn == 0 else cut)  # the first turn is a warm-up
            start = time.perf_counter()
            model = make().fit(X[few], y[few])
            fitted = time.perf_counter()
            model.predict(X[few])
            done = time.perf_counter()
            if turn:
                record[name]["fit"].append(fitted - start)
                record[name]["predict"].append(done - fitted)
                record[name]["loss"] = held_out_loss(model, X[cut:], y[cut:], case.classes)
    lines = []
    best = {name: {key: min(record[name][key]) for key in ("fit", "predict")} for name in record}
    for name in contenders:
        fit, predict = (best[name][key] / best["maxmargin"][key] for key in ("fit", "predict"))
        wanted = _TARGETS.get(name)
        lines.append(
            [
                f"{case.name} {cut} x {X.shape[1]}, {rounds} rounds",
                name,
                table.seconds(best[name]["fit"]),
                table.seconds(best[name]["predict"]),
                f"{record[name]['loss']:.5g}",
                "" if wanted is None else table.ratio(fit),
                "" if wanted is None else table.ratio(predict),
                table.verdict(min(fit, predict), wanted),
            ]
        )
    return lines, record


def run(options: Options) -> dict[str, Any]:
    """Print the table of all cases; the raw numbers."""
    header = ["rows", "library", "fit s", "predict s", "held-out loss", "fit ratio", "predict ratio", ""]
    lines: list[list[str]] = []
    results: dict[str, Any] = {}
    for case in CASES:
        if options.wants(case.name):
            own, results[case.name] = measure(case, options)
            lines += own
            print(table.render(header, own, left=["library"]), end="\n\n", flush=True)
    return results
