"""r = p - K beta on a matrix that is in memory, while beta moves."""

from __future__ import annotations

from ...engine import jit, jit_inner
from ._array_loops import support_of

# float32 values are off by this much; where that could be seen, float64 rows are read (twice the memory traffic)
_COARSE = 1e-7
BLUR = 1 / 50  # what they may add up to, in tolerances


@jit_inner
def subtract_rows(K, index, step, r):  # type: ignore[no-untyped-def]
    """``r -= step @ K[index]``, four rows a pass: 1700 rows of 3000 take 1.0 ms in float32, 2.6 in float64."""
    real = K.dtype.type
    k = 0
    while k + 4 <= index.shape[0]:
        a, b, c, d = K[index[k]], K[index[k + 1]], K[index[k + 2]], K[index[k + 3]]
        va, vb, vc, vd = real(step[k]), real(step[k + 1]), real(step[k + 2]), real(step[k + 3])
        for t in range(r.shape[0]):
            r[t] -= (va * a[t] + vb * b[t]) + (vc * c[t] + vd * d[t])
        k += 4
    while k < index.shape[0]:
        row, value = K[index[k]], real(step[k])
        for t in range(r.shape[0]):
            r[t] -= value * row[t]
        k += 1


@jit_inner
def follow(exact, coarse, index, step, r, error, tolerance):  # type: ignore[no-untyped-def]
    """Let r follow a step of some variables; returns how far r may now be off, which was `error`."""
    size = 0.0
    for k in range(step.shape[0]):
        size += abs(step[k])
    if error + size * _COARSE < BLUR * tolerance:
        subtract_rows(coarse, index, step, r)
        return error + size * _COARSE
    subtract_rows(exact, index, step, r)
    return error


@jit
def refresh(exact, p, beta, r):  # type: ignore[no-untyped-def]
    """``r = p - K beta`` anew."""
    for k in range(p.shape[0]):
        r[k] = p[k]
    support, value = support_of(beta)
    subtract_rows(exact, support, value, r)
