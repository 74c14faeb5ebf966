"""What becomes of a column: its kind, decided from its values, with a reason in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..messages import Place, quoted
from ._dates import AMBIGUOUS, MIXED, mixed_form, python_forms, python_instant
from ._errors import TableError
from ._frame import Column
from ._quantities import TIME_OF_DAY, quantity_form
from ._words import is_free_text, words_of

KINDS = ("number", "category", "date", "datetime", "text", "drop")
_PARTS = {"date": ("", " month", " weekday"), "datetime": ("", " month", " weekday", " hour")}
_FEW = 10  # rows from which on values that are all different make an identifier
_DAY = 86_400_000_000  # microseconds
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_EXACT = 2.0**53  # integers up to here are float64 exactly
_IDENTIFIER = frozenset("id ids uid uuid guid key index idx no nr row rowid rownum unnamed".split())


@dataclass(frozen=True)
class ColumnPlan:
    """How one column is read.

    Attributes
    ----------
    name : str
        Of the column.
    type : {"number", "bool", "date", "text", "missing"}
        What it holds.
    kind : {"number", "category", "date", "datetime", "text", "drop"}
        What it is taken for. A ``date`` gives days, month and weekday, a ``datetime`` the hour as well, a ``text`` a
        number for each of its words.
    levels : tuple of str
        The values of a category, sorted; the code of each is its place. Of text its words.
    other : bool
        Whether rare values were put together: they have the code ``len(levels)``, as unknown ones have later.
    missing : int
        Rows without a value.
    form : str
        How dates, times of day or numbers with a unit are written, where the column holds text.
    reason : str
        Why a column is dropped, or why it has this kind.
    weights : tuple of float
        Of the words of a text: the rarer, the heavier.

    """

    name: str
    type: str
    kind: str
    levels: tuple[str, ...] = ()
    other: bool = False
    missing: int = 0
    form: str = ""
    reason: str = ""
    weights: tuple[float, ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the numbers that the column becomes."""
        if self.kind == "drop":
            return ()
        if self.kind == "text":
            return tuple(f"{self.name}: {word}" for word in self.levels)
        return tuple(self.name + part for part in _PARTS.get(self.kind, ("",)))


def plan_column(column: Column, kind: str | None, max_levels: int, first: bool, frame: bool) -> ColumnPlan:
    """The plan of a column: of the kind that was asked for, or of the one that its values suggest."""
    plan = ColumnPlan(column.name, column.type, kind or "drop", reason="as asked" if kind else "")
    if kind == "drop":
        return plan
    if kind is None and column.type == "missing":
        return replace(plan, missing=len(column.missing()), reason="no value at all")
    if kind == "text":
        return _plan_words(column, plan)
    if column.type == "date" or kind in ("date", "datetime"):
        return _plan_date(column, plan, kind)
    if column.type == "text" or kind == "category":
        return _plan_text(column, plan, kind, max_levels)
    return _plan_number(column, plan, kind, first, frame)


def _plan_number(column: Column, plan: ColumnPlan, kind: str | None, first: bool, frame: bool) -> ColumnPlan:
    values = column.numbers()
    missing = np.isnan(values)
    plan = replace(plan, missing=int(missing.sum()))
    if kind is not None:
        return plan
    present = values[~missing]
    if not len(present):
        return replace(plan, reason="no value at all")
    same = present.min() == present.max() and not plan.missing and len(present) > 1
    # From 2^53 on, different integers can be the same float64: those at hand as integers are compared as such.
    certain = abs(present[0]) < _EXACT or (column.whole and column.distinct() == 1)
    if same and certain:
        return replace(plan, reason=f"constant: always {present[0]:g}")
    if frame and _numbers_rows(column, present, first):
        return replace(plan, reason="an identifier: every row has another integer")
    if frame and _named_too_long(column, present):
        return replace(plan, reason="an identifier by its name: integers too long for float64")
    if same:
        return replace(plan, reason=f"integers too long for float64: all are {present[0]:g} when rounded")
    return replace(plan, kind="number", reason="true or false" if column.type == "bool" else "numbers")


