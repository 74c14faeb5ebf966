"""A piecewise linear loss with its kinks rounded off, so that Newton's method may minimise it.

Each such loss is a sum of hinges max(0, g) with g = a - s f, s = 1 or -1. Within half a width of its kink a hinge is
replaced by the parabola that meets both of its sides:

    h(g) = 0                       for       g <= -width/2
           (g + width/2)^2 / (2 width)
           g                       for  width/2 <= g,

whose slope rises from 0 to 1 in between. It is nowhere below the hinge and at most width / 8 above it. Its slopes are
slopes of the loss's dual as they are; what they lack of the duality gap, c g (1 - slope) for g > 0 and -c g slope for g
< 0, is c width / 16 at most, for the samples within the width alone, which grow fewer along with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._loss import Loss


@dataclass(frozen=True)
class SmoothedLoss:
    """A loss of straight pieces, `width` being that of the parabola at each kink, in decision values."""

    loss: Loss
    width: float

    def hinges(self, f: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray | float]]:
        """The pairs (g, s) of the hinges at these decision values."""
        if self.loss.name == "epsilon_insensitive":
            residual, epsilon = y - f, self.loss.epsilon
            return [(residual - epsilon, 1.0), (-residual - epsilon, -1.0)]
        offset = {"hinge": 1.0, "perceptron": 0.0}[self.loss.name]
        return [(offset - y * f, y)]

    def value(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The loss."""
        half, total = self.width / 2, np.zeros_like(f)
        for g, _ in self.hinges(f, y):
            inner = np.clip(g + half, 0.0, self.width)
            total += inner * inner / (2 * self.width) + np.maximum(g - half, 0.0)
        return total

    def derivative(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Its slope in f: one that the loss without the parabolas has in its dual."""
        total = np.zeros_like(f)
        for g, s in self.hinges(f, y):
            total -= s * np.clip(g / self.width + 0.5, 0.0, 1.0)
        return total

    def curvature(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Its second derivative, where there is one."""
        half, total = self.width / 2, np.zeros_like(f)
        for g, _ in self.hinges(f, y):
            total += np.abs(g) < half
        return total / self.width
