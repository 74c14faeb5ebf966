"""Values of linear functions of rows, without a float64 copy of float32 rows as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

# Values that are widened at a time.
_BLOCK = 2**19


def linear_values(X: Any, coef: np.ndarray, intercept: np.ndarray | float) -> np.ndarray:
    """``X @ coef.T + intercept`` in float64 for coef of shape (outputs, d)."""
    n, d = X.shape
    out = np.empty((n, coef.shape[0]))
    step = n if X.dtype == np.float64 else max(1, _BLOCK // max(1, d))
    for low in range(0, n, max(1, step)):
        out[low : low + step] = X[low : low + step] @ coef.T
    return out + intercept
