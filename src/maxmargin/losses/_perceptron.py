"""Perceptron loss: max(0, -z) with the margin z = y f.

With s = u y the slope in the margin: conjugate 0 on -1 <= s <= 0.
"""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    z = y * f
    return 0.0 if z >= 0.0 else -z


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    # At z = 0 the subgradient of a mistake, not 0: Rosenblatt's rule starts at w = 0 and has to leave it.
    return 0.0 if y * f > 0.0 else -y


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0 if -1.0 <= u * y <= 0.0 else math.inf


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    z = y * v
    if z >= 0.0:
        return v
    return y * min(z + step, 0.0)


LOSS = LossFacts(
    name="perceptron",
    kind="classification",
    piecewise_linear=True,
    slopes=(-1.0, 0.0),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
)
