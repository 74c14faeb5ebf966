"""What endangers trust in a result: found in the table, named, and said before any figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..messages import Argument, counted, listed, quoted
from ..tables import Column, ColumnPlan, columns_of, named_as_identifier
from ._order import dates_of
from ._split import GROUPS, TIME, RowOrder
from ._table import TrainingTable
from ._target import Target
from ._training import Split

_LEAST = 50  # rows from which on integers that are all different are worth a word
_MANY_GROUPS, _AGREEING = 20, 0.9  # values whose rows have one target, and their share, that make them groups
_DENSE = 4  # such integers are numbers of rows if they lie this dense


@dataclass(frozen=True)
class Finding:
    """Something about the table that a reader of the result has to know.

    Attributes
    ----------
    kind : str
        "time", "groups", "duplicates", "copy", "alone", "identifier", "spelling", "drift", "dates" or "text".
    words : str
        What was found, in a sentence.
    advice : tuple of str and Argument
        What would do; empty if nothing is to be done.
    column : str or None
    serious : bool
        Whether the result may be worth less than it seems; else it was seen to.

    """

    kind: str
    words: str
    advice: tuple[str | Argument, ...] = ()
    column: str | None = None
    serious: bool = True

    def __str__(self) -> str:
        advice = "".join(map(str, self.advice))
        return f"{self.words} {advice}" if advice else self.words

    def account(self) -> dict[str, Any]:
        """As plain values."""
        return {"kind": self.kind, "column": self.column, "words": str(self), "serious": self.serious}


def on_the_split(table: TrainingTable, order: RowOrder, split: Split, target: Target, told: bool) -> list[Finding]:
    """How rows were held out, where that is not at random; or why that may be wrong."""
    held, name = counted(len(split.test_rows), "row"), quoted(order.column)
    if order.kind == TIME:
        ordered = "" if told else f"column {name} orders the table, which is taken for the order of time: "
        words = f"{ordered}the last {held} by {name} are held out, and each fold is judged by what came after its rows."
        advice: tuple[str | Argument, ...] = (
            () if told else ("If rows are independent: ", Argument("time", False), " draws them at random.")
        )
        return [Finding("time", words[:1].upper() + words[1:], advice, order.column, serious=False)]
    if order.kind == GROUPS:
        many = counted(len(np.unique(np.asarray(order.units))), "group")
        words = (
            f"Rows of one {name} stay together: {many}, and {held} of groups that no training row is of are held out."
        )
        return [Finding("groups", words, (), order.column, serious=False)]
    found = []
    if order.together:
        words = (
            f"{counted(order.together, 'row')} of {table.rows:,} have the same values as another row in all columns "
            f"that are learnt from{_contradicting(order, target)}: equal rows are kept on the same side of each split. "
            "Intervals take rows for independent, and are too narrow by that."
        )
        found.append(Finding("duplicates", words, ("Were rows copied on the way here? Then leave the copies out.",)))
    dates = [] if told else dates_of(table)
    if dates:
        words = (
            f"Column {quoted(dates[0])} holds dates and does not order the table: rows were held out at random, and "
            "the result speaks of other rows of the same time."
        )
        advice = ("Is what comes later to be predicted? Then ", Argument("time", dates[0]), " holds out the last rows.")
        found.append(Finding("dates", words, advice, dates[0], serious=False))
    return found


def _contradicting(order: RowOrder, target: Target) -> str:
    """How many of the equal rows have different classes."""
    if target.classes is None or order.units is None:
        return ""
    first = target.y[np.unique(order.units, return_index=True)[1]]
    of_unit = np.unique(order.units, return_inverse=True)[1]
    odd = np.bincount(of_unit, weights=target.y != first[of_unit]) > 0
    many = int(odd[of_unit].sum())
    return f", {many:,} of them beside one of another class" if many else ""


def on_columns(table: TrainingTable, plans: Sequence[ColumnPlan], order: RowOrder, target: Target) -> list[Finding]:
    """Columns that number rows, name groups, or spell one level in several ways; text that is left out."""
    found: list[Finding] = []
    if table.sparse:
        return found
    columns = {column.name: column for column in columns_of(table.features.to_native())}
    for plan in plans:
        column = columns[plan.name]
        if plan.name == order.column:
            continue
        if plan.kind == "number":
            found += _numbering(column)
        if plan.kind == "category":
            found += _spelling(plan.levels, f"Column {quoted(plan.name)}", "taken for different levels", plan.name)
        found += _grouping(column, order, target)
    return found


def on_the_target(table: TrainingTable, target: Target) -> list[Finding]:
    """Labels that differ only in how they are written."""
    if target.classes is None:
        return []
    who = "The target" if table.sparse else f"Target {quoted(table.target.name)}"
    labels = [str(label) for label in target.classes.tolist()]
    return _spelling(labels, who, "learnt as different classes", None if table.sparse else table.target.name)


def _spelling(levels: Sequence[str], who: str, what: str, column: str | None) -> list[Finding]:
    alike: dict[str, list[str]] = defaultdict(list)
    for level in levels:
        alike["".join(level.split()).casefold()].append(level)
    several = [group for group in alike.values() if len(group) > 1]
    if not several:
        return []
    more = f" (and {len(several) - 1} more such)" if len(several) > 1 else ""
    some = listed(map(quoted, several[0]), last=" and ")
    words = f"{who} has {some}, which differ only in case or spaces{more} and are {what}."
    return [Finding("spelling", words, ("Write them alike.",), column)]


def _numbering(column: Column) -> list[Finding]:
    """Whole numbers, another one in each row, that lie dense or go up: of rows, and no measure."""
    if not column.whole:  # also numbers that are written as text
        return []
    values = column.numbers()
    if len(values) < _LEAST or np.isnan(values).any() or column.distinct() < len(values):
        return []
    steps = np.diff(values)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    if not (in_order or values.max() - values.min() < _DENSE * len(values)):
        return []
    words = (
        f"Column {quoted(column.name)} has another whole number in each row, as an identifier has, and is learnt from."
    )
    advice = ("Leave it out unless it measures something: ", Argument("kinds", "drop", column.name), ".")
    return [Finding("identifier", words, advice, column.name)]


def _grouping(column: Column, order: RowOrder, target: Target) -> list[Finding]:
    """Names that come again: rows of one patient, on both sides of a split."""
    rows = len(column.series)
    if order.kind == GROUPS or rows < _LEAST or not (column.type == "text" or column.whole):
        return []
    many = column.distinct()
    named = named_as_identifier(column.name)
    if not (5 if named else _MANY_GROUPS) <= many <= rows / 2:
        return []
    agree = "" if named else _agreeing(column, target)
    if not (named or agree):
        return []
    words = (
        f"Column {quoted(column.name)} names {many:,} things of {rows / many:.3g} rows each on the average{agree}: "
        "rows of one of them are trained on and held out, and the result speaks of other rows of things that are known."
    )
    advice = ("Are new ones to be predicted? Then ", Argument("group", column.name), " keeps the rows of one together.")
    return [Finding("groups", words, advice, column.name)]


def _agreeing(column: Column, target: Target) -> str:
    """How many values of a column have one target in all of their rows, if chance would not make it so many."""
    seen: dict[str | None, int] = {}
    of_row = np.array([seen.setdefault(text, len(seen)) for text in column.texts()])[target.rows]
    _, t = np.unique(target.y, return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(t)
    several = np.bincount(of_row) > 1
    agree, by_chance = (
        int((several & (np.bincount(np.unique(np.stack([of_row, y]), axis=1)[0]) == 1)).sum()) for y in (t, shuffled)
    )
    if agree < _AGREEING * several.sum() or agree - by_chance < _MANY_GROUPS:
        return ""
    return f", and {agree:,} of them have the same target in all of their rows"
