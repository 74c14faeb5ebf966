"""The penalty of a regressor, for each of its targets."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_penalties(alpha: Any, k: int) -> np.ndarray:
    """One penalty, at least 0 and finite, for each target."""
    penalties = np.asarray(alpha, dtype=np.float64)
    if penalties.ndim == 0 or penalties.shape == (1,):
        penalties = np.full(k, float(penalties.ravel()[0]))
    if penalties.shape != (k,):
        raise ValueError(f"alpha must be a number or one number for each of {k} targets; got shape {penalties.shape}.")
    if not (np.isfinite(penalties) & (penalties >= 0)).all():
        raise ValueError(f"alpha must be finite and at least 0; got {alpha!r}.")
    return penalties
