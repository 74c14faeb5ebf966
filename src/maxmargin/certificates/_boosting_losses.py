"""Losses of gradient boosting and their derivatives in float64, for certificates and for scores on held-out rows.

`kind` is a number in the order of `LOSSES`; the sums f have a line for each tree of a round. A constant that does not
depend on f is left out, as in scikit-learn's half deviances.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import exp_all, jit, jit_inner, run_portions, thread_count

LOSSES = ("squared_error", "absolute_error", "quantile", "poisson", "gamma", "binomial", "multinomial")
_SQUARED, _ABSOLUTE, _QUANTILE, _POISSON, _GAMMA, _BINOMIAL, _MULTINOMIAL = range(7)
# Rows of a task, and of a block that exponentials are taken of; logarithms are taken of products of so many factors.
_ROWS, BLOCK, _FACTORS = 16384, 512, 16


def mean_loss(kind: int, quantile: float, y: np.ndarray, weight: np.ndarray, f: np.ndarray) -> float:
    """The mean loss, weighted; no `weight`: every row weighs 1."""
    n = len(y)
    portions = [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]

    def work(start: int, end: int) -> float:
        room, bits = np.empty((f.shape[0] + 2, BLOCK)), np.empty(BLOCK, dtype=np.int64)
        return _loss_sum(kind, quantile, y, weight, f, start, end, room, bits)

    total = math.fsum(run_portions(work, portions, thread_count(None)))
    return total / (float(weight.sum()) if weight.size else n)


@jit
def _loss_sum(kind: int, q: float, y: Any, weight: Any, f: Any, start: int, end: int, room: Any, bits: Any) -> float:
    total = 0.0
    for begin in range(start, end, BLOCK):
        total += block_loss(kind, q, y, weight, f, begin, min(begin + BLOCK, end), room, bits, False)
    return total


@jit_inner
def block_loss(
    kind: int, q: float, y: Any, weight: Any, f: Any, begin: int, stop: int, room: Any, bits: Any, ready: bool
) -> float:
    """The sum of the losses of at most `BLOCK` rows; `ready`: their derivatives were computed in the same room."""
    m = stop - begin
    out = room[0]
    if kind == _SQUARED:
        for i in range(m):
            out[i] = 0.5 * (f[0, begin + i] - y[begin + i]) ** 2
    elif kind == _ABSOLUTE:
        for i in range(m):
            out[i] = abs(f[0, begin + i] - y[begin + i])
    elif kind == _QUANTILE:
        for i in range(m):
            away = y[begin + i] - f[0, begin + i]
            out[i] = q * away if away >= 0.0 else (q - 1.0) * away
    elif kind == _POISSON or kind == _GAMMA:
        for i in range(m):
            out[i] = -f[0, begin + i] if kind == _GAMMA else f[0, begin + i]
        exp_all(out, out, bits, m)
        for i in range(m):
            at, u = f[0, begin + i], y[begin + i]
            out[i] = at + u * out[i] if kind == _GAMMA else out[i] - u * at
    else:
        if not ready:
            _log_loss(kind == _BINOMIAL, y, f, begin, m, room, bits)
        out, rest = room[f.shape[0]], room[f.shape[0] + 1]
        if not weight.size:
            return _sum_of(rest, m) + _log_of_product(out, m)
        for i in range(m):
            out[i] = rest[i] + np.log(out[i])
    total = 0.0
    if weight.size:
        for i in range(m):
            total += weight[begin + i] * out[i]
        return total
    return _sum_of(out, m)


@jit_inner
def _sum_of(x: Any, m: int) -> float:
    total = 0.0
    for i in range(m):
        total += x[i]
    return total


@jit_inner
def _log_of_product(x: Any, m: int) -> float:
    total = 0.0
    for begin in range(0, m, _FACTORS):
        product = 1.0
        for i in range(begin, min(begin + _FACTORS, m)):
            product *= x[i]
        total += np.log(product)
    return total


@jit_inner
def _log_loss(binomial: bool, y: Any, f: Any, begin: int, m: int, room: Any, bits: Any) -> None:
    """The log loss is ``room[K + 1]`` plus the logarithm of ``room[K]``, where K is the number of lines of f.

    Of more than two classes the lines before have the exponentials that ``room[K]`` is the sum of.
    """
    K = f.shape[0]
    top = room[K]
    if binomial:
        for i in range(m):
            top[i] = -abs(f[0, begin + i])
        exp_all(top, top, bits, m)
        for i in range(m):
            top[i] += 1.0
            room[K + 1, i] = max(f[0, begin + i], 0.0) - y[begin + i] * f[0, begin + i]
        return
    for i in range(m):
        top[i] = f[0, begin + i]
    for k in range(1, K):
        for i in range(m):
            top[i] = max(top[i], f[k, begin + i])
    for k in range(K):
        for i in range(m):
            room[k, i] = f[k, begin + i] - top[i]
        exp_all(room[k], room[k], bits, m)
    for i in range(m):
        rest = top[i] - f[np.int64(y[begin + i]), begin + i]
        whole = 0.0
        for k in range(K):
            whole += room[k, i]
        top[i] = whole
        room[K + 1, i] = rest


@jit_inner
def block_derivatives(
    kind: int, q: float, y: Any, weight: Any, f: Any, begin: int, stop: int, g: Any, h: Any, room: Any, bits: Any
) -> None:
    """Write first and second derivatives of at most `BLOCK` rows to the beginning of the lines of g and h.

    For losses with a corner g is a subgradient, and h the weight.
    """
    m, K = stop - begin, f.shape[0]
    if kind <= _QUANTILE:
        for i in range(m):
            away = f[0, begin + i] - y[begin + i]
            h[0, i] = 1.0
            if kind == _SQUARED:
                g[0, i] = away
            elif kind == _ABSOLUTE:
                g[0, i] = 1.0 if away > 0.0 else -1.0
            else:
                g[0, i] = 1.0 - q if away > 0.0 else -q
    elif kind == _POISSON or kind == _GAMMA:
        for i in range(m):
            h[0, i] = -f[0, begin + i] if kind == _GAMMA else f[0, begin + i]
        exp_all(h[0], h[0], bits, m)
        for i in range(m):
            if kind == _GAMMA:
                h[0, i] *= y[begin + i]
                g[0, i] = 1.0 - h[0, i]
            else:
                g[0, i] = h[0, i] - y[begin + i]
    else:
        _log_loss(kind == _BINOMIAL, y, f, begin, m, room, bits)
        for k in range(K):
            for i in range(m):
                if kind == _BINOMIAL:
                    small = room[K, i] - 1.0
                    p = 1.0 / room[K, i] if f[0, begin + i] >= 0.0 else small / room[K, i]
                    g[0, i] = p - y[begin + i]
                    h[0, i] = small / (room[K, i] * room[K, i])
                else:
                    p = room[k, i] / room[K, i]
                    g[k, i], h[k, i] = p, p * (1.0 - p)
        if kind == _MULTINOMIAL:
            for i in range(m):
                g[np.int64(y[begin + i]), i] -= 1.0
    if weight.size:
        for k in range(K):
            for i in range(m):
                g[k, i] *= weight[begin + i]
                h[k, i] *= weight[begin + i]
