"""Stochastic proximal steps over samples in a given order, compiled once for dense and CSR rows.

    w <- prox(w - eta g),    g = mean over the batch of c_i loss'(f_i) x_i,    prox of eta (l1 ||w||_1 + l2/2 ||w||^2).

`lazy_pass` makes a plain step at the cost of the batch's stored values. Between two visits of a column its weight only
shrinks, and that can be made up for at the next visit. Weights are held as w = s v: the L2 part divides s by
1 + eta l2, the L1 part moves v towards 0 by eta l1 / s, of which U is the running sum: after m steps without a
gradient v has become sign(v) max(0, |v| - (U_m - U_0)), exactly. The weighted mean of the iterates is made up for in
the same way, from running sums of weight * s (A) and of weight * s * U (Q).

`directed_pass` keeps nothing back and costs d a step: for directions with a memory, and for comparison.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from ...data import row_add, row_dot
from ...engine import jit, jit_inner
from ...losses import loss_derivative
from ...penalties import penalty_prox
from ._directions import update

_SMALLEST = 1e-8  # of s, before the weights are written out: v would lose digits, at last overflow


@jit_inner
def _catch_up(columns, start, stop, q, v, total, last, U, A, Q):  # type: ignore[no-untyped-def]
    """Bring the weights of some columns to entry q of the running sums; count their values since the last visit."""
    for p in range(start, stop):
        j = columns[p]
        m = last[j]
        last[j] = q
        x = v[j]
        if m == q or x == 0.0:
            continue
        size, end = abs(x), q
        if size <= U[q] - U[m]:  # it reached 0 on the way: find the last entry before
            low, high = m, q
            while high - low > 1:
                middle = (low + high) // 2
                if size <= U[middle] - U[m]:
                    high = middle
                else:
                    low = middle
            end = low
        counted = (size + U[m]) * (A[end] - A[m]) - (Q[end] - Q[m])
        total[j] += counted if x > 0 else -counted
        left = max(size - (U[q] - U[m]), 0.0)
        v[j] = left if x > 0 else -left


def _columns_of(rows, i, every):  # type: ignore[no-untyped-def]
    """The columns stored of row i, as a range of a list of column numbers; `every` is the list of all."""
    raise RuntimeError("called from compiled code only")


@overload(_columns_of, inline="always")
def _columns_of_compiled(rows, i, every):  # type: ignore[no-untyped-def]
    if isinstance(rows, types.BaseTuple) and len(rows) == 1:
        return lambda rows, i, every: (every, 0, every.shape[0])
    return lambda rows, i, every: (rows[1], rows[2][i], rows[2][i + 1])


@jit
def lazy_pass(rows, order, batch, y, c, code, epsilon, l1, l2, bias, eta, weight, theta, total, u, blend):  # type: ignore[no-untyped-def]
    """Steps over the samples in `order`, `batch` of them a step, of lengths `eta`.

    theta is renewed; `total` gains weight[k] times the iterate before step k; u_i moves by the part `blend` towards
    the slope seen at the visit.
    """
    d = theta.shape[0] - 1
    v, b, s = theta[:d], theta[d], 1.0
    steps = eta.shape[0]
    # Entry k + 1 of the running sums belongs to the state before step k, entry 0 to nothing yet counted.
    last, every = np.zeros(d, np.int64), np.arange(d).astype(np.int32)
    U, A, Q = np.zeros(steps + 2), np.zeros(steps + 2), np.zeros(steps + 2)
    slope = np.empty(batch)
    for k in range(steps):
        q = k + 1
        A[q] = A[k] + weight[k] * s
        Q[q] = Q[k] + weight[k] * s * U[q]
        total[d] += weight[k] * b
        if s < _SMALLEST:
            _catch_up(every, 0, d, q, v, total, last, U, A, Q)
            v *= s
            s = 1.0
        low, high = k * batch, min(order.shape[0], (k + 1) * batch)
        for p in range(low, high):
            i = order[p]
            slope[p - low] = 0.0
            if c[i] != 0:
                columns, first, end = _columns_of(rows, i, every)
                _catch_up(columns, first, end, q, v, total, last, U, A, Q)
                g = loss_derivative(code, s * row_dot(rows, i, v) + b, y[i], epsilon)
                slope[p - low] = c[i] * g
                u[i] += blend * (g - u[i])
        for p in range(low, high):
            if slope[p - low] != 0.0:
                step = -eta[k] / (high - low) * slope[p - low]
                row_add(rows, order[p], step / s, v)
                if bias:
                    b += step
        U[q + 1] = U[q] + eta[k] * l1 / s
        s /= 1.0 + eta[k] * l2
    A[steps + 1], Q[steps + 1] = A[steps], Q[steps]  # the last state is counted by the pass that starts from it
    _catch_up(every, 0, d, steps + 1, v, total, last, U, A, Q)
    v *= s
    theta[d] = b


@jit
def directed_pass(  # type: ignore[no-untyped-def]
    rows,
    order,
    batch,
    y,
    c,
    code,
    epsilon,
    l1,
    l2,
    bias,
    eta,
    weight,
    theta,
    total,
    u,
    blend,
    direction,
    memory,
    t,
    decays,
):
    """As `lazy_pass`, for any direction; `t` steps were made before."""
    d = theta.shape[0] - 1
    g = np.empty(d + 1)
    for k in range(eta.shape[0]):
        low, high = k * batch, min(order.shape[0], (k + 1) * batch)
        g[:] = 0.0
        for p in range(low, high):
            i = order[p]
            if c[i] != 0:
                slope = loss_derivative(code, row_dot(rows, i, theta) + theta[d], y[i], epsilon)
                u[i] += blend * (slope - u[i])
                if slope != 0.0:
                    slope *= c[i] / (high - low)
                    row_add(rows, i, slope, g)
                    g[d] += slope
        for j in range(d):
            total[j] += weight[k] * theta[j]
            along, a = update(direction, t + k + 1, g[j], memory, j, decays[0], decays[1], decays[2])
            theta[j] = penalty_prox(theta[j] - eta[k] * along, eta[k] * a, l1, l2)
        total[d] += weight[k] * theta[d]
        if bias:
            theta[d] -= eta[k] * update(direction, t + k + 1, g[d], memory, d, decays[0], decays[1], decays[2])[0]
