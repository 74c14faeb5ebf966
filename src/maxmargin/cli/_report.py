"""``maxmargin report``: a model and its table as one HTML page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ._errors import DONE, about
from ._files import check_place, stem
from ._options import AS_FOUND, DEFAULT_OUTPUT, OUTPUT, Data, Force, Model, OutputOptions, Reading
from ._screen import Screen
from ._train import train_again


def report(
    model: Model,
    data: Data,
    /,
    *,
    reading: Reading = AS_FOUND,
    out: Annotated[
        Path | None, Parameter(group=OUTPUT, help="The page; by default the model's name with .html.")
    ] = None,
    force: Force = False,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Write a report of a model and the table that it was trained on: one HTML page that needs no network."""
    screen = Screen(output)
    out = out or Path(f"{stem(str(model), 'model')}.html")
    check_place(out, force=force)

    from ..report import report as make_report
    from ._models import load, read_again

    loaded, account = load(model)
    table = read_again(account, data, reading)
    command = train_again(account, data, model, out)
    command = command or shlex.join(["maxmargin", "report", str(model), data, "--out", str(out)])
    with about(data):
        page = make_report(loaded, table, training=account, command=command)
    out.parent.mkdir(parents=True, exist_ok=True)
    page.save(out)
    for part in page.data["answer"]:
        screen.say(part["words"])
    screen.wrote("Report", out)
    screen.document({"model": model, "data": data, "out": out, "report": page.data})
    return DONE
