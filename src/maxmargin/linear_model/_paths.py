"""Solutions along a penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class RegressionPath:
    """Solutions along alpha, in the order in which the values were given.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The penalties.
    coefs : ndarray of shape (n_alphas, n_features) or (n_alphas, n_targets, n_features)
        The weights for each of them.
    intercepts : ndarray of shape (n_alphas,) or (n_alphas, n_targets)
        The intercepts.
    certificates : tuple of ModelCertificate or Guarantee
        The proof of each solution.

    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    certificates: tuple[Any, ...]
