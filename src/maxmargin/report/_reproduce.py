"""The command, or the code, that makes the model and its page again."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from ..training import train


def reproduce_section(model: Any, account: Mapping[str, Any], command: str | None, has_targets: bool) -> dict[str, str]:
    """What was typed, what `train` was called with, or code that fits the same model."""
    if command:
        return {"kind": "command", "text": command}
    settings = account.get("settings")
    if settings:
        return {"kind": "code", "text": _training_code(account, settings)}
    return {"kind": "code", "text": _model_code(model, has_targets)}


def _training_code(account: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    known = signature(train).parameters
    given = {
        name: value
        for name, value in settings.items()
        if name in known and name != "target" and known[name].default != value
    }
    target = account["target"]
    arguments = ["table"] + ([repr(target)] if target is not None else [])
    arguments += [f"{name}={value!r}" for name, value in given.items()]
    return (
        "from maxmargin.report import report\nfrom maxmargin.training import train\n\n"
        f"training = train({', '.join(arguments)})\nreport(training, table).save('report.html')\n"
    )


def _model_code(model: Any, has_targets: bool) -> str:
    fresh = clone(model) if isinstance(model, BaseEstimator) else model
    rows = "X, y" if has_targets else "X"
    imports = sorted({_import_of(part) for part in _parts(fresh)} | {"from maxmargin.report import report"})
    return "\n".join(
        [*imports, "", f"model = {_spelled(fresh)}", f"model.fit({rows})", f"report(model, {rows}).save('report.html')"]
    ) + "\n"  # fmt: skip


def _spelled(model: Any) -> str:
    """The constructor of a model, whole: scikit-learn cuts long ones in the middle."""
    return model.__repr__(N_CHAR_MAX=20_000) if isinstance(model, BaseEstimator) else repr(model)


def _parts(model: Any) -> list[Any]:
    """The model and the estimators in it."""
    parts = [model]
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps]
    elif isinstance(model, BaseEstimator):
        steps = [value for value in model.get_params(deep=False).values()]
    else:
        steps = []
    for step in steps:
        if isinstance(step, BaseEstimator):
            parts += _parts(step)
    return parts


def _import_of(part: Any) -> str:
    """From the room that users import it from: modules with an underscore are private."""
    path = [name for name in type(part).__module__.split(".") if not name.startswith("_")]
    return f"from {'.'.join(path)} import {type(part).__name__}"
