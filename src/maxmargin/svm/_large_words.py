"""What a machine of many rows is made of, and how near to the exact one, in words."""

from __future__ import annotations

from collections import Counter
from math import isfinite
from typing import Any

from ..certificates import rounded_down, rounded_up, sampled_words

_FIGURES = 6  # of a bound


def is_large(model: Any) -> bool:
    """Whether it is a fitted `LargeSVC` or `LargeSVR`: coefficients need not be multipliers that solve the problem."""
    return hasattr(model, "method_reason_") and hasattr(model, "multipliers_")


def terms_of(model: Any, several: bool = True) -> str:
    """What the rows of its decision function are called: support vectors, landmarks, or both."""
    methods = set(model.method_) if is_large(model) else set()
    word = "support vector"
    if "landmarks" in methods:
        word = "landmark" if methods == {"landmarks"} else "landmark or support vector"
    return (word.replace(" or", "s or") + "s") if several else word


def method_words(model: Any) -> str:
    """What was done, and why; of several problems that of the worst one, and how often each method was taken."""
    problems = model.certificate_.problems
    if len(problems) == 1:
        return str(model.method_reason_[0]).rstrip(".")
    taken = ", ".join(f"{count} by method {name!r}" for name, count in sorted(Counter(model.method_).items()))
    worst = problems.index(model.certificate_.worst)
    why = str(model.method_reason_[worst]).rstrip(".")
    return f"of {len(problems)} problems {taken}; of the worst ({problems[worst].label}): {why}"


def bracket_words(certificate: Any) -> str:
    """Between what the optimum of the exact machine lies."""
    worst = certificate.worst
    if not isfinite(worst.relative_gap):
        return "no bounds of the exact machine's optimum were computed"
    where = (
        f" ({worst.label}, the worst of {len(certificate.problems)} problems)" if len(certificate.problems) > 1 else ""
    )
    low, high = rounded_down(worst.dual, _FIGURES), rounded_up(worst.primal, _FIGURES)
    said = f"between {low} and {high}{where}, a relative gap of {worst.relative_gap:.2g}"
    if certificate.confidence < 1:
        return f"the optimum of the exact machine lies {said}, if its lower bound holds, which was sampled: it " + (
            sampled_words(certificate.confidence)
        )
    return f"the optimum of the exact machine is proven to lie {said}"
