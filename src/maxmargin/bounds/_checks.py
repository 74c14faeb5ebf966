"""Arguments that a theorem can be applied to."""

from __future__ import annotations

import math
from numbers import Integral, Real


def positive(name: str, value: float) -> float:
    """The value as a float, if it is a positive finite number."""
    if not isinstance(value, Real) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a positive finite number; got {value!r}.")
    return float(value)


def whole(name: str, value: int) -> int:
    """The value as an int, if it is a whole number of at least 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}.")
    return int(value)
