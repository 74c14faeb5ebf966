"""What is asked of a matrix of kernel values that a user gives."""

from __future__ import annotations

import numpy as np


def check_square(K: np.ndarray) -> None:
    """Refuse a matrix of training rows that has other columns than rows."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {K.shape[0]}x{K.shape[1]} matrix.")


def check_symmetric(K: np.ndarray) -> None:
    """Refuse a matrix that is not square, or differs from its transpose by more than rounding."""
    check_square(K)
    asymmetry = float(np.abs(K - K.T).max(initial=0.0))
    if asymmetry > 1e-5 * float(np.abs(K).max(initial=0.0)):
        raise ValueError(
            f"a precomputed kernel matrix must be symmetric; X differs from its transpose by {asymmetry:.3g}."
        )
