"""The diagonal of the Hessian's bound, one number a column: what it takes to be indifferent to the columns' units."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..problems import Risk

_VALUES = 2**18  # of a block of rows


def column_scale(problem: Risk) -> np.ndarray:
    """``smoothness * sum_i c_i x_ij^2 + l2`` for each weight and the intercept; never zero.

    The largest of them for all weights, if the penalty mixes them: its proximal step knows one length only. A column of
    zeros (or an intercept that is not there) gets 1: its gradient is zero and nothing is divided.
    """
    c = problem.weights * problem.loss.smoothness
    scale = np.zeros(problem.d + 1)
    size = max(1, _VALUES // max(1, problem.d))
    for low in range(0, problem.n, size):
        part = slice(low, low + size)
        block = problem.rows.take(part)  # type: ignore[arg-type]
        if sp.issparse(block):
            squares = sp.csr_array(
                (np.square(block.data, dtype=np.float64), block.indices, block.indptr), shape=block.shape
            )
        else:
            squares = np.square(block, dtype=np.float64)
        scale[:-1] += squares.T @ c[part]
    if problem.penalty.separable is None:
        scale[:-1] = scale[:-1].max(initial=0.0)
    else:
        scale[:-1] += problem.penalty.separable[1]
    scale[-1] = c.sum() if problem.fit_intercept else 0.0
    return np.where(scale > 0, scale, 1.0)
