"""Squared loss: (f - y)^2 / 2, for targets and for labels. Conjugate u y + u^2 / 2."""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.5 * (f - y) * (f - y)


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    return f - y


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 1.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    return u * (y + 0.5 * u)


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    return y + (v - y) / (1.0 + step)


LOSS = LossFacts(
    name="squared",
    kind="both",
    smoothness=1.0,
    twice_differentiable=True,
    slopes=(-math.inf, math.inf),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
)
