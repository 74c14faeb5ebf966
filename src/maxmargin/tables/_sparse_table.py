"""A table of which only the cells that are not 0 are stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class SparseTable:
    """Rows and labels of a LIBSVM file.

    Attributes
    ----------
    X : scipy CSR array of float64 of shape (n_samples, n_features)
        The rows.
    y : ndarray of float64 of shape (n_samples,)
        The number at the beginning of each line.

    """

    X: sp.csr_array
    y: np.ndarray

    def __len__(self) -> int:
        return len(self.y)
