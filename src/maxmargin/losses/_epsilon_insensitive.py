"""Epsilon-insensitive loss: max(0, |f - y| - epsilon). Conjugate u y + epsilon |u| on -1 <= u <= 1."""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    excess = abs(f - y) - epsilon
    return 0.0 if excess <= 0.0 else excess


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    r = f - y
    return 0.0 if abs(r) <= epsilon else math.copysign(1.0, r)


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    return u * y + epsilon * abs(u) if -1.0 <= u <= 1.0 else math.inf


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    r = v - y
    if abs(r) <= epsilon:
        return v
    return y + math.copysign(max(abs(r) - step, epsilon), r)


LOSS = LossFacts(
    name="epsilon_insensitive",
    kind="regression",
    piecewise_linear=True,
    slopes=(-1.0, 1.0),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
    uses_epsilon=True,
)
