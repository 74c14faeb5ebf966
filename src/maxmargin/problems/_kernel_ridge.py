"""Least squares in the feature space of a kernel, for several targets at once.

    minimise over w    P = sum_i s_i (y_i - <w, phi(x_i)>)^2 + alpha ||w||^2

for each target y with its own alpha, without an intercept. The best w is a sum of samples, w = sum_i a_i phi(x_i), and
with f = K a

    P(a) = sum_i s_i (y_i - f_i)^2 + alpha a'K a.

Its dual has the same variables,

    D(a) = alpha (2 y'a - alpha sum_i a_i^2 / s_i - a'K a)  <=  min P,

whatever a is, and P(a) - D(a) = sum_i s_i (y_i - f_i - alpha a_i / s_i)^2: the gap is nothing but the residual of the
equations (K + alpha S^-1) a = y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import Gram


@dataclass(frozen=True, eq=False)
class KernelRidgeProblem:
    """One such problem.

    Attributes
    ----------
    gram : Gram
        K, of the samples that take part.
    targets : ndarray of shape (n, k), float64
        One column a target.
    weights : ndarray of shape (n,), float64
        s_i > 0.
    alpha : ndarray of shape (k,), float64
        The penalty of each target, at least 0.

    """

    sample: ClassVar[None] = None  # one variable a row of K

    gram: Gram
    targets: np.ndarray
    weights: np.ndarray
    alpha: np.ndarray

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.targets.shape[0]

    @property
    def k(self) -> int:
        """Number of targets."""
        return self.targets.shape[1]
