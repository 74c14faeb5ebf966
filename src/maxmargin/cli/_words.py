"""Numbers and names as the tool writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any


def number(value: Any, digits: int = 4) -> str:
    """A number in few digits; text and whole numbers as they are; nothing for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}g}"


def parameters(values: Mapping[str, Any] | None) -> str:
    """``C=10, gamma=0.03``."""
    return ", ".join(f"{name}={number(value)}" for name, value in (values or {}).items())


def counted(count: int, what: str) -> str:
    """``1 row``, ``2,000 rows``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def listed(names: Iterable[Any], most: int = 8) -> str:
    """Names with commas; of many the first ones and how many more there are."""
    texts = [str(name) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more:,} more" if more > 0 else "")


def share(value: float) -> str:
    """``61.5 %``."""
    return f"{100 * value:.1f} %"


def shortened(text: str, most: int) -> str:
    """Text of no more than so many letters."""
    return text if len(text) <= most else text[: most - 1] + "…"
