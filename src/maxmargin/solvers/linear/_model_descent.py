"""Compiled pieces of proximal Newton: coordinate descent on the quadratic model, and the sums around it.

Sums are compiled, not numpy's products of vectors: BLAS wakes all of its threads for ten thousand numbers.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from ...data import row_add
from ...engine import jit, jit_inner
from ...losses import loss_conjugate, loss_curvature, loss_derivative, loss_value


@jit
def best_shift(code, epsilon, f, y, c):  # type: ignore[no-untyped-def]
    """Newton's method for the t at which ``sum_i c_i loss'(f_i + t)`` is about zero; it needs no more than that."""
    t = 0.0
    for _ in range(30):
        slope, curvature, size = 0.0, 0.0, 0.0
        for i in range(f.shape[0]):
            if c[i] > 0.0:
                s = c[i] * loss_derivative(code, f[i] + t, y[i], epsilon)
                slope += s
                size += abs(s)
                curvature += c[i] * loss_curvature(code, f[i] + t, y[i], epsilon)
        if abs(slope) <= 1e-3 * size or curvature <= 1e-9 * size:
            break
        t -= slope / curvature
    return t if np.isfinite(t) else 0.0


@jit
def violations(theta, gradient, l1, l2):  # type: ignore[no-untyped-def]
    """How far each coordinate is from being optimal by itself: the shortest subgradient of J, in size."""
    d = theta.shape[0] - 1
    out = np.empty(d + 1)
    out[d] = abs(gradient[d])
    for j in range(d):
        slope = gradient[j] + l2 * theta[j]
        if theta[j] > 0.0:
            out[j] = abs(slope + l1)
        elif theta[j] < 0.0:
            out[j] = abs(slope - l1)
        else:
            out[j] = max(abs(slope) - l1, 0.0)
    return out


@jit
def objectives(code, epsilon, f, y, c, scale):  # type: ignore[no-untyped-def]
    """Sum of losses, sum of conjugates at the scaled slopes, largest ``|f_i|``."""
    losses, conjugates, size = 0.0, 0.0, 0.0
    for i in range(f.shape[0]):
        if c[i] > 0.0:
            losses += c[i] * loss_value(code, f[i], y[i], epsilon)
            u = scale * loss_derivative(code, f[i], y[i], epsilon)
            conjugates += c[i] * loss_conjugate(code, u, y[i], epsilon)
            size = max(size, abs(f[i]))
    return losses, conjugates, size


@jit
def slopes_and_curvatures(code, epsilon, f, y, c, least, slope, curvature):  # type: ignore[no-untyped-def]
    for i in range(f.shape[0]):
        slope[i] = c[i] * loss_derivative(code, f[i], y[i], epsilon)
        curvature[i] = c[i] * max(loss_curvature(code, f[i], y[i], epsilon), least)


@jit
def expected_change(gradient, theta, p, l1, l2):  # type: ignore[no-untyped-def]
    """``g'p + R(w + p) - R(w)``, never positive for a minimum of the model."""
    d = theta.shape[0] - 1
    total = gradient[d] * p[d]
    for j in range(d):
        if p[j] != 0.0:
            x = theta[j] + p[j]
            total += gradient[j] * p[j] + l1 * (abs(x) - abs(theta[j])) + l2 * (theta[j] + 0.5 * p[j]) * p[j]
    return total


@jit_inner
def _coordinate(x, r, h, l1, l2):  # type: ignore[no-untyped-def]
    """Minimiser of ``r (x' - x) + h/2 (x' - x)^2 + R(x')`` over x'."""
    a = h * x - r
    if h + l2 <= 0.0:
        return x  # a column of zeros without a penalty of squares
    if a > l1:
        return (a - l1) / (h + l2)
    if a < -l1:
        return (a + l1) / (h + l2)
    return 0.0


