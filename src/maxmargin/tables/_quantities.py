"""Numbers in text: with a unit or a currency ("183,7 cm", "$ 1,250.00", "12 %"), and times of day ("9:05 pm").

A column is read so only if every cell has the form, and all have the same unit: 5 cm and 5 m are no two equal numbers.
The decimal mark is that of the whole column, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

QUANTITY, QUANTITY_COMMA, TIME_OF_DAY = "number with a unit", "number with a unit, decimal comma", "time of day"
QUANTITIES = (QUANTITY, QUANTITY_COMMA, TIME_OF_DAY)
_APART = r"[ \u00a0\u202f'’]"
_POINT = rf"\d{{1,3}}(?:(?:,|{_APART})\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_COMMA = rf"\d{{1,3}}(?:(?:\.|{_APART})\d{{3}})+(?:,\d+)?|\d+(?:,\d+)?"
_UNIT = r"[^\W\d_][\w²³/.·^-]{0,11}|[%‰°€$£¥₹₽₩][^\W\d_]{0,3}"
_CURRENCY = r"[€$£¥₹₽₩]|US\$|EUR|USD|GBP|CHF|JPY|CNY|INR|RUB|SEK|NOK|DKK|PLN|CZK|CAD|AUD|BRL|Rs\.?"
# Units that may follow a number without a blank: of other letters 12A is a name.
_CLOSE = frozenset(
    "m cm mm km µm nm ft in m2 m² m3 m³ km2 km² ha kg g mg t lb lbs oz l ml cl s ms h min hrs d y yr yrs km/h mph kmh "
    "kwh kw mw w v mv a ma hz khz mhz ghz k c f pa kpa hpa bar j kj kcal cal b kb mb gb tb px pt x eur usd gbp chf bn "
    "°c °f cc hp ps bhp rpm nm kmpl cm3 cm³ mpg dpi mp mah wh".split()
)
_CLOCK = re.compile(r"\s*(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?\s*([AaPp]\.?[Mm]\.?)?\s*", re.ASCII)
_LONGEST = 40


def quantity_form(texts: Collection[str]) -> tuple[str, str] | None:
    """The form that all texts have, and their unit; None if there is none."""
    if not texts or any(len(text) > _LONGEST or not any(map(str.isdigit, text)) for text in texts):
        return None
    if all(_hours(text) is not None for text in texts):
        return TIME_OF_DAY, ""
    for form in (QUANTITY, QUANTITY_COMMA):
        units = set()
        for text in texts:
            found = _parts(text, form)
            units.add(None if found is None else found[1])
            if None in units or len(units) > 1:
                break
        else:
            unit = units.pop() or ""
            return form, unit
    return None


def read_quantity(text: str, form: str) -> float | None:
    """The number in a text, None if it does not have the form; times of day in hours."""
    if form == TIME_OF_DAY:
        return _hours(text)
    found = _parts(text, form)
    return None if found is None else found[0]


@cache
def _pattern(form: str) -> re.Pattern[str]:
    number = _POINT if form == QUANTITY else _COMMA
    return re.compile(
        rf"(?P<sign>[+\u2212-]?)\s*(?P<before>{_CURRENCY})?\s*(?P<late>[+\u2212-]?)(?P<number>{number})"
        rf"(?P<blank>\s*)(?P<after>{_UNIT})?"
    )


def _parts(text: str, form: str) -> tuple[float, str] | None:
    """The number and its unit."""
    found = _pattern(form).fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None or (found["before"] and found["after"]):
        return None
    if found["after"] and not found["blank"] and found["after"][0].isalpha() and found["after"].lower() not in _CLOSE:
        return None
    thousands, mark = (",", ".") if form == QUANTITY else (".", ",")
    digits = re.sub(_APART, "", found["number"]).replace(thousands, "").replace(mark, ".")
    sign = -1.0 if (found["sign"] or found["late"]) in ("-", "\u2212") else 1.0
    return sign * float(digits), found["before"] or found["after"] or ""


def _hours(text: str) -> float | None:
    found = _CLOCK.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[4][0] in "pP" else 0)
    return hour + minute / 60 + second / 3600 if hour < 24 else None
