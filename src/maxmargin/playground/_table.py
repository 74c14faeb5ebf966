"""A table that was pasted or dropped: its columns, of which the page takes two and perhaps the classes."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from ..messages import InputError
from ._fit import Answer
from ._request import MOST_CLASSES, MOST_POINTS, MOST_TEXT, LimitError

_MOST_COLUMNS = 12


def read_text(text: Any, header: bool | None = None) -> Answer:
    """Columns of CSV text; without names in its first line, they are x0, x1, ..."""
    from ..tables import read_table

    if not isinstance(text, str) or not text.strip():
        raise InputError("The table is empty.")
    if len(text) > MOST_TEXT:
        raise LimitError(f"A pasted table has up to {MOST_TEXT:,} characters here.")
    if header is None:
        header = any(map(_is_word, re.split(r"[,;\t|]", text.strip().splitlines()[0])))
    table = read_table(io.BytesIO(text.strip().encode() + b"\n"), format="csv", header=header, max_bytes=100_000_000)
    return columns_of(table)


def columns_of(table: Any) -> Answer:
    """The columns of a table that can be axes, and those that can be classes."""
    names = list(table.column_names)
    if table.num_rows > MOST_POINTS:
        raise LimitError(f"The table has {table.num_rows:,} rows; up to {MOST_POINTS:,} are possible here.")
    numbers: dict[str, np.ndarray] = {}
    classes: dict[str, np.ndarray] = {}
    words: dict[str, list[str]] = {}
    for name in names:
        values = table.column(name).to_pylist()
        floats = _floats(values)
        if floats is not None:
            numbers[name] = floats
        different = sorted({str(value) for value in values})
        if 2 <= len(different) <= MOST_CLASSES:
            place = {word: k for k, word in enumerate(different)}
            classes[name] = np.array([place[str(value)] for value in values], dtype=np.uint8)
            words[name] = different
    if not numbers:
        raise InputError("No column of the table has numbers alone, none of them missing.")
    axes, groups = list(numbers)[:_MOST_COLUMNS], list(classes)[-4:]
    arrays = {f"n{k}": numbers[name] for k, name in enumerate(axes)}
    arrays |= {f"c{k}": classes[name] for k, name in enumerate(groups)}
    return {"axes": axes, "groups": groups, "words": [words[name] for name in groups], "rows": table.num_rows}, arrays


def _floats(values: list[Any]) -> np.ndarray | None:
    try:
        found = np.array([np.nan if value is None or isinstance(value, str) else float(value) for value in values])
    except (TypeError, ValueError):
        return None
    return found if np.isfinite(found).all() else None


def _is_word(cell: str) -> bool:
    try:
        float(cell.strip().strip("\"'") or "0")
    except ValueError:
        return True
    return False
