"""A table that was pasted, dropped or given: two of its columns are drawn, another may be the class."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np

from ..messages import InputError
from ._fit import Answer
from ._request import MOST_CLASSES, MOST_POINTS, MOST_TEXT, LimitError

_MOST_COLUMNS, _MOST_GROUPS, NO_CLASS = 40, 12, 255
_MARKS = r"[,;\t|]"
_DECIMAL_COMMA = re.compile(r'(?:^|[;\t|])\s*"?[-+]?\d*,\d+(?:[eE][-+]?\d+)?"?\s*(?=$|[;\t|])')


def read_text(text: Any, header: bool | None = None) -> Answer:
    """Columns of CSV text; without names in its first line, they are x0, x1, ..."""
    from ..tables import read_table

    if isinstance(text, str) and len(text) > MOST_TEXT:
        raise LimitError(f"A pasted table has up to {MOST_TEXT:,} characters here.")
    text = text.strip("\ufeff\r\n ") if isinstance(text, str) else ""
    if not text.strip():
        raise InputError("The table is empty.")
    if not re.search(_MARKS, text.splitlines()[0]):
        text = re.sub(r"[ \xa0]+", "\t", re.sub(r"(?m)^[ \xa0]+|[ \xa0]+$", "", text))
    options = _commas(text)
    first = text.splitlines()[0]
    if header is None:
        cells = re.split(re.escape(options["delimiter"]) if options else _MARKS, first)
        header = any(_is_word(cell.replace(",", ".") if options else cell) for cell in cells)
    data = io.BytesIO(text.encode() + b"\n")
    return columns_of(read_table(data, format="csv", header=header, max_bytes=100_000_000, **options))


def _commas(text: str) -> dict[str, Any]:
    """How to read a table whose numbers have a decimal comma, as they do where other marks are between the cells."""
    lines = text.splitlines()[:50]
    mark = next((mark for mark in ";\t|" if mark in lines[0]), None)
    if mark is None or not any(_DECIMAL_COMMA.search(line) for line in lines):
        return {}
    return {"decimal": ",", "delimiter": mark}


def given_table(table: Any, target: str | None = None, name: str = "") -> Answer:
    """The columns of a whole table, of which at most so many rows as can be drawn are drawn from a seed."""
    if not hasattr(table, "column_names"):
        raise InputError("LIBSVM text cannot be drawn: it has no named columns.")
    total = table.num_rows
    if total > MOST_POINTS:
        table = table.take(np.sort(np.random.default_rng(0).permutation(total)[:MOST_POINTS]))
    header, arrays = columns_of(table, target)
    return {**header, "name": name, "target": target, "of": total}, arrays


def columns_of(table: Any, target: str | None = None) -> Answer:
    """The columns of a table that can be axes, with NaN where a number is missing, and those that can be classes."""
    names = list(table.column_names)
    if table.num_rows > MOST_POINTS:
        raise LimitError(f"The table has {table.num_rows:,} rows; up to {MOST_POINTS:,} are possible here.")
    numbers: dict[str, np.ndarray] = {}
    classes: dict[str, tuple[np.ndarray, list[str]]] = {}
    for name in names:
        values = table.column(name).to_pylist()
        if (floats := _floats(values)) is not None:
            numbers[name] = floats
        if (grouped := _groups(values)) is not None:
            classes[name] = grouped
    if not numbers:
        raise InputError("The table has no column of numbers.")
    axes, groups = _some(list(numbers), target, _MOST_COLUMNS), _some(list(classes), target, _MOST_GROUPS)
    arrays = {f"n{k}": numbers[name] for k, name in enumerate(axes)}
    arrays |= {f"c{k}": classes[name][0] for k, name in enumerate(groups)}
    words = [classes[name][1] for name in groups]
    texts = [name for name in groups if name not in numbers]
    found = {"axes": axes, "groups": groups, "words": words, "texts": texts, "rows": table.num_rows}
    return {**found, "note": _left_out(names, axes, groups)}, arrays


def _left_out(names: list[str], axes: list[str], groups: list[str]) -> str:
    """Which columns cannot be chosen, and why."""
    others = [name for name in names if name not in axes and name not in groups]
    if not others:
        return ""
    few = ", ".join(name[:60] for name in others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return (
        f"Not to choose from: {few}. Axes are columns of numbers, the first {_MOST_COLUMNS} of them; "
        f"classes are columns of 2 to {MOST_CLASSES} different values, the first {_MOST_GROUPS}."
    )


def _some(names: list[str], target: str | None, most: int) -> list[str]:
    """As many as can be listed, the target always among them."""
    return [name for k, name in enumerate(names) if k < most or name == target]


def _floats(values: list[Any]) -> np.ndarray | None:
    """The numbers of a column, NaN where one is missing; None for what is not numbers."""
    if any(isinstance(value, str) for value in values):
        return None
    try:
        found = np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        return None
    found[~np.isfinite(found)] = np.nan
    return None if np.isnan(found).all() else found


def _groups(values: list[Any]) -> tuple[np.ndarray, list[str]] | None:
    """The number of each value's class and the classes in order; None for too few or too many."""
    known = {value for value in values if not (value is None or (isinstance(value, float) and math.isnan(value)))}
    if not 2 <= len(known) <= MOST_CLASSES:
        return None
    try:
        order = sorted(known)
    except TypeError:
        order = sorted(known, key=str)
    place = {value: k for k, value in enumerate(order)}
    return np.array([place.get(value, NO_CLASS) for value in values], dtype=np.uint8), [str(value) for value in order]


def _is_word(cell: str) -> bool:
    try:
        float(cell.strip().strip("\"'") or "0")
    except ValueError:
        return True
    return False
