"""Weights of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, _num_samples


def check_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Weights in float64, None if none were given; as in LIBSVM, a sample without positive weight takes no part."""
    if sample_weight is None:
        return None
    n, given = _num_samples(X), np.asarray(sample_weight, dtype=np.float64)
    if given.ndim == 1 and len(given) != n:
        raise ValueError(
            f"sample_weight and X have incompatible shapes: {given.shape} vs {X.shape}. Give one weight a sample."
        )
    if given.ndim == 1 and not (given > 0).any() and not np.isnan(given).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    # what only a user's kernel looks into need not have a shape
    weights = _check_sample_weight(sample_weight, X if hasattr(X, "shape") else np.empty((n, 1)), dtype=np.float64)
    return np.maximum(weights, 0.0)
