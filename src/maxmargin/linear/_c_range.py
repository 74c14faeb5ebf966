"""Values of C between which the solution of a linear machine changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..losses import CustomLoss, Loss
from ..penalties import CustomPenalty, Penalty

_UNIT = 2.0**-52
_STEPS = 20  # of the power method: two digits of an eigenvalue are plenty here
_START = 0.1
_DECADES, _DECADES_L1 = 7.0, 4.0
# Sizes of values whose squares are summed up as they are; in float32, too.
_LOWEST, _HIGHEST = 1e-12, 1e12
# Beyond these, products with C overflow or vanish.
_SMALLEST, _LARGEST = 1e-200, 1e200


def automatic_values(
    X: Any,
    signs: np.ndarray,
    weights: np.ndarray,
    loss: Loss | CustomLoss,
    penalty: Penalty | CustomPenalty,
    intercept: bool,
    n: int,
) -> np.ndarray:
    """So many values of C, evenly spaced by their logarithms.

    A penalty ``1/2 ||w||_2**2`` has curvature 1, the losses ``C L sum_i s_i (x_i - m)(x_i - m)'`` at most, L being the
    largest second derivative of the loss (1 for the hinge, which has none) and m the mean. As long as the largest
    eigenvalue of the second is below a tenth, the penalty decides: w points in the direction of the gradient at 0 and
    its length is proportional to C. The values start there and go on for seven decades, at whose end the losses
    decide in all directions that have a ten-millionth of the largest variance.

    A penalty with an L1 part has w = 0 until C times the largest entry of the gradient at 0 reaches that part. The
    values start about there (exactly for the squared hinge, at twice that for the logistic loss), for four decades.

    Parameters
    ----------
    X : ndarray or CSR matrix
    signs : ndarray of shape (n_samples, n_problems)
        Labels -1 and 1 of each binary problem.
    weights : ndarray of shape (n_samples,)
        Weight of sample times weight of class: a weight of two is the same as the row twice.
    loss : Loss
    penalty : Penalty
    intercept : bool
        Whether there is an intercept: then lengths are measured from the mean.
    n : int
        How many.

    """
    exponent, X = _in_range(X)
    total = weights.sum()
    mean = (weights @ X) / total if intercept else np.zeros(X.shape[1])
    curvature = loss.smoothness if np.isfinite(loss.smoothness) else 1.0
    l1 = penalty.separable[0] if penalty.separable else 0.0
    if l1 > 0:
        residual = weights[:, None] * (signs - (weights @ signs) / total * intercept)
        slope = float(np.abs(X.T @ residual - np.outer(mean, residual.sum(axis=0))).max(initial=0.0))
        if slope <= len(weights) * _UNIT * float((abs(X).T @ np.abs(residual)).max(initial=0.0)):
            slope = 0.0  # columns that are constant, or say nothing of the labels: what is left is rounding
        start, decades = l1 / (curvature * slope) if slope > 0 else 1.0, _DECADES_L1
        shift = -exponent if slope > 0 else 0
    else:
        largest = curvature * _largest_eigenvalue(X, weights, mean)
        if largest <= curvature * total * float(mean @ mean) * (len(weights) * _UNIT) ** 2:
            largest = 0.0  # rows that are all the same
        start, decades = _START / largest if largest > 0 else 1.0, _DECADES
        shift = -2 * exponent if largest > 0 else 0
    with np.errstate(over="ignore", under="ignore"):
        start = float(np.clip(np.ldexp(start, shift), _SMALLEST, _LARGEST))
    if n == 1:  # one value alone: the middle
        return np.clip([start * 10.0 ** (decades / 2)], _SMALLEST, _LARGEST)
    return np.clip(start * np.logspace(0.0, decades, n), _SMALLEST, _LARGEST)


def _in_range(X: Any) -> tuple[int, Any]:
    """An exponent e, and the rows over 2^e: 0 and the rows themselves, unless squares would overflow or vanish."""
    values = X.data if hasattr(X, "indptr") else X
    largest = max(abs(float(values.max(initial=0.0))), abs(float(values.min(initial=0.0))))
    if largest == 0 or _LOWEST <= largest <= _HIGHEST:
        return 0, X
    exponent = int(np.frexp(largest)[1])
    return exponent, X.astype(np.float64) * 2.0 ** (-exponent // 2) * 2.0 ** (-exponent - -exponent // 2)


def _largest_eigenvalue(X: Any, weights: np.ndarray, mean: np.ndarray) -> float:
    """Of ``sum_i s_i (x_i - m)(x_i - m)'``, by the power method from a fixed start."""
    v = 1.0 + 0.1 * np.random.default_rng(0).standard_normal(X.shape[1])
    value = 0.0
    for _ in range(_STEPS):
        v /= np.linalg.norm(v) or 1.0
        # in the precision of X, so that float32 rows are not widened as a whole
        image = X @ v.astype(X.dtype) - mean @ v
        weighted = weights * image
        value = float(weighted @ image)
        v = X.T @ weighted.astype(X.dtype) - mean * weighted.sum()
    return value
