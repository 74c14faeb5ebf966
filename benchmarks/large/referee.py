"""The referee: the exact objective of a function of landmarks, by code that no contender uses."""

from __future__ import annotations

import numpy as np

from .cases import Case


def objective(case: Case, X: np.ndarray, y: np.ndarray, function: tuple[np.ndarray, np.ndarray, float]) -> float:
    """The exact primal objective of a function of landmarks, by plain kernel values in float64."""
    Z, c, b = (np.asarray(part, dtype=np.float64) for part in function)
    gamma, sign = case.gamma_of(X), np.where(y > 0, 1.0, -1.0)

    def kernel(A: np.ndarray) -> np.ndarray:
        A = np.asarray(A, dtype=np.float64)
        values = A @ Z.T
        values *= -2.0
        values += np.square(A).sum(axis=1)[:, None]
        values += np.square(Z).sum(axis=1)
        np.maximum(values, 0.0, out=values)
        values *= -gamma
        return np.exp(values, out=values)

    value = float(c @ kernel(Z) @ c) / 2
    for a in range(0, len(X), 4096):
        f = kernel(X[a : a + 4096]) @ c + b
        value += case.C * float(np.maximum(0.0, 1.0 - sign[a : a + 4096] * f).sum())
    return value
