"""Products of kernel matrices with coefficients, in float64, by blocks of rows so that memory stays bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

BLOCK = 2**22  # kernel values at once: 32 MB
DENSE = 2**26  # a sparse matrix of up to this many entries is made dense, for BLAS


def rbf_product(X: Any, Z: Any, coef: np.ndarray, gamma: float) -> np.ndarray:
    """``exp(-gamma ||x_i - z_j||^2) @ coef`` for all rows of X; coef has one row for each row of Z."""
    out = np.zeros((X.shape[0], coef.shape[1]))
    if Z.shape[0] == 0:
        return out
    inner, shift = _inner(Z)
    squares = _squares(Z, shift)
    step = max(1, BLOCK // Z.shape[0])
    for start in range(0, X.shape[0], step):
        block = X[start : start + step]
        exponent = inner(block)
        exponent *= 2.0
        exponent -= _squares(block, shift)[:, None]
        exponent -= squares
        np.minimum(exponent, 0.0, out=exponent)  # a squared distance that rounding made negative
        exponent *= gamma
        out[start : start + step] = np.exp(exponent, out=exponent) @ coef
    return out


def _inner(Z: Any) -> tuple[Any, np.ndarray | None]:
    """A function of a block of rows that gives their inner products with all of Z, and the origin that it moved to.

    Dense rows are moved to the mean of Z: distances stay, and cancel less.
    """
    if not sp.issparse(Z):
        shift = Z.mean(axis=0)
        moved = (Z - shift).T
        return lambda block: (block - shift) @ moved, shift
    if Z.shape[0] * Z.shape[1] <= DENSE:
        columns = Z.toarray().T
        return lambda block: block.toarray() @ columns, None
    columns = Z.T.tocsc()
    return lambda block: (block @ columns).toarray(), None


def _squares(rows: Any, shift: np.ndarray | None) -> np.ndarray:
    if sp.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    moved = rows - shift
    return np.einsum("ij,ij->i", moved, moved)
