"""How good the model is, against the best constant answer, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from ..messages import jsonable
from ..training import Score, classification_scores, regression_scores
from ._subject import CLUSTERS, ONE_CLASS, REGRESSION, Subject
from ._words import fixed, listed, number, percent, plural, shortened

_MOST_CLASSES = 40
_MOST_PAIRS = 8
_SHARES = {"accuracy", "balanced accuracy"}
_NAMES = {"R2": "R²"}


def result_section(subject: Subject, account: Mapping[str, Any]) -> dict[str, Any]:
    """Figures with intervals beside those of the baseline, class by class where there are classes."""
    section: dict[str, Any] = {
        "rows": len(subject.judged),
        "held_out": subject.held_out,
        "judged_on": _judged_on(subject),
        "warning": _warning(subject),
        "metrics": [],
        "baseline": "",
        "classes": [],
        "classes_left_out": 0,
        "pairs": [],
        "counts": [],
        "words": "",
    }
    if subject.task in (CLUSTERS, ONE_CLASS):
        return section | {"counts": _counts(subject), "words": _counted_words(subject)}
    if subject.judged.y is None:
        return section | {"words": "No targets were given, so that the predictions cannot be judged."}
    scores, baseline, name = _scores(subject, account)
    floor = _floor(scores, baseline)
    metrics = [_metric(score, baseline.get(score["name"]), floor) for score in scores.values()]
    section |= {"metrics": metrics, "baseline": name}
    if subject.classifies:
        classes = _by_class(subject)
        section |= {
            "classes": classes[:_MOST_CLASSES],
            "classes_left_out": max(0, len(classes) - _MOST_CLASSES),
            "pairs": _confused(subject),
        }
    return section | {"words": result_words(section)}


def _judged_on(subject: Subject) -> str:
    rows = plural(len(subject.judged), "row")
    if subject.held_out:
        return f"{rows} kept from training"
    return f"the {rows} that trained it" if subject.held_out is False else rows


def _warning(subject: Subject) -> str:
    if subject.held_out is False and subject.task not in (CLUSTERS, ONE_CLASS):
        return (
            "These are the rows that trained the model. Its figures on them say how well it has memorised them, "
            "not how well it will predict others: give rows kept from training as test=(X, y)."
        )
    if subject.held_out is None and subject.task not in (CLUSTERS, ONE_CLASS):
        return (
            "It is not known whether these rows were kept from training: the certificate says only that they are not "
            "all of the training rows."
            if hasattr(subject.estimator, "certificate_")
            else "It is not known whether these rows were kept from training."
        )
    return ""


def _scores(subject: Subject, account: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Those of the training's account, or new ones."""
    if account.get("scores"):
        return dict(account["scores"]), dict(account.get("baseline") or {}), str(account.get("baseline_name", ""))
    rows = subject.judged if subject.trained is None else subject.trained
    n = len(subject.judged)
    if subject.task == REGRESSION:
        y = np.asarray(subject.judged.y, dtype=np.float64)
        mean = float(np.mean(np.asarray(rows.y, dtype=np.float64)))
        found = regression_scores(y, np.asarray(subject.predicted, dtype=np.float64))
        return _plain_scores(found), _plain_scores(regression_scores(y, np.full(n, mean))), "always the mean"
    classes = np.arange(len(subject.class_names))
    common = int(np.bincount(subject.numbered(rows.y)).argmax())
    values = subject.decisions if len(classes) == 2 else None
    found = classification_scores(subject.labels, subject.predicted_labels, values, classes)
    constant = classification_scores(
        subject.labels, np.full(n, common), None if values is None else np.zeros(n), classes
    )
    name = f"always “{shortened(subject.class_names[common], 30)}”"
    return _plain_scores(found), _plain_scores(constant), name


