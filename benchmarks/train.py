"""``maxmargin train`` against what a data scientist would try first, on the same held-out rows of each set.

Ours is given the training rows as a table and chooses for itself, by default and with two minutes for it. The others
are LightGBM as it comes and tuned for 45 seconds (random settings, early stopping on a fifth of the training rows, the
best fitted on all), and scikit-learn's gradient boosting, forest, linear model and kernel machine as they come, columns
standardised for the last two; of more than 20,000 rows the kernel machine has a draw of so many. Held-out accuracy, or
R2 for numbers, with its standard error; seconds of the clock, and of the processor (of all cores together).

Each figure is written to ``build/bench/train.json`` as soon as it is known, and is not measured again: remove from that
file what is to be done anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import table
from .options import SEED, Options
from .progress import say

MINUTES = 240.0
RESULTS = Path(__file__).resolve().parent.parent / "build" / "bench" / "train.json"
OURS, IN_TIME = "maxmargin", "maxmargin, 2 minutes"
_KERNEL_ROWS, _TUNING_SECONDS, _MOST_TEST = 20_000, 45.0, 0.2


@dataclass(frozen=True)
class Rows:
    """Training rows and held-out rows, dense or CSR; whether the targets are classes."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    classes: bool


_VALUES = ("california_housing", "diamonds", "diabetes")
_BUNDLED = {"breast_cancer": "load_breast_cancer", "digits": "load_digits", "diabetes": "load_diabetes"}
# The small ones first.
PARTS = [
    "sonar", "heart_scale", "diabetes", "breast_cancer", "digits", "spambase", "satimage", "magic04", "usps",
    "california_housing", "letter", "diamonds", "a9a", "ijcnn1", "news20_tfidf", "fashion_mnist", "covtype",
]  # fmt: skip


def read(name: str, options: Options) -> Rows | None:
    """The rows of a set; a fifth is held out where the set does not say which. None if it is not to be had."""
    parts = _parts(name, options.data)
    if parts is None:
        return None
    classes = name not in _VALUES
    if "X" in parts:
        X, y = parts["X"], np.asarray(parts["y"])
        order = np.random.default_rng(SEED).permutation(len(y))
        held, rest = order[: round(_MOST_TEST * len(y))], order[round(_MOST_TEST * len(y)) :]
        found = X[rest], y[rest], X[held], y[held]
    else:
        found = tuple(parts[key] for key in ("X_train", "y_train", "X_test", "y_test"))  # type: ignore[assignment]
    X, y, X_test, y_test = found
    if options.quick:
        X, y, X_test, y_test = X[:2000], y[:2000], X_test[:1000], y_test[:1000]
    if not sp.issparse(X):
        X, X_test = np.asarray(X, dtype=np.float64), np.asarray(X_test, dtype=np.float64)
    kind = np.int64 if classes else np.float64
    return Rows(X, np.asarray(y).astype(kind), X_test, np.asarray(y_test).astype(kind), classes)


