"""Options that several commands have, and the words for what they take."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

from ._errors import UserError

READING = Group("Reading tables", sort_key=80)
OUTPUT = Group("Output", sort_key=90)


def flag(help: str, group: Group | None = None) -> Parameter:
    """An option that is there or not."""
    place: dict[str, Any] = {} if group is None else {"group": group}  # a group of None would hide it
    return Parameter(negative="", show_default=False, help=help, **place)


def output_file(help: str) -> Parameter:
    """An option that names a file to write."""
    return Parameter(group=OUTPUT, help=help, converter=_file_name)


def _file_name(_: Any, tokens: Any) -> Path:
    """A path that does not end in a slash, which it would lose: ``--out models/`` would write a file ``models``."""
    name = tokens[0].value
    if name.endswith(("/", os.sep)):
        raise UserError(f"{name}: is the name of a folder; give the name of a file.")
    return Path(name)


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class OutputOptions:
    """How a command speaks."""

    json: Annotated[bool, flag("Print one JSON document instead of text.")] = False
    quiet: Annotated[bool, flag("Print nothing but errors.")] = False
    debug: Annotated[bool, flag("Show the traceback of an error.")] = False


@Parameter(name="*", group=READING)
@dataclass(frozen=True)
class Reading:
    """How a table is to be read, where what is found in it does not tell: options of `read_table`."""

    format: Annotated[str | None, Parameter(help="csv (any delimiter), parquet, arrow, jsonl or libsvm.")] = None
    delimiter: Annotated[str | None, Parameter(help="What separates the cells of CSV: one character, or \\t.")] = None
    header: Annotated[bool | None, Parameter(help="Whether the first line of CSV has the names of the columns.")] = None
    encoding: Annotated[str | None, Parameter(help="Encoding of text, such as latin-1; UTF-8 by default.")] = None
    decimal: Annotated[str | None, Parameter(help="The decimal mark of CSV: . or ,")] = None
    day_first: Annotated[bool | None, Parameter(help="Whether 1/2/2026 is the first of February.")] = None
    missing: Annotated[
        list[str] | None, Parameter(negative="", help="A cell of CSV that stands for a missing value; may be repeated.")
    ] = None
    max_columns: Annotated[
        int | None, Parameter(help="The most columns; by default 100,000, or 10^8 in LIBSVM text unless it is short.")
    ] = None
    max_bytes: Annotated[
        int | None, Parameter(help="The most memory for the table; by default what the machine has.")
    ] = None
    max_expansion: Annotated[
        float | None,
        Parameter(help="The most bytes read for each byte stored (gzip, Parquet), beyond 64 MB; 200 by default."),
    ] = None

    def options(self) -> dict[str, Any]:
        """What was said, as arguments of `read_table` and `scan_table`."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.delimiter == "\\t":
            said["delimiter"] = "\t"
        return {name: value for name, value in said.items() if value is not None}


DEFAULT_OUTPUT, AS_FOUND = OutputOptions(), Reading()

Data = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True,
        help="A table: CSV, Parquet, Arrow, JSON lines or LIBSVM text, gzip too; - is standard input.",
    ),
]
Model = Annotated[Path, Parameter(help="A model file, as train writes it.")]
Force = Annotated[bool, flag("Replace files that exist.", OUTPUT)]
