"""The problems of a perceptron, one or one a class, and running the rule on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from ..data import Rows
from ..engine import Stopwatch, run_parallel, thread_count
from ..problems import Separation
from ..solvers import Monitor, PerceptronRule, Solution

# Stored values of X from which the problems of several classes are worth a thread each.
_SIDE_BY_SIDE = 20_000


def starts_of(model: Any, problems: int, d: int, coef_init: Any, intercept_init: Any) -> np.ndarray:
    """Weights and intercept of each problem to start from."""
    begin = np.zeros((problems, d + 1))
    if model.warm_start and hasattr(model, "coef_"):
        if model.coef_.shape != (problems, d):
            raise ValueError(
                f"warm_start=True needs the features and classes of the last fit (coef_ of shape "
                f"{model.coef_.shape}, now {(problems, d)}). Set warm_start=False to begin again."
            )
        begin[:] = last_iterate(model)
    for name, value, place in (
        ("coef_init", coef_init, begin[:, :-1]),
        ("intercept_init", intercept_init, begin[:, -1]),
    ):
        if value is not None:
            value = np.asarray(value, dtype=np.float64)
            if value.size != place.size:
                raise ValueError(f"{name} must have shape {place.shape}; got {value.shape}.")
            place[:] = value.reshape(place.shape)
    return begin


def problems_of(model: Any, X: Any, label: np.ndarray, class_weight: np.ndarray) -> tuple[list[Separation], np.ndarray]:
    """The problems, and the mean that was subtracted from the rows (zero unless centred)."""
    mean, shift = np.zeros(X.shape[1]), None
    if model.centred:
        mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel().astype(X.dtype).astype(np.float64)
        if sp.issparse(X):
            shift = mean
        else:
            X = X - mean.astype(X.dtype)
    rows = Rows(X)
    if len(model.classes_) == 2:
        return [
            Separation(rows, np.where(label == 1, 1.0, -1.0), class_weight[label], model.fit_intercept, shift)
        ], mean
    problems = []
    for k in range(len(model.classes_)):
        mine = label == k
        weight = np.where(mine, class_weight[k], 1.0)
        problems.append(Separation(rows, np.where(mine, 1.0, -1.0), weight, model.fit_intercept, shift))
    return problems, mean


def run_all(
    model: Any,
    problems: list[Separation],
    starts: np.ndarray,
    budget: int,
    tolerance: float | None,
    monitor: Monitor,
) -> tuple[list[Solution], list[float]]:
    """Run the rule on every problem; also the seconds of each."""
    seeds = check_random_state(model.random_state).randint(2**31 - 1, size=len(problems))
    seconds = [0.0] * len(problems)

    def task(k: int) -> Solution:
        problem, watch = problems[k], Stopwatch()
        run = PerceptronRule.solve(
            problem,
            starts[k],
            tolerance,
            budget,
            monitor.named(problem_name(model, k)) if monitor.wants_reports else monitor,
            variant=model.variant,
            eta=model.eta0,
            shuffle=np.random.default_rng(seeds[k]) if model.shuffle else None,
        )
        seconds[k] = watch.seconds()
        return run

    rows = problems[0].rows
    stored = len(rows.arrays[0]) if rows.sparse else rows.n * rows.d
    tasks = [(k,) for k in range(len(problems))]
    try:
        if thread_count(model.n_jobs) > 1 and len(problems) > 1 and stored >= _SIDE_BY_SIDE:
            return run_parallel(task, tasks, on_error=monitor.stop), seconds
        return [task(k) for (k,) in tasks], seconds
    finally:
        monitor.close()


def problem_name(model: Any, k: int) -> str:
    """Such as "b against a"."""
    if len(model.classes_) == 2:
        return f"{model.classes_[1]} against {model.classes_[0]}"
    return f"{model.classes_[k]} against the rest"


def last_iterate(model: Any) -> np.ndarray:
    """Weights and intercepts that a further mistake would change."""
    return model._last if model.variant == "averaged" else np.column_stack([model.coef_, model.intercept_])


def uncentred(theta: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """From weights of centred rows to those of the rows themselves."""
    return np.column_stack([theta[:, :-1], theta[:, -1] - theta[:, :-1] @ mean])


def centred(theta: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """From weights of the rows to those of centred rows."""
    return np.column_stack([theta[:, :-1], theta[:, -1] + theta[:, :-1] @ mean])
