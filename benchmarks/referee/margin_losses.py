"""Losses of the margin z = y f(x), for linear models: value, slope, curvature and conjugate.

The slope is a = -loss'(z), which is at least 0: up to the factor C it is the multiplier of the sample in the dual
problem. The conjugate is loss*(-a), so that loss(z) + loss*(-a) + a z >= 0 with equality where a is the slope at z.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy


class MarginLoss(ABC):
    """One loss; ``most`` is the largest slope."""

    most: float

    @abstractmethod
    def value(self, z: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def slope(self, z: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def curvature(self, z: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def conjugate(self, a: np.ndarray) -> np.ndarray:
        """loss*(-a) for slopes in [0, most]."""


class Hinge(MarginLoss):
    most = 1.0

    def value(self, z: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - z)

    def slope(self, z: np.ndarray) -> np.ndarray:
        return (z < 1.0).astype(np.float64)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        return np.zeros_like(z)

    def conjugate(self, a: np.ndarray) -> np.ndarray:
        return -a


@dataclass(frozen=True)
class SmoothedHinge(MarginLoss):
    """The hinge with its kink replaced by a parabola of the given width; its slopes are feasible for the hinge too."""

    width: float
    most = 1.0

    def value(self, z: np.ndarray) -> np.ndarray:
        a = self.slope(z)
        return a * (1.0 - z) - 0.5 * self.width * a * a

    def slope(self, z: np.ndarray) -> np.ndarray:
        return np.clip((1.0 - z) / self.width, 0.0, 1.0)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        return ((z < 1.0) & (z > 1.0 - self.width)) / self.width

    def conjugate(self, a: np.ndarray) -> np.ndarray:
        return 0.5 * self.width * a * a - a


class SquaredHinge(MarginLoss):
    most = float("inf")

    def value(self, z: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - z) ** 2

    def slope(self, z: np.ndarray) -> np.ndarray:
        return 2.0 * np.maximum(0.0, 1.0 - z)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        return 2.0 * (z < 1.0)

    def conjugate(self, a: np.ndarray) -> np.ndarray:
        return 0.25 * a * a - a


class Logistic(MarginLoss):
    most = 1.0

    def value(self, z: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, -z)

    def slope(self, z: np.ndarray) -> np.ndarray:
        return expit(-z)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        return expit(z) * expit(-z)

    def conjugate(self, a: np.ndarray) -> np.ndarray:
        return xlogy(a, a) + xlogy(1.0 - a, 1.0 - a)


MARGIN_LOSSES: dict[str, MarginLoss] = {"hinge": Hinge(), "squared_hinge": SquaredHinge(), "logistic": Logistic()}
