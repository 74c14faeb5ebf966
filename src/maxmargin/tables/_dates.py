"""Dates written as text: which form a column has, and its instants.

Each form is a pattern and what rewrites it as ISO 8601. The same patterns serve Arrow's columns (RE2) and Python's
strings (re), so that both read a date alike; the strict ISO reader behind them refuses the 30th of February.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = "(" + "|".join(_MONTHS) + r")[a-z]{0,6}\.?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
_TIME = rf"(?:(?: |T|, )({_CLOCK}))?$"

# form -> (pattern, the groups in ISO order); a 0 is put before each number, and cut where it is one too many
FORMS: dict[str, tuple[str, str]] = {
    "year-month-day": (r"^(\d{4})-(\d{1,2})-(\d{1,2})" + _TIME, r"\1-0\2-0\3 0\4"),
    "year-month-day with zone": (
        rf"^(\d{{4}})-(\d{{2}})-(\d{{2}})[ T]({_CLOCK}) ?(Z|[+-]\d{{2}}:?\d{{2}})$",
        r"\1-\2-\3T\4\5",
    ),
    "year/month/day": (r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})" + _TIME, r"\1-0\2-0\3 0\4"),
    "day.month.year": (r"^(\d{1,2})\.(\d{1,2})\.(\d{4})" + _TIME, r"\3-0\2-0\1 0\4"),
    "day/month/year": (r"^(\d{1,2})[/-](\d{1,2})[/-](\d{4})" + _TIME, r"\3-0\2-0\1 0\4"),
    "month/day/year": (r"^(\d{1,2})[/-](\d{1,2})[/-](\d{4})" + _TIME, r"\3-0\1-0\2 0\4"),
    "day month year": (r"^(\d{1,2})[ -]" + _MONTH + r",?[ -](\d{4})" + _TIME, r"\3-\2-0\1 0\4"),
    "month day year": ("^" + _MONTH + r" (\d{1,2}),? (\d{4})" + _TIME, r"\3-\1-0\2 0\4"),
}
_LONGEST = 40  # characters, of dates of all forms
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
AMBIGUOUS = ("day/month/year", "month/day/year")
# Cells of one column in several forms, by which of the two that a day and a month look alike in is among them.
MIXED: dict[str, str | None] = {
    "dates of several forms": None,
    "dates of several forms, day first": "day/month/year",
    "dates of several forms, month first": "month/day/year",
}
_ZONED = "year-month-day with zone"
_PADDED = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_PADDING = ((r"-0(\d\d)", r"-\1"), (r" 0(\d\d:)", r" \1"), (r" 0$", ""), (r"(\.\d{6})\d+", r"\1"))


def _rewriting(form: str) -> list[tuple[str, str]]:
    """Pattern and replacement of each step from `form` to ISO 8601."""
    steps = [FORMS[form]]
    if " month " in f" {form} ":  # the month is a word
        steps += [(f"-{name}-", f"-{number:02d}-") for number, name in enumerate(_MONTHS, 1)]
    return [*steps, *_PADDING]


def may_have(text: str, form: str) -> bool:
    """A quick look at one cell, to spare passes over all of them."""
    if not 8 <= len(text) <= _LONGEST or not any(mark.isdigit() for mark in text[:40]):
        return False
    return form == next(iter(FORMS)) or _compiled(form)[0].match(text) is not None  # the first Arrow reads by itself


def arrow_instants(cells: Any, form: str) -> Any | None:
    """Timestamps in microseconds, UTC where a zone is given, of Arrow strings; None unless every cell has this form."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if form == next(iter(FORMS)) and (quick := _iso(cells)) is not None:
        return quick
    if pc.all(pc.match_substring_regex(cells, FORMS[form][0])).as_py() is False:
        return None
    for pattern, replacement in _rewriting(form):
        cells = pc.replace_substring_regex(cells, pattern, replacement)
    try:
        if form == _ZONED:
            return pc.cast(pc.cast(cells, pa.timestamp("us", "UTC")), pa.timestamp("us"))
        return pc.cast(cells, pa.timestamp("us"))
    except pa.ArrowInvalid:  # there is no such day
        return None


def _iso(cells: Any) -> Any | None:
    """What Arrow reads by itself, ten times as fast as by patterns; but not 2026-01-02T03, which has no minutes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        quick = pc.cast(cells, pa.timestamp("us"))
    except pa.ArrowInvalid:
        return None
    return None if pc.any(pc.equal(pc.binary_length(cells), 13)).as_py() else quick


@cache
def _compiled(form: str) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]]]:
    steps = [(re.compile(pattern), replacement) for pattern, replacement in _rewriting(form)]
    return re.compile(FORMS[form][0], re.ASCII), steps


def python_instant(text: str, form: str) -> int | None:
    """Microseconds since 1970 of one string, or None if it does not have this form."""
    if form in MIXED:
        tried = [name for name in FORMS if name not in AMBIGUOUS or name == MIXED[form]]
        return next((found for name in tried if (found := python_instant(text, name)) is not None), None)
    text = text.strip()
    whole, steps = _compiled(form)
    if not whole.match(text):
        return None
    if not (form == next(iter(FORMS)) and _PADDED.fullmatch(text)):  # these are ISO 8601 as they are
        for pattern, replacement in steps:
            text = pattern.sub(replacement, text)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return (instant - _EPOCH) // timedelta(microseconds=1)


def mixed_form(texts: Collection[str]) -> str | None:
    """How cells of several forms are to be read, if all are dates and day and month can be told apart in them."""
    unclear = [t for t in texts if any(python_instant(t, form) is not None for form in AMBIGUOUS)]
    fits = [
        form
        for form, order in MIXED.items()
        if order is not None and all(python_instant(t, order) is not None for t in unclear)
    ]
    if not unclear:
        form = next(iter(MIXED))
    elif len(fits) == 1:
        form = fits[0]
    else:
        return None
    return form if all(python_instant(text, form) is not None for text in texts) else None


def python_forms(texts: Iterable[str]) -> list[str]:
    """The forms that every string has, in the order of `FORMS`."""
    left = list(FORMS)
    for text in texts:
        left = [form for form in left if python_instant(text, form) is not None]
        if not left:
            break
    return left
