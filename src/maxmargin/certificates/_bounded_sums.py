"""Figures of parts of the rows, and their sums, each with a bound of its error: whoever adds up pays for rounding.

Parts may be added in any order and in any grouping, as a tree does it: each addition adds the rounding of its own
result to the errors of its terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ._rounding import U

_ROOM = 1 + 2.0**-50  # errors are sums of rounded non-negative terms themselves: each addition rounds by 2^-53


@dataclass(frozen=True)
class BoundedSum:
    """A number or an array, and a bound of the error of each entry; infinite where nothing is known."""

    value: Any
    error: Any

    def __add__(self, other: BoundedSum) -> BoundedSum:
        with np.errstate(over="ignore", invalid="ignore"):
            value = self.value + other.value
            error = (self.error + other.error + U * np.abs(value)) * _ROOM
        return BoundedSum(value, np.where(np.isfinite(value), error, np.inf)[()])

    @property
    def high(self) -> Any:
        """What the exact sum is at most."""
        return np.nextafter(self.value + self.error, np.inf)

    @property
    def low(self) -> Any:
        """What the exact sum is at least."""
        return np.nextafter(self.value - self.error, -np.inf)


def added(parts: list[tuple]) -> tuple:
    """The sums of tuples, place by place; a place that is None in one of them is None in all."""
    return reduce(_plus, parts)


def _plus(a: tuple, b: tuple) -> tuple:
    return tuple(None if x is None else x + y for x, y in zip(a, b, strict=True))
