"""Errors about what a user gave: they carry the argument, file, line and column, and not only a sentence about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._format import shortened

_QUOTED = 40  # characters of a name or a value within a sentence
_UNSAID: Any = object()


def quoted(value: object, longest: int = _QUOTED) -> str:
    """A value between quotes, cut short and on one line."""
    return repr(shortened(str(value), longest, mark="..."))


class FloatRangeError(ValueError):
    """Values are too large or too small for what float64 would have to hold."""


@dataclass(frozen=True)
class Argument:
    """An argument as part of a sentence: written ``C=1.5`` in Python, and as its option by the command line tool.

    Parameters
    ----------
    name : str
    value : object, optional
        Left out, the argument itself is spoken of: ``columns=``.
    key : str, optional
        Of an argument that is a dict, the entry that is spoken of: ``kinds['age']``, or ``kinds={'age': 'drop'}`` with
        a value.

    Examples
    --------
    >>> from maxmargin.messages import Argument
    >>> str(Argument("C", 1.5)), str(Argument("columns")), str(Argument("kinds", key="age"))
    ('C=1.5', 'columns=', "kinds['age']")

    """

    name: str
    value: Any = _UNSAID
    key: str | None = None

    @property
    def has_value(self) -> bool:
        """Whether a value was said."""
        return self.value is not _UNSAID

    def value_text(self) -> str:
        """The value as it would be typed."""
        return str(self.value)

    def __str__(self) -> str:
        if self.key is not None:
            return f"{self.name}={{{self.key!r}: {self.value!r}}}" if self.has_value else f"{self.name}[{self.key!r}]"
        if not self.has_value:
            return f"{self.name}="
        return f"{self.name}={self.value!r}" if isinstance(self.value, str) else f"{self.name}={self.value_text()}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_argument, (self.name, self.key, *([self.value] if self.has_value else [])))


def _argument(name: str, key: str | None, value: Any = _UNSAID) -> Argument:
    """From a pickle: that no value was said is one object a process."""
    return Argument(name, value, key)


@dataclass(frozen=True)
class Place:
    """Where in a table something is.

    Parameters
    ----------
    file : str, optional
    line : int, optional
        From 1.
    column : str, optional
        Its name.
    onwards : bool, default=False
        Whether it is somewhere from that line on.

    Examples
    --------
    >>> from maxmargin.messages import Place
    >>> print(Place("a.csv", 3, "age"))
    a.csv, line 3, column 'age'

    """

    file: str | None = None
    line: int | None = None
    column: str | None = None
    onwards: bool = False

    def __str__(self) -> str:
        line = None if self.line is None else f"{'from ' if self.onwards else ''}line {self.line}"
        column = None if self.column is None else f"column {quoted(self.column)}"
        return ", ".join(part for part in (self.file, line, column) if part is not None)


class InputError(ValueError):
    """Data or an argument that cannot be used as it is: what was found, and what would do.

    Parameters
    ----------
    *parts : str or Argument
        The sentence.
    place : Place, optional
        What the sentence is about.
    argument : str, optional
        The argument that is to blame; by default the one that the sentence begins with.

    Attributes
    ----------
    argument : str or None
        Name of the argument that is to blame.
    file : str or None
    line : int or None
        From 1.
    column : str or None
        Name of a column of the table.
    parts : tuple of str and Argument
        The sentence, in which arguments can be told from text.

    Examples
    --------
    >>> from maxmargin.messages import Argument, InputError, Place
    >>> error = InputError.at(Place("a.csv", 3), "a date; say ", Argument("day_first", True), ".")
    >>> print(error)
    a.csv, line 3: a date; say day_first=True.
    >>> error.file, error.line, error.column
    ('a.csv', 3, None)
    >>> InputError(Argument("test", 2.0), " is more than all rows.").argument
    'test'

    """

    def __init__(self, *parts: str | Argument, place: Place | None = None, argument: str | None = None) -> None:
        super().__init__(*parts)
        place = place or Place()
        self.file, self.line, self.column = place.file, place.line, place.column
        self.argument = argument or (parts[0].name if parts and isinstance(parts[0], Argument) else None)

    @classmethod
    def at(cls, place: Place, *parts: str | Argument, **facts: Any) -> Any:
        """The error whose sentence begins with the place."""
        return cls(f"{place}: ", *parts, place=place, **facts)

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        return self.args

    def __str__(self) -> str:
        return "".join(map(str, self.args))
