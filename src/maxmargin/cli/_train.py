"""``maxmargin train``: from a table to a tuned, proven and saved model."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..messages import jsonable, number
from ._account import (
    certificate_table,
    certificate_words,
    data_table,
    data_words,
    family_table,
    finding_words,
    score_table,
    task_words,
    unproven_words,
)
from ._errors import DONE, UserError, about, with_options
from ._files import check_place, make_folder, stem
from ._options import AS_FOUND, DEFAULT_OUTPUT, Data, Force, OutputOptions, Reading, flag, output_file
from ._screen import Screen, bytes_shown, shown

MODELS = (
    "linear, logistic, tree, svc, forest, boosting, adaboost or knn for classes; ridge, linear, tree, svr, forest, "
    "boosting, adaboost or knn for numbers; only if named, kernellogistic or kernelperceptron for classes, "
    "leastsquares, lasso, elasticnet or kernelridge for numbers"
)


@Parameter(name="*")
@dataclass(frozen=True)
class TrainingOptions:
    """Arguments of `maxmargin.training.train` that are said by options of the same name."""

    model: Annotated[
        str, Parameter(help=f"Family of models: {MODELS}. auto compares them; a,b compares only those two.")
    ] = "auto"
    task: Annotated[str, Parameter(help="What to learn: auto, classification or regression.")] = "auto"
    C: Annotated[
        float | None,
        Parameter(
            help="Weight of the training errors: the larger, the closer the fit. For linear, logistic, svc, svr and "
            "kernellogistic; chosen by tuning if not given."
        ),
    ] = None
    gamma: Annotated[
        float | None,
        Parameter(
            help="Scale of the kernel: the larger, the nearer rows have to be to count as similar. For svc, svr, "
            "kernellogistic, kernelperceptron and kernelridge; chosen by tuning if not given."
        ),
    ] = None
    kernel: Annotated[
        str | None, Parameter(help="Kernel of svc and svr: rbf, linear, poly or sigmoid. rbf if not given.")
    ] = None
    test: Annotated[float, Parameter(help="Share of the rows to hold out for the result.")] = 0.2
    seed: Annotated[int, Parameter(help="Seed of all draws: the same table, options and seed give the same model.")] = 0
    metric: Annotated[
        str,
        Parameter(
            help="The score to compare by: auto, accuracy, balanced accuracy, AUC, log loss or F1:LABEL; R2, MAE, RMSE "
            "or pinball:0.9 for numbers."
        ),
    ] = "auto"
    folds: Annotated[int, Parameter(help="Number of folds of the cross-validation.")] = 5
    tuning_rows: Annotated[int, Parameter(help="The most rows that candidates are compared on.")] = 10_000
    minutes: Annotated[
        float | None,
        Parameter(
            help="Minutes for tuning; families that are not reached in time are left out. The final fit of svc or svr "
            "on more than 50,000 rows gets as many again (30 if not given)."
        ),
    ] = None
    drop_missing_target: Annotated[bool, flag("Leave out rows that have no target.")] = False
    group: Annotated[
        str | None,
        Parameter(
            help="A column that tells groups apart, such as patients: rows of one group are trained on or held out "
            "together. The model does not learn from this column."
        ),
    ] = None


AS_USUAL = TrainingOptions()


def train(
    data: Data,
    /,
    *,
    target: Annotated[
        str | None,
        Parameter(help="Name of the column to predict. LIBSVM text needs none: it is the first number of each line."),
    ] = None,
    options: TrainingOptions = AS_USUAL,
    column: Annotated[
        list[str] | None, Parameter(negative="", help="Learn from this column and from no others; may be repeated.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            metavar="COL=KIND",
            help="Take a column for number, category, date, text or drop; may be repeated.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        Parameter(
            help="A column that says in which order rows came: the last ones are held out. A table that is sorted by a "
            "column of dates needs no such option."
        ),
    ] = None,
    no_time: Annotated[bool, flag("Rows are independent, whatever orders them: hold out rows at random.")] = False,
    class_weight: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            metavar="WEIGHT",
            help="What classes weigh in training: balanced (alike), none, or LABEL=WEIGHT, which may be repeated. By "
            "default alike where balanced accuracy is compared.",
        ),
    ] = None,
    reading: Reading = AS_FOUND,
    out: Annotated[Path | None, output_file("The model file; by default the table's name with .mm.")] = None,
    report: Annotated[Path | None, output_file("Write a report too: one HTML page.")] = None,
    force: Force = False,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Train a model on a table: prepare, tune, fit, prove, judge by held-out rows, and save."""
    if no_time and time is not None:
        raise UserError(f"--time {time} and --no-time exclude each other: leave one out.")
    settings: dict[str, Any] = {**vars(options), "kinds": _kinds(kind), "time": False if no_time else time}
    settings["class_weight"] = _class_weight(class_weight)
    out = out or Path(f"{stem(data, 'model')}.mm")
    screen = Screen(output, out, report)
    _check_places(out, report, data, force)

    from .. import persistence, training
    from ..tables import read_table

    training.check_arguments(**settings)  # before the table is read, which may take minutes
    read_as = reading.options()
    if column is not None:
        more = [name for name in (time, options.group, target) if name is not None]
        read_as["columns"] = list(dict.fromkeys([*column, *more]))
    with bytes_shown(output.quiet) as read:
        table = read_table(data, progress=read, **read_as)
    with about(data):
        opened = training.open_table(table, target)
    if screen.speaks:
        summary = jsonable(opened.summary)
        screen.say(data_words(data, summary))
        screen.table(data_table(summary))
    if settings["time"] is None and settings["group"] is None and screen.asks:
        settings["time"] = _asked_about_time(screen, training.noticed_time(opened))
    with shown(output.quiet) as progress:
        with about(data):
            done = training.train(opened, target, **settings, resume=_tuning_file(out), progress=progress)
        command = _command(data, target, settings, column, kind, reading, out, report)
        source = {"data": data, "command": command, **read_as}
        account = jsonable({**done.provenance(), "source": source})
        make_folder(out, screen)
        persistence.save(done.model, out, provenance=account)
        if report is not None:
            if progress is not None:
                progress(training.Stage("report", "drawing the report"))
            make_folder(report, screen)
            _write_report(done, report, command)
    _tell(screen, account, done.findings)
    screen.wrote("Model", out)
    if report is not None:
        screen.wrote("Report", report)
    screen.document({"model": out, "report": report, **account})
    return DONE


