"""What partitions are asked about a ridge regression, whose rows are centred at the means of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import Rows
from ..problems import LeastSquares
from ._part import Part


@dataclass(frozen=True)
class Means:
    """Means of all rows and targets, which every partition is centred at."""

    mu: np.ndarray
    nu: np.ndarray


def centred_problem(part: Part, alpha: np.ndarray, means: Means, fit_intercept: bool) -> LeastSquares:
    """The least squares of a partition's rows of positive weight, centred at the means of all rows."""
    assert part.y is not None
    X, targets, weights = part.X, part.y.reshape(part.n, -1), part.weight
    if weights is None:
        weights = np.ones(part.n)
    elif not (weights > 0).all():
        used = weights > 0
        X, targets, weights = X[used], targets[used], weights[used]
    problem = LeastSquares(Rows(X), np.ascontiguousarray(targets), weights, alpha, fit_intercept, 1)
    return problem.centred_at(means.mu, means.nu)


def residual_sums(part: Part, W: np.ndarray, means: Means, fit_intercept: bool) -> tuple:
    """``A'(t - A W)``."""
    return (centred_problem(part, np.ones(len(means.nu)), means, fit_intercept).residual(W)[1],)
