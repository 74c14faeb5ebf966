"""The two variables of each sample of a regressor, one a side of the tube, and their sum, which a model keeps."""

from __future__ import annotations

import numpy as np

from ..problems import BoxQP


def sum_of_sides(beta: np.ndarray) -> np.ndarray:
    """The sum of the two."""
    return beta.reshape(2, -1).sum(axis=0)


def with_totals(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """The variables of nu-regression from those with one zero a sample.

    Both variables of a sample may be non-zero where the tube is empty; the model keeps only their sum. Adding the same
    amount to both changes neither the decision function nor the objective, and restores the totals.
    """
    rises, falls = beta.reshape(2, -1)
    bound = problem.upper[: len(rises)]
    missing = problem.totals[0] - rises.sum()
    left = bound - (rises - falls)
    # What rounding leaves missing is not spread: multipliers of 1e-17 would have conditions to meet.
    if missing > 1e-12 * problem.totals[0] and left.sum() >= missing:
        both = _shared(problem, rises, falls, left, missing)
        # a sum that reaches its bound is rounded, and may be an ulp beyond the bound
        rises, falls = np.minimum(rises + both, bound), np.maximum(falls - both, -bound)
    return np.concatenate([rises, falls])


def _shared(problem: BoxQP, rises: np.ndarray, falls: np.ndarray, left: np.ndarray, missing: float) -> np.ndarray:
    """What both variables of a sample get: first of those in the middle of the tube, which it violates least."""
    n = len(rises)
    residual = (problem.p - problem.image(np.concatenate([rises, falls])))[:n]
    highest = residual[rises < problem.upper[:n]].max(initial=-np.inf)
    lowest = residual[falls > problem.lower[n:]].min(initial=np.inf)
    middle = (highest + lowest) / 2
    order = np.argsort(np.abs(residual - middle) if np.isfinite(middle) else -left, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(left[order])[:-1]])
    both = np.zeros(n)
    both[order] = np.clip(missing - before, 0.0, left[order])
    return both
