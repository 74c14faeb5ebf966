"""Many columns of few rows: their cells in one array, so that a column takes no calls of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._narrow import ALL, CellFormat, Fit, implied
from ._text import Block

# Of what Arrow reads as integers and as numbers, what leaves no doubt. Other cells are looked at by column.
_INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"
_NUMBER = r"^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
_DIGITS = r"^-?[0-9]+$"


def wide_cells(block: Block, delimiter: str, width: int, chosen: Sequence[int]) -> Any | None:
    """Cells of the chosen columns, one column after the other; None if the lines are not all of this width."""
    rows = []
    try:
        for cells in csv.reader(io.StringIO(block.data.decode(), newline=""), delimiter=delimiter):
            if len(cells) == width:
                rows.append(pa.array(cells, pa.string()))
            elif "".join(cells).strip() or len(cells) > 1:
                return None
    except csv.Error:  # a cell that is too long for the module
        return None
    if not rows:
        return pa.array([], pa.string())
    order = np.arange(len(rows), dtype=np.int32)[None, :] * width + np.asarray(chosen, dtype=np.int32)[:, None]
    return pa.concat_arrays(rows).take(pa.array(order.ravel()))


def fit_together(
    cells: Any, rows: int, which: np.ndarray, lefts: Sequence[frozenset[str]], cell_format: CellFormat
) -> dict[int, Fit]:
    """What `fit_types` finds, of those columns (the places `which`) of which numbers can be read at once.

    Keys are places in `which`, as are those of `lefts`, the types that each column could have so far.
    """
    if cell_format.decimal != ".":
        return {}

    def of_columns(pattern: str) -> np.ndarray:
        """By column and row, whether a cell fits a pattern; one that is missing fits."""
        fits = pc.fill_null(pc.match_substring_regex(cells, pattern), True)
        return fits.to_numpy(zero_copy_only=False).reshape(-1, rows)[which]

    integer = of_columns(_INTEGER).all(axis=1)
    nothing = np.asarray(cells.is_null().to_numpy(zero_copy_only=False)).reshape(-1, rows)[which].all(axis=1)
    number = np.zeros(len(which), dtype=bool)
    if not integer.all():
        number |= of_columns(_NUMBER).all(axis=1) & ~of_columns(_DIGITS).all(axis=1)
    may_integer = np.array(["integer" in left for left in lefts])
    may_number = np.array(["number" in left for left in lefts])
    found: dict[int, Fit] = {}
    for type_, target, selected in (
        ("integer", pa.int64(), nothing | (integer & may_integer)),
        ("number", pa.float64(), ~nothing & may_number & (number | (integer & ~may_integer))),
    ):
        places = np.flatnonzero(selected)
        arrays = cast_together(cells, rows, which[places], target)
        types = implied(type_, {type_}, cell_format)
        for place, array in zip(places.tolist(), arrays or (), strict=False):
            found[place] = (ALL if nothing[place] else types, type_, array)
    return found


def cast_together(cells: Any, rows: int, which: np.ndarray, target: Any) -> list[Any] | None:
    """The cells of each of these columns as a type; None if there are none, or if one of them does not fit."""
    if not len(which):
        return None
    if len(which) * rows != len(cells) or (np.diff(which) != 1).any():
        cells = cells.take(pa.array((which[:, None] * rows + np.arange(rows)[None, :]).ravel()))
    try:
        whole = cells.cast(target)
    except pa.ArrowInvalid:
        return None
    return [whole.slice(begin, rows) for begin in range(0, len(whole), rows)]