def _kinds(said: Sequence[str] | None) -> dict[str, str] | None:
    """``--kind a=number --kind b=drop`` as a dict."""
    kinds = {}
    for text in said or ():
        name, equals, kind = text.rpartition("=")
        if not equals or not name:
            raise UserError(f"--kind {text}: write it as COLUMN=KIND, such as year=category.")
        kinds[name] = kind
    return kinds or None


def _class_weight(said: Sequence[str] | None) -> Any:
    """``--class-weight balanced``, ``none``, or ``yes=3`` as the argument of `train`."""
    if not said:
        return "auto"
    if len(said) == 1 and said[0] in ("auto", "balanced", "none"):
        return None if said[0] == "none" else said[0]
    weights = {}
    for text in said:
        label, equals, weight = text.rpartition("=")
        try:
            weights[label] = float(weight)
        except ValueError:
            equals = ""
        if not equals or not label:
            raise UserError(f"--class-weight {text}: say balanced, none, or LABEL=WEIGHT, such as yes=3.")
    return weights


def _tuning_file(out: Path) -> Path | None:
    """Where an interrupted run keeps what it has tuned: beside the model, if that is to be a file in a folder."""
    from ..engine import descriptor_of

    folder = Path(os.path.realpath(out)).parent
    if descriptor_of(out) is not None or (out.exists() and not out.is_file()) or not folder.is_dir():
        return None
    return out.with_name(f"{out.name}.tuning")


