"""Logistic regression in the feature space of a kernel.

    minimise over w, b    P = 1/2 ||w||^2 + sum_i c_i log(1 + exp(-y_i (<w, phi(x_i)> + b)))

Labels are -1 and +1, the intercept is not penalised. With w = sum_i beta_i phi(x_i) and p_i = y_i beta_i / c_i in
[0, 1] the dual is that of a support vector machine with an entropy in place of the box's corners:

    D(beta) = -1/2 beta'K beta + sum_i c_i H(p_i),    H(p) = -p log p - (1 - p) log(1 - p),    sum_i beta_i = 0,

the last condition only where there is an intercept. At the optimum p_i is the probability of the other label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import Gram


@dataclass(frozen=True, eq=False)
class KernelLogisticProblem:
    """One such problem.

    Attributes
    ----------
    gram : Gram
        K, of the samples that take part.
    y : ndarray of shape (n,), float64
        Labels -1 and +1.
    c : ndarray of shape (n,), float64
        C times the weight of each sample, positive.
    fit_intercept : bool
        Whether there is a b.

    """

    sample: ClassVar[None] = None  # one variable a row of K

    gram: Gram
    y: np.ndarray
    c: np.ndarray
    fit_intercept: bool = True

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.y)

    def losses(self, F: np.ndarray) -> np.ndarray:
        """``log(1 + exp(-y F))`` without overflow."""
        return np.logaddexp(0.0, -self.y * F)

    def slopes(self, F: np.ndarray) -> np.ndarray:
        """``c y / (1 + exp(y F))``: the variables that go with decision values F."""
        z = self.y * F
        small = np.exp(-np.abs(z))
        return self.c * self.y * np.where(z > 0, small, 1.0) / (1 + small)
