"""A small problem whose matrix is at hand: SMO, and Newton steps where that is not exact enough."""

from __future__ import annotations

import numpy as np

from ...kernels import MatrixGram
from ...problems import BoxQP
from ._polish import polish
from ._smo import smo


def solve_block(
    K: np.ndarray,
    beta: np.ndarray,
    box: tuple[np.ndarray, np.ndarray],
    r: np.ndarray,
    steps: int,
    tolerance: float,
    exact: bool = False,
) -> np.ndarray:
    """Minimise ``1/2 b'Kb - p'b`` over the box, the sum of b being that of `beta`.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Positive semi-definite.
    beta : ndarray of shape (m,)
        Where to start, within the box; changed in place.
    box : tuple of two ndarrays
        Lower and upper bounds.
    r : ndarray of shape (m,)
        p - K beta; changed in place.
    steps : int
        Of SMO at most.
    tolerance : float
        Violation at which SMO ends.
    exact : bool, default=False
        Whether Newton steps on the free variables follow, if SMO has come that far.

    Returns
    -------
    ndarray of shape (m,)

    """
    lower, upper = box
    total = float(beta.sum())
    _, violation = smo(K, beta, lower, upper, r, np.array([len(beta)]), tolerance, steps, 0.0)
    if not exact or violation > tolerance:
        return beta
    gram = MatrixGram(K, symmetric=True)
    return polish(BoxQP(gram, r + K @ beta, lower, upper, (total,)), beta)
