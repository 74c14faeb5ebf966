"""The account of a training as plain JSON values: how it is written, and what can be used of one that a file gives.

Whoever wrote a file may have written anything. Each part that is read anywhere has a shape. A part of another shape is
left out, so that nobody has to look twice; what was said instead is told by the part's name.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ..certificates import DEFINITENESS
from ..messages import counted, jsonable
from ..persistence import (
    Bool,
    Either,
    Float,
    Int,
    Items,
    Kind,
    Mismatch,
    Named,
    OrNone,
    Parts,
    Scope,
    Text,
    Where,
    choice,
    completed,
    inside,
)
from ..svm import is_large, method_words, terms_of
from ._split import RANDOM, written_rows
from ._training import Split, Training

_PACKAGES = ("maxmargin", "numpy", "scipy", "scikit-learn", "numba", "narwhals")
FORMAT = 1


def provenance_of(training: Training) -> dict[str, Any]:
    """Everything but the model."""
    told = {part.name: getattr(training, part.name) for part in fields(training) if part.name not in ("model", "rows")}
    return jsonable(
        {
            "format": FORMAT,
            **told,
            "columns": [
                replace(plan, levels=(), weights=()) if plan.kind == "text" else plan for plan in training.columns
            ],
            "split": split_account(training.split),
            "findings": [finding.account() for finding in training.findings],
            "parameters": parameters_of(training.model[-1]),
            "certificate": certificate_account(training.certificate) | _method(training.model[-1]),
            "versions": versions(),
        }
    )


def split_account(split: Split) -> dict[str, Any]:
    """Enough to make the split again from the table and to see that it is the same.

    A plain draw is made again by its seed. Of others the rows that were held out are written down.
    """
    plain = split.kind == RANDOM and not split.together
    return {
        "test": split.test,
        "seed": split.seed,
        "stratified": split.stratified,
        "rows": len(split.train_rows) + len(split.test_rows) + split.dropped_rows,
        "training_rows": len(split.train_rows),
        "test_rows": len(split.test_rows),
        "dropped_rows": split.dropped_rows,
        "digest": hashlib.sha256(np.ascontiguousarray(split.train_rows, dtype="<i8").tobytes()).hexdigest(),
        "kind": split.kind,
        "column": split.column,
        "together": split.together,
    } | ({} if plain else {"held_out": written_rows(split)})


def certificate_account(certificate: Any) -> dict[str, Any]:
    """The figures of a certificate or guarantee, under their names."""
    common = {
        "status": str(certificate.status),
        "iterations": int(certificate.iterations),
        "seconds": float(certificate.seconds),
        "problems": max(1, len(certificate.problems)),
    }
    if hasattr(certificate, "relative_gap"):
        names = ("primal", "dual", "gap", "relative_gap", "kkt_violation")
        figures = {name: float(getattr(certificate, name)) for name in names}
        rests = {"definiteness": certificate.definiteness, "confidence": certificate.confidence}
        return {"kind": "duality gap", **figures, **rests, **common}
    return {
        "kind": certificate.name,
        "claim": certificate.kind,
        "holds": bool(certificate.holds),
        "statement": certificate.statement,
        "figures": dict(certificate.figures),
        **common,
    }


def _method(estimator: Any) -> dict[str, str]:
    """How a machine of many rows was found, whose bounds are of the exact one, and what it is a sum over."""
    if not is_large(estimator):
        return {}
    made_of = counted(len(estimator.support_), terms_of(estimator, several=False), terms_of(estimator))
    return {"method": method_words(estimator), "made_of": made_of}


def parameters_of(estimator: Any) -> dict[str, Any]:
    """The arguments of the final estimator that are plain; a nested one by its class and arguments."""
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        nested = hasattr(value, "get_params") and not isinstance(value, type)
        found[name] = {"class": type(value).__name__, **parameters_of(value)} if nested else value
    return found


def versions() -> dict[str, str]:
    """Of Python and of the packages that compute."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a stray checkout without metadata
            continue
    return found


# ---------------------------------------------------------------- reading


class _Scalar(Kind):
    """A text, a number, a truth value or nothing."""

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if node is not None and not isinstance(node, (str, int, float)):
            raise Mismatch(where, "must be a text or a number.")
        return node


class _Anything(Kind):
    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return node


@dataclass(frozen=True)
class _Fields(Kind):
    """Parts by name: those that are `needed`, and perhaps `more`; others do not matter."""

    needed: Mapping[str, Kind]
    more: Mapping[str, Kind] = field(default_factory=dict)

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        yield Named(_Anything()).read(node, where, scope)
        for name in self.needed:
            if name not in node:
                raise Mismatch(where, f"has no {name}.")
        for name, kind in {**self.needed, **self.more}.items():
            if name in node:
                yield kind.read(node[name], inside(where, name), scope)
        return node


def _certificate(node: Any, scope: Scope) -> Kind:
    return _GAP if isinstance(node, dict) and "relative_gap" in node else _GUARANTEE


