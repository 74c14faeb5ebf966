"""Compiled sweeps of dual coordinate ascent over samples in random order; see `dual_coordinate`."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from ...data import row_add, row_dot, row_square
from ...engine import jit, jit_inner, prefetch
from ...losses import loss_conjugate, loss_derivative, loss_prox, loss_value
from .._shuffle import shuffle

# One visit in this many takes part in the estimate of the gap within a sweep.
_SAMPLED = 4
# Sweeps that a sample at a bound rests for at most.
_LONGEST_REST = 7
# Visits ahead of which a row is asked for, and cache lines of it.
_AHEAD, _LINES = 3, 6
# What is known of one sample, in one cache line: visits are in random order.
Y, C, Q, LOWER, UPPER, BETA, MEAN = range(7)


def _row_shift(rows, i, a, v, w, l1, l2):  # type: ignore[no-untyped-def]
    """``v += a x_i`` and ``w = soft(v, l1) / l2`` where the row is not zero."""
    raise RuntimeError("_row_shift is called from compiled code only")


@overload(_row_shift)
def _row_shift_overload(rows, i, a, v, w, l1, l2):  # type: ignore[no-untyped-def]
    if isinstance(rows, types.BaseTuple) and len(rows) == 1:

        def dense(rows, i, a, v, w, l1, l2):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for k in range(x.shape[0]):
                v[k] += a * x[k]
                w[k] = (v[k] - min(max(v[k], -l1), l1)) / l2

        return dense

    def csr(rows, i, a, v, w, l1, l2):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            k = indices[p]
            v[k] += a * data[p]
            w[k] = (v[k] - min(max(v[k], -l1), l1)) / l2

    return csr


def _row_prefetch(rows, i):  # type: ignore[no-untyped-def]
    """Ask for the first cache lines of x_i; the processor asks for those that follow."""
    raise RuntimeError("_row_prefetch is called from compiled code only")


@overload(_row_prefetch)
def _row_prefetch_overload(rows, i):  # type: ignore[no-untyped-def]
    if isinstance(rows, types.BaseTuple) and len(rows) == 1:

        def dense(rows, i):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for k in range(0, min(x.shape[0], 16 * _LINES), 16):
                prefetch(x, k)

        return dense

    def csr(rows, i):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for p in range(indptr[i], min(indptr[i + 1], indptr[i] + 16 * _LINES), 16):
            prefetch(data, p)
            prefetch(indices, p)

    return csr


def _pointer_prefetch(rows, i):  # type: ignore[no-untyped-def]
    """Ask for what says where x_i is."""
    raise RuntimeError("_pointer_prefetch is called from compiled code only")


@overload(_pointer_prefetch)
def _pointer_prefetch_overload(rows, i):  # type: ignore[no-untyped-def]
    if isinstance(rows, types.BaseTuple) and len(rows) == 1:
        return lambda rows, i: None
    return lambda rows, i: prefetch(rows[2], i)


@jit
def squares(rows, l2, mean, mean_square, samples):  # type: ignore[no-untyped-def]
    for i in range(samples.shape[0]):
        m = row_dot(rows, i, mean)
        samples[i, MEAN] = m
        samples[i, Q] = max(row_square(rows, i) - 2.0 * m + mean_square, 0.0) / l2


@jit
def dot(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@jit
def square(w):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(w.shape[0]):
        total += w[k] * w[k]
    return total


@jit
def objectives(code, epsilon, f, y, c, u):  # type: ignore[no-untyped-def]
    """Sums of losses, of conjugates, and of the samples' parts of the gap."""
    losses, conjugates, gap = 0.0, 0.0, 0.0
    for i in range(f.shape[0]):
        if c[i] > 0.0:
            loss, conjugate = loss_value(code, f[i], y[i], epsilon), loss_conjugate(code, u[i], y[i], epsilon)
            losses += c[i] * loss
            conjugates += c[i] * conjugate
            gap += c[i] * max(loss + conjugate - u[i] * f[i], 0.0)
    return losses, conjugates, gap


