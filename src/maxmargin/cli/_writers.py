"""Tables written piece by piece: CSV, Parquet, Arrow and JSON lines, to a file or to standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from ..messages import jsonable
from ._errors import UserError
from ._files import STANDARD

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def output_format(out: str) -> str:
    """The format that an output file has by its ending; standard output is CSV."""
    if out == STANDARD:
        return "csv"
    if out.endswith(("/", os.sep)):
        raise UserError(f"{out}: is the name of a folder; give the name of a file.")
    ending = Path(out).suffix.lower()
    if ending not in FORMATS:
        raise UserError(f"{out}: cannot tell the format by its ending; use one of {', '.join(FORMATS)}.")
    return FORMATS[ending]


# What a spreadsheet takes for a formula: these signs at the beginning, the full-width ones and those after a tab, a
# line break, blanks or a byte order mark among them. A number with a sign is none, nor is a sign alone.
_FORMULA = r"(?s)^[\x{feff} ]*[=+\-@\t\r\n＝＋－＠]."
_SIGNED = r"^ *[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)? *$"


HARMLESS = {b"harmless": b""}  # of a field whose texts are numbers, dates, or words for what is missing


@contextmanager
def table_written(out: str, *, formulas: bool = False) -> Iterator[TableWriter]:
    """A writer to a file, which appears when all is written, or to standard output.

    In CSV and TSV an apostrophe is put before text that a spreadsheet would run as a formula, unless `formulas`.
    """
    from ..engine import whole_file

    form = output_format(out)
    if out != STANDARD:
        Path(out).parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    with nullcontext(sys.stdout.buffer) if out == STANDARD else whole_file(out) as file:
        writer = TableWriter(form, file, formulas)
        yield writer
        writer.close()
        file.flush()


class TableWriter:
    """Takes one table after the other; it begins with the first, whose columns all others have."""

    def __init__(self, form: str, file: Any, formulas: bool) -> None:
        self.form, self.file, self.formulas = form, file, formulas
        self.writer: Any = None

    def write(self, table: Any) -> None:
        """Add rows."""
        if self.writer is None:
            self.writer = self._begin(table.schema)
        self.writer.write(table)

    def _begin(self, schema: Any) -> Any:
        from pyarrow import ipc, parquet

        if self.form == "parquet":
            return parquet.ParquetWriter(self.file, schema)
        if self.form == "arrow":
            return ipc.new_file(self.file, schema)
        return _JsonLines(self.file) if self.form == "jsonl" else _Csv(self.file, schema, self.form, self.formulas)

    def close(self) -> None:
        """Write what the format has at its end."""
        if hasattr(self.writer, "close"):
            self.writer.close()


class _Csv:
    """CSV with quotes where they are needed alone: Arrow's own writer puts them around every text."""

    def __init__(self, file: Any, schema: Any, form: str, formulas: bool) -> None:
        import pyarrow

        self.file, self.delimiter, self.formulas = file, "," if form == "csv" else "\t", formulas
        self._lines([self._harmless(pyarrow.array([name])) for name in schema.names])
        self.checked = [not HARMLESS.keys() <= (field.metadata or {}).keys() for field in schema]

    def write(self, table: Any) -> None:
        for batch in table.to_batches():
            columns = zip(batch.columns, self.checked, strict=True)
            self._lines([self._harmless(column) if checked else _as_text(column) for column, checked in columns])

    def _harmless(self, column: Any) -> Any:
        """Values as text, none of which a spreadsheet runs; numbers and dates are what they are."""
        from pyarrow import compute, types

        if self.formulas or not types.is_string(column.type):
            return _as_text(column)
        formula = compute.match_substring_regex(column, _FORMULA)
        if not compute.any(formula).as_py():
            return column
        formula = compute.and_not(formula, compute.match_substring_regex(column, _SIGNED))
        return compute.if_else(formula, compute.binary_join_element_wise("'", column, ""), column)

    def _lines(self, columns: list[Any]) -> None:
        from pyarrow import compute

        quoted = [self._quoted(column) for column in columns]
        lines = compute.binary_join_element_wise(*quoted, self.delimiter, null_handling="replace", null_replacement="")
        self.file.write("".join(f"{line}\n" for line in lines.to_pylist()).encode())

    def _quoted(self, column: Any) -> Any:
        from pyarrow import compute

        special = compute.match_substring_regex(column, f'["{self.delimiter}\r\n]|^$')
        if not compute.any(special).as_py():
            return column
        inner = compute.replace_substring(column, '"', '""')
        return compute.if_else(special, compute.binary_join_element_wise('"', inner, '"', ""), column)


def _as_text(column: Any) -> Any:
    """Values as text; a date without a time is written as a date."""
    import pyarrow
    from pyarrow import compute, types

    if types.is_timestamp(column.type) and column.type.tz is not None:
        return compute.strftime(column, "%Y-%m-%dT%H:%M:%S%Ez")
    if types.is_timestamp(column.type):
        days = compute.strftime(column, "%Y-%m-%d")
        midnight = compute.equal(compute.floor_temporal(column, unit="day"), column)
        return compute.if_else(midnight, days, compute.strftime(column, "%Y-%m-%dT%H:%M:%S"))
    return column if types.is_string(column.type) else column.cast(pyarrow.string())


class _JsonLines:
    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, table: Any) -> None:
        names = [_json(name) for name in table.column_names]
        for batch in table.to_batches():
            columns = [_json_cells(*pair) for pair in zip(table.schema, batch.columns, strict=True)]
            for row in zip(*columns, strict=True):
                cells = ", ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True))
                self.file.write(f"{{{cells}}}\n".encode())


def _json_cells(field: Any, column: Any) -> list[str]:
    """Values in JSON; numbers that a column holds as text, or as decimals, with the digits that they have."""
    from pyarrow import types

    if (field.metadata or {}).get(b"json") == b"number" or types.is_decimal(column.type):
        return ["null" if text is None or "n" in text.lower() else text for text in _as_text(column).to_pylist()]
    return [_json(value) for value in (_as_text(column) if types.is_timestamp(column.type) else column).to_pylist()]


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _json(value: Any) -> str:
    return _ENCODER.encode(jsonable(value))
