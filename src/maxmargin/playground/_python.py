"""A question as Python: the program that fits the same model to the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._methods import CLUSTERS, CURVE
from ._request import Question


def as_python(question: Question) -> str:
    """The program; run, it prints the certificate that the page shows."""
    method, keywords = question.method, question.keywords
    uses_inf = any(isinstance(value, float) and np.isinf(value) for value in keywords.values())
    said = ", ".join(f"{name}={_value(value)}" for name, value in keywords.items())
    lines = ["import numpy as np", f"from maxmargin.{method.module} import {method.estimator}", ""]
    lines += _rows("X", question.X)
    if question.y is not None:
        if question.method.task == CURVE:
            lines += [f"y = np.array({_list(question.y)})"]
        else:
            lines += [f"y = np.array({question.y.tolist()})"]
    given = "X" if method.task == CLUSTERS else "X, y"
    lines += ["", f"model = {method.estimator}({said}).fit({given})", "print(model.certificate_)"]
    if uses_inf:
        lines = [line.replace("=inf", "=np.inf") for line in lines]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    return "inf" if isinstance(value, float) and np.isinf(value) else repr(value)


def _list(values: np.ndarray) -> str:
    return "[" + ", ".join(repr(float(v)) for v in values) + "]"


def _rows(name: str, X: np.ndarray) -> list[str]:
    return [f"{name} = np.array(", "    [", *(f"        {_list(row)}," for row in X), "    ]", ")"]
