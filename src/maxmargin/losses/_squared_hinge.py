"""Squared hinge loss: max(0, 1 - z)^2 with the margin z = y f.

With s = u y the slope in the margin: conjugate s + s^2 / 4 on s <= 0.
"""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    z = y * f
    return 0.0 if z >= 1.0 else (1.0 - z) * (1.0 - z)


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    z = y * f
    return 0.0 if z >= 1.0 else -2.0 * y * (1.0 - z)


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0 if y * f >= 1.0 else 2.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    s = u * y
    return s * (1.0 + 0.25 * s) if s <= 0.0 else math.inf


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    z = y * v
    if z >= 1.0:
        return v
    # the distance to 1 shrinks by 1 + 2 step; in this form it cannot overshoot
    return y * (1.0 - (1.0 - z) / (1.0 + 2.0 * step))


LOSS = LossFacts(
    name="squared_hinge",
    kind="classification",
    smoothness=2.0,
    slopes=(-math.inf, 0.0),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
)
