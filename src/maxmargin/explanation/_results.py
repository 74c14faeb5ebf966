"""What an explanation is made of: facts, tables and notes, as text for a terminal and as plain values for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from ..messages import number, shortened

# Lines of each table that a terminal is shown, by how many tables there are: together with the facts about 25 lines.
_LINES = {1: 12, 2: 6, 3: 4}
_NAME, _RULE = 34, 60  # letters of a name in a table, and of a rule
_RULES = ("learner", "because")  # columns of rules
_SIGNED = "contribution"  # the column whose numbers have a sign in any case


@dataclass(frozen=True)
class Table:
    """Rows of plain values under named columns.

    Attributes
    ----------
    title : str
        What the table shows.
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuples
        Their values: texts, numbers, booleans or None.
    adds : str or None, default=None
        The column whose values add up to something: what is left out of a shortened table is kept as one sum there.
    printed : bool, default=True
        Whether a printed explanation shows it.

    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    adds: str | None = None
    printed: bool = True

    @classmethod
    def of(
        cls, title: str, columns: Sequence[str | None], rows: Any, adds: str | None = None, printed: bool = True
    ) -> Table:
        """A table of values of any kind, made plain; columns whose name is None are left out."""
        kept = [k for k, name in enumerate(columns) if name is not None]
        names = tuple(columns[k] or "" for k in kept)
        return cls(title, names, tuple(tuple(plain(row[k]) for k in kept) for row in rows), adds, printed)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of one column.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        list

        """
        if name not in self.columns:
            raise KeyError(f"the table has no column {name!r}; there are {', '.join(self.columns)}.")
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def head(self, most: int) -> Table:
        """The first rows; where values add up, one more row for the sum of all others.

        Parameters
        ----------
        most : int
            Number of rows.

        Returns
        -------
        Table

        """
        left = self.rows[most:]
        if not left or (self.adds is not None and len(left) == 1):
            return self
        rows = self.rows[:most]
        if self.adds is not None:
            place = self.columns.index(self.adds)
            rest: list[Any] = [None] * len(self.columns)
            rest[0], rest[place] = f"{len(left)} others together", float(np.sum([row[place] for row in left]))
            rows += (tuple(rest),)
        return Table(self.title, self.columns, rows, self.adds, self.printed)

    def lines(self, most: int) -> list[str]:
        """The table as aligned lines of text under its title.

        Parameters
        ----------
        most : int
            Rows to show.

        Returns
        -------
        list of str

        """
        part = self.head(most)
        hidden = len(self) - most if self.adds is None else 0
        title = self.title + (f", {most} of {len(self)}:" if hidden > 0 else ":")
        longest = [_RULE if name in _RULES else _NAME for name in self.columns]
        cells = [
            [
                shortened(cell(v, name == _SIGNED), most, middle=True)
                for v, name, most in zip(row, self.columns, longest, strict=True)
            ]
            for row in part.rows
        ]
        values = zip(*part.rows, strict=True)
        texts = [isinstance(next((v for v in column if v is not None), ""), str) for column in values]
        widths = [max(map(len, column)) for column in zip(self.columns, *cells, strict=True)]
        return [title, *(_aligned(row, widths, texts) for row in [list(self.columns), *cells])]

    def to_dict(self) -> dict[str, Any]:
        """Title, columns and rows as plain values.

        Returns
        -------
        dict

        """
        return {"title": self.title, "columns": list(self.columns), "rows": [list(row) for row in self.rows]}


def _aligned(row: list[str], widths: list[int], texts: list[bool]) -> str:
    """A line of a table: texts on the left of their columns, numbers on the right."""
    parts = [v.ljust(width) if text else v.rjust(width) for v, width, text in zip(row, widths, texts, strict=True)]
    return ("  " + "  ".join(parts)).rstrip()


@dataclass(frozen=True)
class Explanation:
    """What explanations of models and of rows share; not for direct use."""

    model: str
    family: str
    summary: str
    facts: dict[str, Any] = field(default_factory=dict, hash=False)
    tables: dict[str, Table] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()

    _kind: ClassVar[str]

    @classmethod
    def of(cls, model: Any, family: str, words: str, **parts: Any) -> Self:
        """What is found of a model, or of a row by it; `words` say in a sentence what it does."""
        name = type(model).__name__
        return cls(model=name, family=family, summary=f"{name} {words}", **parts)

    def _shown(self) -> list[Table]:
        """Tables in the order in which a terminal shows them."""
        return [table for table in self.tables.values() if len(table) and table.printed]

    def __str__(self) -> str:
        lines = [self.summary]
        width = max((len(name) for name in self.facts), default=0)
        lines += [f"  {name.ljust(width)}  {cell(value)}" for name, value in self.facts.items() if value is not None]
        shown = self._shown()
        most = _LINES.get(len(shown), 3)
        for table in shown:
            lines += table.lines(most)
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    __repr__ = __str__

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Everything as plain values that JSON has.

        Parameters
        ----------
        most : int, optional
            Rows of each table to keep; by default all.

        Returns
        -------
        dict

        """
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            raise ValueError(f"most must be a whole number of at least 1, or None; got {most!r}.")
        tables = {name: (t if most is None else t.head(most)).to_dict() for name, t in self.tables.items()}
        return {
            "kind": self._kind,
            "model": self.model,
            "family": self.family,
            "summary": self.summary,
            "facts": {name: plain(value) for name, value in self.facts.items()},
            "tables": tables,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, repr=False)
