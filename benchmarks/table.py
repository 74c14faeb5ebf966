"""Text tables with aligned columns, and how figures are written in them."""

from __future__ import annotations

import math
from collections.abc import Sequence

MISSING = "-"


def render(header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str] = ()) -> str:
    """Lines of a table; the first column and those named in `left` are aligned to the left, the rest to the right.

    A row that is shorter than the header ends in free text, which is not cut to the width of its column.
    """
    full = [row for row in rows if len(row) == len(header)]
    widths = [max(len(cell) for cell in column) for column in zip(header, *full, strict=True)]
    names = max((len(row[0]) for row in rows), default=0)
    widths[0] = max(widths[0], names)
    return "\n".join(_line(row, header, widths, left) for row in [list(header), *rows])


def _line(row: Sequence[str], header: Sequence[str], widths: Sequence[int], left: Sequence[str]) -> str:
    cells = []
    for position, (cell, name, width) in enumerate(zip(row, header, widths, strict=False)):
        free_text = len(row) < len(header) and position == len(row) - 1
        if position == 0 or name in left or free_text:
            cells.append(cell.ljust(0 if free_text and position else width))
        else:
            cells.append(cell.rjust(width))
    return "  " + "  ".join(cells).rstrip()


def seconds(value: float | None) -> str:
    """Three figures, in seconds whatever the size, so that columns compare at a glance."""
    if value is None:
        return MISSING
    digits = 3 if value <= 0 else max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{min(digits, 6)}f}"


def small(value: float | None) -> str:
    return MISSING if value is None else "0" if value == 0 else f"{value:.1e}"


def ratio(value: float | None, at_least: bool = False) -> str:
    return MISSING if value is None else f"{'>' if at_least else ''}{value:.2f}"


def megabytes(value: float | None) -> str:
    return MISSING if value is None else f"{value:.0f}"


def count(value: int | None) -> str:
    return MISSING if value is None else str(value)


def verdict(value: float | None, required: float | None, at_least: bool = False) -> str:
    """Whether a ratio reaches what is required; empty where nothing is, "open" where it may be larger than that."""
    if value is None or required is None:
        return ""
    return "ok" if value >= required else "open" if at_least else "short"
