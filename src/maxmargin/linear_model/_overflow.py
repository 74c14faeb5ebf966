"""Rows and targets whose squares no float64 holds: least squares have no figures for them, and say so by name."""

from __future__ import annotations

import numpy as np

from ..data import Rows


def refuse_overflow(rows: Rows | None, targets: np.ndarray, weights: np.ndarray) -> None:
    """Refuse X (unless it is None), y or weights for which the (weighted) sum of squares overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.square(targets).sum(axis=1)
        lengths = np.zeros(len(squares)) if rows is None else rows.squared_norms(np.zeros(rows.d))
        for name, values in (("X", lengths), ("y", squares)):
            if not np.isfinite(values.sum()):
                raise ValueError(
                    f"{name} has values so large that the sum of their squares overflows float64. Scale {name} "
                    f"(StandardScaler)."
                )
        if not np.isfinite(weights @ lengths + weights @ squares):
            raise ValueError(
                f"sample_weight has values up to {weights.max():g}, for which weighted sums of squares overflow "
                f"float64. Divide them by their largest."
            )
