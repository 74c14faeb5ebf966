"""Hinge loss: max(0, 1 - z) with the margin z = y f.

With s = u y the slope in the margin: conjugate s on -1 <= s <= 0.
"""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    z = y * f
    return 0.0 if z >= 1.0 else 1.0 - z


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0 if y * f >= 1.0 else -y


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    s = u * y
    return s if -1.0 <= s <= 0.0 else math.inf


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    z = y * v
    if z >= 1.0:
        return v
    return y * min(z + step, 1.0)


LOSS = LossFacts(
    name="hinge",
    kind="classification",
    piecewise_linear=True,
    slopes=(-1.0, 0.0),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
)
