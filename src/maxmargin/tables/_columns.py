"""A column of a text file while it is read: of a type that is found out, or of one that is given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..messages import Argument
from ._dates import AMBIGUOUS, FORMS
from ._errors import TableError
from ._narrow import ALL, ORDER, TEXT, Fit, convert, first_misfit, fit_types
from ._wide import cast_together, fit_together

if TYPE_CHECKING:
    from ._csv import Batch, CsvFile

_NUMBERS = ("integer", "number", "thousands", "comma")
_EITHER_ORDER = Argument("day_first", True), " or ", Argument("day_first", False), "."
_NOUNS = {"integer": "not an integer", "number": "not a number", "bool": "neither true nor false", "date": "not a date"}


@cache
def arrow_type(type_: str) -> Any:
    """Arrow's type for one of ours."""
    if type_ in FORMS or type_ == "date":
        return pa.timestamp("us")
    return {"integer": pa.int64(), "bool": pa.bool_(), TEXT: pa.string()}.get(type_, pa.float64())


class GrowingColumn:
    """A column whose type is the first that all of its cells fit."""

    __slots__ = ("_odd", "_read_as", "file", "name", "parts", "type", "types")

    def __init__(self, file: CsvFile, name: str) -> None:
        self.file, self.name = file, name
        self.types = ALL
        self.type = ""
        self.parts: list[Any] = []
        self._read_as: list[str] = []
        self._odd: tuple[Batch, int, str] | None = None  # a cell that could be read in two ways: its row, what it holds

    def add(self, batch: Batch, fit: Fit | None = None) -> None:
        """Take the cells of a batch, of which it may be known already what they fit."""
        types, type_, array = fit or fit_types(batch.cells[self.name], self.file.cell_format, self.types)
        self.types = _both(self.types, types)
        self.parts.append(array)
        self._read_as.append(type_)
        if self._odd is None and self._questions(types, batch.cells[self.name]):
            self._odd = (batch, *self.file.misfit(batch, self.name, "number"))

    @staticmethod
    def _questions(types: frozenset[str], cells: Any) -> bool:
        if "number" in types:
            return False
        return set(AMBIGUOUS) <= types or ("comma" in types and pc.any(pc.match_substring(cells, ",")).as_py())

    def settle(self) -> bool:
        """Fix the type; whether the parts could be brought to it as they are."""
        self.type = next(type_ for type_ in ORDER if type_ in self.types)
        if len(self.types) == len(ORDER):  # no value at all
            self.type = "number"
        if self.type == "comma" and self._odd is None and self.file.cell_format.decimal == ".":
            self.type = TEXT  # 1.234.567 without a decimal comma anywhere is more likely a version than a number
        self._refuse_doubt()
        target = arrow_type(self.type)
        for place, (type_, part) in enumerate(zip(self._read_as, self.parts, strict=True)):
            if type_ == self.type:
                continue
            if part.null_count < len(part) and not (type_ in _NUMBERS[:2] and self.type in _NUMBERS):
                return False
            self.parts[place] = (
                part.cast(target, safe=False) if type_ in _NUMBERS and self.type in _NUMBERS else _nulls(part, target)
            )
            self._read_as[place] = self.type
        return True

    def _refuse_doubt(self) -> None:
        if self._odd is None or not (doubt := self._doubt()):
            return
        batch, row, cell = self._odd
        # The line is looked for here and not before: that takes a pass over the block, and columns can be many.
        raise TableError.at(self.file.place(batch, self.name, row), f"{cell} ", *doubt)

    def _doubt(self) -> tuple[str | Argument, ...]:
        """What cannot be decided about the odd cell."""
        if self.type == "comma" and self.file.cell_format.decimal != ",":
            return "is a number with a decimal comma; say ", Argument("decimal", ","), "."
        if self.type == "thousands" and "comma" in self.types and self.file.delimiter != ",":
            words = "can be read with a decimal comma or with a comma between thousands; say "
            return words, Argument("decimal", ","), " or write it without."
        if self.type in AMBIGUOUS and set(AMBIGUOUS) <= self.types:
            words = "is a date in which day and month cannot be told apart, here and in all other rows; say "
            return words, *_EITHER_ORDER
        return ()

    def word(self) -> str:
        """The type in the words of `FixedColumn`: integers of the first rows may go on as other numbers."""
        if self.type in _NUMBERS:
            return "number"
        return "date" if self.type in FORMS else self.type


def _nulls(part: Any, target: Any) -> Any:
    return pa.nulls(len(part), target)


