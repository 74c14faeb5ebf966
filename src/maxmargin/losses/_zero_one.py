"""Zero-one loss: [z <= 0] with the margin z = y f. It counts errors; a point on the boundary is one.

Not convex, and at z = 0 not even closed: the loss is 1 there and 0 just beside it. Nothing but u = 0 has a finite
conjugate, so that the dual bound it gives is the trivial one, 0.
"""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts

# The right side of the boundary, as near to it as a float gets that no arithmetic unit flushes to zero.
_JUST_RIGHT = 2.0**-1022


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    z = y * f
    if math.isnan(z):
        return z
    return 1.0 if z <= 0.0 else 0.0


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    return 0.0 if u == 0.0 else math.inf


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    # Two candidates for a point with an error: to stay costs 1, to go to the boundary v^2 / (2 step). The boundary
    # itself still counts as an error, hence the infimum is not attained: take the next best, a hair beyond it.
    # Where both cost the same, stay.
    if y * v <= 0.0 and v * v < 2.0 * step:
        return y * _JUST_RIGHT
    return v


LOSS = LossFacts(
    name="zero_one",
    kind="classification",
    convex=False,
    slopes=(0.0, 0.0),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
)
