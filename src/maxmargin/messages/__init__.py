"""What the package says and how it is written. Nothing heavy is imported here: ``maxmargin --help`` loads it."""

from ._errors import Argument, InputError, Place, quoted
from ._format import (
    MINUS,
    NARROW_SPACE,
    byte_size,
    counted,
    jsonable,
    listed,
    number,
    one_line,
    parameters,
    percent,
    shortened,
    typeset,
)

__all__ = [
    "Argument",
    "InputError",
    "MINUS",
    "NARROW_SPACE",
    "Place",
    "byte_size",
    "counted",
    "jsonable",
    "listed",
    "number",
    "one_line",
    "parameters",
    "percent",
    "quoted",
    "shortened",
    "typeset",
]
