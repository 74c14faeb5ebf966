"""Whether rows are in the order of time, of groups, or equal: as the user says, or as the table shows."""

from __future__ import annotations

import re

import numpy as np

from ..messages import Argument, Place, quoted
from ..tables import Column, absent, columns_of, form_of_dates, python_instant
from ._split import GROUPS, RANDOM, TIME, RowOrder, equal_rows
from ._table import TrainingTable
from ._training import TrainingError

_LEAST_ROWS, _LEAST_MOMENTS = 30, 8
_TIME_WORDS = frozenset("time timestamp ts date datetime day year month week period epoch".split())


def order_of(
    table: TrainingTable, rows: np.ndarray, time: str | bool | None, group: str | None, dropped: set[str]
) -> RowOrder:
    """How the rows that have a target hang together.

    Parameters
    ----------
    table : TrainingTable
    rows : ndarray of int
        Those that have a target.
    time, group : as in `train`
    dropped : set of str
        Columns that are not learnt from.

    """
    if group is not None:
        if isinstance(time, str):
            words = " and ", Argument("group", group), " cannot be said together: say the one by which new rows differ."
            raise TrainingError(Argument("time", time), *words)
        return RowOrder(GROUPS, group, units=_groups(_column(table, "group", group), rows))
    if isinstance(time, str):
        return RowOrder(TIME, time, times=_times(_column(table, "time", time), rows))
    noticed = noticed_time(table) if time is None else None
    if noticed is not None:
        return RowOrder(TIME, noticed, times=_times(_column(table, "time", noticed), rows))
    units, together = equal_rows(_compared(table, dropped))
    return RowOrder(RANDOM, None, None if units is None else units[rows], None, together)


def noticed_time(table: TrainingTable) -> str | None:
    """The first column of dates that orders the table, from its first row to the last or the other way; else None.

    A column of numbers counts by its name: "year", "timestamp".

    Parameters
    ----------
    table : TrainingTable

    Returns
    -------
    str or None

    """
    if table.sparse or table.rows < _LEAST_ROWS:
        return None
    for column in columns_of(table.features.to_native()):
        values = _moments(column)
        if values is None or np.isnan(values).any():
            continue
        steps = np.diff(values)
        if ((steps >= 0).all() or (steps <= 0).all()) and (steps != 0).sum() + 1 >= _LEAST_MOMENTS:
            return column.name
    return None


def dates_of(table: TrainingTable) -> list[str]:
    """Columns that hold dates."""
    if table.sparse:
        return []
    kinds = {column.name: column.kind for column in table.summary.columns}
    return [name for name, kind in kinds.items() if kind in ("date", "datetime")]


def _moments(column: Column) -> np.ndarray | None:
    """Instants of dates, and numbers that are named as such; None for other columns."""
    if column.type == "date":
        return column.instants()
    if column.type == "number":
        words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", column.name)}
        return column.numbers() if words & _TIME_WORDS else None
    if column.type == "text" and (form := form_of_dates(column)) is not None:
        return _written(column, form)
    return None


def _written(column: Column, form: str) -> np.ndarray:
    texts = column.texts()
    instants = {text: python_instant(text, form) for text in set(texts) if text is not None}
    return np.array(
        [np.nan if text is None or instants[text] is None else instants[text] for text in texts], dtype=float
    )


def _column(table: TrainingTable, argument: str, name: str) -> Column:
    """A column of the table as it was given, also one that is not learnt from."""
    asked = Argument(argument, name)
    if table.sparse:
        raise TrainingError(asked, " names a column, and those of a LIBSVM table have none: leave it out.")
    if name == table.target.name:
        raise TrainingError(asked, " is the target itself: name another column.")
    for column in columns_of(table.given, {name}):
        if column.name == name:
            return column
    raise absent([name], [c.name for c in columns_of(table.given, set())], asked, " is not there: the table")


def _times(column: Column, rows: np.ndarray) -> np.ndarray:
    """When each row was."""
    asked = Argument("time", column.name)
    place = Place(column=column.name)
    if column.type == "number":
        values = column.numbers()[rows]
    else:
        found = _moments(column)
        if found is None:
            words = ": the column holds neither numbers nor dates of one form, and says no order; name another column."
            raise TrainingError(asked, words, place=place)
        values = found[rows]
    if np.isnan(values).any():
        first = int(rows[int(np.isnan(values).argmax())])
        words = f": {int(np.isnan(values).sum())} rows have no time (the first is row {first}, counted from 0)."
        raise TrainingError(asked, words, place=place)
    if values.min() == values.max():
        raise TrainingError(asked, ": all rows have the same time; name another column.", place=place)
    return values


def _groups(column: Column, rows: np.ndarray) -> np.ndarray:
    """The number of the group of each row; a row without one is a group of its own."""
    texts = column.instants().astype(str).tolist() if column.type == "date" else column.texts()
    seen: dict[object, int] = {}
    alone = (object() for _ in texts)
    numbers = np.array([seen.setdefault(next(alone) if t is None else t, len(seen)) for t in texts])[rows]
    if len(np.unique(numbers)) < 2:
        words = f": every row has {quoted(texts[0])}; a column of at least two groups is needed."
        raise TrainingError(Argument("group", column.name), words, place=Place(column=column.name))
    return numbers


def _compared(table: TrainingTable, dropped: set[str]) -> object:
    """What two rows must share to be equal: all that is learnt from, without what merely numbers the rows."""
    if table.sparse:
        return table.features
    numbering = {c.name for c in table.summary.columns if c.reason.startswith("an identifier")}
    return [c for c in columns_of(table.features.to_native()) if c.name not in numbering | dropped]
