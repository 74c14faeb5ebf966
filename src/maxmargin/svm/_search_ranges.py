"""Automatic values of gamma and C, from the data.

**gamma.** k(x, z) = exp(-gamma d^2) tells two samples apart only where gamma d^2 is neither near 0 nor large. The range
goes from a tenth over the 0.9-quantile of the squared distances, where even far samples look alike, to ten over the
0.1-quantile, where even near ones have nothing to do with each other.

**C.** The natural unit is 1 / v for a classifier and (spread of y) / v for a regressor, v being the variance of the
samples in feature space (mean of k(x, x) less mean of k(x, z)), taken at the middle gamma: multiples of a kernel ask
for C divided by them. A hundredth of the unit leaves all multipliers at their bounds, where the solution is
proportional to C; a thousand units leave few there, and beyond that it hardly changes.

Quantities are weighted, so that a weight of 2 is the same as the row twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from ..data import Rows
from ..kernels import Gram

_SAMPLE = 1000  # rows that are looked at: a million distances
_QUANTILES = (0.1, 0.9)
_BEYOND = 10.0
_C_FROM, _C_TO = 1e-2, 1e3
# Stored matrices hold float32: kernel values that C beyond these would belong to overflow or vanish there.
_CS, _GAMMAS = (1e-12, 1e12), (1e-200, 1e200)


def _some(weights: np.ndarray) -> np.ndarray:
    """Rows that are looked at: those with a weight, or a thousand of them, always the same."""
    rows = np.flatnonzero(weights > 0)
    if len(rows) > _SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SAMPLE, replace=False))
    return rows


def gamma_values(X: Any, weights: np.ndarray, count: int) -> np.ndarray:
    """So many values of gamma from the distances of the samples."""
    rows = _some(weights)
    with np.errstate(over="ignore", invalid="ignore"):
        distances = euclidean_distances(X[rows], squared=True)
    i, j = np.triu_indices(len(rows), 1)
    between, weight = np.asarray(distances[i, j], dtype=np.float64), weights[rows[i]] * weights[rows[j]]
    if not np.isfinite(between).all():
        raise ValueError(
            "X has values so large that squared distances overflow float64. Scale X (StandardScaler), or give gammas."
        )
    apart = between > 1e-12 * between.max(initial=0.0)  # rows that are there twice say nothing of the scale
    if not apart.any():
        return np.geomspace(0.1, 10.0, count) if count > 1 else np.ones(1)
    order = np.argsort(between[apart])
    sorted_distances, shares = between[apart][order], np.cumsum(weight[apart][order])
    near, far = (float(sorted_distances[np.searchsorted(shares, q * shares[-1])]) for q in _QUANTILES)
    return _spaced(1 / (_BEYOND * far), _BEYOND / near, count, _GAMMAS)


def inner_product_gammas(X: Any, weights: np.ndarray, count: int, degree: int) -> np.ndarray:
    """So many values of gamma for kernels of inner products: about the one that makes those of a size of 1.

    Kernel values go with gamma to the power of the degree, and C with their inverse: they may vary by 100 either way.
    """
    rows = _some(weights)
    norms = Rows(X).squared_norms(np.zeros(X.shape[1]))[rows]
    size = float(np.average(norms, weights=weights[rows]))
    unit = 1 / size if size > 0 else 1.0
    reach = 100.0 ** (1 / max(1, degree))
    return _spaced(unit / reach, unit * reach, count, _GAMMAS)


def c_values(gram: Gram, weights: np.ndarray, spread: float, count: int) -> np.ndarray:
    """So many values of C from the variance of the samples in feature space; `spread` is that of the targets."""
    rows = _some(weights)
    share = weights[rows] / weights[rows].sum()
    block = gram.block(rows, rows, np.float64)
    variance = float(share @ np.diagonal(block) - share @ block @ share)
    unit = spread / variance if variance > 0 and spread > 0 else 1.0
    return _spaced(_C_FROM * unit, _C_TO * unit, count, _CS)


def _spaced(first: float, last: float, count: int, limits: tuple[float, float]) -> np.ndarray:
    """Values a constant factor apart; a single one is the middle."""
    first, last = np.clip([first, last], *limits)
    return np.geomspace(first, last, count) if count > 1 else np.sqrt([first * last])
