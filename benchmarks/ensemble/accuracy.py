"""Accuracy of trees and forests beside scikit-learn's, over seeds: speed is not to be bought with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from .. import table
from ..contender import peer
from ..datasets import load, shuffled
from ..names import OURS, SKLEARN
from ..options import SEED, Options
from ..progress import say
from .cases import Split, split

SEEDS = 5
TREES = 100
QUICK_ROWS, QUICK_TREES, QUICK_SEEDS = 1000, 10, 2
KINDS, PACKAGES = ("tree", "forest"), {OURS: "maxmargin", SKLEARN: "sklearn"}

Scores = dict[tuple[str, str], list[float]]


@dataclass(frozen=True)
class Set:
    """A set of data, and whether its target is a class or a number."""

    name: str
    rows: int
    held_out: int
    classes: bool = True


SETS = (
    Set("covtype", 100_000, 50_000),
    Set("letter", 12_000, 4000),
    Set("usps", 5000, 2291),
    Set("spambase", 3450, 1151),
    Set("california_housing", 15_000, 5433, classes=False),
    Set("diamonds", 40_000, 13_940, classes=False),
)


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    seeds, trees = (QUICK_SEEDS, QUICK_TREES) if options.quick else (SEEDS, TREES)
    rows, record = [], {}
    for each in SETS:
        say(f"accuracy: {each.name}")
        data = load(each.name, options.data)
        scores: Scores = {(kind, package): [] for kind in KINDS for package in PACKAGES}
        for seed in range(SEED, SEED + seeds):
            sizes = (QUICK_ROWS, QUICK_ROWS) if options.quick else (each.rows, each.held_out)
            part = split(shuffled(data, seed), *sizes)
            for kind, package in scores:
                scores[kind, package].append(_score(package, kind, each.classes, part, seed, trees))
        record[each.name] = {f"{kind} {package}": values for (kind, package), values in scores.items()}
        rows.append((each.name, "accuracy" if each.classes else "R2", *_cells(scores), data.origin))
    header = ("", "of", "tree", SKLEARN, "", f"forest of {trees}", SKLEARN, "", "data")
    head = f"accuracy: means and deviations over {seeds} seeds, each with rows held out of its own"
    return f"{head}\n{table.render(header, rows, left=('of', 'data', ''))}\n", record


def _score(package: str, kind: str, classes: bool, data: Split, seed: int, trees: int) -> float:
    module, suffix = PACKAGES[package], "Classifier" if classes else "Regressor"
    if kind == "tree":
        model = peer(f"{module}.tree", f"DecisionTree{suffix}")(random_state=seed)
    else:
        model = peer(f"{module}.ensemble", f"RandomForest{suffix}")(trees, n_jobs=-1, random_state=seed)
    return float(model.fit(data.X, data.y).score(data.X_test, data.y_test))


def _cells(scores: Scores) -> list[str]:
    cells = []
    for kind in KINDS:
        ours, theirs = scores[kind, OURS], scores[kind, SKLEARN]
        cells += [_text(ours), _text(theirs), "ok" if not_below(ours, theirs) else "below"]
    return cells


def _text(values: list[float]) -> str:
    return f"{np.mean(values):.4f} +- {np.std(values, ddof=1):.4f}"


def not_below(ours: list[float], theirs: list[float]) -> bool:
    """Whether the mean of the differences, seed by seed, is not below zero with 97.5 % confidence (Student's t).

    One in seventeen pairs of equals is below by two standard errors over five seeds, and there are twelve pairs.
    """
    less = np.subtract(theirs, ours)
    return bool(less.mean() <= student.ppf(0.975, len(less) - 1) * less.std(ddof=1) / np.sqrt(len(less)))
