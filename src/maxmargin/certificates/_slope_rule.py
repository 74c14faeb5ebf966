"""Slopes of the dual that follow from the decision values: a few numbers instead of one a sample.

A fit that never holds all rows at once keeps no slope of each. Those that it ended with are a function of the decision
values: the derivative of the loss, or of the smoothed one if the loss has kinks; those of one sign scaled, so that the
weighted sum is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..losses import Loss, SmoothedLoss

if TYPE_CHECKING:
    from ..problems import Risk


@dataclass(frozen=True)
class SlopeRule:
    """How slopes u follow from decision values f.

    Attributes
    ----------
    width : float
        That of a `SmoothedLoss`; 0 for the derivative of the loss itself.
    positive, negative : float
        From 0 to 1: what positive and negative slopes are multiplied by.
    shift : float
        What is added to the decision values before.

    """

    width: float = 0.0
    positive: float = 1.0
    negative: float = 1.0
    shift: float = 0.0

    def is_sound(self) -> bool:
        """Whether these are numbers that a fit may have ended with."""
        numbers = self.width, self.positive, self.negative, self.shift
        plain = all(isinstance(number, float) and np.isfinite(number) for number in numbers)
        return plain and self.width >= 0 and 0 <= self.positive <= 1 and 0 <= self.negative <= 1

    def slopes(self, problem: Risk, f: np.ndarray) -> np.ndarray:
        """The slopes of the samples of a problem at decision values f."""
        loss = problem.loss
        f = f + self.shift if self.shift else f
        if self.width > 0 and isinstance(loss, Loss) and loss.piecewise_linear:
            u = SmoothedLoss(loss, self.width).derivative(f, problem.y)
        else:
            u = np.asarray(loss.derivative(f, problem.y), dtype=np.float64)
        if self.positive != 1 or self.negative != 1:
            u = np.where(u > 0, self.positive * u, self.negative * u)
        return u
