"""Tables written piece by piece: CSV, Parquet, Arrow and JSON lines, to a file or to standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from ..messages import jsonable, one_line
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
            try:
                return parquet.ParquetWriter(self.file, schema)
            except NotImplementedError as error:  # spans of months, for one, that an Arrow file can hold
                raise UserError(f"Parquet has no place for a column ({one_line(error)[:100]}); write .arrow.") from None
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
        self.schema = schema
        self.checked = [not HARMLESS.keys() <= (field.metadata or {}).keys() for field in schema]

    def write(self, table: Any) -> None:
        for batch in table.to_batches():
            texts = [_texts(*pair) for pair in zip(self.schema, batch.columns, strict=True)]
            self._lines(
                [
                    self._harmless(text) if checked and (column.type == text.type or _is_binary(column.type)) else text
                    for text, column, checked in zip(texts, batch.columns, self.checked, strict=True)
                ]
            )

    def _harmless(self, column: Any) -> Any:
        """Texts none of which a spreadsheet runs."""
        from pyarrow import compute

        if self.formulas:
            return column
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


def _texts(field: Any, column: Any) -> Any:
    """Values as text, or an error that names the column."""
    import pyarrow

    try:
        return _as_text(column)
    except (pyarrow.ArrowException, ValueError) as error:
        raise _no_text(field, error) from None


def _no_text(field: Any, error: BaseException) -> UserError:
    return UserError(
        f"column {field.name!r} holds values of type {field.type} that cannot be written as text "
        f"({one_line(error)[:100].rstrip('.')}); --out with .parquet or .arrow keeps them."
    )


def _is_binary(type_: Any) -> bool:
    from pyarrow import types

    kinds = types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view
    return any(is_(type_) for is_ in kinds)


_LAST_YEAR = 32767  # beyond it, Arrow writes dates that are none
_LAST_DAY = (_LAST_YEAR - 1970) * 365


def _refuse_far(column: Any) -> None:
    """Dates beyond what Arrow can write."""
    from pyarrow import compute, int64, timestamp, types

    if types.is_date32(column.type):
        days = column.cast("int32")
    else:
        days = column.cast(timestamp(column.type.unit) if types.is_timestamp(column.type) else timestamp("ms"))
        days = compute.divide(
            days.cast(int64()), {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[days.type.unit] * 86400
        )
    ends = compute.min_max(days).as_py()
    if ends["max"] is not None and not -_LAST_DAY < ends["min"] <= ends["max"] < _LAST_DAY:
        raise ValueError(f"a date beyond the year {_LAST_YEAR}")


def _as_text(column: Any) -> Any:
    """Values as text; a date without a time is written as a date."""
    import pyarrow
    from pyarrow import compute, types

    if types.is_timestamp(column.type) or types.is_date(column.type):
        _refuse_far(column)
    if types.is_duration(column.type):
        raise ValueError("text has no unit")
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

    if (field.metadata or {}).get(b"json") == b"value":
        return ["null" if text is None else text for text in column.to_pylist()]
    short = types.is_floating(column.type) and column.type.bit_width < 64  # in float64, 0.1 would be 0.10000000149
    if (field.metadata or {}).get(b"json") == b"number" or types.is_decimal(column.type) or short:
        return ["null" if text is None or "n" in text.lower() else text for text in _texts(field, column).to_pylist()]
    if types.is_nested(column.type):
        if not _is_json(column.type):
            raise _no_text(field, ValueError("JSON has no such values"))
    elif not types.is_primitive(column.type) or types.is_temporal(column.type):
        column = _texts(field, column)
    return [_json(value) for value in column.to_pylist()]


def _is_json(type_: Any) -> bool:
    """Whether lists and objects hold nothing but what JSON has."""
    from pyarrow import types

    if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
        return _is_json(type_.value_type)
    if types.is_struct(type_):
        return all(_is_json(field.type) for field in type_)
    plain = types.is_boolean, types.is_integer, types.is_float64, types.is_string, types.is_large_string, types.is_null
    return any(is_(type_) for is_ in plain)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _json(value: Any) -> str:
    return _ENCODER.encode(jsonable(value))
