"""Figures of a risk with a user's loss or penalty: what is assumed of the functions, and what refutes them.

A lower bound by Fenchel's theorem holds whatever the functions are, provided that ``value + conjugate >= <u, f>`` holds
for every f and u. That is a property of the user's formulas, which no number of points proves. It is checked
before a fit (`CustomLoss`, `CustomPenalty`) and, here, at the very points that a certificate rests on.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..losses import CustomLoss
from ._rounding import U

# Roundings that a value or conjugate is assumed to have gone through at most.
_ROUNDINGS = 64
# How far below zero a term of the gap may lie, relative to what it is the difference of.
_BELOW = 1e-9


def custom_largest_losses(loss: CustomLoss, f: np.ndarray, errors: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The largest loss within the errors of f: convex, hence at an end."""
    e = errors * (1 + 1e-15) + 4.5e-16 * np.abs(f)
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.maximum(loss.value(f - e, y), loss.value(f + e, y)) * (1 + _ROUNDINGS * U)
    return np.where(np.isnan(largest), np.inf, largest)


def custom_conjugates(loss: CustomLoss, u: np.ndarray, y: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conjugates at the slopes u and assumed bounds of their errors; zero for samples without weight."""
    stars = np.where(c > 0, loss.conjugate(u, y), 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.where(c > 0, _ROUNDINGS * U * (np.abs(stars) + np.abs(u) * (1 + np.abs(u))), 0.0)
    return stars, errors


def assumption(problem: Any) -> str:
    """What a certificate of this problem assumes of functions that are not this package's own; empty if nothing."""
    parts = (("loss", problem.loss), ("penalty", problem.penalty))
    named = [f"the {kind} {part.name}" for kind, part in parts if _is_foreign(part)]
    return f"value and conjugate of {' and of '.join(named)} are right" if named else ""


def _is_foreign(part: Any) -> bool:
    """Whether the functions are a user's, and not one of this package's classes."""
    functions = getattr(part, "functions", None)
    return functions is not None and not type(functions).__module__.startswith("maxmargin.")


def refute_functions(problem: Any, theta: np.ndarray, f: np.ndarray, u: np.ndarray, v: np.ndarray) -> None:
    """Raise if a term of the gap is negative: then value and conjugate contradict each other at this very point."""
    loss, penalty, w = problem.loss, problem.penalty, theta[:-1]
    if loss.code is None:
        value, star = loss.value(f, problem.y), loss.conjugate(u, problem.y)
        with np.errstate(invalid="ignore", over="ignore"):
            short = u * f - value - star - _BELOW * (1 + np.abs(value) + np.abs(star) + np.abs(u * f))
        wrong = (problem.weights > 0) & (short > 0)
        if wrong.any():
            i = int(wrong.argmax())
            raise ValueError(
                f"the functions of the loss {loss.name} contradict each other at y={problem.y[i]:g}: value(f={f[i]:g}) "
                f"+ conjugate(u={u[i]:g}) = {value[i] + star[i]:g} is below u f = {u[i] * f[i]:g}. There is no "
                f"certificate."
            )
    if penalty.separable is None:
        total, product = penalty.value(w) + penalty.conjugate(v), float(v @ w)
        if isfinite(total) and total < product - _BELOW * (1 + abs(total) + float(np.abs(v) @ np.abs(w))):
            raise ValueError(
                f"the functions of the penalty {penalty.name} contradict each other at the weights found: value + "
                f"conjugate = {total:g} is below <v, w> = {product:g}. There is no certificate."
            )
