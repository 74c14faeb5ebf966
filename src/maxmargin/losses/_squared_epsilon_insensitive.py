"""Squared epsilon-insensitive loss: max(0, |f - y| - epsilon)^2. Conjugate u y + epsilon |u| + u^2 / 4."""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    excess = abs(f - y) - epsilon
    return 0.0 if excess <= 0.0 else excess * excess


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    r = f - y
    excess = abs(r) - epsilon
    return 0.0 if excess <= 0.0 else math.copysign(2.0 * excess, r)


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    # The edge of the tube counts as outside: without a tube, epsilon = 0, it is 2 everywhere.
    return 0.0 if abs(f - y) < epsilon else 2.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    return u * y + abs(u) * (epsilon + 0.25 * abs(u))


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    r = v - y
    excess = abs(r) - epsilon
    if excess <= 0.0:
        return v
    return y + math.copysign(epsilon + excess / (1.0 + 2.0 * step), r)


LOSS = LossFacts(
    name="squared_epsilon_insensitive",
    kind="regression",
    smoothness=2.0,
    slopes=(-math.inf, math.inf),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
    uses_epsilon=True,
)