class ModelExplanation(Explanation):
    """What a fitted model has learned, in facts and tables.

    Printed, it fits a terminal; `to_dict` is plain JSON. Made by `explain_model`.

    Attributes
    ----------
    model, family : str
        Class of the model, and the family that it belongs to.
    summary : str
        One sentence.
    facts : dict of str to value
        Figures by name, such as the margin width.
    tables : dict of str to Table
        Lists by name, such as ``"coefficients"``, ``"importances"`` or ``"influential"``.
    notes : tuple of str
        What the figures leave open.

    """

    _kind = "model"


@dataclass(frozen=True)
class Flip:
    """The smallest change of a row that brings it to the boundary of a linear machine.

    Attributes
    ----------
    distance : float
        Length of the change in the space that the machine sees.
    point : ndarray of shape (n_columns,)
        The row after the change, as the machine sees it: its decision value is zero.
    moves : Table
        What changes, in the units of the data where the preparation can be undone.
    to : str, number or None
        What the model predicts a little beyond the boundary.
    excluded : tuple of str
        Columns that were held, as there is no small change of a category, a truth value or a missing value.

    """

    distance: float
    point: np.ndarray = field(hash=False, compare=False)
    moves: Table
    to: Any
    excluded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "to", item(self.to))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON has.

        Returns
        -------
        dict

        """
        return {
            "distance": plain(self.distance),
            "point": [plain(v) for v in self.point],
            "moves": self.moves.to_dict(),
            "to": plain(self.to),
            "excluded": list(self.excluded),
        }


@dataclass(frozen=True, repr=False)
class RowExplanation(Explanation):
    """Why a model says what it says of one row.

    Printed, it fits a terminal; `to_dict` is plain JSON. Made by `explain_row`.

    Attributes
    ----------
    prediction : str or number
        What the model predicts.
    decision : float
        The value that decides: that of the decision function, a share of votes, or the predicted number.
    between : tuple of two, or None
        The classes that the decision value is about; it is positive for the first.
    margin : float or None
        The decision value, positive on the side of the true label if that is known, else of the predicted one.
    probability : float or None
        Probability of the predicted class, where the model has one.
    contributions : Table or None
        Parts that add up to `decision`.
    flip : Flip or None
        The smallest change that brings the row to the boundary; of linear machines only.
    model, family, summary, facts, tables, notes
        As in `ModelExplanation`.

    """

    prediction: Any = None
    decision: float = float("nan")
    between: tuple[Any, Any] | None = None
    margin: float | None = None
    probability: float | None = None
    contributions: Table | None = None
    flip: Flip | None = field(default=None, hash=False)

    _kind = "row"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prediction", item(self.prediction))
        if self.between is not None:
            object.__setattr__(self, "between", (item(self.between[0]), item(self.between[1])))

    def _shown(self) -> list[Table]:
        parts = [self.contributions, *self.tables.values(), None if self.flip is None else self.flip.moves]
        return [table for table in parts if table is not None and len(table) and table.printed]

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        parts = self.contributions
        return super().to_dict(most) | {
            "prediction": plain(self.prediction),
            "decision": plain(self.decision),
            "between": None if self.between is None else [plain(v) for v in self.between],
            "margin": plain(self.margin),
            "probability": plain(self.probability),
            "contributions": None if parts is None else (parts if most is None else parts.head(most)).to_dict(),
            "flip": None if self.flip is None else self.flip.to_dict(),
        }


def item(value: Any) -> Any:
    """A number of NumPy's as one of Python's; all else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def plain(value: Any) -> Any:
    """A value that JSON has: text, number, truth value or None (also for what is not finite)."""
    value = item(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value).removesuffix(" 00:00:00")  # midnight: a day


def cell(value: Any, signed: bool = False) -> str:
    """A plain value as text: four figures of a number, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value, signed=signed)
    return str(value)
