"""What happens to each column before the model sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from ..messages import jsonable
from ._data import MOST_COLUMNS
from ._subject import Subject
from ._words import listed, plural, shortened, value_text

_STEPS = {
    "StandardScaler": "less the mean, over the standard deviation",
    "MinMaxScaler": "moved and scaled to the range from 0 to 1",
    "MaxAbsScaler": "over the largest size",
    "RobustScaler": "less the median, over the range between the quarters",
    "SimpleImputer": "missing values filled",
    "MissingIndicator": "a column that says where a value was missing",
    "OneHotEncoder": "a column of 0 and 1 for each category",
    "OrdinalEncoder": "categories as numbers",
    "PolynomialFeatures": "products of columns added",
    "Normalizer": "each row scaled to length 1",
    "PCA": "turned to principal components",
    "ColumnReader": "columns read as numbers, dates and categories",
}
_KINDS = {"number": "number", "category": "category", "date": "date", "datetime": "date and time", "drop": "dropped"}


def preparation_section(subject: Subject, account: Mapping[str, Any]) -> dict[str, Any]:
    """The steps in order, and of each column what becomes of it where that is known."""
    steps = [words for step in subject.steps for words in _step_words(step)]
    plans = account.get("columns") or _plans(subject)
    target = account.get("target")
    found = {column["name"]: column for column in (account.get("summary") or {}).get("columns", ())}
    asked = (account.get("settings") or {}).get("kinds") or {}
    columns = [
        # where a column was not asked to be dropped, the summary of the whole table knows why it is
        _column(plan if name in asked else {**plan, "reason": found.get(name, plan).get("reason")}, steps)
        for plan in plans
        if (name := plan.get("name")) != target
    ]
    dropped = [column for column in columns if column["dropped"]]
    kept = [column for column in columns if not column["dropped"]]
    return {
        "steps": steps,
        "columns": (dropped + kept)[:MOST_COLUMNS],
        "left_out": max(0, len(columns) - MOST_COLUMNS),
        "dropped": [column["name"] for column in dropped],
        "features": len(subject.feature_names),
        "words": _words(subject, columns, dropped),
    }


def _words(subject: Subject, columns: list[dict[str, Any]], dropped: list[dict[str, Any]]) -> str:
    if not subject.steps:
        return "None: the model sees the columns as they are."
    words = f"{plural(len(subject.names), 'column')} become {plural(len(subject.feature_names), 'feature')}"
    if dropped:
        names = listed([shortened(column["name"], 40) for column in dropped], 4)
        words += f"; {names} {'is' if len(dropped) == 1 else 'are'} left out"
    return words + ". It was learnt from the training rows alone and is part of the model."


def _step_words(step: Any) -> list[dict[str, str]]:
    """Name, columns and meaning of a step; a step of steps gives several."""
    if isinstance(step, Pipeline):
        return [words for _, part in step.steps if part not in (None, "passthrough") for words in _step_words(part)]
    if isinstance(step, ColumnTransformer):
        found = []
        for name, part, columns in step.transformers_:
            many = plural(len(columns), "column") if hasattr(columns, "__len__") else ""
            if isinstance(part, str):
                if hasattr(columns, "__len__") and len(columns):
                    meaning = "left out" if part == "drop" else "as they are"
                    found.append({"name": name, "columns": many, "words": meaning})
                continue
            found += [words | {"columns": many} for words in _step_words(part)]
        return found
    name = type(step).__name__
    words = _STEPS.get(name, "")
    if name == "SimpleImputer":
        words += f" with the {getattr(step, 'strategy', 'mean').replace('_', ' ')}"
    changed = {
        key: value
        for key, value in step.get_params(deep=False).items()
        if name not in _STEPS and isinstance(value, (str, int, float)) and not isinstance(value, bool)
    }
    if changed:
        words = ", ".join(f"{key} = {value_text(value)}" for key, value in changed.items())
    return [{"name": name, "columns": "", "words": shortened(words, 120)}]


def _plans(subject: Subject) -> list[dict[str, Any]]:
    """The plans of a reader of columns among the steps, as plain dicts."""
    for step in subject.steps:
        parts = [part for _, part in step.steps] if isinstance(step, Pipeline) else [step]
        for part in parts:
            if hasattr(part, "columns_"):
                return [
                    {key: jsonable(getattr(plan, key, None)) for key in ("name", "kind", "levels", "missing", "reason")}
                    for plan in part.columns_
                ]
    return []


def _column(plan: Mapping[str, Any], steps: list[dict[str, str]]) -> dict[str, Any]:
    kind = str(plan.get("kind", ""))
    reason = str(plan.get("reason") or "")
    return {
        "name": str(plan["name"]),
        "kind": _KINDS.get(kind, kind),
        "dropped": kind == "drop",
        "becomes": shortened(reason if kind == "drop" else _becomes(kind, plan, steps), 160),
    }


def _becomes(kind: str, plan: Mapping[str, Any], steps: list[dict[str, str]]) -> str:
    known = {step["name"] for step in steps}
    scaled = "StandardScaler" in known
    filled = "SimpleImputer" in known
    if kind == "category":
        levels = plan.get("levels") or ()
        many = (
            f"{len(levels)} columns of 0 and 1" if "OneHotEncoder" in known else f"{len(levels)} categories as numbers"
        )
        names = listed([shortened(level, 20) for level in levels], 5)
        return f"{many}: {names}" if levels else many
    dated = kind in ("date", "datetime")
    words = "days since 1970, month and weekday" + ", hour" * (kind == "datetime") if dated else "as it is"
    if scaled:
        words = (words + "; each " if dated else "") + "less the mean, over the standard deviation"
    if plan.get("missing") and filled:
        words += "; missing values filled, and a column that says where"
    return words
