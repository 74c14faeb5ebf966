"""What the page is told at first: methods with their controls, and examples."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any

from ._methods import METHODS
from ._presets import PRESETS
from ._request import MOST_CLASSES, MOST_POINTS


@cache
def specification() -> dict[str, Any]:
    """Methods, controls, examples and limits; the page knows none of them by itself."""
    methods = [
        {
            "name": method.name,
            "task": method.task,
            "title": method.title,
            "sentence": method.sentence,
            "estimator": method.estimator,
            "controls": [asdict(control) for control in method.controls],
            "steps": None if method.steps is None else method.steps.unit,
            "smooth": method.smooth,
        }
        for method in METHODS.values()
    ]
    presets = [{"name": k, "title": title, "tasks": list(tasks)} for k, (title, tasks, _, _) in PRESETS.items()]
    return {
        "methods": methods,
        "presets": presets,
        "limits": {"points": MOST_POINTS, "classes": MOST_CLASSES},
    }