_TEXT, _TRUTH, _WHOLE, _SCALAR = Text(), Bool(), Int(-(2**62)), _Scalar()
_FIGURE = OrNone(Float())
_COMMON = {"kind": _TEXT, "status": _TEXT, "problems": _WHOLE}
_FIGURES = dict.fromkeys(("primal", "dual", "gap", "relative_gap", "kkt_violation"), _FIGURE)
_OF_BOUNDS = {"definiteness": choice(*DEFINITENESS), "confidence": Float(0.0, 1.0), "method": _TEXT, "made_of": _TEXT}
_GAP = _Fields(_COMMON, _FIGURES | _OF_BOUNDS)
_GUARANTEE = _Fields({**_COMMON, "statement": _TEXT, "figures": Named(_FIGURE)})
_SCORE = _Fields(
    {"name": _TEXT, "value": _FIGURE}, {"low": _FIGURE, "high": _FIGURE, "method": _TEXT, "more_is_better": _TRUTH}
)
_SUMMARISED = _Fields(
    {"name": _TEXT, "kind": _TEXT, "reason": _TEXT},
    {"type": _TEXT, "missing": OrNone(_WHOLE), "distinct": OrNone(_WHOLE), "example": _SCALAR},
)
_TRIED = {"score": _FIGURE, "std": _FIGURE, "fold_scores": OrNone(Items(_FIGURE)), "seconds": _FIGURE}
_FAMILY = _Fields(
    {"family": _TEXT, "params": Named(_SCALAR), "note": _TEXT, "chosen": _TRUTH}
    | dict.fromkeys(("score", "error", "seconds"), _FIGURE),
    {**_TRIED, "behind": _FIGURE, "behind_error": _FIGURE},
)
_CANDIDATES = _Fields({"candidates": Items(_Fields({"params": Named(_SCALAR)}, {**_TRIED, "status": _TEXT}))})

SHAPES: dict[str, Kind] = {
    "task": _TEXT,
    "task_reason": _TEXT,
    "target": OrNone(_TEXT),
    "classes": OrNone(Items(_SCALAR)),
    "class_counts": OrNone(Named(_WHOLE)),
    "columns": Items(_Fields({"name": _TEXT, "kind": _TEXT}, {"type": _TEXT, "reason": _TEXT})),
    "summary": _Fields({"columns": Items(_SUMMARISED)}, {"rows": _WHOLE}),
    "split": _Fields(
        {
            "test": Float(),
            "seed": _WHOLE,
            "rows": _WHOLE,
            "training_rows": _WHOLE,
            "test_rows": _WHOLE,
            "digest": _TEXT,
        },
        {"kind": _TEXT, "column": OrNone(_TEXT), "together": _WHOLE, "held_out": _TEXT, "stratified": _TRUTH},
    ),
    "findings": Items(_Fields({"kind": _TEXT, "words": _TEXT}, {"column": OrNone(_TEXT), "serious": _TRUTH})),
    "metric": _TEXT,
    "metric_reason": _TEXT,
    "family": _TEXT,
    "reason": _TEXT,
    "candidates": Items(_FAMILY),
    "tuning": OrNone(_Fields({}, {"metric": _TEXT, "families": OrNone(Named(_CANDIDATES))})),
    "scores": Named(_SCORE),
    "baseline": Named(_SCORE),
    "baseline_name": _TEXT,
    "certificate": Either(_certificate),
    "fingerprint": Named(_TEXT),
    "settings": _Fields(
        {},
        {name: OrNone(_TEXT) for name in ("target", "model", "task", "kernel", "metric", "group")}
        | {"time": _Scalar(), "class_weight": _Anything()}
        | {name: _FIGURE for name in ("C", "gamma", "test", "minutes", "memory")}
        | {name: OrNone(_WHOLE) for name in ("seed", "folds", "tuning_rows")}
        | {"columns": OrNone(Items(_TEXT)), "kinds": OrNone(Named(_TEXT)), "drop_missing_target": _TRUTH},
    ),
    "versions": Named(_TEXT),
    "notes": Items(_TEXT),
    "seconds": Named(_FIGURE),
    "source": _Fields(
        {},
        {name: _TEXT for name in ("data", "command", "format", "delimiter", "encoding", "decimal")}
        | {"columns": OrNone(Items(_TEXT)), "missing": Items(_TEXT), "header": _TRUTH, "day_first": _TRUTH},
    ),
    "class": _TEXT,
    "created": _TEXT,
    "parameters": Named(_Anything()),
}


def usable_account(facts: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parts of an account that are as `train` writes them, and what is wrong with each of the others.

    Parts that no shape is known of are kept as they are: nothing here reads them.
    """
    account, problems = {}, []
    for name, value in facts.items():
        try:
            completed(SHAPES.get(name, _Anything()).read(value, name, Scope()))
            account[name] = value
        except Mismatch as error:
            problems.append(f"{error.where} {error.what}".rstrip("."))
    return account, problems