def _numbers_rows(column: Column, values: np.ndarray, first: bool) -> bool:
    """Whether integers merely tell rows apart: all different, and named so, counting up from the left, or too long."""
    if len(values) < _FEW:
        return False
    named, long = named_as_identifier(column.name), bool(np.abs(values).max() > _EXACT)
    if not column.whole:  # what 64 bits do not hold is float64, and may as well be a mass in kilograms
        return named and long and bool((values == np.floor(values)).all()) and column.distinct() == len(values)
    counts_up = first and bool((np.diff(values) == 1).all())
    return (counts_up or named or long) and column.distinct() == len(values)


def _named_too_long(column: Column, values: np.ndarray) -> bool:
    """Whether integers of an identifier are so long that it cannot be told whether they are all different."""
    long = len(values) >= _FEW and bool(np.abs(values).min() >= _EXACT)
    return long and not column.whole and named_as_identifier(column.name) and column.distinct() < len(values)


def named_as_identifier(name: str) -> bool:
    """Whether a word of the name says so: id, customer_id, PassengerId, Unnamed: 0, row."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
    return not name.strip() or bool(words and ({words[0], words[-1]} & _IDENTIFIER))


def _plan_text(column: Column, plan: ColumnPlan, kind: str | None, max_levels: int) -> ColumnPlan:
    counts = Counter(column.texts())
    plan = replace(plan, missing=counts.pop(None, 0))
    rows, distinct = counts.total(), len(counts)
    if kind == "number":
        texts = [text for text in counts if text is not None]
        quantity = None if all(map(_NUMBER.fullmatch, texts)) else quantity_form(texts)
        return plan if quantity is None else replace(plan, form=quantity[0])
    if kind is None:
        if not rows:
            return replace(plan, reason="no value at all")
        if distinct == 1 and not plan.missing and rows > 1:
            return replace(plan, reason=f"constant: always {quoted(next(iter(counts)))}")
        if column.type == "text" and (form := _clear_form(counts)):
            return _plan_written_dates(plan, counts, form)
        if (
            column.type == "text"
            and (quantity := quantity_form([text for text in counts if text is not None]))
            and distinct > 2
        ):
            if quantity[0] == TIME_OF_DAY:
                return replace(plan, kind="number", form=quantity[0], reason="times of day, in hours")
            if quantity[1]:  # without a unit they are numbers in quotes, or names such as 007
                words = f"numbers in {quantity[1]}"
                return replace(plan, kind="number", form=quantity[0], reason=words)
        several = distinct > max_levels and distinct > rows / 2
        if (
            column.type == "text"
            and ((distinct == rows and rows >= _FEW) or several)
            and is_free_text(list(map(str, counts)))
        ):
            found = _plan_words(column, plan)
            if found.kind == "text":
                return found
        if distinct == rows and rows >= _FEW:
            words = "an identifier or free text: every row has another value"
            return replace(plan, reason=words + _nearly_numbers(counts, rows))
        if several:
            words = f"free text: {distinct} different values in {rows} rows"
            return replace(plan, reason=words + _nearly_numbers(counts, rows))
    levels, other = common_levels(counts, rows, max_levels)
    words = f"{distinct} different values"
    words += f", the rarest {distinct - len(levels)} of them together" if other else ""
    words += _nearly_numbers(counts, rows) if column.type == "text" else ""
    return replace(plan, kind="category", levels=levels, other=other, reason=plan.reason or words)


def _plan_words(column: Column, plan: ColumnPlan) -> ColumnPlan:
    """Free text by its words; what has none that comes twice teaches nothing."""
    if column.type not in ("text", "missing"):
        words = f"Column {quoted(column.name)} holds {column.type}s, which have no words: say another kind."
        raise TableError(words, place=Place(column=column.name))
    texts = [text for text in column.texts() if text is not None]
    found, weights = words_of(texts)
    plan = replace(plan, missing=len(column.series) - len(texts))
    if not found:
        return replace(plan, kind="drop", reason="text without a word that comes twice")
    reason = f"free text: {len(found)} words"
    return replace(plan, kind="text", levels=found, weights=weights, reason=reason)


def _nearly_numbers(counts: Counter, rows: int) -> str:
    """A hint where a column of text would be one of numbers but for a few cells."""
    odd = [(count, value) for value, count in counts.items() if not _NUMBER.fullmatch(value)]
    numbers = rows - sum(count for count, _ in odd)
    if not odd:
        return "; all of them are numbers written as text"
    if numbers < 0.8 * rows:
        return ""
    return f"; {numbers} of {rows} are numbers, and {quoted(max(odd)[1])} is not"


def _clear_form(counts: Counter) -> str | None:
    """The form of dates that all texts have, if there is one in which day and month are clear."""
    forms = python_forms(list(counts)[:1])
    first = bool(forms)
    forms = python_forms(counts) if forms else []
    clear = None if set(AMBIGUOUS) <= set(forms) else next(iter(forms), None)
    return mixed_form(counts) if clear is None and not forms and first else clear


def form_of_dates(column: Column) -> str | None:
    """The form that all texts of a column write dates in, if there is one in which day and month are clear."""
    counts = Counter(text for text in column.texts() if text is not None)
    return _clear_form(counts) if counts else None


def _plan_written_dates(plan: ColumnPlan, counts: Counter, form: str) -> ColumnPlan:
    timed = any((python_instant(text, form) or 0) % _DAY for text in counts)
    kind, words = ("datetime", "dates with a time") if timed else ("date", "dates")
    several = ", in several forms" if form in MIXED else ""
    return replace(plan, kind=kind, form=form, reason=f"{words} written as text{several}")


def common_levels(counts: Counter, rows: int, max_levels: int) -> tuple[tuple[str, ...], bool]:
    """The values that get a code of their own, sorted, and whether others are left.

    A value is rare if it is seen once, or in less than 2 of 1000 rows: a model learns nothing about it, and a fold of a
    cross-validation may not have it. A single rare value stays as it is: alone, "other" would be only another name.
    """
    least = max(2, min(50, rows // 500))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    kept = [value for value, count in ranked[:max_levels] if count >= least]
    if len(counts) - len(kept) < 2:
        kept = [value for value, _ in ranked[:max_levels]]
    return tuple(sorted(kept)), len(kept) < len(counts)


def _plan_date(column: Column, plan: ColumnPlan, kind: str | None) -> ColumnPlan:
    if column.type not in ("date", "text", "missing") or kind == "category":
        raise TableError(
            f"Column {quoted(column.name)} holds {column.type}s, which cannot be taken as {kind}: say another kind.",
            place=Place(column=column.name),
        )
    if column.type == "text":
        missing = sum(text is None for text in column.texts())
        return replace(plan, form=date_form(column), missing=missing)
    days = column.instants()
    present = days[~np.isnan(days)]
    plan = replace(plan, missing=len(days) - len(present))
    if kind is not None:
        return plan
    if not len(present):
        return replace(plan, reason="no value at all")
    if present.min() == present.max() and not plan.missing and len(present) > 1:
        return replace(plan, reason="constant: always the same date")
    timed = bool((present != np.floor(present)).any())
    return replace(plan, kind="datetime" if timed else "date", reason="dates with a time" if timed else "dates")


def date_form(column: Column) -> str:
    """The form in which a column of text writes its dates."""
    texts = sorted({text for text in column.texts() if text is not None})
    forms = python_forms(texts)
    if not forms and (mixed := mixed_form(texts)) is not None:
        return mixed
    if not forms:
        bad = next((text for text in texts if not python_forms([text])), texts[0])
        words = f"Column {quoted(column.name)} has {quoted(bad)}, which is not a date in the form of the others."
        raise TableError(words, place=Place(column=column.name))
    if set(AMBIGUOUS) <= set(forms) and texts:
        raise TableError(
            f"Column {quoted(column.name)} has dates such as {quoted(texts[0])}, in which day and month cannot be told "
            "apart: write them as year-month-day.",
            place=Place(column=column.name),
        )
    return forms[0]


def names_out(plans: Sequence[ColumnPlan]) -> list[str]:
    """Names of all numbers, in order."""
    return [name for plan in plans for name in plan.outputs]