def _check_places(out: Path, report: Path | None, data: str, force: bool) -> None:
    check_place(out, data, force=force)
    if report is not None:
        check_place(report, data, force=force)
        for package in ("jinja2", "matplotlib"):
            if importlib.util.find_spec(package) is None:  # said now, and not after an hour of training
                raise UserError(f"a report needs {package}: pip install 'maxmargin[report]'.")
        if report.resolve() == out.resolve():
            raise UserError(f"--out and --report are the same file, {out}; give the report another name.")


def _asked_about_time(screen: Screen, column: str | None) -> str | bool | None:
    """The column of dates that orders the table, False if its rows are independent; None if there is no such column."""
    if column is None:
        return None
    answer = screen.ask(
        f"Column {column!r} orders the table. Are the last rows to be held out, as what comes later (else rows are "
        "drawn at random)? [Y/n] "
    )
    return False if answer.strip().lower().startswith("n") else column


def _tell(screen: Screen, account: dict[str, Any], findings: Sequence[Any]) -> None:
    """What endangers trust, what was tried, what came out, and what is proven."""
    found = [(f.serious, with_options((f.words, " ", *f.advice)).strip()) for f in findings]
    for words in finding_words(found):
        screen.say(words)
    screen.say(task_words(account))
    screen.table(family_table(account))
    screen.say(f"Chosen: {account['reason']}.")
    screen.table(score_table(account))
    screen.table(certificate_table(account["certificate"]))
    screen.say(certificate_words(account["certificate"]))
    screen.say(unproven_words(account))
    if account["notes"]:
        screen.lines("\n".join(f"Note: {note}" for note in account["notes"]))


def _write_report(done: Any, path: Path, command: str) -> None:
    from ..report import report

    report(done, command=command).save(path)


def train_again(account: dict[str, Any], data: str, model: Path, page: Path) -> str | None:
    """The command line that trains a saved model again, put together from its settings; None if it is not known.

    The file has the line that was typed, but whoever wrote the file may have written any other: options and their order
    are ours, files are those that were named just now, and what was set is quoted.
    """
    settings, source = account.get("settings"), account.get("source") or {}
    if not settings:
        return None
    target = settings.get("target")
    more = (target, settings.get("time"), settings.get("group"))
    column = [name for name in source.get("columns") or () if name not in more]
    kind = [f"{name}={what}" for name, what in (settings.get("kinds") or {}).items()]
    said = {field.name: source.get(field.name) for field in fields(Reading)}
    reading = Reading(**said | {"delimiter": "\\t" if said["delimiter"] == "\t" else said["delimiter"]})
    line = _command(
        data,
        target,
        {name: settings.get(name) for name in (*vars(AS_USUAL), "time")}
        | {"class_weight": settings.get("class_weight", "auto")},
        column,
        kind,
        reading,
        model,
        page,
    )
    return line if line.isprintable() else None


def _command(
    data: str,
    target: str | None,
    settings: dict[str, Any],
    column: Sequence[str] | None,
    kind: Sequence[str] | None,
    reading: Reading,
    out: Path,
    report: Path | None,
) -> str:
    """The command line that does this again."""
    words = ["maxmargin", "train", data]
    said = {"target": target, **{k: v for k, v in settings.items() if k not in ("kinds", "class_weight")}}
    weights = settings.get("class_weight", "auto")
    if isinstance(weights, dict):
        said["class_weight"] = [f"{label}={number(weight, 17)}" for label, weight in weights.items()]
    elif weights != "auto":
        said["class_weight"] = weights or "none"
    said |= {field.name: getattr(reading, field.name) for field in fields(reading)}
    said |= {"column": list(column or ()), "kind": list(kind or ())}
    for name, value in said.items():
        option = f"--{name.replace('_', '-')}"
        unset = value is False and name not in ("header", "day_first", "time")
        if value is None or unset or vars(AS_USUAL).get(name) == value:
            continue
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            for item in value if isinstance(value, list) else [value]:
                # what looks like an option would be taken for one
                words += [f"{option}={item}"] if re.match("-.", str(item), re.DOTALL) else [option, str(item)]
    return shlex.join([*words, "--out", str(out), *([] if report is None else ["--report", str(report)])])
