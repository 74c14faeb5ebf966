"""How names, numbers and values of parameters are written in pictures."""

from __future__ import annotations

from numbers import Real
from typing import Any

from .. import messages


def shortened(name: str, longest: int = 28) -> str:
    """A name of no more letters than there is room for, cut in the middle, where names differ least."""
    return messages.shortened(name, longest, middle=True)


def number(value: float, figures: int = 4) -> str:
    """So many figures of a number, all of those before the point below a million, and a proper minus."""
    return messages.typeset(messages.number(float(value), figures, missing="nan"))


def value_text(value: Any, digits: int = 3) -> str:
    """A parameter's value: three figures are enough to know it again."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    number = float(value)
    if 1000 <= abs(number) < 1e5:
        return f"{number:.0f}"
    mantissa, _, exponent = f"{number:.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
