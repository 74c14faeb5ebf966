"""SMO on a block: two variables a step, chosen by second-order information (Fan, Chen, Lin 2005, WSS 2).

With r = p - K beta: i maximises r over the variables that may rise; j maximises the decrease
(r_i - r_j)^2 / (K_ii + K_jj - 2 K_ij) over those of the same group that may fall. The step beta_i += t, beta_j -= t
keeps the sum. Variables are ordered by group; ``ends[g]`` is where group g ends.

With ``epsilon > 0`` the objective has the further term epsilon |beta_i|, as a regressor's has with one variable a
sample: what it gains by rising is then r - epsilon from 0 on and r + epsilon below 0, a step ends at the kink, and one
variable does what takes two without it.

Maxima run over `sortable` integers. Loops run from 0 over slices: an index that might be negative is one that Python
wraps around, and that does not vectorise. A step on 1024 variables takes 0.65 us in float32 and 1.3 in float64.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner, jit_within, sortable, sortable_room


@jit_inner
def _position(keys, best):  # type: ignore[no-untyped-def]
    """The last index at which `best` stands; a maximum over all is faster than a search that may stop."""
    index = np.int32(-1)
    for k in range(keys.shape[0]):
        index = max(index, np.int32(k) if keys[k] == best else np.int32(-1))
    return index


@jit_inner
def _update_and_find_top(r, c, row_i, row_j, rise_penalty, keys):  # type: ignore[no-untyped-def]
    """``r -= c (row_i - row_j)``, and the index of the largest r among those that may rise."""
    best = sortable(r.dtype.type(-np.inf))
    for k in range(r.shape[0]):
        r[k] -= c * (row_i[k] - row_j[k])
        key = sortable(r[k] + rise_penalty[k])
        keys[k] = key
        best = max(best, key)
    return _position(keys, best)


@jit_inner
def _find_partner(r, top, k_ii, row, diagonal, fall_penalty, tiny, keys):  # type: ignore[no-untyped-def]
    """The index of the largest decrease among those that may fall; -1 if there is none."""
    zero = r.dtype.type(0.0)
    two = r.dtype.type(2.0)
    best = sortable(zero)
    for k in range(r.shape[0]):
        ahead = top - r[k] + fall_penalty[k]
        ahead = ahead if ahead > zero else zero
        curvature = k_ii + diagonal[k] - two * row[k]
        curvature = curvature if curvature > tiny else tiny
        key = sortable(ahead * ahead / curvature)
        keys[k] = key
        best = max(best, key)
    return np.int32(-1) if best == sortable(zero) else _position(keys, best)


@jit_inner
def _violation(r, rise_penalty, fall_penalty):  # type: ignore[no-untyped-def]
    highest, lowest = -np.inf, np.inf
    for k in range(r.shape[0]):
        if rise_penalty[k] != -np.inf:
            highest = max(highest, np.float64(r[k] + rise_penalty[k]))
        if fall_penalty[k] != -np.inf:
            lowest = min(lowest, np.float64(r[k] - fall_penalty[k]))
    return highest - lowest


@jit_inner
def _rise_penalty(value, upper, epsilon):  # type: ignore[no-untyped-def]
    """What a rise gains beside r; minus infinity if there is no room."""
    if not value < upper:
        return -np.inf
    return -epsilon if value >= 0 else epsilon


@jit_inner
def _fall_penalty(value, lower, epsilon):  # type: ignore[no-untyped-def]
    """What a fall gains beside -r; minus infinity if there is no room."""
    if not value > lower:
        return -np.inf
    return epsilon if value > 0 else -epsilon


@jit_inner
def _there(step, room, size):  # type: ignore[no-untyped-def]
    """Whether a step ends at the bound but for rounding errors of numbers of the given size.

    Sums of bounds that are equal on paper (balanced classes, all at C) leave the last variable some ulps off its own:
    it would count as free, and pin the intercept to one end of the interval where it may lie.
    """
    return room - step <= 1e-12 * size


@jit_inner
def _prepare(K, beta, lower, upper, epsilon, diagonal, rise_penalty, fall_penalty):  # type: ignore[no-untyped-def]
    """Fill in the diagonal and what moves gain beside r; the largest value of the former, and the largest size."""
    largest, size = K.dtype.type(0.0), 0.0
    for k in range(K.shape[0]):
        diagonal[k] = K[k, k]
        largest = max(largest, diagonal[k])
        size = max(size, abs(beta[k]))
        rise_penalty[k] = _rise_penalty(beta[k], upper[k], epsilon)
        fall_penalty[k] = _fall_penalty(beta[k], lower[k], epsilon)
    return largest, size


@jit_inner
def _widest_violation(r, ends, rise_penalty, fall_penalty):  # type: ignore[no-untyped-def]
    """The largest violation of any group."""
    violation = 0.0
    begin = 0
    for g in range(ends.shape[0]):
        part = slice(begin, ends[g])
        violation = max(violation, _violation(r[part], rise_penalty[part], fall_penalty[part]))
        begin = ends[g]
    return violation


@jit_within
def _move(beta, lower, upper, r, i, j, curvature, epsilon, size, rise_penalty, fall_penalty):  # type: ignore[no-untyped-def]
    """Raise i and lower j by the best step that there is room for: the step, and the largest size of a variable."""
    t = np.float64(r[i] + rise_penalty[i] - (r[j] - fall_penalty[j])) / np.float64(curvature)
    end_i = 0.0 if epsilon > 0 and beta[i] < 0 else upper[i]
    end_j = 0.0 if epsilon > 0 and beta[j] > 0 else lower[j]
    room_i, room_j = end_i - beta[i], beta[j] - end_j
    t = min(t, min(room_i, room_j))
    # variables that are all far from a bound of 1e12 have sums with rounding errors of their own size
    size = max(size, max(abs(beta[i] + t), abs(beta[j] - t)))
    beta[i] = end_i if _there(t, room_i, min(size, upper[i] - lower[i])) else beta[i] + t
    beta[j] = end_j if _there(t, room_j, min(size, upper[j] - lower[j])) else beta[j] - t
    rise_penalty[i] = _rise_penalty(beta[i], upper[i], epsilon)
    fall_penalty[i] = _fall_penalty(beta[i], lower[i], epsilon)
    rise_penalty[j] = _rise_penalty(beta[j], upper[j], epsilon)
    fall_penalty[j] = _fall_penalty(beta[j], lower[j], epsilon)
    return t, size


@jit
def smo(K, beta, lower, upper, r, ends, tolerance, max_steps, epsilon):  # type: ignore[no-untyped-def]
    """Minimise over a block in place: ``beta`` (float64) and ``r`` (precision of K) are updated.

    Returns the number of steps and the largest violation left. ``max_steps`` bounds the time of a call.
    """
    q = K.shape[0]
    groups = ends.shape[0]
    real = K.dtype.type
    zero, infinity = real(0.0), real(np.inf)
    diagonal = np.empty(q, K.dtype)
    # added to r: 0 (or plus or minus epsilon) for those that may rise (or fall), minus infinity for the others
    rise_penalty, fall_penalty = np.empty(q, K.dtype), np.empty(q, K.dtype)
    largest, size = _prepare(K, beta, lower, upper, epsilon, diagonal, rise_penalty, fall_penalty)
    tiny = max(real(1e-12) * largest, real(1e-30))
    keys = sortable_room(diagonal)
    i, j, c = 0, 0, zero
    step = 0
    while True:
        best_i, best_j, best_gain, widest = -1, -1, -infinity, zero
        begin = 0
        for g in range(groups):
            a, b = begin, ends[g]
            begin = b
            if b - a < 1:
                continue
            part = r[a:b]
            top = a + _update_and_find_top(part, c, K[i, a:b], K[j, a:b], rise_penalty[a:b], keys[a:b])
            if rise_penalty[top] == -infinity:
                continue
            head = r[top] + rise_penalty[top]
            partner = _find_partner(
                part, head, diagonal[top], K[top, a:b], diagonal[a:b], fall_penalty[a:b], tiny, keys[a:b]
            )
            if partner < 0:
                continue
            partner += a
            ahead = head - (r[partner] - fall_penalty[partner])
            gain = ahead * ahead / max(diagonal[top] + diagonal[partner] - real(2.0) * K[top, partner], tiny)
            widest = max(widest, ahead)
            if gain > best_gain:
                best_i, best_j, best_gain = top, partner, gain
        if best_i < 0 or widest <= tolerance or step == max_steps:
            # the pair of largest decrease is not the one of largest violation: look for that before leaving
            violation = _widest_violation(r, ends, rise_penalty, fall_penalty)
            if best_i < 0 or violation <= tolerance or step == max_steps:
                return step, violation
        i, j = best_i, best_j
        curvature = max(diagonal[i] + diagonal[j] - real(2.0) * K[i, j], tiny)
        t, size = _move(beta, lower, upper, r, i, j, curvature, epsilon, size, rise_penalty, fall_penalty)
        c = real(t)
        step += 1
