"""Products of rows with weights, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

# Values of X that are widened at a time.
_BLOCK = 2**19


def weighted_sums(X: Any, weights: np.ndarray) -> np.ndarray:
    """``X @ weights.T`` in float64; float32 rows are widened a block at a time."""
    if X.dtype == np.float64:
        return X @ weights.T
    out = np.empty((X.shape[0], len(weights)))
    step = max(1, _BLOCK // max(1, X.shape[1]))
    for start in range(0, len(out), step):
        out[start : start + step] = X[start : start + step].astype(np.float64) @ weights.T
    return out
