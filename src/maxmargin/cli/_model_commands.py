"""Commands about a model that was saved: ``check``, ``explain``, ``report``, ``export`` and ``info``."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..messages import TextTable
from ._account import certificate_table, certificate_words, finding_words, model_table, score_table, unproven_words
from ._errors import DOES_NOT_HOLD, DONE, UserError, about, in_one_line
from ._files import account_in, check_place, load, make_folder, read_again, stem
from ._options import AS_FOUND, DEFAULT_OUTPUT, Data, Force, Model, OutputOptions, Reading, flag, output_file
from ._screen import Screen
from ._train import train_again

# What columns of an explanation are called that have the numbers of rows.
_ROW_COLUMNS = ("row", "support vector", "landmark", "landmark or support vector", "neighbour")


def check(
    model: Model,
    data: Data,
    /,
    *,
    target: Annotated[str | None, Parameter(help="Name of the target column, if it has another name now.")] = None,
    reading: Reading = AS_FOUND,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Compute a model's certificate again, from the table that it was trained on.

    The exit code is 1 if it does not hold or, for an estimate, if its figures have changed.
    """
    screen = Screen(output)

    from .. import training

    loaded, account = load(model)
    with about(data), screen.noting():
        checked = training.check(loaded, account, read_again(account, data, reading), target)
    found = None if checked.certificate is None else training.certificate_account(checked.certificate)
    screen.table(certificate_table(checked.claimed, found))
    screen.say(f"{checked.verdict}: {checked.reason}")
    screen.document(
        {
            "model": model,
            "data": data,
            "holds": checked.holds,
            "reason": checked.reason,
            "same_data": checked.same_data,
            "claimed": checked.claimed,
            "recomputed": found,
            "reproduced": checked.reproduced,
        }
    )
    return DONE if checked.reproduced else DOES_NOT_HOLD


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

    Given the table that it was trained on, it also says where the rows lie relative to the margin and which count most.
    """
    if row is not None and data is None:
        raise UserError("--row is a row of a table: maxmargin explain MODEL DATA --row N.")
    screen = Screen(output)

    from ..explanation import explain_model, explain_row

    loaded, account = load(model)
    table = None if data is None else read_again(account, data, reading)
    divided = None if table is None else _divided(account, table)
    rows = (None, None) if divided is None else (divided.X_train, divided.y_train)
    found: Any
    with about(data or str(model)), screen.noting():
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
        places = [place for place, name in enumerate(table.columns) if name in _ROW_COLUMNS]
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


def report(
    model: Model,
    data: Data,
    /,
    *,
    reading: Reading = AS_FOUND,
    out: Annotated[Path | None, output_file("The page; by default the model's name with .html.")] = None,
    force: Force = False,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Write a report of a model and the table that it was trained on: one HTML page that needs no network."""
    out = out or Path(f"{stem(str(model), 'model')}.html")
    screen = Screen(output, out)
    check_place(out, model, data, force=force)

    from ..report import report as make_report

    loaded, account = load(model)
    table = read_again(account, data, reading)
    command = train_again(account, data, model, out)
    command = command or shlex.join(["maxmargin", "report", str(model), data, "--out", str(out)])
    with about(data), screen.noting():
        page = make_report(loaded, table, training=account, command=command)
    make_folder(out, screen)
    page.save(out)
    for part in page.data["answer"]:
        screen.say(part["words"])
    screen.wrote("Report", out)
    screen.document({"model": model, "data": data, "out": out, "report": page.data})
    return DONE


def export(
    model: Model,
    /,
    *,
    onnx: Annotated[bool, flag("As ONNX: one graph in float64, preparation included.")] = False,
    out: Annotated[Path | None, output_file("The file; by default MODEL's name with .onnx.")] = None,
    force: Force = False,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Write a model as a graph that predicts without Python."""
    if not onnx:
        raise UserError("say in which form: maxmargin export MODEL --onnx.")
    out = out or Path(f"{stem(str(model), 'model')}.onnx")
    screen = Screen(output, out)
    check_place(out, model, force=force)

    from .. import persistence

    make_folder(out, screen)
    graph = persistence.to_onnx(persistence.load(model), out).graph
    inputs, outputs = [_described(value) for value in graph.input], [_described(value) for value in graph.output]
    rows = [("input", *about) for about in inputs] + [("output", *about) for about in outputs]
    screen.table(TextTable("ONNX graph", rows, ("", "name", "type", "shape")))
    screen.wrote("Graph", out)
    keys = ("name", "type", "shape")
    screen.document(
        {
            "out": out,
            "inputs": [dict(zip(keys, about, strict=True)) for about in inputs],
            "outputs": [dict(zip(keys, about, strict=True)) for about in outputs],
        }
    )
    return DONE


def _described(value: Any) -> tuple[str, str, str]:
    """Name, type and shape of an input or output of a graph."""
    from onnx import TensorProto

    tensor = value.type.tensor_type
    shape = [str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "N" for d in tensor.shape.dim]
    return value.name, TensorProto.DataType.Name(tensor.elem_type).lower(), " x ".join(shape)


def info(model: Model, /, *, output: OutputOptions = DEFAULT_OUTPUT) -> int:
    """Say what a model file holds: the model, its data, its result and its certificate."""
    screen = Screen(output)

    account, problems = account_in(model)
    screen.table(model_table(account))
    found = [(bool(f.get("serious", True)), in_one_line(f["words"])) for f in account.get("findings") or ()]
    for words in finding_words(found):
        screen.say(words)
    if {"scores", "baseline", "baseline_name", "split"} <= set(account):
        screen.table(score_table(account))
    if "certificate" in account:
        screen.table(certificate_table(account["certificate"]))
        screen.say(certificate_words(account["certificate"]))
        if {"scores", "split"} <= set(account):
            screen.say(unproven_words(account))
    for problem in problems:
        screen.note(f"Left out: {problem}.")
    screen.document({"file": model, **account, "not_understood": problems})
    return DONE
