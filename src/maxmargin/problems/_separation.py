"""A plane through the origin that has all rows on their side: what a perceptron looks for.

    find w with    y_i <w, x_i> > 0    for all samples,

over x~ = (x, 1) where there is an intercept and over x - m where the data is centred, each row times a weight c_i of
its class. The margin of a plane is its smallest distance from a c_i x~_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import Rows, decision_pass, row_dot
from ..engine import jit
from ._of_rows import OfRows


@dataclass(frozen=True)
class Separation(OfRows):
    """Rows, labels -1 and +1, weights of the classes, whether a 1 is appended, and what is subtracted (or None)."""

    rows: Rows
    y: np.ndarray
    weight: np.ndarray
    fit_intercept: bool
    shift: np.ndarray | None = None

    def start(self) -> np.ndarray:
        """The origin."""
        return np.zeros(self.rows.d + 1)

    def along_shift(self) -> tuple[np.ndarray, float]:
        """``<x_i, m>`` for all samples and ``||m||^2``; zeros if nothing is subtracted."""
        along = np.zeros(self.n)
        if self.shift is None:
            return along, 0.0
        _projections(self.rows.arrays, self.shift, along)
        return along, float(self.shift @ self.shift)

    def lengths(self) -> np.ndarray:
        """Lengths of the rows."""
        squares = self.rows.squared_norms(np.zeros(self.rows.d)) + float(self.fit_intercept)
        if self.shift is not None:
            along, square = self.along_shift()
            squares += square - 2 * along
        return self.weight * np.sqrt(np.maximum(squares, 0.0))

    def margin(self, theta: np.ndarray) -> float:
        """The smallest distance of a row from the plane of theta, negative if it does not separate."""
        largest = float(np.abs(theta).max())
        if not 1e-140 < largest < 1e140 and 0 < largest < np.inf:  # squares would leave float64
            theta = theta / largest
        length = float(np.linalg.norm(theta))
        return float((self.weight * self._signed_values(theta)).min()) / length if length > 0 else 0.0

    def width(self, theta: np.ndarray) -> float:
        """Distance of the planes f = -m and f = m in the space of x, m being the smallest y_i f(x_i).

        0 if some row is not on its side. Weights of the classes do not move planes, and take no part.
        """
        largest = float(np.abs(theta).max())
        if not 1e-140 < largest < 1e140 and 0 < largest < np.inf:  # squares would leave float64
            theta = theta / largest
        smallest, length = float(self._signed_values(theta).min()), float(np.linalg.norm(theta[:-1]))
        if not smallest > 0:
            return 0.0
        return 2 * smallest / length if length > 0 else np.inf

    def errors(self, theta: np.ndarray) -> int:
        """How many rows are not on their own side."""
        return int((self._signed_values(theta) <= 0).sum())

    def _signed_values(self, theta: np.ndarray) -> np.ndarray:
        f = np.empty(self.n)
        moved = theta.copy()
        if self.shift is not None:
            moved[-1] -= float(theta[:-1] @ self.shift)
        decision_pass(self.rows.arrays, 0, self.n, moved, f)
        return self.y * f


@jit
def _projections(rows, m, out):  # type: ignore[no-untyped-def]
    """``out[i] = <x_i, m>``."""
    for i in range(out.shape[0]):
        out[i] = row_dot(rows, i, m)
