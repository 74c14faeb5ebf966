"""How long the two bounds of the exact optimum take: where time is limited, they are paid for in advance."""

from __future__ import annotations

import numpy as np

from ..engine import Stopwatch
from ..kernels import Gram

_ROWS = 2000  # whose kernel values are timed
_CAREFUL = 1.2  # two runs of the same work differ by as much


class ProofCosts:
    """Seconds, by the time that some of the kernel values in float64 take."""

    def __init__(self, gram: Gram, random: np.random.Generator) -> None:
        self._gram, self._random = gram, random
        self._value: float | None = None

    @property
    def value(self) -> float:
        """Seconds of one kernel value and its part in a sum."""
        if self._value is None:
            self._value = self._timed()
        return self._value

    def _timed(self) -> float:
        n = self._gram.shape[0]
        rows = np.sort(self._random.choice(n, min(_ROWS, n), replace=False))
        part, seconds = self._gram.restricted(rows), []
        for _ in range(2):
            watch = Stopwatch()
            part.product(np.arange(len(rows)), np.ones((2, len(rows))), np.float64)
            seconds.append(watch.seconds())
        return _CAREFUL * min(seconds) / len(rows) ** 2

    def learn(self, values: float, seconds: float) -> None:
        """Take the time that so many values have really taken."""
        if values > _ROWS**2:
            self._value = _CAREFUL * seconds / values

    def lower(self, support: int) -> float:
        """The quadratic form of so many multipliers: half of a symmetric matrix."""
        return 0.5 * self.value * float(support) ** 2

    def upper(self, terms: int) -> float:
        """Decision values of all rows, sums of so many terms."""
        n = float(self._gram.shape[0])
        return self.value * min(n * terms, 0.5 * n * n)
