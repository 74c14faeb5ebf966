"""Accuracy and seconds of one method of each kind on ten sets, for the page of the manual that helps to choose.

``python -m benchmarks.choosing --data ../shared/data --json docs/choosing.json``; sets that are not in the folder
are left out. Of each set up to 20000 rows train and up to 10000 others test. What a method has to be tuned by (C
and gamma, C, k) is chosen by three-fold cross-validation on up to 3000 of the training rows; its time is stated
apart. Columns are standardised where they are dense. Seconds are those of the processor, of all cores together, so
that other work on the machine does not count: the median of three fits with the chosen parameters after a first one
that is not counted, or that one alone where it takes longer than 20 s. Each set is written to the file as soon as
it is done, and what is there already is not measured again: a new method is measured on each set.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from maxmargin.linear_model import LogisticRegression, LogisticRegressionCV
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.svm import SVC, SVCCV, LinearSVC, LinearSVCCV

from .machine import describe

SETS = (
    "sonar", "heart_scale", "spambase", "satimage", "usps", "magic04", "letter", "ijcnn1", "covtype", "a9a",
)  # fmt: skip
TRAIN, TEST, SEARCH, LONG = 20_000, 10_000, 3000, 20.0


def read(folder: Path, name: str) -> tuple[Any, np.ndarray, Any, np.ndarray] | None:
    """Training rows and test rows of a set; None if it is not in the folder."""
    file = folder / f"{name}.npz"
    if file.is_file():
        with np.load(file, allow_pickle=False) as arrays:
            parts = {key: arrays[key] for key in arrays.files}
    elif (folder / f"{name}_X_train.npz").is_file():
        parts = {f"X_{part}": sp.load_npz(folder / f"{name}_X_{part}.npz").tocsr() for part in ("train", "test")}
        parts |= {f"y_{part}": np.load(folder / f"{name}_y_{part}.npy") for part in ("train", "test")}
    else:
        return None
    if "X" in parts:
        X, X_test, y, y_test = train_test_split(
            parts["X"], parts["y"], test_size=min(TEST, len(parts["y"]) // 3), stratify=parts["y"], random_state=0
        )
    else:
        X, X_test, y, y_test = parts["X_train"], parts["X_test"], parts["y_train"], parts["y_test"]
    X, y = some(X, y, TRAIN)
    X_test, y_test = some(X_test, y_test, TEST)
    if not sp.issparse(X):
        X, X_test = np.asarray(X, dtype=np.float64), np.asarray(X_test, dtype=np.float64)
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    return X, y, X_test, y_test


def some(X: Any, y: np.ndarray, most: int) -> tuple[Any, np.ndarray]:
    """At most so many rows, with the classes in proportion."""
    if len(y) <= most:
        return X, y
    rows, _ = train_test_split(np.arange(len(y)), train_size=most, stratify=y, random_state=0)
    return X[rows], y[rows]


def kernel_parameters(X: Any, y: np.ndarray) -> dict[str, float]:
    scale = 1.0 / (X.shape[1] * (X.multiply(X).mean() - X.mean() ** 2 if sp.issparse(X) else X.var()))
    found = SVCCV(np.geomspace(0.1, 100, 4), scale * np.geomspace(0.1, 10, 5), cv=folds()).fit(X, y)
    return dict(found.best_params_)


def linear_parameters(X: Any, y: np.ndarray) -> dict[str, float]:
    return dict(LinearSVCCV(np.geomspace(1e-3, 10, 9), cv=folds()).fit(X, y).best_params_)


def logistic_parameters(X: Any, y: np.ndarray) -> dict[str, float]:
    return dict(LogisticRegressionCV(np.geomspace(1e-3, 100, 9), cv=folds()).fit(X, y).best_params_)


def neighbour_parameters(X: Any, y: np.ndarray) -> dict[str, int]:
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9, 15, 31]}, cv=folds())
    return dict(search.fit(X, y).best_params_)


def nothing(X: Any, y: np.ndarray) -> dict[str, Any]:
    return {}


def folds() -> StratifiedKFold:
    return StratifiedKFold(3, shuffle=True, random_state=0)


METHODS: dict[str, tuple[Callable[..., Any], Callable[[Any, np.ndarray], dict[str, Any]]]] = {
    "LinearSVC": (LinearSVC, linear_parameters),
    "LogisticRegression": (LogisticRegression, logistic_parameters),
    "SVC": (SVC, kernel_parameters),
    "KNeighborsClassifier": (KNeighborsClassifier, neighbour_parameters),
    "RandomForestClassifier": (lambda **p: RandomForestClassifier(n_estimators=200, random_state=0, **p), nothing),
    "AdaBoostClassifier": (lambda **p: AdaBoostClassifier(n_estimators=200, **p), nothing),
    "HistGradientBoostingClassifier": (lambda **p: HistGradientBoostingClassifier(random_state=0, **p), nothing),
}


def measure(make: Callable[..., Any], choose: Callable[..., dict[str, Any]], split: tuple) -> dict[str, Any]:
    X, y, X_test, y_test = split
    start = time.process_time()
    parameters = choose(*some(X, y, SEARCH))
    tuning = time.process_time() - start
    seconds: list[float] = []
    while len(seconds) < 4:
        start = time.process_time()
        model = make(**parameters).fit(X, y)
        seconds.append(time.process_time() - start)
        if seconds[0] > LONG:
            break
    start = time.process_time()
    accuracy = float(np.mean(model.predict(X_test) == y_test))
    predicting = time.process_time() - start
    certificate = model.certificate_
    return {
        "accuracy": accuracy,
        "tuning": tuning,
        "fitting": statistics.median(seconds[1:] or seconds),
        "predicting": predicting,
        "status": str(certificate.status),
        "relative gap": getattr(certificate, "relative_gap", None),
        "parameters": {name: float(value) for name, value in parameters.items()},
    }


def ordered(results: dict[str, Any]) -> dict[str, Any]:
    """The same, with the sets by their number of rows."""
    return results | {"sets": dict(sorted(results["sets"].items(), key=lambda item: item[1]["rows"]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    results: dict[str, Any] = {"machine": describe(), "sets": {}}
    if given.json.is_file():
        results = json.loads(given.json.read_text(encoding="utf-8"))
    for name in given.sets.split(","):
        entry = results["sets"].get(name, {"methods": {}})
        if set(METHODS) <= set(entry["methods"]):
            continue
        split = read(given.data, name)
        if split is None:
            print(f"{name} is not in {given.data}")
            continue
        entry = {
            "rows": len(split[1]),
            "test rows": len(split[3]),
            "features": split[0].shape[1],
            "classes": len(np.unique(split[1])),
            "sparse": bool(sp.issparse(split[0])),
            "methods": entry["methods"],
        }
        results["sets"][name] = entry
        for method, (make, choose) in METHODS.items():
            if method in entry["methods"]:
                continue
            try:
                entry["methods"][method] = measure(make, choose, split)
            except (ValueError, TypeError, MemoryError) as error:
                entry["methods"][method] = {"refused": f"{type(error).__name__}: {error}"[:200]}
            print(name, method, entry["methods"][method], flush=True)
        given.json.write_text(json.dumps(ordered(results), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
