"""A cascade beside the full ensemble where one row in a thousand is positive: recall at equal false positives, cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import table
from ..datasets import load, shuffled
from ..options import SEED, Options
from ..progress import say

SPLITS = 5
RARE = 4  # the cover type with the fewest rows, 2747 of 581012
POSITIVES, NEGATIVES, TEST_NEGATIVES = 200, 200_000, 100_000
QUICK_SPLITS, QUICK_SHARE = 2, 10  # a tenth of the negatives, and so one row in a hundred
LEARNERS, FALSE_POSITIVES, TUNING = 200, 0.02, 0.3


@dataclass(frozen=True)
class Found:
    """Recall of both at the false positive rate of the cascade, and the learners that a test row takes."""

    false_positive_rate: float
    cascade: float
    full: float
    full_false_positive_rate: float
    learners: float
    stages: float


def recall_at(values: np.ndarray, positive: np.ndarray, false_positive_rate: float) -> tuple[float, float]:
    """Recall of the largest threshold that lets at least such a share of the negatives pass, and the share that does.

    At least: where several rows have the same value the full ensemble has the advantage.
    """
    falling = np.sort(values[~positive])[::-1]
    count = round(false_positive_rate * len(falling))
    threshold = falling[count - 1] if count else np.inf
    said = values >= threshold if count else values > falling[0]
    return float(said[positive].mean()), float(said[~positive].mean())


def compare(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> Found:
    """Train both and count."""
    from maxmargin.ensemble import AdaBoostClassifier, CascadeClassifier

    balanced = np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum())
    full = AdaBoostClassifier(n_estimators=LEARNERS).fit(X, y, balanced)
    settings = {"target_false_positive_rate": FALSE_POSITIVES, "validation_fraction": TUNING, "random_state": 0}
    cascade = CascadeClassifier(**settings).fit(X, y)
    said, (stages, taken) = cascade.predict(X_test), cascade.prediction_cost(X_test)
    false_positive_rate = float(said[~y_test].mean())
    recall, passed = recall_at(full.decision_function(X_test), y_test, false_positive_rate)
    return Found(
        false_positive_rate,
        float(said[y_test].mean()),
        recall,
        passed,
        float(taken.mean() / len(full)),
        float(stages.mean()),
    )


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    data = load("covtype", options.data)
    splits, share = (QUICK_SPLITS, QUICK_SHARE) if options.quick else (SPLITS, 1)
    found = []
    for seed in range(SEED, SEED + splits):
        say(f"cascade: split {seed}")
        part = shuffled(data, seed)
        positive, negative = np.flatnonzero(part.y == RARE), np.flatnonzero(part.y != RARE)
        more = NEGATIVES // share
        train = np.concatenate([positive[:POSITIVES], negative[:more]])
        test = np.concatenate([positive[POSITIVES:], negative[more : more + TEST_NEGATIVES // share]])
        y = part.y == RARE
        found.append(compare(part.X[train], y[train], part.X[test], y[test]))
    rows = [
        ("full ensemble", _mean([f.full for f in found]), _mean([f.full_false_positive_rate for f in found]), "100 %"),
        (
            "cascade",
            _mean([f.cascade for f in found]),
            _mean([f.false_positive_rate for f in found]),
            f"{100 * np.mean([f.learners for f in found]):.2f} %",
        ),
    ]
    head = (
        f"cascade: {LEARNERS} stumps with classes of equal weight against a cascade with "
        f"target_false_positive_rate={FALSE_POSITIVES}, validation_fraction={TUNING}\n"
        f"{POSITIVES} positives (class {RARE}) and {NEGATIVES // share} negatives to train on; means and deviations "
        f"over {splits} splits; data: {data.origin}"
    )
    header = ("", "recall", "at false positives", "learners a row")
    less = np.array([f.full - f.cascade for f in found])
    foot = (
        f"  recall of the cascade less that of the full ensemble: {-less.mean():.4f} +- "
        f"{less.std(ddof=1) / np.sqrt(len(less)):.4f}; {np.mean([f.stages for f in found]):.2f} stages a row"
    )
    return f"{head}\n{table.render(header, rows)}\n{foot}\n", {"splits": [vars(f) for f in found]}


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.4f} +- {np.std(values, ddof=1):.4f}"
