"""The bags of a forest: which rows each tree is grown from, drawn again from its seed whenever they are asked for.

Rows are drawn by their place in an order that depends on their values alone (a hash of each row and its target):
neither the order of the rows nor whether one is given twice or with weight 2 makes a difference to the forest.

A row may be drawn as often as any other, whatever its weight: what is drawn by weight is in nearly every bag if it is
heavy, as the rows of a rare class are under balanced weights, and then nobody is left to judge it. So weights count
inside the trees, each draw of a row with the weight of the row. The one exception are weights that are small whole
numbers (of times a common unit): these are numbers of repetitions, as if the rows had been given so often. A row of
weight k is then left out of a bag with probability e^-k, and k is at most 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..engine import jit
from ..tree import dense_rows
from ._errors import UnmetSettingError

# Sparse rows that are made dense at a time.
_MOST_DRAWS = 2**31 - 1  # rows are drawn into arrays of them
_BLOCK = 1024
# The largest weight that is a number of repetitions.
_MOST_REPETITIONS = 4


@dataclass(frozen=True)
class Bags:
    """What a bag is drawn from: the order of the rows, the sums of what they are drawn by, and the number of draws.

    `whole` says that these are numbers of repetitions and not odds.
    """

    order: np.ndarray
    sums: np.ndarray | None
    draws: int
    whole: bool

    @classmethod
    def of(cls, X: Any, target: np.ndarray, weight: np.ndarray | None, max_samples: Any) -> Bags:
        """For rows that all have a weight; `max_samples` is a number of draws, a share of all, or None."""
        target, step = target.astype(np.float64), _BLOCK if sp.issparse(X) else max(1, X.shape[0])
        parts = [
            _fingerprints(dense_rows(X, start, start + step), target[start : start + step])
            for start in range(0, X.shape[0], step)
        ]
        order = np.argsort(np.concatenate(parts), kind="stable").astype(np.int32)
        times = None if weight is None else repetitions(weight)
        sums = None if times is None else np.cumsum(times[order])
        total = len(target) if sums is None else int(sums[-1])
        if max_samples is None:
            draws = total
        else:
            asked = max_samples * total if isinstance(max_samples, float) else max_samples
            if asked > _MOST_DRAWS:
                raise UnmetSettingError(
                    f"max_samples={max_samples!r} asks for bags of {asked:.4g} rows; {_MOST_DRAWS:,} are the most."
                )
            draws = max(1, int(asked))
        return cls(order, sums, draws, sums is not None)

    @property
    def n(self) -> int:
        """Rows to draw from."""
        return len(self.order)

    def rows(self, seed: int) -> np.ndarray:
        """The rows in a bag, each as often as it was drawn, in the order of the draws."""
        generator = np.random.RandomState(seed)
        if self.sums is None:
            return self.order[generator.randint(0, len(self.order), self.draws)]
        if self.whole:
            drawn = generator.randint(0, int(self.sums[-1]), self.draws)
        else:
            drawn = generator.random_sample(self.draws) * self.sums[-1]
        return self.order[np.minimum(np.searchsorted(self.sums, drawn, side="right"), len(self.order) - 1)]

    def counts(self, seed: int) -> np.ndarray:
        """How often each row is in a bag."""
        return np.bincount(self.rows(seed), minlength=len(self.order))

    def expected_share(self) -> float:
        """The share of the rows that is expected in a bag: mean of 1 - (1 - p_i)^draws."""
        n = len(self.order)
        p = np.full(n, 1 / n) if self.sums is None else np.diff(self.sums, prepend=0.0) / self.sums[-1]
        with np.errstate(divide="ignore"):  # p = 1: always drawn
            return float(np.mean(-np.expm1(self.draws * np.log1p(-np.minimum(p, 1.0)))))


def repetitions(weight: np.ndarray) -> np.ndarray | None:
    """Small whole numbers that the weights are in proportion to, or None; zero stays zero."""
    positive = weight[weight > 0]
    unit = positive.min()
    if positive.max() <= 1e6 and (positive == np.rint(positive)).all():
        unit = np.gcd.reduce(positive.astype(np.int64))
    if not positive.max() / _MOST_REPETITIONS <= unit * (1 + 1e-12):
        return None
    times = np.rint(weight / unit)
    return times if np.allclose(times * unit, weight, rtol=1e-12, atol=0.0) else None


@jit
def _fingerprints(X: Any, target: Any) -> Any:
    """A number for each row that depends on its values and its target alone."""
    n, d = X.shape
    out, one = np.empty(n, dtype=np.uint64), np.empty(1)
    bits = one.view(np.uint64)
    for i in range(n):
        key = np.uint64(0x243F6A8885A308D3)
        for j in range(d + 1):
            value = np.float64(X[i, j]) if j < d else target[i]
            one[0] = value + 0.0 if value == value else np.nan  # -0.0 is 0.0, and one missing value is like another
            key = (key ^ bits[0]) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        out[i] = key
    return out