@jit_inner
def _new_multiplier(code, epsilon, sample, f, q):  # type: ignore[no-untyped-def]
    """The multiplier after the proximal step; exactly on a bound if it comes within rounding of it."""
    y, c = sample[Y], sample[C]
    z = f - q * sample[BETA]
    rounding = 4.5e-16 * (abs(z) + abs(f))
    new_f = loss_prox(code, z, y, q * c, epsilon)
    if rounding >= 1e-10 * q * c:  # the difference below would be lost in rounding, or the row is zero
        return -c * loss_derivative(code, new_f, y, epsilon)
    new = (new_f - z) / q
    near = 1e-12 * c + rounding / q
    if new <= sample[LOWER] + near:
        return sample[LOWER]
    if new >= sample[UPPER] - near:
        return sample[UPPER]
    return new


@jit_inner
def _dual(code, epsilon, l2, samples, w):  # type: ignore[no-untyped-def]
    total = -0.5 * l2 * square(w)
    for i in range(samples.shape[0]):
        c, beta = samples[i, C], samples[i, BETA]
        if c > 0.0 and beta != 0.0:
            total -= c * loss_conjugate(code, -beta / c, samples[i, Y], epsilon)
    return total


@jit
def run_sweeps(  # type: ignore[no-untyped-def]
    rows,
    samples,
    flat,
    rests,
    mean,
    code,
    epsilon,
    l1,
    l2,
    v,
    w,
    b,
    inverse_rho,
    order,
    active,
    random,
    largest,
    count,
    tolerance,
    shrinking,
):
    """Sweeps until the gap of those that were visited seems small enough, `count` at most; everything is updated."""
    total = 0.0  # T / l2
    for i in range(samples.shape[0]):
        total += samples[i, BETA] / l2
    mean_square, mean_w = square(mean), dot(mean, w)
    estimate, dual, sweep = 0.0, 0.0, 0
    while sweep < count:
        sweep += 1
        b += inverse_rho * l2 * total
        bar, largest = largest, 0.0
        estimate, visits = 0.0, 0
        shuffle(order, active, random)
        t = 0
        while t < active:
            if t + 2 * _AHEAD < active:
                prefetch(flat, 8 * order[t + 2 * _AHEAD])
                _pointer_prefetch(rows, order[t + 2 * _AHEAD])
            if t + _AHEAD < active and rests[order[t + _AHEAD], 0] == 0:
                _row_prefetch(rows, order[t + _AHEAD])
            i = order[t]
            t += 1
            sample = samples[i]
            if rests[i, 0] > 0:
                rests[i, 0] -= 1
                continue
            f = row_dot(rows, i, w) + b - total * (sample[MEAN] - mean_square) - mean_w
            q, c, old = sample[Q] + inverse_rho, sample[C], sample[BETA]
            new = _new_multiplier(code, epsilon, sample, f, q)
            if visits % _SAMPLED == 0:
                u = -old / c
                loss = loss_value(code, f, sample[Y], epsilon)
                estimate += c * (loss + loss_conjugate(code, u, sample[Y], epsilon) - u * f)
            visits += 1
            delta = new - old
            if delta != 0.0:
                sample[BETA] = new
                rests[i, 1] = 0
                largest = max(largest, abs(delta) * q)
                total += delta / l2
                mean_w += (delta / l2) * sample[MEAN]
                b += inverse_rho * delta
                if l1 > 0.0:
                    _row_shift(rows, i, delta, v, w, l1, l2)
                else:
                    row_add(rows, i, delta / l2, w)
            elif shrinking:
                if bar < np.inf and _same_slope(code, epsilon, sample, f, bar):
                    t -= 1
                    active -= 1
                    order[t], order[active] = order[active], order[t]
                elif new == sample[LOWER] or new == sample[UPPER]:
                    rests[i, 1] = min(2 * rests[i, 1] + 1, _LONGEST_REST)
                    rests[i, 0] = rests[i, 1]
        estimate *= _SAMPLED
        # the dual value is worth its pass over the multipliers only where it may decide
        if sweep == count or estimate <= 2.0 * tolerance * abs(dual) or sweep % 8 == 1:
            dual = _dual(code, epsilon, l2, samples, w)
            if estimate <= tolerance * abs(dual):
                break
    return sweep, active, b, largest, estimate, dual


@jit_inner
def _same_slope(code, epsilon, sample, f, distance):  # type: ignore[no-untyped-def]
    """Whether the slope is the multiplier's at all values up to `distance` from f: convex, so that both ends tell."""
    u = -sample[BETA] / sample[C]
    return (
        loss_derivative(code, f - distance, sample[Y], epsilon) == u
        and loss_derivative(code, f + distance, sample[Y], epsilon) == u
    )
