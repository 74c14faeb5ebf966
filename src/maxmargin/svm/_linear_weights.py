"""Weights of the features, which a linear kernel makes of support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import Rows, exact_sums


def linear_weights(vectors: Any, coefficients: np.ndarray) -> np.ndarray:
    """``coefficients @ vectors``, one row a binary problem.

    Where the rows lie far from the origin, the terms are far larger than their sum: added as they come, they left
    weights with three right digits.
    """
    rows = Rows(vectors)
    each = np.array(coefficients, dtype=np.float64, order="C")
    return np.vstack([exact_sums(rows, row)[0] if rows.n else np.zeros(rows.d) for row in each])