def _plain_scores(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {name: jsonable(asdict(score)) for name, score in scores.items()}


def _floor(scores: Mapping[str, Any], baseline: Mapping[str, Any]) -> float:
    """Where the line of the figures that end at 1 begins: at a tenth below all of them, the same for each."""
    shown = [s for part in (scores, baseline) for s in part.values() if s.get("more_is_better", True)]
    values = [float(s[key]) for s in shown for key in ("value", "low") if s.get(key) is not None]
    lowest = min((value for value in values if np.isfinite(value)), default=0.0)
    return float(np.clip(np.floor(10 * lowest - 1e-9) / 10, -1.0, 0.9))


def _metric(score: Mapping[str, Any], baseline: Mapping[str, Any] | None, floor: float) -> dict[str, Any]:
    share = score["name"] in _SHARES
    return {
        "name": _NAMES.get(score["name"], score["name"]),
        "share": share,
        "value": jsonable(score["value"]),
        "low": jsonable(score.get("low")),
        "high": jsonable(score.get("high")),
        "method": score.get("method", ""),
        "more_is_better": bool(score.get("more_is_better", True)),
        "baseline": None if baseline is None else jsonable(baseline["value"]),
    } | _places(score, baseline, floor)


def _places(score: Mapping[str, Any], baseline: Mapping[str, Any] | None, floor: float) -> dict[str, Any]:
    """Where value, interval and baseline stand on a line from 0 to 100; that of errors begins at 0."""
    known = [score["value"], score.get("low"), score.get("high"), None if baseline is None else baseline["value"]]
    values = [float(value) for value in known if value is not None and np.isfinite(value)]
    low, high = (floor, 1.0) if score.get("more_is_better", True) else (0.0, 1.05 * max(values, default=1.0) or 1.0)

    def place(value: Any) -> float | None:
        if value is None or not np.isfinite(value):
            return None
        return round(float(np.clip(100 * (value - low) / (high - low), 0, 100)), 2)

    return {"at": dict(zip(("value", "low", "high", "baseline"), map(place, known), strict=True))}


def _by_class(subject: Subject) -> list[dict[str, Any]]:
    k = len(subject.class_names)
    truth, said = subject.labels, subject.predicted_labels
    rows = np.bincount(truth, minlength=k)
    named = np.bincount(said, minlength=k)
    right = np.bincount(truth[truth == said], minlength=k)
    return [
        {
            "name": shortened(subject.class_names[j], 60),
            "rows": int(rows[j]),
            "recall": float(right[j] / rows[j]) if rows[j] else None,
            "precision": float(right[j] / named[j]) if named[j] else None,
        }
        for j in range(k)
    ]


def _confused(subject: Subject) -> list[dict[str, Any]]:
    """The pairs of classes that are mistaken most often, where there are too many classes to see it at a glance."""
    k = len(subject.class_names)
    if k <= 6:
        return []
    wrong = subject.labels != subject.predicted_labels
    pairs, many = np.unique(subject.labels[wrong] * k + subject.predicted_labels[wrong], return_counts=True)
    order = np.argsort(-many, kind="stable")[:_MOST_PAIRS]
    return [
        {
            "is": shortened(subject.class_names[int(pairs[j]) // k], 40),
            "predicted": shortened(subject.class_names[int(pairs[j]) % k], 40),
            "rows": int(many[j]),
        }
        for j in order
    ]


def _counts(subject: Subject) -> list[dict[str, Any]]:
    """How many rows are in each cluster, or within and outside of the one class."""
    labels, many = np.unique(subject.predicted, return_counts=True)
    names = {1: "inside", -1: "outside"} if subject.task == ONE_CLASS else {}
    return [
        {"name": names.get(int(label), f"cluster {label}"), "rows": int(rows), "share": float(rows / many.sum())}
        for label, rows in zip(labels, many, strict=True)
    ]


def _counted_words(subject: Subject) -> str:
    counts = _counts(subject)
    if subject.task == ONE_CLASS:
        outside = next((row["rows"] for row in counts if row["name"] == "outside"), 0)
        return (
            f"{plural(outside, 'row')} of {len(subject.judged)} ({percent(outside / len(subject.judged))}) lie outside."
        )
    sizes = listed([number(row["rows"]) for row in counts], 8)
    return f"{plural(len(counts), 'cluster')} of {sizes} rows."


def result_words(result: Mapping[str, Any]) -> str:
    """The first figure with its interval, and that of the baseline."""
    if not result["metrics"]:
        return str(result["words"])
    first = result["metrics"][0]
    on = f"On {result['judged_on']},"
    if result["held_out"] is False:
        on = f"Not measured on new rows: none were kept from training. {on}"
    base = f"; the baseline ({result['baseline']})" if result["baseline"] else ""
    if first["name"] == "accuracy":
        words = f"{on} it gets {percent(first['value'])} right{_interval(first, percent)}"
        return words + (f"{base} gets {percent(first['baseline'])}." if base else ".")
    shown = percent if first["share"] else fixed
    words = f"{on} its {first['name']} is {shown(first['value'])}{_interval(first, shown)}"
    others = [m for m in result["metrics"][1:] if m["name"] == "RMSE"]
    if others:
        words += f", its typical error (RMSE) {number(others[0]['value'])}"
        return words + (f"{base} is off by {number(others[0]['baseline'])}." if base else ".")
    return words + (f"{base} has {shown(first['baseline'])}." if base else ".")


def _interval(metric: Mapping[str, Any], shown: Any) -> str:
    if metric["low"] is None or metric["high"] is None:
        return ""
    return f" (95 % interval {shown(metric['low'])} to {shown(metric['high'])})"
