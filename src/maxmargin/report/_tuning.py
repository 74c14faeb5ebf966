"""How the parameters were found: the families that were compared, and the candidates of the winner."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..messages import jsonable
from ._subject import Subject
from ._words import value_text

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
