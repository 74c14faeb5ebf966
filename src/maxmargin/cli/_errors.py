"""How the tool fails: exit codes, and one sentence about what went wrong.

=====  ======================================================================
code   meaning
=====  ======================================================================
0      done
1      a certificate does not hold, or could not be proven
2      a mistake of the user: arguments, files, tables, what is not installed
3      a fault of the tool itself; the traceback is in a file that is named
130    interrupted (Ctrl-C); 143 if ended by SIGTERM
141    nobody reads the output any more (``maxmargin ... | head``)
=====  ======================================================================
"""

from __future__ import annotations

import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unicodedata import category

DONE, DOES_NOT_HOLD, MISTAKE, FAULT, INTERRUPTED, TERMINATED, PIPE_CLOSED = 0, 1, 2, 3, 130, 143, 141


class UserError(Exception):
    """A mistake of the user, said in one sentence that names what to change."""


@contextmanager
def about(data: str) -> Iterator[None]:
    """What the library finds wrong with a table names its file, too."""
    name = "standard input" if data == "-" else data
    try:
        yield
    except ValueError as error:
        text = str(error)
        of_table = type(error).__name__ == "TableError" or text.startswith(("target ", "the table "))
        if not of_table or name in text:
            raise
        raise UserError(f"{name}: {text[:1].lower()}{text[1:]}") from error


def exit_code_of(error: BaseException) -> int:
    """The exit code that an error ends the tool with."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return PIPE_CLOSED
    # The library refuses bad tables, parameters and model files with a ValueError (TableError and ModelFileError are
    # such), and what is not installed with an ImportError that names the extra. Anything else is a fault of ours.
    if isinstance(error, (UserError, ValueError, OSError, ImportError, MemoryError)):
        return MISTAKE
    return FAULT


def sentence_of(error: BaseException) -> str:
    """What went wrong in one line."""
    if isinstance(error, KeyboardInterrupt):
        return as_options(in_one_line(str(error))) or "interrupted."  # a training tells how to go on
    if isinstance(error, MemoryError):
        return f"not enough memory{f' ({error})' if str(error) else ''}; try fewer rows, or --model linear."
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}."
    return as_options(in_one_line(str(error))) or f"{type(error).__name__}."


# How arguments in the library's sentences are said as options; the first that fits wins.
_OPTIONS: tuple[tuple[str, Any], ...] = (
    (r"\b(drop_missing_target|day_first|header)=True\b", lambda m: f"--{m[1].replace('_', '-')}"),
    (r"\b(day_first|header)=False\b", lambda m: f"--no-{m[1].replace('_', '-')}"),
    (r"\bkinds\[(['\"])(.*?)\1\]", r"--kind \2=..."),
    (r"\bkinds=", "--kind"),
    (r"\bcolumns=(?=[\s,;:.]|$)", "--column"),
    (r"\b(model|task|kernel|target|format|encoding|decimal|delimiter|metric)=(['\"])(.*?)\2", r"--\1 \3"),
    (r"\b(C|gamma|test|seed|minutes|folds)=([-+.\w]*\w)", r"--\1 \2"),
    (r"\b(max)_(columns|bytes|expansion)=([-+.\w]*\w)", r"--\1-\2 \3"),
    (r"\b(max)_(columns|bytes|expansion)=(?=[\s,;:.]|$)", r"--\1-\2"),
    (r"\b(model|task|kernel|target|test|seed|minutes|delimiter|decimal|encoding|missing)=(?=[\s,;:.]|$)", r"--\1"),
)


def as_options(text: str) -> str:
    """A sentence of the library with its arguments as they are written on the command line."""
    for argument, option in _OPTIONS:
        text = re.sub(argument, option, text)
    return text


def in_one_line(text: str) -> str:
    """Text without line breaks, and with nothing in it that a terminal would obey."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Text whose control characters (a column name may hold any) are written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or category(c) == "Zs" else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def complain(error: BaseException, *, debug: bool) -> int:
    """Say on standard error what went wrong; the exit code."""
    code = exit_code_of(error)
    if code == PIPE_CLOSED:
        return code
    if debug:
        traceback.print_exception(error)
    sentence = sentence_of(error)
    if code == FAULT:
        sentence = f"a fault of maxmargin itself, {type(error).__name__}: {sentence}"
        if not debug:
            sentence = f"{sentence.rstrip('.')}. The traceback is in {_keep_traceback(error)} (--debug shows it)."
    print(f"maxmargin: {sentence}", file=sys.stderr)
    return code


def _keep_traceback(error: BaseException) -> str:
    with tempfile.NamedTemporaryFile(
        "w", prefix="maxmargin-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        traceback.print_exception(error, file=file)
        return file.name
