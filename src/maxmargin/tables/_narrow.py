"""What a column of strings holds: which types its cells fit, and the cells as that type.

A block of cells fits a set of types. The sets of all blocks are intersected, and the first type that is left, in the
order of `ORDER`, is the column's. So the answer depends on the whole column and not on where blocks begin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ._dates import AMBIGUOUS, FORMS, arrow_instants, may_have
from ._types import MISSING

TEXT = "text"
ORDER = ("integer", "number", "bool", "thousands", "comma", *FORMS, TEXT)
ALL = frozenset(ORDER)
Fit = tuple[frozenset[str], str, Any]  # types that cells fit, the first of them, and the cells as such
# A number whose thousands are set apart (by a comma, a blank, an apostrophe), and one with a decimal comma.
_PLAIN = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_THOUSANDS = r"^(?:" + _PLAIN + r"|[+-]?\d{1,3}(?:[, '\x{a0}\x{202f}’]\d{3})+(?:\.\d*)?)$"
_COMMA = r"^[+-]?(?:\d{1,3}(?:[. '\x{a0}\x{202f}’]\d{3})+|\d+)(?:,\d+)?(?:[eE][+-]?\d+)?$"
_SEPARATORS = "[, '\\x{a0}\\x{202f}’]"
_DOTS = "[. '\\x{a0}\\x{202f}’]"
_INTEGER_DIGITS = 19  # of an int64, at most
_LOOKED = 100  # characters of a cell, which tell whether it can be a number
_BEGINS_AS_NUMBER = re.compile(
    r"[+-]?(?:\d*\.?\d*(?:[eE][+-]?\d*)?|0[xX][0-9a-fA-F]*|[iI][a-zA-Z]*)", re.ASCII
)  # also 0x7 and infinity, which Arrow reads as numbers


@dataclass(frozen=True)
class CellFormat:
    """How cells are written: what is missing, the decimal mark, and whether the day comes before the month."""

    missing: tuple[str, ...] = MISSING
    decimal: str = "."
    day_first: bool | None = None

    def forms(self) -> list[str]:
        """The forms of dates that are looked for."""
        out = {None: (), True: (AMBIGUOUS[1],), False: (AMBIGUOUS[0],)}[self.day_first]
        return [form for form in FORMS if form not in out]


def clean(cells: Any, cell_format: CellFormat) -> Any:
    """Cells without blanks around them, null where a value is missing."""
    cells = pc.ascii_trim_whitespace(cells)
    nothing = pc.is_in(cells, value_set=pa.array(cell_format.missing, pa.string()))
    return pc.if_else(nothing, pa.scalar(None, pa.string()), cells)


def fit_types(cells: Any, cell_format: CellFormat, left: frozenset[str] = ALL) -> Fit:
    """The types among `left` that clean cells fit, the first of them, and the cells as such."""
    if cells.null_count == len(cells):
        return ALL, "integer", convert(cells, "integer", cell_format)
    if left != {TEXT}:
        first = cells.drop_null()[0].as_py()
        for group in _groups(cell_format):
            tried = [type_ for type_ in group if type_ in left and _may_fit(first, type_)]
            found = [(type_, array) for type_ in tried if (array := convert(cells, type_, cell_format)) is not None]
            if found:
                type_, array = found[0]
                if type_ == "integer" and _leading_zeros(cells):  # 00123 is an article number, and 123 another one
                    break
                return implied(type_, {name for name, _ in found}, cell_format), type_, array
    return frozenset({TEXT}), TEXT, cells


def _groups(cell_format: CellFormat) -> list[Sequence[str]]:
    """Types that are tried together; the first group of which one fits decides."""
    numbers: list[Sequence[str]] = [["integer"], ["number"], ["bool"], ["thousands", "comma"]]
    if cell_format.decimal == ",":
        numbers = [["integer"], ["comma"], ["bool"]]
    return [*numbers, cell_format.forms()]


def _may_fit(text: str, type_: str) -> bool:
    """A quick look at one cell, to spare a pass over all of them.

    It spares an error, too: Arrow's has the whole cell in its message, copied four times. Of one cell of 16.8 MB that
    begins as a date does, which was tried as an integer, a number and a date, that was 5.0 of 7.8 ns for each byte, and
    in fresh pages of memory; below 2 MB pages were used again and it was 1.9 of 4.9 ns, so that time grew faster than
    the size.
    """
    if type_ == "integer" and len(text) > _LOOKED and len(text.lstrip("+-").lstrip("0")) > _INTEGER_DIGITS:
        return False
    if type_ in ("integer", "number"):
        return _BEGINS_AS_NUMBER.fullmatch(text[:_LOOKED]) is not None
    if type_ == "bool":
        return text[0] in "tTfF"
    if type_ in ("thousands", "comma"):
        return text[0] in "+-.0123456789"
    return type_ == TEXT or may_have(text, type_)


def implied(type_: str, found: set[str], cell_format: CellFormat) -> frozenset[str]:
    """Types that cells fit if they fit those found, the first of which is `type_`."""
    if type_ == "integer":
        found |= {"comma"} if cell_format.decimal == "," else {"number", "thousands", "comma"}
    elif type_ == "number":
        found |= {"thousands"}
    return frozenset(found | {TEXT})


def _leading_zeros(cells: Any) -> bool:
    """Whether one of integers is written 007, -07, or 0x7, which Arrow would read as well."""
    length = pc.binary_length(cells)
    padded = pc.and_(pc.starts_with(cells, "0"), pc.greater(length, 1))
    negative = pc.and_(pc.starts_with(cells, "-0"), pc.greater(length, 2))
    return bool(pc.any(pc.or_(padded, negative)).as_py())


def convert(cells: Any, type_: str, cell_format: CellFormat) -> Any | None:
    """Clean cells as a type, or None if one of them does not fit."""
    if type_ == TEXT:
        return cells
    if type_ in FORMS:
        return arrow_instants(cells, type_)
    try:
        if type_ == "bool":
            return _truth(cells)
        if type_ == "thousands":
            return _separated(cells, _THOUSANDS, _SEPARATORS)
        if type_ == "comma":
            return _separated(cells, _COMMA, _DOTS)
        return pc.cast(cells, pa.int64() if type_ == "integer" else pa.float64())
    except pa.ArrowInvalid:
        return None


def _truth(cells: Any) -> Any | None:
    lower = pc.utf8_lower(cells)
    if pc.all(pc.is_in(lower.drop_null(), value_set=pa.array(["true", "false"]))).as_py() is False:
        return None
    return pc.equal(lower, "true")


def _separated(cells: Any, pattern: str, separators: str) -> Any | None:
    if pc.all(pc.match_substring_regex(cells, pattern)).as_py() is False:
        return None
    cells = pc.replace_substring_regex(cells, separators, "")
    return pc.cast(pc.replace_substring(cells, ",", "."), pa.float64())


def first_misfit(cells: Any, type_: str, cell_format: CellFormat) -> int:
    """The place of the first cell that does not fit, by halving."""
    low, high = 0, len(cells)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if convert(cells.slice(low, middle - low), type_, cell_format) is None else (middle, high)
        )
    return low
