"""What is learnt: classes or a number, decided from the target column and said in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..messages import Argument, Place, counted, quoted
from ..tables import Column
from ._training import TrainingError

TASKS = ("auto", "classification", "binary", "multiclass", "regression")
# Integers are classes if they are so few, and each stands for at least so many rows on the average.
_FEW, _ROWS_EACH = 20, 10
_MANY = 1000  # classes that nobody means
LEAST = 10  # rows to learn from


@dataclass(frozen=True, eq=False)
class Target:
    """The target of the rows that have one.

    Attributes
    ----------
    task : {"binary", "multiclass", "regression"}
    reason : str
        Why, and how to change it.
    y : ndarray
        Labels (str, int64 or bool) or float64, of the kept rows.
    rows : ndarray of int
        Numbers of those rows.
    dropped : int
        Rows without a target.
    classes : ndarray or None
        Labels in order.
    counts : ndarray or None
        Rows of each.

    """

    task: str
    reason: str
    y: np.ndarray
    rows: np.ndarray
    dropped: int
    classes: np.ndarray | None = None
    counts: np.ndarray | None = None

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Labels or values of rows of the table, all of which have one."""
        return self.y[np.searchsorted(self.rows, rows)]


def read_target(column: Column, task: str, drop_missing: bool, any_rows: bool = False) -> Target:
    """The target, checked; whatever cannot be learnt is refused with what would do.

    With `any_rows` these are rows to judge a model by: as few as there are, and of any classes.
    """
    if task not in TASKS:
        raise TrainingError(f"task must be one of {', '.join(map(repr, TASKS))}; got {task!r}.", argument="task")
    rows = _present(column, drop_missing)
    dropped = len(column.missing()) - len(rows)
    if any_rows and task in ("binary", "multiclass"):
        y = _labels(column, rows)
        return Target(task, "as asked", y, rows, dropped, *np.unique(y, return_counts=True))
    if any_rows and task == "regression":
        return Target(task, "as asked", _numbers(column, rows), rows, dropped)
    if len(rows) < LEAST:
        found = counted(len(rows), "row")
        raise _refused(column, f" has {found} with a value; at least {LEAST} are needed to learn and test.")
    if column.type == "date":
        raise _refused(column, " holds dates; make a number of it (such as days since some day) or a class.")
    wanted, reason = _decide(column, rows, task)
    if wanted == "regression":
        return Target("regression", reason, _values(column, rows), rows, dropped)
    return _classes(column, rows, dropped, task, reason)


def _present(column: Column, drop_missing: bool) -> np.ndarray:
    missing = _missing(column)
    count = int(missing.sum())
    if count == len(missing):
        raise _refused(column, " has no value in any row.")
    if count and not drop_missing:
        raise _refused(
            column,
            f" has no value in {count} of {len(missing)} rows (the first is row {int(missing.argmax())}, counted from "
            "0): fill them in, or leave these rows out with ",
            Argument("drop_missing_target", True),
            ".",
        )
    return np.flatnonzero(~missing)


def _missing(column: Column) -> np.ndarray:
    """Also text of blanks alone, and NaN."""
    if column.type == "text":
        return np.array([text is None for text in column.texts()], dtype=bool)
    if column.type in ("number", "bool"):
        return np.isnan(column.numbers())
    return column.missing()


def _decide(column: Column, rows: np.ndarray, task: str) -> tuple[str, str]:
    """Classes or numbers, and why."""
    name = column.name
    if task != "auto":
        return ("regression" if task == "regression" else "classification"), "as asked"
    if column.type in ("text", "bool"):
        words = "text" if column.type == "text" else "true and false"
        return "classification", f"target {name!r} holds {words}, so that classes are learnt"
    values = column.numbers()[rows]
    if not np.isfinite(values).all():
        return "regression", ""  # refused by what reads the numbers
    distinct = np.unique(values)
    whole = bool((distinct == np.round(distinct)).all())
    if whole and len(distinct) <= _FEW and len(distinct) * _ROWS_EACH <= len(values):
        return "classification", (
            f"target {name!r} has {len(distinct)} different integers in {len(values)} rows, so that classes are "
            "learnt; task='regression' learns a number instead"
        )
    held = "integers" if whole else "numbers with fractions"
    return "regression", (
        f"target {name!r} has {len(distinct)} different values, {held}, in {len(values)} rows, so that a number is "
        "learnt; task='classification' learns classes instead"
    )


