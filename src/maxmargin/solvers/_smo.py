"""SMO on a block: two variables a step, chosen by second-order information (Fan, Chen, Lin 2005, WSS 2).

With r = p - K beta: i maximises r over the variables that may rise; j maximises the decrease
(r_i - r_j)^2 / (K_ii + K_jj - 2 K_ij) over those of the same group that may fall. The step beta_i += t, beta_j -= t
keeps the sum. Variables are ordered by group; ``ends[g]`` is where group g ends.

LLVM does not vectorise floating-point maxima (NaN rules), so maxima run over integers: a non-negative float orders
like its bits, a negative one after flipping the bits below the sign. Measured at 1024 variables, float32: 0.22 us for
maximum and index instead of 1.3.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from ..engine import jit


def _ordered(bits):  # type: ignore[no-untyped-def]
    """Integers that order like the floats whose bits they are; its own inverse."""
    raise RuntimeError("_ordered is called from compiled code only")


@overload(_ordered, inline="always")
def _ordered_for(bits):  # type: ignore[no-untyped-def]
    if bits == types.int32:
        return lambda bits: bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF))
    return lambda bits: bits ^ ((bits >> np.int64(63)) & np.int64(0x7FFFFFFFFFFFFFFF))


def _integers(values):  # type: ignore[no-untyped-def]
    """A view of floats as the integers of the same width."""
    raise RuntimeError("_integers is called from compiled code only")


@overload(_integers, inline="always")
def _integers_for(values):  # type: ignore[no-untyped-def]
    if values.dtype == types.float32:
        return lambda values: values.view(np.int32)
    return lambda values: values.view(np.int64)


@jit
def _first_maximum(bits, start, stop):  # type: ignore[no-untyped-def]
    """Index of the largest float among ``start:stop`` (the last one of equals), given their bits."""
    best = _ordered(bits[start])
    for k in range(start, stop):
        best = max(best, _ordered(bits[k]))
    index = np.int64(-1)
    for k in range(start, stop):
        index = max(index, np.int64(k) if _ordered(bits[k]) == best else np.int64(-1))
    return index


@jit
def smo(K, beta, lower, upper, r, ends, tolerance, max_steps):  # type: ignore[no-untyped-def]
    """Minimise over a block in place: ``beta`` (float64) and ``r`` (precision of K) are updated.

    Returns the number of steps and the largest violation left. ``max_steps`` bounds the time of a call.
    """
    q = K.shape[0]
    real = K.dtype.type
    infinity = real(np.inf)
    diagonal = np.empty(q, K.dtype)
    # r of those that may rise, else -inf; -r of those that may fall, else -inf: kept as penalties added to r
    rise_penalty, fall_penalty = np.empty(q, K.dtype), np.empty(q, K.dtype)
    for k in range(q):
        diagonal[k] = K[k, k]
        rise_penalty[k] = real(0.0) if beta[k] < upper[k] else -infinity
        fall_penalty[k] = real(0.0) if beta[k] > lower[k] else -infinity
    scores = np.empty(q, K.dtype)
    bits = _integers(scores)
    tiny = real(1e-12) * max(real(1e-12), diagonal.max())
    for step in range(max_steps):
        best_i, best_j, best_gain, violation = -1, -1, real(0.0), real(0.0)
        start = 0
        for g in range(ends.shape[0]):
            stop = ends[g]
            if stop - start >= 2:
                i, j, gain = _choose(K, diagonal, r, rise_penalty, fall_penalty, scores, bits, start, stop, tiny)
                if i >= 0 and r[i] - r[j] > violation:
                    violation = r[i] - r[j]
                if i >= 0 and gain > best_gain:
                    best_i, best_j, best_gain = i, j, gain
            start = stop
        if best_i < 0 or violation <= tolerance:
            # the pair of largest gain is not the pair of largest violation: ask for that one before leaving
            left = _violation(r, rise_penalty, fall_penalty, ends)
            if best_i < 0 or left <= tolerance:
                return step, left
        i, j = best_i, best_j
        curvature = max(diagonal[i] + diagonal[j] - real(2.0) * K[i, j], tiny)
        t = np.float64(r[i] - r[j]) / np.float64(curvature)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        t = min(t, room_i, room_j)
        beta[i] = upper[i] if t == room_i else beta[i] + t
        beta[j] = lower[j] if t == room_j else beta[j] - t
        rise_penalty[i] = real(0.0) if beta[i] < upper[i] else -infinity
        fall_penalty[i] = real(0.0) if beta[i] > lower[i] else -infinity
        rise_penalty[j] = real(0.0) if beta[j] < upper[j] else -infinity
        fall_penalty[j] = real(0.0) if beta[j] > lower[j] else -infinity
        row_i, row_j, c = K[i], K[j], real(t)
        for k in range(q):
            r[k] -= c * (row_i[k] - row_j[k])
    return max_steps, _violation(r, rise_penalty, fall_penalty, ends)


@jit
def _choose(K, diagonal, r, rise_penalty, fall_penalty, scores, bits, start, stop, tiny):  # type: ignore[no-untyped-def]
    """The pair of one group: first-order choice of i, second-order choice of j. (-1, -1, 0) if there is none."""
    real = K.dtype.type
    zero = real(0.0)
    for k in range(start, stop):
        scores[k] = r[k] + rise_penalty[k]
    i = _first_maximum(bits, start, stop)
    if scores[i] == -np.inf:
        return -1, -1, zero
    top, row, k_ii, two = r[i], K[i], diagonal[i], real(2.0)
    for k in range(start, stop):
        ahead = max(top - r[k] + fall_penalty[k], zero)
        scores[k] = ahead * ahead / max(k_ii + diagonal[k] - two * row[k], tiny)
    j = _first_maximum(bits, start, stop)
    if scores[j] <= zero:
        return -1, -1, zero
    return i, j, scores[j]


@jit
def _violation(r, rise_penalty, fall_penalty, ends):  # type: ignore[no-untyped-def]
    worst = 0.0
    start = 0
    for g in range(ends.shape[0]):
        highest, lowest = -np.inf, np.inf
        for k in range(start, ends[g]):
            if rise_penalty[k] == 0:
                highest = max(highest, np.float64(r[k]))
            if fall_penalty[k] == 0:
                lowest = min(lowest, np.float64(r[k]))
        worst = max(worst, highest - lowest)
        start = ends[g]
    return worst
