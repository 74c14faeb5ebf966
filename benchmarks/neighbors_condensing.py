"""What condensing keeps, what it costs in accuracy, and how much faster one nearest neighbour is for it.

``python -m benchmarks.neighbors_condensing --data ../shared/data``; sets that are not in the folder, or all without
one, are replaced by scikit-learn's digits. Training rows and test rows are those of the sets. The prototypes are also
given to scikit-learn's search of every row, which gains in proportion to their share; ours leaves out most of what it
is given anyhow.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sklearn.neighbors
from sklearn.datasets import load_digits

from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier

from . import table
from .machine import describe

SETS = ("usps", "letter")
ROUNDS = 7


@dataclass(frozen=True)
class Split:
    """Training rows and test rows with their labels."""

    name: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """One nearest neighbour among some of the training rows."""

    rows: int
    share: float
    accuracy: float
    fitting: float
    predicting: float
    by_brute_force: float


def splits(folder: Path | None) -> list[Split]:
    """The sets in the folder; digits if there are none."""
    found = []
    for name in SETS:
        file = None if folder is None else folder / f"{name}.npz"
        if file is not None and file.is_file():
            with np.load(file, allow_pickle=False) as arrays:
                parts = (arrays[part] for part in ("X_train", "y_train", "X_test", "y_test"))
                found.append(Split(name, *parts))
    if not found:
        X, y = load_digits(return_X_y=True)
        found.append(Split("digits (bundled)", X[:1200], y[:1200], X[1200:], y[1200:]))
    return found


def measure(data: Split, rounds: int = ROUNDS) -> dict[str, Outcome]:
    """All rows, condensed, and condensed and reduced; predictions are timed in turns."""
    rules = {
        "all rows": KNeighborsClassifier(1),
        "condensed": CondensedNearestNeighbors(),
        "reduced": CondensedNearestNeighbors(reduce=True),
    }
    fitting = {}
    for name, rule in rules.items():
        rule.fit(data.X, data.y)
        fitting[name] = _timed(lambda rule=rule: rule.fit(data.X, data.y))
        if name != "all rows":
            proof = rule.certificate_.verify(data.X, data.y)
            if not proof.holds or (rule.predict(data.X) != data.y).any():
                raise AssertionError(f"{data.name}, {name}: {proof.statement}")
    kept = {name: getattr(rule, "prototype_indices_", np.arange(len(data.y))) for name, rule in rules.items()}
    brute = {
        name: sklearn.neighbors.KNeighborsClassifier(1, algorithm="brute").fit(data.X[rows], data.y[rows])
        for name, rows in kept.items()
    }
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in rules}
    for _ in range(rounds):
        for name in rules:
            both = [_timed(lambda rule=rule: rule.predict(data.X_test)) for rule in (rules[name], brute[name])]
            seconds[name].append((both[0], both[1]))
    return {
        name: Outcome(
            len(kept[name]),
            len(kept[name]) / len(data.y),
            float(np.mean(rule.predict(data.X_test) == data.y_test)),
            fitting[name],
            *(statistics.median(column) for column in zip(*seconds[name], strict=True)),
        )
        for name, rule in rules.items()
    }


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def report(data: Split, outcomes: dict[str, Outcome]) -> str:
    """The table of one set."""
    whole = outcomes["all rows"]
    rows = [
        [
            name,
            str(found.rows),
            f"{found.share:.1%}",
            f"{found.accuracy:.2%}",
            table.seconds(found.fitting),
            table.seconds(found.predicting),
            f"{whole.predicting / found.predicting:.1f}",
            table.seconds(found.by_brute_force),
            f"{whole.by_brute_force / found.by_brute_force:.1f}",
        ]
        for name, found in outcomes.items()
    ]
    header = ["1-NN among", "rows", "share", "test accuracy", "fit s", "predict s", "times as fast"]
    header += ["scikit-learn s", "times as fast"]
    title = f"{data.name}: {data.X.shape[0]} x {data.X.shape[1]}, {len(data.y_test)} test rows, consistent"
    return f"{title}\n{table.render(header, rows)}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder with usps.npz and letter.npz")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="predictions that the median is of")
    chosen = parser.parse_args(arguments)
    machine = describe()
    print(f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}\n")
    for data in splits(chosen.data):
        print(report(data, measure(data, chosen.rounds)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
