"""Training sets that are drawn afresh or from one set, and what a learner predicts that was trained on one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, indexable

from ..data import canonical


def draw(sample: Any, generator: Any) -> tuple[Any, np.ndarray]:
    """A fresh set of rows and targets."""
    drawn = sample(generator)
    if not isinstance(drawn, tuple) or len(drawn) != 2:
        raise ValueError(f"sample must return X and y; got {type(drawn).__name__}.")
    X, y = indexable(canonical(drawn[0], "X of sample"), np.asarray(drawn[1]))
    return X, y


class Fresh:
    """Training sets as a function of the user draws them."""

    def __init__(self, sample: Any) -> None:
        self._sample = sample

    def draw(self, generator: Any) -> tuple[Any, np.ndarray]:
        return draw(self._sample, generator)

    def labels(self, jobs: list) -> np.ndarray:
        return np.concatenate([np.unique(y) for _, _, y in jobs])


class Resampled:
    """Training sets drawn from one set; of each class there is one row at least."""

    def __init__(self, X: Any, y: np.ndarray, resample: str, classified: bool) -> None:
        self._X, self._y, self._resample, self._classified = X, y, resample, classified

    def draw(self, generator: Any) -> tuple[Any, np.ndarray]:
        y, n = self._y, len(self._y)
        bootstrap = self._resample == "bootstrap"
        rows = generator.randint(n, size=n) if bootstrap else generator.permutation(n)[: max(1, n // 2)]
        if self._classified:
            missing = np.setdiff1d(y, y[rows])
            rows = np.concatenate([rows, [generator.choice(np.flatnonzero(y == label)) for label in missing]]).astype(
                int
            )
        return _safe_indexing(self._X, rows), y[rows]

    def labels(self, jobs: list) -> np.ndarray:
        return self._y


def seeded(estimator: Any, generator: Any) -> Any:
    """A copy of the estimator with its seeds."""
    learner = clone(estimator)
    unseeded = [
        name
        for name, value in sorted(learner.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return learner.set_params(**{name: int(generator.randint(2**31 - 1)) for name in unseeded})


def trained(learner: Any, X: Any, y: np.ndarray, X_test: Any, kind: str, classes: np.ndarray | None) -> np.ndarray:
    learner.fit(X, y)
    if kind == "zero_one" or classes is None:
        return np.asarray(learner.predict(X_test))
    out = np.zeros((_rows(X_test), len(classes)))
    out[:, np.searchsorted(classes, learner.classes_)] = learner.predict_proba(X_test)
    return out


def _rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)
