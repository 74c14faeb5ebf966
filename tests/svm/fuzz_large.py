"""The bracket of random machines against the exact one: ``python -m tests.svm.fuzz_large --count 100 --seed 0``.

Random rows (dense and CSR, float32 and float64), kernels, C from 1e-2 to 1e3, gamma over four decades, weights and
methods. The two bounds must contain the optimum of the exact machine at a relative gap of 1e-8, the intervals of
decision values those of the exact machine on rows it has not seen, and what is called certain must be so.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.svm import SVC, SVR, LargeSVC, LargeSVR

METHODS = ("auto", "landmarks", "cells", "exact")
EXACT = 1e-8


def setting(
    rng: np.random.Generator, rows: int
) -> tuple[dict[str, Any], Any, np.ndarray, Any, np.ndarray | None, bool]:
    """Parameters, rows, targets, new rows, weights, and whether it is a regression."""
    n, d = int(rng.integers(20, rows + 1)), int(rng.integers(1, 12))
    X = rng.normal(size=(n + 200, d)) * rng.choice([1.0, 1.0, 3.0])
    if rng.uniform() < 0.2:
        X = np.round(X)  # many rows coincide
    away = float(10 ** rng.uniform(1, 4)) if rng.uniform() < 0.15 else 0.0  # from the origin
    regression = bool(rng.uniform() < 0.25)
    value = X[:, 0] * X[:, -1] + np.sin(2 * X[:, 0]) + rng.uniform(0, 1) * rng.normal(size=len(X))
    classes = 2 if rng.uniform() < 0.8 else 3
    y = value if regression else np.searchsorted(np.quantile(value, np.linspace(0, 1, classes + 1)[1:-1]), value)
    dtype = rng.choice([np.float32, np.float64])
    storage: Any = (
        (lambda Z: sp.csr_array(np.where(np.abs(Z) > 0.5, Z, 0.0).astype(dtype)))
        if rng.uniform() < 0.3
        else (lambda Z: (Z + away).astype(dtype))
    )
    kernel = str(rng.choice(["rbf", "rbf", "rbf", "linear", "poly"]))
    parameters = {
        "kernel": kernel,
        "C": float(10 ** rng.uniform(-2, 3)),
        "gamma": float(10 ** rng.uniform(-3, 1)) if kernel == "rbf" else "scale",
        "coef0": float(rng.choice([0.0, 1.0, 10.0])),
        "degree": int(rng.choice([1, 2, 2, 3, 5])),
    }
    if classes > 2 and not regression:
        parameters["multi_class"] = str(rng.choice(["ovo", "ovr"]))
    if not regression and rng.uniform() < 0.3:
        parameters["class_weight"] = "balanced"
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.1, 0.3, 0.4, 0.2]) if rng.uniform() < 0.3 else None
    return parameters, storage(X[:n]), y[:n], storage(X[n:]), weights, regression


def faults(rng: np.random.Generator, rows: int) -> tuple[list[str], dict[str, Any]]:
    """What is wrong with one random machine; its parameters and figures."""
    parameters, X, y, new, weights, regression = setting(rng, rows)
    if weights is not None and not regression and len(np.unique(y[weights > 0])) < len(np.unique(y)):
        weights = None
    method = str(rng.choice(METHODS))
    options = {"method": method, "gap_tol": float(10 ** rng.uniform(-5, -1)), "random_state": int(rng.integers(1000))}
    if method == "landmarks":
        options["n_landmarks"] = int(rng.integers(1, X.shape[0] // 2))
    large = (LargeSVR if regression else LargeSVC)(**parameters, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        large.fit(X, y, sample_weight=weights)
        exact = (SVR if regression else SVC)(**parameters, gap_tol=EXACT, tol=1e-4).fit(X, y, sample_weight=weights)
    wrong = []
    for mine, theirs in zip(large.certificate_.problems, exact.certificate_.problems, strict=True):
        if not (mine.dual <= theirs.primal and mine.primal >= theirs.dual):
            wrong.append(f"{mine.dual} <= optimum <= {mine.primal} against {theirs.dual} and {theirs.primal}")
        if not mine.dual <= mine.primal:
            wrong.append(f"dual {mine.dual} above primal {mine.primal}")
    if str(large.certificate_.verify(X, y, weights).status) == "refuted":
        wrong.append("refuted")
    low, high = large.decision_interval(new)
    values = exact.predict(new) if regression else exact._binary_values(new).reshape(low.shape)
    # the exact machine is only known to its own gap
    gaps = np.array([c.gap for c in exact.certificate_.problems])
    slack = 4 * np.sqrt(gaps) * float(large._lengths(large._checked(new)).max()) + 1e-6
    if not ((values >= low - slack) & (values <= high + slack)).all():
        wrong.append(f"decision values outside their interval by {np.max(np.maximum(low - values, values - high)):.3g}")
    if not regression:
        certain = large.certain(new)
        if not np.array_equal(large.predict(new)[certain], exact.predict(new)[certain]):
            wrong.append("what is called certain is not")
    proof = large.certificate_
    figures = {
        "n": X.shape[0],
        "gap": proof.relative_gap,
        "status": str(proof.status),
        "exact": exact.certificate_.relative_gap,
    }
    return wrong, {**parameters, **options, **figures, "regression": regression, "csr": sp.issparse(X)}


def main() -> int:
    """Run, print what is wrong, and tell by the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    amiss, begin = 0, time.perf_counter()
    for k in range(given.count):
        wrong, what = faults(np.random.default_rng([given.seed, k]), given.rows)
        if wrong or given.verbose:
            print(k, what, *wrong, sep="\n  ", flush=True)
        amiss += bool(wrong)
    print(f"{given.count} machines, {amiss} with faults, {time.perf_counter() - begin:.0f} s")
    return 1 if amiss else 0


if __name__ == "__main__":
    sys.exit(main())
