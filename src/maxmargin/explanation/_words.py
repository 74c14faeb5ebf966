"""Values made plain, and plain values as text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..messages import number


def item(value: Any) -> Any:
    """A number of NumPy's as one of Python's; all else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def plain(value: Any) -> Any:
    """A value that JSON has: text, number, truth value or None (also for what is not finite)."""
    value = item(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value).removesuffix(" 00:00:00")  # midnight: a day


def cell(value: Any, signed: bool = False) -> str:
    """A plain value as text: four figures of a number, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value, signed=signed)
    return str(value)


def share(part: float, whole: float) -> str:
    """A part in hundredths of the whole."""
    return f"{100 * part / whole:.1f} %" if whole else "none"
