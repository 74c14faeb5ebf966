"""A column of a text file while it is read: of a type that is found out, or of one that is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..messages import Argument
from ._dates import AMBIGUOUS, FORMS
from ._errors import TableError, need_pyarrow
from ._narrow import ORDER, TEXT, convert, first_misfit, fit_types

if TYPE_CHECKING:
    from ._csv import Batch, CsvFile

_NUMBERS = ("integer", "number", "thousands", "comma")
_EITHER_ORDER = Argument("day_first", True), " or ", Argument("day_first", False), "."
_NOUNS = {"integer": "no integer", "number": "no number", "bool": "neither true nor false", "date": "no date"}


def arrow_type(type_: str) -> Any:
    """Arrow's type for one of ours."""
    pa = need_pyarrow()
    if type_ in FORMS or type_ == "date":
        return pa.timestamp("us")
    return {"integer": pa.int64(), "bool": pa.bool_(), TEXT: pa.string()}.get(type_, pa.float64())


class GrowingColumn:
    """A column whose type is the first that all of its cells fit."""

    def __init__(self, file: CsvFile, name: str) -> None:
        self.file, self.name = file, name
        self.types = frozenset(ORDER)
        self.type = ""
        self.parts: list[Any] = []
        self._read_as: list[str] = []
        self._odd: tuple[Batch, int, str] | None = None  # a cell that could be read in two ways: its row, what it holds

    def add(self, batch: Batch) -> None:
        types, type_, array = fit_types(batch.cells[self.name], self.file.cell_format, self.types)
        self.types &= types
        self.parts.append(array)
        self._read_as.append(type_)
        if self._odd is None and self._questions(types, batch.cells[self.name]):
            self._odd = (batch, *self.file.misfit(batch, self.name, "number"))

    @staticmethod
    def _questions(types: frozenset[str], cells: Any) -> bool:
        import pyarrow.compute as pc

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
    pa = need_pyarrow()
    return pa.nulls(len(part), target)


class FixedColumn:
    """A column of a type that is known: "integer", "number", "bool", "date" or "text"."""

    def __init__(self, file: CsvFile, name: str, word: str, found: str = "", after: int = 0) -> None:
        self.file, self.name, self.word, self._after = file, name, word, after
        self._candidates = self._first_candidates(found)
        self.type = word
        self.parts: list[Any] = []

    def _first_candidates(self, found: str) -> list[str]:
        cell_format = self.file.cell_format
        if self.word == "date":
            return [found] if found else cell_format.forms()
        if self.word == "number":
            if cell_format.decimal == ",":
                return ["comma"]
            return ["number", "thousands"] if self.file.delimiter == "," or found == "thousands" else ["number"]
        return [self.word]

    def add(self, batch: Batch) -> None:
        self.parts.append(self.read(batch))

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
        if self._after:
            words = f"{found}, as the first {self._after} rows are; leave the cell empty, or say "
            return TableError.at(where, words, Argument("types", {self.name: "text"}), ".")
        return TableError.at(where, f"{found}, which this column has to hold; write one, or leave the cell empty.")
