"""Numbers, counts and values as the page writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from .. import messages
from ..certificates import rounded_up, rounding_of
from ..messages import MINUS, NARROW_SPACE as SPACE, counted, one_line, typeset

_LONGEST = 80
_ROUNDING = 1e-14  # relative: below it are the rounding errors of float64, other ones each time
_NUMERIC = re.compile(rf"[<{MINUS}]?[{SPACE} ]?[\d{SPACE}]+(\.\d+)?(e[+{MINUS}]?\d+)?.{{0,9}}")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: Any, digits: int = 4) -> str:
    """So many figures, without noise: 0.9533, 12 045, 3.1e−9."""
    if value is None or (isinstance(value, Real) and math.isnan(value)):
        return "–"
    if isinstance(value, Integral) or (abs(value) < 1e15 and float(value).is_integer()):
        return count(int(value))
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if abs(value) < _ROUNDING:
        return tiny(float(value))
    if 10**digits <= abs(value) < 1e9:
        return count(round(value))
    return typeset(messages.number(float(value), digits))


def figure(value: float | None, name: str, digits: int = 6) -> str:
    """A figure by its name: one that bounds something is rounded to its own side."""
    outwards = rounding_of(name)
    if outwards is None or value is None or not math.isfinite(value) or float(value).is_integer():
        return number(value, digits)
    return typeset(outwards(float(value), digits))


def fixed(value: float | None) -> str:
    """Three decimals, of figures that end at one."""
    return number(value) if value is None or math.isnan(value) else f"{round(value, 3) + 0.0:.3f}".replace("-", MINUS)


def count(value: int) -> str:
    """Thousands apart: 12 345."""
    return typeset(f"{value:,}")


def tiny(value: float | None, bound: bool = False) -> str:
    """A relative gap or a violation: two figures and a power of ten; exactly nothing is 0.

    What is said to be a bound is rounded upwards.
    """
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or math.isinf(value):
        return "0" if value == 0 else "∞"
    if abs(value) < _ROUNDING:
        return f"<{SPACE}10⁻¹⁴"
    shown = Decimal(rounded_up(value, 2)) if bound else value
    figures, power = f"{shown:.1e}".split("e")
    return f"{figures.replace('-', MINUS)}{SPACE}×{SPACE}10{str(int(power)).translate(_RAISED)}"


def power(value: float) -> str:
    """A mark on a scale of powers of ten: 0.01, 100, 10⁻⁶."""
    if 1e-3 <= abs(value) <= 1e4 or value == 0:
        return f"{value:g}".replace("-", MINUS)
    figures, ten = f"{value:.0e}".split("e")
    return (f"{figures}{SPACE}×{SPACE}" if figures != "1" else "") + f"10{str(int(ten)).translate(_RAISED)}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share as a percentage: 95.3 %."""
    if share is None or math.isnan(share):
        return "–"
    return messages.percent(share, digits).replace(" ", SPACE).replace("-", MINUS)


def plural(many: int, what: str, several: str | None = None) -> str:
    """1 row, 2 rows."""
    return f"{count(many)} {counted(many, what, several).partition(' ')[2]}"


def listed(parts: Sequence[str], most: int = 6) -> str:
    """a, b and c; of many only the first, and how many more there are."""
    return messages.listed(parts, most, last=" and ")


def shortened(text: Any, longest: int = _LONGEST) -> str:
    """A text on one line, cut where it is too long for a table."""
    return messages.shortened(one_line(text), longest)


def spoken(name: str, longest: int) -> str:
    """The name of a class where it stands alone: a number would look like a count."""
    short = shortened(name, longest)
    return f"class {short}" if looks_numeric(short) else short


def value_text(value: Any) -> str:
    """A value of a table or a parameter."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool) or not isinstance(value, Real):
        # dates that are missing differ from themselves
        return "missing" if value != value else shortened(value).removesuffix(" 00:00:00").removesuffix("T00:00:00")
    return "missing" if math.isnan(value) else number(value)


def looks_numeric(text: str) -> bool:
    """Whether a cell belongs on the right of its column."""
    return text in ("–", "missing") or bool(_NUMERIC.fullmatch(text))
