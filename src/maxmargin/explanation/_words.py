"""Values made plain, and plain values as text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


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
        return number(value, signed)
    return str(value)


def number(value: float, signed: bool = False) -> str:
    """Four figures, and all of those before the point of numbers below a million."""
    text = f"{value:.0f}" if 1e4 <= abs(value) < 1e6 else f"{value:.4g}"
    return f"+{text}" if signed and value > 0 else text


def shortened(name: str, longest: int) -> str:
    """A name of no more than so many letters; cut in the middle, where names differ least."""
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[-tail:]}"


def counted(count: int, what: str) -> str:
    """ "1 row", "2 rows"."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def share(part: float, whole: float) -> str:
    """A part in hundredths of the whole."""
    return f"{100 * part / whole:.1f} %" if whole else "none"


def listed(names: Any, most: int = 6) -> str:
    """Names with commas; of many the first ones and how many more there are."""
    names = [str(name) for name in names]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
