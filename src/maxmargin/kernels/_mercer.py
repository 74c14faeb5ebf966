"""Mercer's condition on a sample: is the Gram matrix symmetric and positive *semi*-definite?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from ._kernels import Kernel


@dataclass(frozen=True)
class MercerCheck:
    """What `check_mercer` found. ``holds`` allows for the rounding errors of float64."""

    holds: bool
    smallest_eigenvalue: float
    largest_eigenvalue: float
    asymmetry: float

    def __str__(self) -> str:
        verdict = "positive semi-definite" if self.holds else "NOT positive semi-definite"
        return (
            f"Gram matrix is {verdict} on this sample: smallest eigenvalue {self.smallest_eigenvalue:.3g}, "
            f"largest {self.largest_eigenvalue:.3g}, asymmetry {self.asymmetry:.3g}"
        )


def check_mercer(kernel: Kernel, X: Any) -> MercerCheck:
    """Smallest eigenvalue of the Gram matrix of X. Needs n x n memory: give it a sample of a large set.

    A non-negative spectrum on one sample does not prove that the kernel is a Mercer kernel; a negative
    eigenvalue proves that it is not.
    """
    K = np.asarray(kernel(X), dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"a Gram matrix is square; got shape {K.shape}.")
    asymmetry = float(np.abs(K - K.T).max(initial=0.0))
    values = eigvalsh((K + K.T) / 2)
    scale = float(np.abs(values).max(initial=0.0))
    slack = 10 * len(K) * np.finfo(np.float64).eps * scale
    holds = bool(values[0] >= -slack and asymmetry <= slack)
    return MercerCheck(holds, float(values[0]), float(values[-1]), asymmetry)