def read_values(column: Column) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows that have one, and those rows."""
    rows = np.flatnonzero(~_missing(column))
    return _numbers(column, rows), rows


def read_labels(column: Column, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the rows that have one, of the type of a model's classes, and those rows."""
    rows = np.flatnonzero(~_missing(column))
    y = _labels(column, rows)
    if classes.dtype.kind == y.dtype.kind or {classes.dtype.kind, y.dtype.kind} <= set("biuf"):
        return y, rows
    if classes.dtype.kind in "UO":  # such as "1" for 1: labels of a model are as they were in its own table
        texts = column.texts()
        return np.array([texts[row] for row in rows.tolist()], dtype=str), rows
    raise _refused(column, f" holds text such as {_some(y[:1])}, and the model's classes are {_some(classes)}.")


def _values(column: Column, rows: np.ndarray) -> np.ndarray:
    """Numbers to learn: at least two different ones."""
    values = _numbers(column, rows)
    if values.min() == values.max():
        raise _refused(column, f" is {values[0]:g} in every row: there is nothing to learn.")
    return values


def _numbers(column: Column, rows: np.ndarray) -> np.ndarray:
    """Numbers, also those written as text; the first that is none is named."""
    if column.type == "text":
        values = np.empty(len(rows))
        texts = column.texts()
        for place, row in enumerate(rows.tolist()):
            try:
                values[place] = float(str(texts[row]))
            except ValueError:
                raise _refused(
                    column,
                    f" has {quoted(texts[row])} in row {row} (counted from 0), which is not a number: ",
                    Argument("task", "classification"),
                    " learns classes, or correct the column.",
                ) from None
    else:
        values = column.numbers()[rows]
    finite = np.isfinite(values)
    if not finite.all():
        first = int(np.argmin(finite))
        raise _refused(
            column,
            f" has {values[first]} in row {rows[first]} (counted from 0); only finite numbers can be learnt: correct "
            "or leave out such rows.",
        )
    return values


def _labels(column: Column, rows: np.ndarray) -> np.ndarray:
    if column.type == "bool":
        return column.numbers()[rows].astype(bool)
    if column.type == "number":
        values = column.numbers()[rows]
        if (values == np.round(values)).all() and (np.abs(values) < 2**53).all():
            return values.astype(np.int64)
    texts = column.texts()  # also numbers with fractions: labels are names
    return np.array([texts[row] for row in rows.tolist()], dtype=str)


def _classes(column: Column, rows: np.ndarray, dropped: int, task: str, reason: str) -> Target:
    y = _labels(column, rows)
    classes, counts = np.unique(y, return_counts=True)
    name, K = column.name, len(classes)
    if K == 1:
        raise _refused(column, f" is {quoted(classes[0])} in every row: there is nothing to learn.")
    if K > _MANY or (K > _FEW and 2 * K > len(y)):
        numbers = (Argument("task", "regression"), " learns a number instead.")
        raise _refused(
            column,
            f" has {K} different values in {len(y)} rows, too many for classes: is it an identifier? ",
            *(("Name another column.",) if column.type == "text" else numbers),
        )
    if task == "binary" and K > 2:
        words = f", but target {name!r} has {K} classes ({_some(classes)}); use "
        raise TrainingError(Argument("task", task), words, Argument("task", "auto"), ".", place=Place(column=name))
    if task == "multiclass" and K == 2:
        words = f", but target {name!r} has two classes ({_some(classes)})."
        raise TrainingError(Argument("task", task), words, place=Place(column=name))
    single = classes[counts == 1]
    if len(single):
        raise _refused(
            column,
            f": {'class' if len(single) == 1 else f'{len(single)} classes, among them'} {_some(single)} "
            f"{'has' if len(single) == 1 else 'have'} a single row, too few to learn and to check: remove such rows, "
            "or join them with another class.",
        )
    return Target("binary" if K == 2 else "multiclass", reason, y, rows, dropped, classes, counts)


def _some(values: Sequence | np.ndarray) -> str:
    return ", ".join(quoted(value) for value in list(values)[:3]) + (", ..." if len(values) > 3 else "")


def _refused(column: Column, *parts: str | Argument) -> TrainingError:
    return TrainingError(f"target {column.name!r}", *parts, place=Place(column=column.name))