@lru_cache(256)
def _both(types: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The types of two sets, as one object for all columns that have the same."""
    return types & others


class FixedColumn:
    """A column of a type that is known: "integer", "number", "bool", "date" or "text"."""

    def __init__(self, file: CsvFile, name: str, word: str, found: str = "", after: int = 0) -> None:
        self.file, self.name, self.word, self._after = file, name, word, after
        self._candidates = self._first_candidates(found)
        self.type = word
        self.parts: list[Any] = []

    @property
    def plain_type(self) -> str:
        """The type that cells are read as at first, if Arrow can read those of many columns at once; else nothing."""
        return self._candidates[0] if self._candidates[0] in _NUMBERS[:2] else ""

    def _first_candidates(self, found: str) -> list[str]:
        cell_format = self.file.cell_format
        if self.word == "date":
            return [found] if found else cell_format.forms()
        if self.word == "number":
            if cell_format.decimal == ",":
                return ["comma"]
            return ["number", "thousands"] if self.file.delimiter == "," or found == "thousands" else ["number"]
        return [self.word]

    def settle(self) -> bool:
        return True

    def read(self, batch: Batch) -> Any:
        """The cells of a batch as the type, or an error that says which cell does not fit."""
        cells = batch.cells[self.name]
        if cells.null_count == len(cells):
            return _nulls(cells, arrow_type(self.type))
        if self.word == "date":
            return self._read_dates(batch, cells)
        for type_ in self._candidates:
            if (array := convert(cells, type_, self.file.cell_format)) is not None:
                return array
        raise self._misfit(batch)

    def _read_dates(self, batch: Batch, cells: Any) -> Any:
        """The forms that fit all cells so far are the candidates for those to come."""
        converted = {form: convert(cells, form, self.file.cell_format) for form in self._candidates}
        fitting = [form for form, array in converted.items() if array is not None]
        if not fitting:
            raise self._misfit(batch)
        if set(AMBIGUOUS) <= set(fitting):
            raise TableError.at(
                self.file.place(batch, self.name, 0),
                "a date whose day and month cannot be told apart, here and in rows below; say ",
                *_EITHER_ORDER,
            )
        self._candidates = fitting
        return converted[fitting[0]]

    def _misfit(self, batch: Batch) -> TableError:
        cells, cell_format = batch.cells[self.name], self.file.cell_format
        # Of several types, the one that goes furthest down the column says where the trouble is.
        row = max(first_misfit(cells, type_, cell_format) for type_ in self._candidates)
        where = self.file.place(batch, self.name, row)
        found = f"{cells[row].as_py()!r:.60} is {_NOUNS[self.word]}"
        if self.word == "number" and cell_format.decimal == "." and self._with_comma(cells.slice(row, 1)):
            words = f"{found}, unless its comma is a decimal mark: then say "
            return TableError.at(where, words, Argument("decimal", ","), ".")
        if self._after:
            words = f"{found}, as the first {self._after} rows are; leave the cell empty, or say "
            return TableError.at(where, words, Argument("types", {self.name: "text"}), ".")
        return TableError.at(where, f"{found}, which this column has to hold; write one, or leave the cell empty.")

    def _with_comma(self, cell: Any) -> bool:
        if "," not in cell[0].as_py():
            return False
        return convert(cell, "comma", self.file.cell_format) is not None


# ---------------------------------------------------------------- the columns of a batch at once


def add_batch(columns: Sequence[GrowingColumn | FixedColumn], batch: Batch) -> None:
    """Let all columns take their cells. Those of a wide table are looked at together."""
    growing = [column for column in columns if isinstance(column, GrowingColumn)]
    fits = _fits(growing, batch) if growing else {}
    for column in columns:
        if isinstance(column, GrowingColumn):
            column.add(batch, fits.get(column.name))
    fixed = [column for column in columns if isinstance(column, FixedColumn)]
    for column, array in zip(fixed, read_batch(fixed, batch), strict=True):
        column.parts.append(array)


def _fits(columns: list[GrowingColumn], batch: Batch) -> dict[str, Fit]:
    if batch.together is None:
        return {}
    places = _places(batch)
    which = np.array([places[column.name] for column in columns])
    lefts = [column.types for column in columns]
    found = fit_together(batch.together, batch.rows, which, lefts, columns[0].file.cell_format)
    return {columns[place].name: fit for place, fit in found.items()}


def _places(batch: Batch) -> dict[str, int]:
    return {name: place for place, name in enumerate(batch.cells)}


def read_batch(columns: Sequence[FixedColumn], batch: Batch) -> list[Any]:
    """The cells of a batch as the types of their columns; those of a wide table together, if they fit."""
    ready: dict[str, Any] = {}
    if batch.together is not None:
        places = _places(batch)
        for type_ in _NUMBERS[:2]:
            names = [column.name for column in columns if column.plain_type == type_]
            which = np.array([places[name] for name in names], dtype=np.int64)
            arrays = cast_together(batch.together, batch.rows, which, arrow_type(type_)) if names else None
            ready |= dict(zip(names, arrays or (), strict=False))
    return [ready[column.name] if column.name in ready else column.read(batch) for column in columns]
