"""The account of a training as a file gives it: whoever wrote the file may have written anything.

Each part that is read anywhere has a shape. A part of another shape is left out, so that nobody has to look twice; what
was said instead is told by the part's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..certificates import DEFINITENESS

# What is wrong with a value, and where; None if nothing is.
Shape = Callable[[Any, str], str | None]


def _of(*types: type, words: str) -> Shape:
    def problem(value: Any, where: str) -> str | None:
        right = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        return None if right else f"{where} must be {words}; found {_shown(value)}"

    return problem


def _shown(value: Any) -> str:
    text = f"{type(value).__name__} of {len(value)}" if isinstance(value, (list, dict)) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _or_none(shape: Shape) -> Shape:
    return lambda value, where: None if value is None else shape(value, where)


def _listed(shape: Shape) -> Shape:
    def problem(value: Any, where: str) -> str | None:
        if not isinstance(value, list):
            return f"{where} must be a list; found {_shown(value)}"
        return next((found for i, part in enumerate(value) if (found := shape(part, f"{where}[{i}]"))), None)

    return problem


def _by_name(shape: Shape) -> Shape:
    def problem(value: Any, where: str) -> str | None:
        if not isinstance(value, dict):
            return f"{where} must be values by name; found {_shown(value)}"
        return next((found for key, part in value.items() if (found := shape(part, f"{where}[{key[:40]!r}]"))), None)

    return problem


def _record(needed: Mapping[str, Shape], more: Mapping[str, Shape] | None = None) -> Shape:
    shapes = {**needed, **(more or {})}

    def problem(value: Any, where: str) -> str | None:
        if not isinstance(value, dict):
            return f"{where} must be values by name; found {_shown(value)}"
        for key in needed:
            if key not in value:
                return f"{where} has no {key}"
        known = ((shape(value[key], f"{where}.{key}")) for key, shape in shapes.items() if key in value)
        return next((found for found in known if found), None)

    return problem


def _certificate(value: Any, where: str) -> str | None:
    kind = _GAP if isinstance(value, dict) and "relative_gap" in value else _GUARANTEE
    return kind(value, where)


_TEXT, _TRUTH = _of(str, words="a text"), _of(bool, words="true or false")
_WHOLE, _NUMBER = _of(int, words="a whole number"), _of(int, float, words="a number")
_SCALAR = _or_none(_of(str, int, float, bool, words="a text or a number"))
_FIGURE = _or_none(_NUMBER)


def _anything(value: Any, where: str) -> str | None:
    return None


def _definiteness(value: Any, where: str) -> str | None:
    return None if value in DEFINITENESS else f"{where} must be one of {list(DEFINITENESS)}; found {_shown(value)}"


_COMMON = {"kind": _TEXT, "status": _TEXT, "problems": _WHOLE}
_FIGURES = dict.fromkeys(("primal", "dual", "gap", "relative_gap", "kkt_violation"), _FIGURE)
_GAP = _record(_COMMON, _FIGURES | {"definiteness": _definiteness})
_GUARANTEE = _record({**_COMMON, "statement": _TEXT, "figures": _by_name(_FIGURE)})
_SCORE = _record(
    {"name": _TEXT, "value": _FIGURE}, {"low": _FIGURE, "high": _FIGURE, "method": _TEXT, "more_is_better": _TRUTH}
)
_SUMMARISED = _record(
    {"name": _TEXT, "kind": _TEXT, "reason": _TEXT},
    {"type": _TEXT, "missing": _or_none(_WHOLE), "distinct": _or_none(_WHOLE), "example": _SCALAR},
)
_TRIED = {"score": _FIGURE, "std": _FIGURE, "fold_scores": _or_none(_listed(_FIGURE)), "seconds": _FIGURE}
_FAMILY = _record(
    {"family": _TEXT, "params": _by_name(_SCALAR), "note": _TEXT, "chosen": _TRUTH}
    | dict.fromkeys(("score", "error", "seconds"), _FIGURE),
    {**_TRIED, "behind": _FIGURE, "behind_error": _FIGURE},
)
_CANDIDATES = _record({"candidates": _listed(_record({"params": _by_name(_SCALAR)}, {**_TRIED, "status": _TEXT}))})

SHAPES: dict[str, Shape] = {
    "task": _TEXT,
    "task_reason": _TEXT,
    "target": _or_none(_TEXT),
    "classes": _or_none(_listed(_SCALAR)),
    "class_counts": _or_none(_by_name(_WHOLE)),
    "columns": _listed(_record({"name": _TEXT, "kind": _TEXT}, {"type": _TEXT, "reason": _TEXT})),
    "summary": _record({"columns": _listed(_SUMMARISED)}, {"rows": _WHOLE}),
    "split": _record(
        {"test": _NUMBER, "seed": _WHOLE, "rows": _WHOLE, "training_rows": _WHOLE, "test_rows": _WHOLE, "digest": _TEXT}
    ),
    "metric": _TEXT,
    "metric_reason": _TEXT,
    "family": _TEXT,
    "reason": _TEXT,
    "candidates": _listed(_FAMILY),
    "tuning": _or_none(_record({}, {"metric": _TEXT, "families": _or_none(_by_name(_CANDIDATES))})),
    "scores": _by_name(_SCORE),
    "baseline": _by_name(_SCORE),
    "baseline_name": _TEXT,
    "certificate": _certificate,
    "fingerprint": _by_name(_TEXT),
    "settings": _record(
        {},
        {name: _or_none(_TEXT) for name in ("target", "model", "task", "kernel", "metric")}
        | {name: _FIGURE for name in ("C", "gamma", "test", "minutes", "memory")}
        | {name: _or_none(_WHOLE) for name in ("seed", "folds", "tuning_rows")}
        | {"columns": _or_none(_listed(_TEXT)), "kinds": _or_none(_by_name(_TEXT)), "drop_missing_target": _TRUTH},
    ),
    "versions": _by_name(_TEXT),
    "notes": _listed(_TEXT),
    "seconds": _by_name(_FIGURE),
    "source": _record(
        {},
        {name: _TEXT for name in ("data", "command", "format", "delimiter", "encoding", "decimal")}
        | {"columns": _or_none(_listed(_TEXT)), "missing": _listed(_TEXT), "header": _TRUTH, "day_first": _TRUTH},
    ),
    "class": _TEXT,
    "created": _TEXT,
    "parameters": _by_name(_anything),
}


def usable_account(facts: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parts of an account that are as `train` writes them, and what is wrong with each of the others.

    Parts that no shape is known of are kept as they are: nothing here reads them.
    """
    account, problems = {}, []
    for name, value in facts.items():
        shape = SHAPES.get(name)
        problem = None if shape is None else shape(value, name)
        if problem is None:
            account[name] = value
        else:
            problems.append(problem)
    return account, problems
