"""Logistic loss: log(1 + e^-z) with the margin z = y f.

With t = -u y, minus the slope in the margin: conjugate t ln t + (1 - t) ln(1 - t) on 0 <= t <= 1, 0 at both ends.
Every exponential below is of a number that is not positive: nothing overflows.
"""

from __future__ import annotations

import math

from ..engine import jit
from ._facts import LossFacts

# Newton's method takes from three to fifteen steps. Where it crawls each step at least halves the interval, which is
# never longer than log(1 + 1.8e308) < 710.
_MAX_STEPS = 100
_ROUNDING = 2.0**-51


@jit
def value(f, y, epsilon):  # type: ignore[no-untyped-def]
    z = y * f
    if z >= 0.0:
        return math.log1p(math.exp(-z))
    return math.log1p(math.exp(z)) - z


@jit
def _error_probability(z):  # type: ignore[no-untyped-def]
    """1 / (1 + e^z), minus the slope at z."""
    if z >= 0.0:
        e = math.exp(-z)
        return e / (1.0 + e)
    return 1.0 / (1.0 + math.exp(z))


@jit
def derivative(f, y, epsilon):  # type: ignore[no-untyped-def]
    return -y * _error_probability(y * f)


@jit
def curvature(f, y, epsilon):  # type: ignore[no-untyped-def]
    e = math.exp(-abs(y * f))
    return e / ((1.0 + e) * (1.0 + e))


@jit
def conjugate(u, y, epsilon):  # type: ignore[no-untyped-def]
    t = -u * y
    if t == 0.0 or t == 1.0:  # the limits: 0 ln 0 = 0
        return 0.0
    if 0.0 < t < 1.0:
        return t * math.log(t) + (1.0 - t) * math.log1p(-t)
    return math.inf


@jit
def prox(v, y, step, epsilon):  # type: ignore[no-untyped-def]
    a = y * v
    # The problem is symmetric: -z belongs to -(a + step). So that the zero is never negative, solve the other one.
    if a + 0.5 * step < 0.0:
        return -y * _prox_right(-(a + step), step)
    return y * _prox_right(a, step)


@jit
def _prox_right(a, step):  # type: ignore[no-untyped-def]
    """The zero z >= 0 of g(z) = z - a - step / (1 + e^z), by Newton's method kept within an interval.

    g rises and is concave, so that Newton's method from the left end does not overshoot. The zero is at most
    a + step, because the probability of an error is at most 1, and at most max(a, 0) + log(1 + step), because
    log(1 + s) >= s / (1 + s): that one holds the interval short for long steps.
    """
    low = max(a, 0.0)
    high = min(a + step, low + math.log1p(step))
    z, move = low, high - low
    for _ in range(_MAX_STEPS):
        p = _error_probability(z)
        g = z - a - step * p
        if g > 0.0:
            high = z
        else:
            low = z
        before, move = move, g / (1.0 + step * p * (1.0 - p))
        if abs(g) <= _ROUNDING * (z + abs(a)):  # g is nothing but rounding from here on
            return z - move
        # Outside, or crawling (steps of about 1 while step e^-z is far above z - a): halve.
        if not low <= z - move <= high or abs(move) > 0.5 * abs(before):
            move = z - (low + 0.5 * (high - low))
        if z - move == z:
            break
        z -= move
    return z


LOSS = LossFacts(
    name="logistic",
    kind="classification",
    smoothness=0.25,
    twice_differentiable=True,
    slopes=(-1.0, 0.0),
    value=value,
    derivative=derivative,
    curvature=curvature,
    conjugate=conjugate,
    prox=prox,
)
