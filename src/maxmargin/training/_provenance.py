"""The account of a training as plain JSON values."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ..messages import jsonable
from ._training import Split, Training

_PACKAGES = ("maxmargin", "numpy", "scipy", "scikit-learn", "numba", "narwhals")
FORMAT = 1


def provenance_of(training: Training) -> dict[str, Any]:
    """Everything but the model."""
    t = training
    return jsonable(
        {
            "format": FORMAT,
            "task": t.task,
            "task_reason": t.task_reason,
            "target": t.target,
            "classes": t.classes,
            "class_counts": t.class_counts,
            "columns": t.columns,
            "summary": t.summary,
            "split": split_account(t.split),
            "metric": t.metric,
            "metric_reason": t.metric_reason,
            "family": t.family,
            "parameters": parameters_of(t.model[-1]),
            "reason": t.reason,
            "candidates": t.candidates,
            "tuning": t.tuning,
            "scores": t.scores,
            "baseline": t.baseline,
            "baseline_name": t.baseline_name,
            "certificate": certificate_account(t.certificate),
            "fingerprint": t.fingerprint,
            "settings": t.settings,
            "versions": versions(),
            "notes": t.notes,
            "seconds": t.seconds,
        }
    )


def split_account(split: Split) -> dict[str, Any]:
    """Enough to make the split again from the table and to see that it is the same."""
    return {
        "test": split.test,
        "seed": split.seed,
        "stratified": split.stratified,
        "rows": len(split.train_rows) + len(split.test_rows) + split.dropped_rows,
        "training_rows": len(split.train_rows),
        "test_rows": len(split.test_rows),
        "dropped_rows": split.dropped_rows,
        "digest": hashlib.sha256(np.ascontiguousarray(split.train_rows, dtype="<i8").tobytes()).hexdigest(),
    }


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
        return {"kind": "duality gap", **figures, "definiteness": certificate.definiteness, **common}
    return {
        "kind": certificate.name,
        "claim": certificate.kind,
        "holds": bool(certificate.holds),
        "statement": certificate.statement,
        "figures": dict(certificate.figures),
        **common,
    }


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
