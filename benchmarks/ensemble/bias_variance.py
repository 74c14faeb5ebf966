"""What bagging and boosting do to bias and variance, measured on targets whose truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import table
from ..options import SEED, Options
from ..progress import say

RESAMPLES, QUICK_RESAMPLES = 50, 8
TREES, ROUNDS = 50, (1, 10, 100)
NOISE = 2.0
RADIUS = 3.36  # the median of chi-squared with 4 degrees of freedom: half of the rows are inside


def friedman(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Friedman's first function of five of ten columns: rows, targets with noise, and without."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 10))
    a, b, c, d, e = X.T[:5]
    truth = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
    return X, truth + NOISE * rng.normal(size=n), truth


def ball(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that only a sum of many stumps can part: inside or outside of a ball."""
    X = np.random.default_rng(seed).normal(size=(n, 4))
    return X, (np.square(X).sum(axis=1) > RADIUS).astype(int)


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """The table and its raw numbers."""
    from maxmargin.diagnostics import bias_variance
    from maxmargin.ensemble import AdaBoostClassifier, BaggingRegressor
    from maxmargin.tree import DecisionTreeRegressor

    resamples = QUICK_RESAMPLES if options.quick else RESAMPLES
    X, y, _ = friedman(400, SEED)
    X_test, _, truth = friedman(2000, SEED + 1)
    rows, labels = ball(400, SEED)
    rows_test, labels_test = ball(2000, SEED + 1)
    bags = BaggingRegressor(DecisionTreeRegressor(), n_estimators=TREES)
    values = {"X_test": X_test, "y_test": truth}
    classes = {"X_test": rows_test, "y_test": labels_test}
    trees = {"tree": DecisionTreeRegressor(), f"{TREES} bagged": bags}
    stumps = {f"{rounds} stumps": AdaBoostClassifier(n_estimators=rounds) for rounds in ROUNDS}
    lines, record = [], {}
    for group, train, test in ((trees, (X, y), values), (stumps, (rows, labels), classes)):
        before = None
        for name, model in group.items():
            say(f"bias-variance: {name}")
            found = bias_variance(model, *train, **test, n_resamples=resamples, random_state=SEED)
            rise = "" if before is None else _change(found.bias_of_rows - before.bias_of_rows)
            fall = "" if before is None else _change(found.variance_of_rows - before.variance_of_rows)
            lines.append((name, f"{found.error:.4f}", f"{found.bias:.4f}", rise, f"{found.variance:.4f}", fall))
            record[name] = {"error": found.error, "bias": found.bias, "variance": found.variance}
            before = found
    header = ("", "error", "bias", "change", "variance", "change ")
    head = (
        f"bias-variance: {resamples} trainings on resampled rows; changes are against the line above, with standard "
        f"errors over 2000 test rows.\nTrees: Friedman's function, 400 rows, noise {NOISE}; squared error against the "
        "truth, bias^2. Stumps: inside or outside of a ball in 4 columns, 400 rows; zero-one loss"
    )
    return f"{head}\n{table.render(header, lines)}\n", record


def _change(differences: np.ndarray) -> str:
    return f"{differences.mean():+.4f} +- {differences.std(ddof=1) / np.sqrt(len(differences)):.4f}"
