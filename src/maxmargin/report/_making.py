"""How the model was made: what happens to each column, how the parameters were found, and how to do it again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from ..messages import jsonable
from ..training import train
from ._data import MOST_COLUMNS
from ._subject import Subject
from ._words import listed, plural, shortened, value_text

# ---------------------------------------------------------------- preparation

_STEPS = {
    "StandardScaler": "less the mean, over the standard deviation",
    "MinMaxScaler": "moved and scaled to the range from 0 to 1",
    "MaxAbsScaler": "over the largest size",
    "RobustScaler": "less the median, over the range between the quarters",
    "SimpleImputer": "missing values filled",
    "MissingIndicator": "a column that says where a value was missing",
    "OneHotEncoder": "a column of 0 and 1 for each category",
    "DenseRows": "sparse rows made dense",
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
    if kind == "text":
        return f"a number for each of {len(plan.get('levels') or ())} words (TF-IDF)"
    dated = kind in ("date", "datetime")
    words = "days since 1970, month and weekday" + ", hour" * (kind == "datetime") if dated else "as it is"
    if scaled:
        words = (words + "; each " if dated else "") + "less the mean, over the standard deviation"
    if plan.get("missing") and filled:
        words += "; missing values filled, and a column that says where"
    return words


# ---------------------------------------------------------------- tuning

_MOST_CANDIDATES = 12


def tuning_section(subject: Subject, account: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was tried, best first; None where nothing was."""
    results, winner, metric = results_of(subject, account)
    families = [_family(row) for row in account.get("candidates", ())]
    if results is None and not families:
        return None
    shown, left_out = _best(results, winner) if results is not None else ([], 0)
    return {
        "metric": metric,
        "folds": _folds(results),
        "reason": _sentence(account.get("reason", "")),
        "metric_reason": _sentence(f"Compared by {metric}: {account['metric_reason']}")
        if account.get("metric_reason")
        else "",
        "families": families,
        "family": account.get("family", ""),
        "parameters": sorted({name for row in shown for name in row["params"]}),
        "candidates": shown,
        "left_out": left_out,
    }


def results_of(subject: Subject, account: Mapping[str, Any]) -> tuple[dict[str, Any] | None, int | None, str]:
    """The candidates in the form of ``cv_results_``, the number of the winner, and the name of the scores."""
    tuning = account.get("tuning") or {}
    found = (tuning.get("families") or {}).get(account.get("family"))
    if found and found.get("candidates"):
        results = _as_results(found["candidates"])
        return results, _number_of(found["candidates"], account), str(tuning.get("metric", "score"))
    if subject.search is not None and hasattr(subject.search, "cv_results_"):
        scoring = getattr(subject.search, "scoring", None)
        metric = scoring.replace("_", " ") if isinstance(scoring, str) else "accuracy" if subject.classifies else "R²"
        return dict(subject.search.cv_results_), getattr(subject.search, "best_index_", None), metric
    return None, None, ""


def _as_results(candidates: list[Mapping[str, Any]]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in candidates for name in row["params"]))
    folds = max((len(row.get("fold_scores") or ()) for row in candidates), default=0)

    def known(value: Any) -> float:
        return math.nan if value is None else float(value)

    results: dict[str, Any] = {f"param_{name}": [row["params"].get(name) for row in candidates] for name in names}
    results["mean_test_score"] = np.array([known(row.get("score")) for row in candidates])
    results["std_test_score"] = np.array([known(row.get("std")) for row in candidates])
    for k in range(folds):
        scores = [(list(row.get("fold_scores") or ()) + [None] * folds)[k] for row in candidates]
        results[f"split{k}_test_score"] = np.array([known(score) for score in scores])
    results["status"] = np.array([str(row.get("status", "")) for row in candidates])
    return results


def _number_of(candidates: list[Mapping[str, Any]], account: Mapping[str, Any]) -> int | None:
    chosen = account.get("parameters") or next(
        (row["params"] for row in account.get("candidates", ()) if row.get("chosen")), None
    )
    if not chosen:
        return None
    fits = [k for k, row in enumerate(candidates) if all(chosen.get(name) == v for name, v in row["params"].items())]
    return fits[0] if len(fits) == 1 else None


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""


def _family(row: Mapping[str, Any]) -> dict[str, Any]:
    params = ", ".join(f"{name} = {value_text(value)}" for name, value in (row.get("params") or {}).items())
    keys = ("family", "score", "error", "behind", "behind_error", "seconds", "note", "chosen")
    return {key: jsonable(row.get(key)) for key in keys} | {"params": params}


def _folds(results: dict[str, Any] | None) -> int:
    return sum(key.startswith("split") and key.endswith("_test_score") for key in results or ())


def _best(results: Mapping[str, Any], winner: int | None) -> tuple[list[dict[str, Any]], int]:
    """The best candidates, the winner among them, and how many are left out."""
    mean = np.asarray(results["mean_test_score"], dtype=np.float64)
    spread = np.asarray(results.get("std_test_score", np.full(len(mean), np.nan)), dtype=np.float64)
    folds = max(1, _folds(dict(results)))
    names = [key.removeprefix("param_") for key in results if key.startswith("param_")]
    order = np.argsort(-np.where(np.isfinite(mean), mean, -np.inf), kind="stable").tolist()
    picked = order[:_MOST_CANDIDATES]
    if winner is not None and winner not in picked:
        picked[-1:] = [int(winner)]
    rows = [
        {
            "params": {name.split("__")[-1]: value_text(jsonable(results[f"param_{name}"][k])) for name in names},
            "score": jsonable(float(mean[k])),
            "error": jsonable(float(spread[k]) / math.sqrt(max(1, folds - 1))),
            "chosen": k == int(order[0] if winner is None else winner),
        }
        for k in picked
    ]
    return rows, len(mean) - len(rows)


# ---------------------------------------------------------------- once more


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
