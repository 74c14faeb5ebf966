"""The multiclass machine of Crammer and Singer in the feature space of a kernel.

The problem is that of `maxmargin.problems._crammer_singer` with phi(x) in place of x; w_k = sum_i alpha_ik phi(x_i):

    maximise over alpha   sum_i alpha_i,y_i - 1/2 sum_k alpha_k' K alpha_k
    subject to            alpha_ik <= C_ik,   sum_k alpha_ik = 0,   sum_i alpha_ik = 0,

with C_ik = c_i for the sample's own class and 0 for the others. Where e_ik + f_ik, with e_ik = 1 but for the own class,
is below its maximum over the classes, alpha_ik is at C_ik.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import Gram

_NEAR = 1e-9  # of the weight: as good as at the bound


@dataclass(frozen=True, eq=False)
class KernelCrammerSinger:
    """One such problem.

    Attributes
    ----------
    gram : Gram
        K, of the samples that take part.
    labels : ndarray of shape (n,), int64
        Number of each sample's class, from 0.
    classes : int
        Number of classes.
    weights : ndarray of shape (n,), float64
        c_i: C times the weights of sample and class, positive.

    """

    sample: ClassVar[None] = None  # one row of K a sample
    fit_intercept: ClassVar[bool] = True

    gram: Gram
    labels: np.ndarray
    classes: int
    weights: np.ndarray

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.labels)

    def margins(self, f: np.ndarray) -> np.ndarray:
        """``e_ik + f_ik``, whose largest value over the own one is the loss."""
        g = f + 1.0
        g[np.arange(self.n), self.labels] -= 1.0
        return g

    def violation(self, f: np.ndarray, alpha: np.ndarray) -> float:
        """By how much a class whose multiplier is below its bound is below the maximum."""
        g, bound = self.margins(f), np.zeros(alpha.shape)
        bound[np.arange(self.n), self.labels] = self.weights
        # sums that are to be exact keep multipliers some units in the last place from their bounds
        below = np.where(alpha < bound - _NEAR * self.weights[:, None], g, np.inf).min(axis=1)
        return float(np.maximum(g.max(axis=1) - below, 0.0).max(initial=0.0))
