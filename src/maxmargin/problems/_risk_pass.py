"""Losses, gradient and Hessian of a regularised risk, by one pass over the rows, tile by tile."""

from __future__ import annotations

import numpy as np

from ..data import packing_room, tile_dot, tile_gram, tile_of, tile_room, tile_sum
from ..engine import jit
from ..losses import loss_curvature, loss_derivative, loss_value

_TILE = 512


@jit
def loss_sum(code, epsilon, f, y, c):  # type: ignore[no-untyped-def]
    """``sum_i c_i loss(f_i, y_i)``."""
    total = 0.0
    for i in range(f.shape[0]):
        if c[i] != 0:
            total += c[i] * loss_value(code, f[i], y[i], epsilon)
    return total


@jit
def risk_pass(rows, start, stop, y, c, code, epsilon, theta, gradient, hessian):  # type: ignore[no-untyped-def]
    """Sum of losses over rows start..stop; adds to `gradient` and, unless it is empty, to `hessian`."""
    d = theta.shape[0] - 1
    second = hessian.shape[0] > 0
    room = tile_room(rows, d)
    packed, scaled = packing_room(rows, d if second else 0)
    f, slope, curve = np.empty(_TILE), np.empty(_TILE), np.empty(_TILE)
    total = 0.0
    for low in range(start, stop, _TILE):
        high = min(stop, low + _TILE)
        tile = tile_of(rows, low, high, room)
        tile_dot(rows, low, high, tile, theta[:d], f)
        for t in range(high - low):
            i = low + t
            at = f[t] + theta[d]
            if c[i] != 0:
                total += c[i] * loss_value(code, at, y[i], epsilon)
                slope[t] = c[i] * loss_derivative(code, at, y[i], epsilon)
                if second:
                    curve[t] = c[i] * loss_curvature(code, at, y[i], epsilon)
            else:
                slope[t] = 0.0
                curve[t] = 0.0
            gradient[d] += slope[t]
        tile_sum(rows, low, high, tile, slope, gradient[:d])
        if second:
            tile_gram(rows, low, high, tile, curve, packed, scaled, hessian)
    return total


@jit
def mirror(H):  # type: ignore[no-untyped-def]
    """Write the upper triangle of a square matrix below it."""
    for j in range(H.shape[0]):
        for k in range(j):
            H[j, k] = H[k, j]
