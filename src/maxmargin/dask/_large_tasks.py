"""What partitions are asked by kernel machines on landmarks: features, multipliers, decision values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..certificates import SlopeRule
from ..data import Rows
from ..engine import one_blas_thread
from ._part import Part
from ._risk_tasks import RiskSpec

_PORTION = 2048  # rows whose kernel values are at hand


def featured(part: Part, kernel: Any, landmarks: Any, W: np.ndarray) -> Part:
    """The partition with features in the place of its rows: kernel values with the landmarks, times W."""
    with one_blas_thread():
        gram = kernel.gram(Rows(part.X), Rows(landmarks), 1)
        out, columns = np.empty((part.n, W.shape[1]), np.float32), np.arange(W.shape[0])
        for a in range(0, part.n, _PORTION):
            rows = np.arange(a, min(a + _PORTION, part.n))
            out[rows] = gram.block(rows, columns, np.float64) @ W
        return Part(out, part.y, part.weight)


def multipliers_of(part: Part, spec: RiskSpec, found: Sequence[tuple[np.ndarray, SlopeRule]]) -> np.ndarray:
    """Signed multipliers of the rows, one row a problem: weights times slopes of the loss, with a minus sign."""
    risks, out = spec.risks(part, range(len(found))), np.empty((len(found), part.n))
    for k, (theta, rule) in enumerate(found):
        out[k] = -risks[k].weights * rule.slopes(risks[k], risks[k].decision(theta))
    return out


def labels_and_weights(part: Part, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of classes, and weights."""
    assert part.y is not None
    weight = np.ones(part.n) if part.weight is None else part.weight
    return np.searchsorted(classes, part.y).astype(np.int32), weight


def entries_of(part: Part) -> tuple[float, float, float]:
    """The weight of a partition, and the weighted mean and variance of all entries of its rows."""
    weight = np.ones(part.n) if part.weight is None else part.weight
    mass = float(weight.sum())
    if not mass > 0:
        return 0.0, 0.0, 0.0
    mean = float(weight @ np.asarray(part.X.sum(axis=1, dtype=np.float64)).ravel()) / (mass * part.X.shape[1])
    return mass, mean, float(Rows(part.X).variance(weight))


def values_of(part: Part, model: Any) -> np.ndarray:
    """Decision values of all problems, as predictions are made."""
    return np.asarray(model._values_of(part.X))
