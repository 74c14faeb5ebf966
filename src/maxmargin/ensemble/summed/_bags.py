"""Bags that every part of the rows draws for itself: how often a row is in a bag is a function of its number.

    count(tree, row)  ~  Poisson(draws / n),   from a hash of the seed of the tree and the number of the row,

independently from row to row. With n draws among n rows a count is binomial, and tends to this distribution; the number
of draws is then no longer fixed, but varies by its square root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import jit, jit_inner

# The count is below this but with a probability that a hash of 64 bits cannot tell from 0, at a rate of 1.
_MOST = 64


@dataclass(frozen=True)
class SummedBags:
    """The number of rows, and the mean of how often a row is in a bag (0: every row once, in each bag)."""

    n: int
    rate: float

    @property
    def bounds(self) -> np.ndarray:
        """The hash below which a row is drawn at most 0, 1, 2, ... times."""
        if not self.rate:
            return np.zeros(1, dtype=np.uint64)
        k = np.arange(1.0, _MOST)
        chances = np.exp(-self.rate) * np.cumprod(np.concatenate([[1.0], self.rate / k]))
        shares = np.minimum(np.cumsum(chances), 1.0)
        below = [min(int(share * 2.0**64), 2**64 - 1) for share in shares]
        return np.array(below[: below.index(2**64 - 1) + 1] if 2**64 - 1 in below else below, dtype=np.uint64)

    @property
    def most(self) -> int:
        """How often a row is in a bag at most."""
        return len(self.bounds)

    def counts(self, seed: int, start: int = 0, end: int | None = None) -> np.ndarray:
        """How often rows are in the bag of a seed, from one number to another."""
        end = self.n if end is None else end
        return _counts(np.uint64(seed), np.uint64(start), end - start, self.bounds)

    def rows(self, seed: int) -> np.ndarray:
        """The rows in a bag, in their order, each as often as it is there."""
        return np.repeat(np.arange(self.n), self.counts(seed))

    def expected_share(self) -> float:
        """The share of the rows that is expected in a bag."""
        return float(-np.expm1(-self.rate)) if self.rate else 1.0


@jit_inner
def mixed(seed: Any, number: Any) -> Any:
    """A hash of two numbers (splitmix64, twice)."""
    z = seed * np.uint64(0xD1342543DE82EF95) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = (z ^ (z >> np.uint64(31))) + (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit_inner
def drawn(seed: Any, row: Any, bounds: Any) -> int:
    """How often a row is in a bag."""
    u, count = mixed(seed, row), 0
    while count < bounds.size and u >= bounds[count]:
        count += 1
    return count


@jit
def _counts(seed: Any, start: Any, n: int, bounds: Any) -> Any:
    out = np.empty(n, dtype=np.int64)
    for i in range(n):
        out[i] = drawn(seed, start + np.uint64(i), bounds)
    return out


@jit
def is_sampled(seed: Any, start: Any, n: int, bound: Any) -> Any:
    """Which rows are in a sample of those whose hash is at most `bound`."""
    out = np.empty(n, dtype=np.bool_)
    for i in range(n):
        out[i] = mixed(seed, start + np.uint64(i)) <= bound
    return out
