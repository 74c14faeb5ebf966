"""Where the cells of a table of scores stand on an axis, and how values and scores are written."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._texts import value_text

_MOST_TICKS = 14


class CellAxis:
    """Cells along one axis: on a log scale if the values are positive numbers, else side by side."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        numbers = values.dtype != object and bool(np.isfinite(values).all())
        self.log = numbers and bool((values > 0).all())
        self._u = np.log10(values) if self.log else np.arange(len(values), dtype=np.float64)
        middle = (self._u[1:] + self._u[:-1]) / 2
        first, last = (middle[0], middle[-1]) if len(middle) else (self._u[0] - 0.5, self._u[0] + 0.5)
        outer = (2 * self._u[0] - first, 2 * self._u[-1] - last) if len(middle) else (first, last)
        self._edges = np.concatenate([[outer[0]], middle, [outer[1]]])

    @property
    def edges(self) -> np.ndarray:
        return 10**self._edges if self.log else self._edges

    @property
    def centres(self) -> np.ndarray:
        return self.values if self.log else self._u

    def at(self, k: int, share: float) -> float:
        """Within cell k, so much of its size away from the value."""
        place = self._u[k] + share * (self._edges[k + 1] - self._edges[k])
        return float(10**place if self.log else place)

    def apply(self, axis: Any, name: str) -> None:
        """Scale, ticks at the values and the name; with many values the ticks of a log scale."""
        axis.set_label_text(name)
        if self.log:
            getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
        step = 1 if not self.log else -(-len(self.values) // _MOST_TICKS)
        axis.set_ticks(self.centres[::step], labels=[self._tick(v) for v in self.values[::step]])
        axis.set_ticks([], minor=True)

    @staticmethod
    def _tick(value: Any) -> str:
        """Short wherever it is: powers of ten have to stand side by side with other ticks."""
        return value_text(value, 3 if isinstance(value, float) and 1e-3 <= abs(value) < 1e5 else 2).replace("-", "−")


def score_text(score: float) -> str:
    """Three decimals of the scores that have a limit of one, less of larger numbers."""
    size = abs(score)
    text = f"{score:.3f}" if size < 10 else f"{score:.1f}" if size < 1000 else f"{score:.0e}".replace("e+0", "e")
    return text.replace("-", "−")