@jit
def formed_descent(H, gradient, theta, p, l1, l2, intercept, accuracy, sweeps):  # type: ignore[no-untyped-def]
    """Sweeps until the moves, in units of the model, are `accuracy` of those of the first sweep; p is written."""
    d = theta.shape[0] - 1
    r = gradient.copy()
    first = 0.0
    for _ in range(sweeps):
        total = 0.0
        for j in range(d + 1 if intercept else d):
            x = theta[j] + p[j]
            if j < d:
                new = _coordinate(x, r[j], H[j, j], l1, l2)
            elif H[d, d] > 0.0:
                new = x - r[d] / H[d, d]
            else:
                new = x
            t = new - x
            if t != 0.0:
                total += t * t * (H[j, j] + l2)
                p[j] = new - theta[j]
                row = H[j]
                for k in range(d + 1):
                    r[k] += t * row[k]
        first = max(first, total)
        if total <= accuracy * accuracy * first:
            break


def _weighted_dot(columns, j, a, b):  # type: ignore[no-untyped-def]
    """``sum_i x_ij a_i b_i``."""
    raise RuntimeError("_weighted_dot is called from compiled code only")


@overload(_weighted_dot)
def _weighted_dot_overload(columns, j, a, b):  # type: ignore[no-untyped-def]
    if isinstance(columns, types.BaseTuple) and len(columns) == 1:

        def dense(columns, j, a, b):  # type: ignore[no-untyped-def]
            x = columns[0][j]
            total = 0.0
            for i in range(x.shape[0]):
                total += x[i] * a[i] * b[i]
            return total

        return dense

    def csr(columns, j, a, b):  # type: ignore[no-untyped-def]
        data, indices, indptr = columns
        total = 0.0
        for s in range(indptr[j], indptr[j + 1]):
            i = indices[s]
            total += data[s] * a[i] * b[i]
        return total

    return csr


def _weighted_square(columns, j, a):  # type: ignore[no-untyped-def]
    """``sum_i x_ij^2 a_i``."""
    raise RuntimeError("_weighted_square is called from compiled code only")


@overload(_weighted_square)
def _weighted_square_overload(columns, j, a):  # type: ignore[no-untyped-def]
    if isinstance(columns, types.BaseTuple) and len(columns) == 1:

        def dense(columns, j, a):  # type: ignore[no-untyped-def]
            x = columns[0][j]
            total = 0.0
            for i in range(x.shape[0]):
                total += x[i] * a[i] * x[i]
            return total

        return dense

    def csr(columns, j, a):  # type: ignore[no-untyped-def]
        data, indices, indptr = columns
        total = 0.0
        for s in range(indptr[j], indptr[j + 1]):
            total += data[s] * a[indices[s]] * data[s]
        return total

    return csr


@jit
def column_descent(  # type: ignore[no-untyped-def]
    columns, working, h, gradient, theta, p, along, l1, l2, intercept, accuracy, sweeps
):
    """As `formed_descent`, over the chosen columns; `along` becomes X p + p_b."""
    d = theta.shape[0] - 1
    diagonal = np.empty(working.shape[0])
    for k in range(working.shape[0]):
        diagonal[k] = _weighted_square(columns, working[k], h)
    curvature = h.sum()
    first = 0.0
    for _ in range(sweeps):
        total = 0.0
        if intercept and curvature > 0.0:
            r = gradient[d]
            for i in range(h.shape[0]):
                r += h[i] * along[i]
            t = -r / curvature
            p[d] += t
            for i in range(h.shape[0]):
                along[i] += t
            total += t * t * curvature
        for k in range(working.shape[0]):
            j = working[k]
            x = theta[j] + p[j]
            new = _coordinate(x, gradient[j] + _weighted_dot(columns, j, h, along), diagonal[k], l1, l2)
            t = new - x
            if t != 0.0:
                total += t * t * (diagonal[k] + l2)
                p[j] = new - theta[j]
                row_add(columns, j, t, along)
        first = max(first, total)
        if total <= accuracy * accuracy * first:
            break
