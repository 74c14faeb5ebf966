"""What the package says and how it is written. Nothing heavy is imported here: ``maxmargin --help`` loads it."""

from ._console import PAGE_WIDTH, TextTable, draw_table, make_console, printable, show_table
from ._errors import Argument, FloatRangeError, InputError, Place, quoted
from ._events import BytesRead, Candidate, Fitting, Judged, ProgressEvent, RowsPredicted, Stage
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
from ._progress import ProgressDisplay, ProgressState

__all__ = [
    "Argument",
    "FloatRangeError",
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
    "PAGE_WIDTH",
    "TextTable",
    "draw_table",
    "make_console",
    "printable",
    "show_table",
    "BytesRead",
    "Candidate",
    "Fitting",
    "Judged",
    "ProgressEvent",
    "RowsPredicted",
    "Stage",
    "ProgressDisplay",
    "ProgressState",
]
