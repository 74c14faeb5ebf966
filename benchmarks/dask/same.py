"""The same optimum on a cluster and on one machine, for every estimator, on covtype in 29 partitions.

Each line has the objective of both, how far apart these are relatively, the tolerance that was asked for, how far what
`verify` finds on the cluster is from what the certificate says, and how far objectives are apart for 1, 2 and 7
partitions (of fewer rows). Kernel machines, forests and searches are fitted to fewer rows, of which the table says how
many. Of forests the objective is the error out of bag, and the tolerance three of its standard errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import table
from ..datasets import load, standardised
from ..options import Options
from ..progress import say
from .cases import PARTITIONS, _timed
from .cluster import spread

_QUICK, _DIVISIONS, _DIVIDED = 5_000, (1, 2, 7), 20_000
AGREES = 1e-9  # of what is verified


@dataclass(frozen=True)
class Pair:
    """An estimator of the cluster and that of one machine, and what they are given."""

    name: str
    room: str
    kind: str
    params: dict[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-4
    rows: int = 581_012
    note: str = ""


PAIRS = (
    Pair("LinearSVC", "svm", "two", {"loss": "hinge"}, note="hinge"),
    Pair("LinearSVC", "svm", "two", {}, note="squared hinge"),
    Pair("LinearSVR", "svm", "number", {"epsilon": 0.1}),
    Pair("LogisticRegression", "linear_model", "two", {}, note="binary"),
    Pair("LogisticRegression", "linear_model", "seven", {}, note="multinomial"),
    Pair("Ridge", "linear_model", "number", {}, 1e-10),
    Pair("KMeans", "cluster", "none", {"n_clusters": 10, "tol": 0, "max_iter": 30}, 1e-9),
    Pair("LargeSVC", "svm", "two", {"n_landmarks": 300, "gap_tol": 0.5, "method": "landmarks"}, 0.5, 20_000),
    Pair("RandomForestClassifier", "ensemble", "seven", {"n_estimators": 10, "random_state": 0}, np.nan, 20_000),
    Pair("RandomForestRegressor", "ensemble", "number", {"n_estimators": 10, "random_state": 0}, np.nan, 20_000),
    Pair("SVCCV", "svm", "two", {"Cs": 3, "gammas": 3}, 0.0, 1_500),
)


def run_same(client: Any, options: Options) -> list[dict[str, Any]]:
    """A table; the numbers of it."""
    data = standardised(load("covtype", options.data, options.seed))
    lines = []
    order = np.random.default_rng(options.seed).permutation(len(data.y))
    for pair in PAIRS:
        say(f"  {pair.name} {pair.note}")
        rows = min(pair.rows, _QUICK if options.quick else pair.rows, len(data.y))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines.append(_compared(pair, client, *_samples(data.X, data.y, np.sort(order[:rows]), pair)))
    print(_text(data.origin, lines), flush=True)
    return lines


def _samples(X: np.ndarray, y: np.ndarray, chosen: np.ndarray, pair: Pair) -> tuple[np.ndarray, Any]:
    X, y = np.ascontiguousarray(X[chosen]), y[chosen]
    if pair.kind == "number":  # the elevation, from all else
        return np.ascontiguousarray(X[:, 1:]), X[:, 0].copy()
    return X, {"two": (y == 2).astype(np.int64), "seven": y, "none": None}[pair.kind]


def _compared(pair: Pair, client: Any, X: np.ndarray, y: Any) -> dict[str, Any]:
    import importlib

    import maxmargin.dask

    params = dict(pair.params)
    if pair.name == "KMeans":
        params["init"] = X[:: len(X) // 10][:10].copy()
    ours = getattr(maxmargin.dask, pair.name)(client=client, **params)
    one = getattr(importlib.import_module(f"maxmargin.{pair.room}"), pair.name)(**params)
    divided = pair.name != "SVCCV"  # that takes rows in memory
    Xd, yd = _divided(client, X, y, PARTITIONS) if divided else (X, y)
    seconds, model = _timed(lambda: _fit(ours, Xd, yd), 1)
    alone_seconds, alone = _timed(lambda: _fit(one, X, y), 1)
    found, expected = _objective(model, pair), _objective(alone, pair)
    again = _verified(model, Xd, yd) if divided else 0.0
    few = min(_DIVIDED, len(X))
    spread_apart = (
        [_objective(_fit(ours, *_divided(client, X[:few], _cut(y, few), p)), pair) for p in _DIVISIONS]
        if (divided)
        else [0.0]
    )
    scale = max(abs(expected), 1e-300)
    tolerance = pair.tolerance
    if np.isnan(tolerance):
        tolerance = 3 * _error(model) / scale
    return {
        "name": f"{pair.name} {pair.note}".strip(),
        "rows": len(X),
        "seconds": seconds,
        "alone": alone_seconds,
        "objective": found,
        "expected": expected,
        "apart": abs(found - expected) / scale,
        "tolerance": tolerance,
        "verified": again,
        "partitions": (max(spread_apart) - min(spread_apart)) / max(abs(spread_apart[0]), 1e-300),
    }


def _fit(estimator: Any, X: Any, y: Any) -> Any:
    return estimator.fit(X) if y is None else estimator.fit(X, y)


def _cut(y: Any, few: int) -> Any:
    return None if y is None else y[:few]


def _divided(client: Any, X: np.ndarray, y: Any, partitions: int) -> tuple[Any, Any]:
    return spread(client, X, partitions), None if y is None else spread(client, y, partitions)


def _objective(model: Any, pair: Pair) -> float:
    """What the fit minimises; of a search its best score."""
    if pair.name == "SVCCV":
        return float(model.best_score_)
    if pair.name == "KMeans":
        return float(model.inertia_)
    if pair.name.startswith("RandomForest"):
        return float(_figure(model, "out-of-bag"))
    if pair.name == "Ridge":
        return float(model.certificate_.figures["objective"])
    return float(sum(part.primal for part in model.certificate_.problems))


def _figure(model: Any, word: str) -> float:
    return float(next(value for name, value in model.certificate_.figures.items() if word in name))


def _error(model: Any) -> float:
    return _figure(model, "standard error")


def _verified(model: Any, X: Any, y: Any) -> float:
    """How far figures that are verified are from those of the certificate, relatively; infinite where it is refuted."""
    claimed = model.certificate_
    found: Any = claimed.verify(X) if y is None else claimed.verify(X, y)
    if found.status is not claimed.status:
        return float("inf")
    read: Callable[[Any], list[float]] = lambda proof: (  # noqa: E731
        [value for part in proof.problems for value in (part.primal, part.dual)]
        if hasattr(proof, "problems")
        else [float(proof.figures[name]) for name in ("objective", "inertia") if name in proof.figures]
    )
    pairs = zip(read(found), read(claimed), strict=True)
    return max((abs(a - b) / max(abs(b), 1e-300) for a, b in pairs), default=0.0)


def _text(origin: str, lines: list[dict[str, Any]]) -> str:
    rows = []
    for line in lines:
        right = line["apart"] <= line["tolerance"] and line["verified"] <= AGREES
        rows.append(
            [
                line["name"],
                str(line["rows"]),
                table.seconds(line["seconds"]),
                table.seconds(line["alone"]),
                f"{line['objective']:.8g}",
                f"{line['apart']:.1e}",
                f"{line['tolerance']:.0e}",
                f"{line['verified']:.0e}",
                f"{line['partitions']:.1e}",
                "yes" if right and line["partitions"] <= max(line["tolerance"], AGREES) else "NO",
            ]
        )
    header = ["", "rows", "seconds", "alone", "objective", "apart", "tolerance", "verify", "1, 2, 7", "same"]
    return f"same: {origin}, {PARTITIONS} partitions\n{table.render(header, rows)}\n"
