"""How a CSV file is laid out: its delimiter and the names of its columns."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from ..messages import Argument, Place, quoted
from ._errors import TableError
from ._text import Block, first_record, records
from ._types import MISSING

DELIMITERS = (",", "\t", ";", "|")
_LOOKED = 50  # records
_HINT = re.compile("sep=.", re.IGNORECASE)  # the delimiter, as spreadsheets are told of it
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def sniff_delimiter(block: Block) -> str:
    """The delimiter that cuts the first records into equally many cells, and into more than one."""
    best, delimiter = (0.0, 0), ","
    for candidate in DELIMITERS:
        widths = [len(cells) for _, cells in islice(records(block, candidate), _LOOKED)]
        if not widths or widths[0] < 2:
            continue
        alike = Counter(widths)[widths[0]] / len(widths)
        if (alike, widths[0]) > best:
            best, delimiter = (alike, widths[0]), candidate
    return delimiter


def refuse_blanks(block: Block, name: str) -> None:
    """Say so if the lines of a single column are numbers with blanks between them."""
    lines = [cells[0].split() for _, cells in islice(records(block, ","), _LOOKED) if len(cells) == 1]
    widths = {len(words) for words in lines}
    if len(lines) > 1 and len(widths) == 1 and widths.pop() > 1:
        if all(_NUMBER.fullmatch(word) or word in MISSING for words in lines[1:] for word in words):
            raise TableError.at(Place(name), "its columns are set apart by blanks; write commas or tabs between them.")


def read_header(block: Block, delimiter: str, header: bool | None, name: str) -> tuple[list[str], int]:
    """Names of the columns, and how many bytes of the block they take."""
    found = first_record(block, delimiter)
    if found is None:
        raise TableError(f"{name} is empty: there is nothing in it but blank lines.", place=Place(name))
    line, cells, length = found
    if len(cells) <= 2 and _HINT.fullmatch(delimiter.join(cells)):
        words = (
            f"{quoted(delimiter.join(cells))} is a hint for spreadsheets and no name of a column; take the line out."
        )
        raise TableError.at(Place(name, line), words)
    if header is False:
        return [f"x{j}" for j in range(len(cells))], 0
    if header is None:
        _refuse_data(cells, Place(name, line))
    return _names(cells, Place(name, line)), length


def _refuse_data(cells: list[str], where: Place) -> None:
    """Say so if the first line looks like data: half of it numbers, or one of them with a decimal point."""
    present = [cell.strip() for cell in cells if cell.strip() not in MISSING]
    numbers = [cell for cell in present if _NUMBER.fullmatch(cell)]
    if numbers and (2 * len(numbers) >= len(present) or any("." in cell for cell in numbers)):
        raise TableError.at(
            where,
            f"the first line has {quoted(numbers[0])} where a column's name should be; say ",
            Argument("header", False),
            " if the table has no header, ",
            Argument("header", True),
            " if these are names.",
        )


def _names(cells: list[str], where: Place) -> list[str]:
    names = [cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1)]
    seen: dict[str, int] = {}
    for place, column in enumerate(names, 1):
        if column in seen:
            words = f"columns {seen[column]} and {place} are both named {quoted(column)}; rename one of them."
            raise TableError.at(where, words)
        seen[column] = place
    return names