def _parts(name: str, folder: Path | None) -> dict[str, Any] | None:
    if name in _BUNDLED:
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, _BUNDLED[name])(return_X_y=True)
        return {"X": X, "y": y}
    if folder is None:
        return None
    if (folder / f"{name}.npz").is_file():
        with np.load(folder / f"{name}.npz", allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    if not (folder / f"{name}_X_train.npz").is_file():
        return None
    parts: dict[str, Any] = {
        f"X_{part}": sp.load_npz(folder / f"{name}_X_{part}.npz").tocsr() for part in ("train", "test")
    }
    return parts | {f"y_{part}": np.load(folder / f"{name}_y_{part}.npy") for part in ("train", "test")}


# ---------------------------------------------------------------- contenders: from rows to answers for held-out ones


def _ours(rows: Rows, minutes: float | None) -> tuple[np.ndarray, dict[str, Any]]:
    import pandas as pd

    from maxmargin.tables import SparseTable
    from maxmargin.training import train

    task = "classification" if rows.classes else "regression"
    metric = "accuracy" if rows.classes else "R2"
    common: dict[str, Any] = {"test": 0, "task": task, "metric": metric, "minutes": minutes}
    if sp.issparse(rows.X):
        done = train(SparseTable(sp.csr_array(rows.X), rows.y.astype(np.float64)), **common)
        X_test: Any = sp.csr_array(rows.X_test)
        X_test.resize((X_test.shape[0], rows.X.shape[1]))
    else:
        names = [f"column {j}" for j in range(rows.X.shape[1])]
        done = train(pd.DataFrame(rows.X, columns=names).assign(target=rows.y), "target", time=False, **common)
        X_test = pd.DataFrame(rows.X_test, columns=names)
    families = {r.family: [r.score, r.seconds, r.rows, r.note] for r in done.candidates}
    params = {name: value for name, value in done.candidates[0].params.items()}
    told = {"family": done.family, "families": families, "parameters": params, "stages": done.seconds}
    return np.asarray(done.model.predict(X_test)), told


def _lightgbm(rows: Rows, **settings: Any) -> Any:
    import lightgbm

    kind = lightgbm.LGBMClassifier if rows.classes else lightgbm.LGBMRegressor
    return kind(verbose=-1, random_state=SEED, **settings)


def _default_lightgbm(rows: Rows) -> tuple[np.ndarray, dict[str, Any]]:
    return np.asarray(_lightgbm(rows).fit(rows.X, rows.y).predict(rows.X_test)), {}


def _tuned_lightgbm(rows: Rows) -> tuple[np.ndarray, dict[str, Any]]:
    import lightgbm

    begin, rng = time.perf_counter(), np.random.default_rng(SEED)
    order = rng.permutation(len(rows.y))
    held, rest = order[: len(order) // 5], order[len(order) // 5 :]
    best: tuple[float, dict[str, Any]] | None = None
    tried = 0
    while tried == 0 or time.perf_counter() - begin < _TUNING_SECONDS:
        settings = {} if not tried else {
            "learning_rate": float(np.exp(rng.uniform(np.log(0.02), np.log(0.3)))),
            "num_leaves": int(np.exp(rng.uniform(np.log(7), np.log(255)))),
            "min_child_samples": int(np.exp(rng.uniform(np.log(3), np.log(100)))),
            "colsample_bytree": float(rng.uniform(0.4, 1.0)),
            "subsample": float(rng.uniform(0.6, 1.0)),
            "subsample_freq": 1,
            "reg_lambda": float(np.exp(rng.uniform(np.log(1e-3), np.log(30)))),
        }  # fmt: skip
        stop = [lightgbm.early_stopping(30, verbose=False), _out_of_time(begin)]
        model = _lightgbm(rows, n_estimators=2000, **settings)
        model.fit(rows.X[rest], rows.y[rest], eval_X=rows.X[held], eval_y=rows.y[held], callbacks=stop)
        value, _ = score(rows.y[held], np.asarray(model.predict(rows.X[held])), rows.classes)
        tried += 1
        if best is None or value > best[0]:
            best = value, {"n_estimators": max(1, model.best_iteration_ or model.n_estimators_), **settings}
    assert best is not None
    model = _lightgbm(rows, **best[1]).fit(rows.X, rows.y)
    return np.asarray(model.predict(rows.X_test)), {"tried": tried, "parameters": best[1]}


def _out_of_time(begin: float) -> Callable[[Any], None]:
    """Ends the boosting once the time for tuning is over."""
    from lightgbm.callback import EarlyStopException

    def look(env: Any) -> None:
        if time.perf_counter() - begin > _TUNING_SECONDS and env.iteration >= 10:
            raise EarlyStopException(env.iteration, env.evaluation_result_list)

    look.order = 40  # type: ignore[attr-defined]
    return look


def _theirs(rows: Rows, kind: str) -> tuple[np.ndarray, dict[str, Any]]:
    """scikit-learn's, as they come."""
    from sklearn import ensemble, linear_model, svm
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    made = {
        "boosting": ensemble.HistGradientBoostingClassifier if rows.classes else ensemble.HistGradientBoostingRegressor,
        "forest": ensemble.RandomForestClassifier if rows.classes else ensemble.RandomForestRegressor,
    }
    if kind == "boosting":
        model: Any = made[kind](random_state=SEED)
    elif kind == "forest":
        model = made[kind](random_state=SEED, n_jobs=-1)
    else:
        scaler = MaxAbsScaler() if sp.issparse(rows.X) else StandardScaler()
        if kind == "linear":
            machine = linear_model.LogisticRegression(max_iter=1000) if rows.classes else linear_model.Ridge()
        else:
            machine = svm.SVC(cache_size=1000) if rows.classes else svm.SVR(cache_size=1000)
        model = make_pipeline(scaler, machine)
    few = slice(None)
    if kind == "kernel" and len(rows.y) > _KERNEL_ROWS:
        few = np.random.default_rng(SEED).permutation(len(rows.y))[:_KERNEL_ROWS]  # type: ignore[assignment]
    return np.asarray(model.fit(rows.X[few], rows.y[few]).predict(rows.X_test)), {}


_CONTENDERS: dict[str, Callable[[Rows], tuple[np.ndarray, dict[str, Any]]]] = {
    "LightGBM": _default_lightgbm,
    "LightGBM, 45 s": _tuned_lightgbm,
    "scikit-learn, boosting": lambda rows: _theirs(rows, "boosting"),
    "scikit-learn, forest": lambda rows: _theirs(rows, "forest"),
    "scikit-learn, linear": lambda rows: _theirs(rows, "linear"),
    "scikit-learn, kernel": lambda rows: _theirs(rows, "kernel"),
    OURS: lambda rows: _ours(rows, None),
    IN_TIME: lambda rows: _ours(rows, 2.0),
}


def score(y: np.ndarray, said: np.ndarray, classes: bool) -> tuple[float, float]:
    """Accuracy or R2 on the rows, and its standard error."""
    n = len(y)
    if classes:
        share = float(np.mean(said == y))
        return share, float(np.sqrt(share * (1 - share) / n))
    squares, spread = (y - said) ** 2, (y - y.mean()) ** 2
    ratio = float(squares.mean() / spread.mean())
    return 1.0 - ratio, float(np.std(squares - ratio * spread) / np.sqrt(n) / spread.mean())  # of a ratio of means


# ---------------------------------------------------------------- the run


def measure(name: str, options: Options, results: dict[str, Any], file: Path | None) -> None:
    """All contenders on a set that have no figure yet."""
    entry = results.setdefault(name, {})
    if all(who in entry.get("contenders", {}) for who in _CONTENDERS):
        return
    rows = read(name, options)
    if rows is None:
        say(f"{name} is not in the data folder")
        results.pop(name)
        return
    entry |= {"rows": len(rows.y), "columns": rows.X.shape[1], "held_out": len(rows.y_test), "classes": rows.classes}
    entry.setdefault("contenders", {})
    for who, contender in _CONTENDERS.items():
        if who in entry["contenders"] or options.spent > 1:
            continue
        begin, processor = time.perf_counter(), time.process_time()
        try:
            said, told = contender(rows)
        except (ImportError, ValueError, TypeError, MemoryError, RuntimeError) as error:
            entry["contenders"][who] = {"refused": f"{type(error).__name__}: {error}"[:300]}
        else:
            value, spread = score(rows.y_test, said, rows.classes)
            seconds = {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}
            entry["contenders"][who] = {"score": value, "error": spread, **seconds, **told}
        say(f"{name}, {who}: {json.dumps(entry['contenders'][who])[:200]}")
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            part.replace(file)


def lines_of(name: str, entry: dict[str, Any]) -> list[list[str]]:
    """Lines of the table of a set: whether ours is within one standard error of the best."""
    found = entry["contenders"]
    told = {who: value for who, value in found.items() if "score" in value}
    best = max((value["score"] for value in told.values()), default=0.0)
    lines = []
    for who, value in found.items():
        if "score" not in value:
            lines.append([name, who, "refused", "", "", "", ""])
            continue
        behind = (best - value["score"]) / max(value["error"], 1e-12)
        verdict = "" if not who.startswith(OURS) else "ok" if behind <= 1 else "behind"
        held_out = f"{value['score']:.4f} +- {value['error']:.4f}"
        seconds, chosen = table.seconds(value["seconds"]), value.get("family", "")
        lines.append([name, who, held_out, f"{behind:.1f}", seconds, chosen, verdict])
    return lines


def run(options: Options) -> dict[str, Any]:
    """Print a table for each set; the raw numbers."""
    header = ["set", "who", "held-out score", "errors behind", "seconds", "chosen", ""]
    file = None if options.quick else RESULTS
    results: dict[str, Any] = {}
    if file is not None and file.is_file():
        results = json.loads(file.read_text(encoding="utf-8"))
    for name in PARTS:
        if options.wants(name):
            measure(name, options, results, file)
            if name in results:
                print(table.render(header, lines_of(name, results[name]), left=["set", "who", "chosen"]), flush=True)
    return results
