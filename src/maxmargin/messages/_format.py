"""Numbers, names and values as text, and values as JSON: one way of writing them for messages, tables and pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Integral, Real
from typing import Any

MINUS, NARROW_SPACE = "−", "\u202f"  # a narrow space that does not break parts thousands
_WHOLE = 1e6  # numbers below it are not written as powers of ten


def jsonable(value: Any) -> Any:
    """A value made of dictionaries, lists, text, numbers, truth values and None alone.

    Parameters
    ----------
    value : object
        Dataclasses (their public fields), objects with ``to_dict``, enumerations, arrays and numbers of NumPy are taken
        apart; anything else, a date for example, is written as text.

    Returns
    -------
    object
        NaN and infinities become None, because JSON has none.

    Examples
    --------
    >>> from maxmargin.messages import jsonable
    >>> jsonable({1: (2.5, float("nan"))})
    {'1': [2.5, None]}

    """
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(jsonable(key)): jsonable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(part) for part in value]
    if isinstance(value, type):
        return str(value)
    if hasattr(value, "to_dict"):
        return jsonable(value.to_dict())
    if is_dataclass(value) and not hasattr(value, "get_params"):  # an estimator speaks for itself
        return {f.name: jsonable(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return jsonable(value.tolist())
    return str(value)


def number(value: Any, figures: int = 4, *, signed: bool = False, missing: str = "") -> str:
    """A number in few figures, text as it is.

    Parameters
    ----------
    value : number, str or None
        An integer is written in full, with commas between thousands; of a float, all figures before the point are
        written below a million.
    figures : int, default=4
    signed : bool, default=False
        Whether a positive float has its sign.
    missing : str, default=""
        What stands for None and NaN.

    Returns
    -------
    str

    Examples
    --------
    >>> from maxmargin.messages import number
    >>> number(12345), number(0.123456), number(123456.7), number(2e-9), number(None, missing="none")
    ('12,345', '0.1235', '123457', '2e-09', 'none')

    """
    if value is None or (isinstance(value, Real) and math.isnan(value)):
        return missing
    if isinstance(value, bool) or not isinstance(value, Real):
        return str(value)
    if isinstance(value, Integral):
        return f"{int(value):,}"
    value = float(value)
    text = f"{value:.{figures}g}"
    if "e+" in text and abs(value) < _WHOLE:  # 99.6 in two figures is 100, and not 1e+02
        text = f"{value:.0f}"
    return f"+{text}" if signed and value > 0 else text


def typeset(text: str) -> str:
    """A number that was written in ASCII as print has it: a minus, a narrow space between thousands, short exponents.

    Examples
    --------
    >>> from maxmargin.messages import typeset
    >>> typeset("1.5e+06"), typeset("-2e-09"), typeset("-0")
    ('1.5e6', '−2e−9', '0')

    """
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return f"{mantissa}e{int(exponent)}".replace("-", MINUS)
    whole = mantissa.replace(",", NARROW_SPACE if mantissa.count(",") > 1 or len(mantissa.lstrip("-")) > 5 else "")
    return "0" if whole == "-0" else whole.replace("-", MINUS)


def parameters(values: Mapping[str, Any] | None) -> str:
    """``C=10, gamma=0.03``."""
    return ", ".join(f"{name}={number(value)}" for name, value in (values or {}).items())


def counted(count: int, what: str, several: str | None = None) -> str:
    """``1 row``, ``2,000 rows``."""
    return f"{count:,} {what if count == 1 else several or what + 's'}"


def listed(names: Iterable[Any], most: int = 8, *, last: str = ", ") -> str:
    """Names with commas, and `last` before the last one; of many, the first ones and how many more there are."""
    texts = [str(name) for name in names]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most:,} more"
    return f"{', '.join(texts[:-1])}{last}{texts[-1]}" if len(texts) > 1 else "".join(texts)


def percent(share: float, decimals: int = 1) -> str:
    """``61.5 %``."""
    return f"{100 * share:.{decimals}f} %"


def one_line(text: Any) -> str:
    """Text without line breaks, and with single blanks."""
    return " ".join(str(text).split())


def shortened(text: str, longest: int, *, middle: bool = False, mark: str = "…") -> str:
    """Text of no more than so many characters.

    Parameters
    ----------
    text : str
    longest : int
    middle : bool, default=False
        Cut out the middle: names of columns differ least there.
    mark : str, default="…"
        Stands for what was left out.

    Returns
    -------
    str

    Examples
    --------
    >>> from maxmargin.messages import shortened
    >>> shortened("sepal length in cm", 12), shortened("sepal length in cm", 12, middle=True)
    ('sepal lengt…', 'sepal…in cm')

    """
    if len(text) <= longest:
        return text
    kept = longest - len(mark)
    tail = kept // 2 if middle else 0
    return f"{text[: kept - tail].rstrip()}{mark}{text[len(text) - tail :]}"


def byte_size(size: float) -> str:
    """Bytes with a unit: ``12 bytes``, ``3.4 MB``."""
    for unit, unit_size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= unit_size:
            return f"{size / unit_size:.3g} {unit}" if size / unit_size < 1000 else f"{size / unit_size:,.0f} {unit}"
    return f"{size:.0f} bytes"
