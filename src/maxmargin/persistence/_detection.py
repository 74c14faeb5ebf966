"""What a detector consists of: a classifier of windows, and the windows that it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..detection import SlidingWindow
from ._arrays import Array, floats
from ._frames import IN_ARRAYS, wants_names
from ._schema import Entries, Estimator, Let, Schema
from ._scope import Scope
from ._sizes import Check
from ._widths import taken_by


def _values(scope: Scope) -> int:
    """Of a window."""
    height, width = scope.params["window"]
    return int(height) * int(width)


def _judges_windows(value: Any, scope: Scope) -> str | None:
    if not hasattr(value, "decision_function"):
        return "must have a decision_function."
    if not np.array_equal(getattr(value, "classes_", ()), [0, 1]):
        return "must have the classes 0, nothing, and 1, an object."
    if taken_by(value) not in (None, _values(scope)):
        return f"must take the {_values(scope)} values of a window; it takes {taken_by(value)}."
    return IN_ARRAYS if wants_names(value) else None


def _allowed(scope: Scope) -> bool:
    """By the rules of a fit."""
    try:
        SlidingWindow(**scope.params)._check()
    except (TypeError, ValueError):
        return False
    return True


_SLIDING_WINDOW: Entries = (
    ("classifier_", Estimator(check=_judges_windows)),
    Let("values", _values),
    ("windows_", floats("n", "values")),
    ("labels_", Array(("int64",), ("n",), low=0, high=1)),
    Check(lambda s: s["n"] >= 1, "has no windows."),
)

SCHEMAS = [
    Schema(
        "maxmargin.detection.SlidingWindow",
        SlidingWindow,
        _SLIDING_WINDOW,
        checks=[Check(_allowed, "has parameters that no detector takes.")],
    ),
]
