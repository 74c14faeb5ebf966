"""How the tool fails: exit codes, and one sentence about what went wrong.

=====  ======================================================================
code   meaning
=====  ======================================================================
0      done
1      a certificate does not hold, or could not be proven
2      a mistake of the user: arguments, files, tables, what is not installed
3      a fault of the tool itself; the traceback is in a file that is named
130    interrupted (Ctrl-C): the process ends by SIGINT; 143 if ended by SIGTERM
141    nobody reads the output any more (``maxmargin ... | head``)
=====  ======================================================================
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..messages import Argument, InputError, one_line, printable

DONE, DOES_NOT_HOLD, MISTAKE, FAULT, INTERRUPTED, TERMINATED, PIPE_CLOSED = 0, 1, 2, 3, 130, 143, 141
STANDARD_INPUT = "-"


class UserError(Exception):
    """A mistake of the user, said in one sentence that names what to change."""


@contextmanager
def about(data: str) -> Iterator[None]:
    """What the library finds wrong with a table is wrong with this file."""
    try:
        yield
    except InputError as error:
        if error.file is None and (error.argument is None or error.column is not None):
            error.file = "standard input" if data == STANDARD_INPUT else data
            error.args = f"{error.file}: ", *_uncapitalised(error.parts)
        raise


def _uncapitalised(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    first, *rest = parts
    return (f"{first[:1].lower()}{first[1:]}" if isinstance(first, str) else first, *rest)


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
        return _said(error) or "interrupted."  # a training tells how to go on
    if isinstance(error, MemoryError):
        return f"not enough memory{f' ({error})' if str(error) else ''}; try fewer rows, or --model linear."
    if isinstance(error, OSError) and error.strerror:
        subject = "" if error.filename is None else f"{error.filename}: "
        return f"{subject}{error.strerror[0].lower()}{error.strerror[1:]}."
    return _said(error) or f"{type(error).__name__}."


# Arguments whose options have another name; and those that no option sets.
_OPTIONS = {"kinds": "kind", "columns": "column"}
_NO_OPTIONS = ("data", "features", "memory", "n_jobs", "rows", "types", "zero_based")


def as_option(argument: Argument) -> str:
    """An argument of the library as it is written on the command line."""
    if argument.name in _NO_OPTIONS:
        return str(argument)
    name = _OPTIONS.get(argument.name, argument.name).replace("_", "-")
    if argument.key is not None:
        return f"--{name} {argument.key}={argument.value if argument.has_value else '...'}"
    if not argument.has_value or argument.value is True:
        return f"--{name}"
    return f"--no-{name}" if argument.value is False else f"--{name} {argument.value_text()}"


def _said(error: BaseException) -> str:
    """What an error says, its arguments as options."""
    return with_options(getattr(error, "parts", None) or (str(error),))


def with_options(parts: Iterable[str | Argument]) -> str:
    """A sentence whose arguments are written as options."""
    return in_one_line("".join(as_option(part) if isinstance(part, Argument) else part for part in parts))


def in_one_line(text: str) -> str:
    """Text without line breaks, and with nothing in it that a terminal would obey."""
    return printable(one_line(text))


def complain(error: BaseException, *, debug: bool) -> int:
    """Say on standard error what went wrong; the exit code."""
    code = exit_code_of(error)
    if code == PIPE_CLOSED:
        return code
    if debug:
        say_error("".join(traceback.format_exception(error)).rstrip())
    sentence = sentence_of(error)
    if code == FAULT:
        sentence = f"a fault of maxmargin itself, {type(error).__name__}: {sentence}"
        if not debug:
            sentence = f"{sentence.rstrip('.')}. The traceback is in {_keep_traceback(error)} (--debug shows it)."
    say_error(f"maxmargin: {sentence}")
    return code


def say_error(text: str) -> None:
    """Print to standard error. If nothing can be written there, the exit code has to do."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _keep_traceback(error: BaseException) -> str:
    with tempfile.NamedTemporaryFile(
        "w", prefix="maxmargin-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        traceback.print_exception(error, file=file)
        return file.name
