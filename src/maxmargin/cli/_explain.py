"""``maxmargin explain``: what a model has learned, and why it says what it says of one row."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from ._errors import DONE, UserError, about
from ._options import AS_FOUND, DEFAULT_OUTPUT, Data, Model, OutputOptions, Reading
from ._screen import Screen


def explain(
    model: Model,
    data: Data | None = None,
    /,
    *,
    row: Annotated[int | None, Parameter(help="Explain the answer for this row of DATA; the first is row 0.")] = None,
    reading: Reading = AS_FOUND,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Explain what a model has learned; with --row, why it says what it says of one row of a table.

    With the table that it was trained on, more can be told: how the rows lie in the margin, which weigh most.
    """
    if row is not None and data is None:
        raise UserError("--row is a row of a table: maxmargin explain MODEL DATA --row N.")
    screen = Screen(output)

    from ..explanation import explain_model, explain_row
    from ._models import load, read_again

    loaded, account = load(model)
    table = None if data is None else read_again(account, data, reading)
    divided = None if table is None else _divided(account, table)
    rows = (None, None) if divided is None else (divided.X_train, divided.y_train)
    found: Any
    with about(data or str(model)):
        if row is None:
            found = explain_model(loaded, *rows)
        else:
            found = explain_row(loaded, _row(table, row), *rows, label=_label(loaded, account, table, row))
    if divided is not None:
        found = numbered_as_in_table(found, divided.split.train_rows)
    elif table is not None:
        screen.note("This is not the table of the training: rows of the training have the numbers that they had in it.")
    screen.lines(str(found))
    screen.document({"model": model, "data": data, "row": row, "explanation": found})
    return DONE


def _divided(account: dict[str, Any], table: Any) -> Any:
    """The rows that the model was trained on and those that were held out, if this is their table; else None."""
    from .. import training
    from ..tables import fingerprint

    same = (account.get("fingerprint") or {}).get("data") == fingerprint(table)
    return training.divide(account, table) if same else None


def _row(table: Any, row: int) -> Any:
    """One row of a table, as a table."""
    rows = len(table)
    if not 0 <= row < rows:
        raise UserError(f"--row {row}: the table has rows 0 to {rows - 1}.")
    return table.X[row : row + 1] if hasattr(table, "X") else table.slice(row, 1)


def _label(model: Any, account: dict[str, Any], table: Any, row: int) -> Any:
    """The true answer for a row, if the table has it and the model knows it."""
    target = account.get("target")
    if hasattr(table, "X"):
        value = float(table.y[row])
    elif target in table.column_names:
        value = table.column(target)[row].as_py()
    else:
        return None
    if hasattr(model, "classes_"):
        return next((c for c in model.classes_.tolist() if c == value or str(c) == str(value)), None)
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


def numbered_as_in_table(explanation: Any, train_rows: Any) -> Any:
    """The explanation with the numbers that rows have in the table; it counts them among the training rows."""

    def renumbered(table: Any) -> Any:
        if table is None:
            return None
        places = [place for place, name in enumerate(table.columns) if name in ("row", "support vector", "neighbour")]
        rows = [
            tuple(_in_table(value, train_rows) if place in places else value for place, value in enumerate(row))
            for row in table.rows
        ]
        return replace(table, rows=tuple(rows))

    changes: dict[str, Any] = {"tables": {name: renumbered(table) for name, table in explanation.tables.items()}}
    if hasattr(explanation, "contributions"):
        changes["contributions"] = renumbered(explanation.contributions)
    return replace(explanation, **changes)


def _in_table(value: Any, train_rows: Any) -> Any:
    """``171`` and ``row 171`` as the table counts; other words stay."""
    if isinstance(value, int):
        return int(train_rows[value])
    if isinstance(value, str) and re.fullmatch(r"row \d+", value):
        return f"row {int(train_rows[int(value[4:])])}"
    return value
