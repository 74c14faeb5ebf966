"""A plane through the origin of a kernel's feature space that has all samples on their side: what its perceptron seeks.

    find w = sum_i a_i phi~(x_i)  with  y_i <w, phi~(x_i)> > 0  for all samples,

where phi~ = (phi, 1) has an additional feature that is always 1 if there is an intercept: its kernel is k + 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class KernelSeparation:
    """The matrix of k~ between all samples (float64), labels -1 and +1, and why the matrix is semi-definite."""

    K: np.ndarray
    y: np.ndarray
    definiteness: str = "known"

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.y)
