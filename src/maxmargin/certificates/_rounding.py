"""Sums that come with a bound of their own rounding error: what an interval is widened by.

Every bound is a priori (Higham, Accuracy and Stability of Numerical Algorithms, chapters 3 and 4): it holds in whatever
order the terms are added, with or without fused multiplication, for round-to-nearest float64 without overflow. A value
that is not finite has an infinite error.

Conventions: a *bounded* figure is a pair (value, error) with |value - exact| <= error. Errors are non-negative float64
computed with a little room, so that their own rounding does not matter.
"""

from __future__ import annotations

from math import inf, isfinite, nextafter
from typing import TypeAlias

import numpy as np

from ..engine import jit_exact
from ..kernels import EXTENDED, EXTENDED_UNIT, roundings

U = 2.0**-53  # half an ulp of 1: the largest relative error of one operation
TINY = 2.0**-1074  # the largest absolute error of one operation that underflows
_ROOM = 1 + 2.0**-20  # errors are sums of rounded non-negative terms themselves

Bounded: TypeAlias = tuple[float, float]


def gamma(n: float) -> float:
    """The relative error bound of n roundings in a row in float64."""
    return roundings(n, U)


@jit_exact
def _compensated(x):  # type: ignore[no-untyped-def]
    """Sum of x by Neumaier's compensation, and the sum of its absolute values."""
    total, lost, size = 0.0, 0.0, 0.0
    for k in range(x.shape[0]):
        value = x[k]
        new = total + value
        if abs(total) >= abs(value):
            lost += (total - new) + value
        else:
            lost += (value - new) + total
        total = new
        size += abs(value)
    return total + lost, size


@jit_exact
def _compensated_dot(a, b):  # type: ignore[no-untyped-def]
    """`_compensated` of the products ``a_k b_k``, and whether one of them has underflowed to zero."""
    total, lost, size, vanished = 0.0, 0.0, 0.0, False
    for k in range(a.shape[0]):
        value = a[k] * b[k]
        if value == 0.0 and a[k] != 0.0 and b[k] != 0.0:
            vanished = True
        new = total + value
        if abs(total) >= abs(value):
            lost += (total - new) + value
        else:
            lost += (value - new) + total
        total = new
        size += abs(value)
    return total + lost, size, vanished


@jit_exact
def _compensated_squares(A, sums):  # type: ignore[no-untyped-def]
    """Sums of squares of the columns of A by Knuth's two-sum: totals and what they have lost, in the rows of `sums`."""
    total, lost = sums[0], sums[1]
    for i in range(A.shape[0]):
        row = A[i]
        for k in range(row.shape[0]):
            term, old = row[k] * row[k], total[k]
            new = old + term
            virtual = new - old
            lost[k] += (old - (new - virtual)) + (term - virtual)
            total[k] = new


def bounded_squares(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum of squares of each column of A, and bounds of their errors: `bounded_dot` of each with itself."""
    n, k = A.shape
    sums = np.zeros((2, k))
    plain = np.ascontiguousarray(A, dtype=np.float64)
    _compensated_squares(plain if plain.flags.writeable else plain.copy(), sums)
    value = sums[0] + sums[1]
    # terms of one sign: the sum of their sizes is the value itself, but for its error
    bound = (4 * U + 3 * n * n * U * U) * value * _ROOM + n * TINY * A.any(axis=0)
    return value, np.where(np.isfinite(value), bound * _ROOM, inf)


def bounded_sum(x: np.ndarray, relative_error: float = 0.0) -> Bounded:
    """The sum of x and a bound of its error; each term may itself be off by `relative_error`.

    Compensated: the error is 2 ulp of the result and 2 n^2 u^2 of the terms' sizes (Higham, 4.3). Terms of extended
    precision are simply added.
    """
    if x.dtype == EXTENDED and EXTENDED_UNIT < U:
        value, size = x.sum(), float(np.abs(x).sum()) * _ROOM
        return value, (roundings(len(x) + 1, EXTENDED_UNIT) + relative_error) * size * _ROOM
    value, size = _compensated(np.ascontiguousarray(x, dtype=np.float64))
    return float(value), _sum_error(value, size, len(x), relative_error)


def _sum_error(value: float, size: float, n: int, relative_error: float) -> float:
    """The bound of a compensated sum of n terms of this `size` in all."""
    if not (isfinite(value) and isfinite(size)):
        return inf
    return (3 * U * abs(value) + (3 * n * n * U * U + relative_error) * size) * _ROOM


def bounded_dot(a: np.ndarray, b: np.ndarray, error: np.ndarray | float | None = None) -> Bounded:
    """``a @ b`` and a bound of its error; b_i may itself be off by `error_i`."""
    if _is_plain(a) and _is_plain(b) and len(a) == len(b):
        value, size, vanished = _compensated_dot(a, b)
        bound = _sum_error(value, size, len(a), U)
        bound += len(a) * TINY if bound > 0 or vanished else 0.0
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            terms = a * b
            value, bound = bounded_sum(terms, EXTENDED_UNIT if terms.dtype == EXTENDED else U)
            if bound > 0 or ((terms == 0) & (a != 0) & (b != 0)).any():
                bound += len(a) * TINY
    if error is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            bound += float((np.abs(a) * error).sum()) * (1 + gamma(len(a) + 2))
    return (value, bound * _ROOM) if isfinite(bound) else (value, inf)


def _is_plain(x: np.ndarray) -> bool:
    """Whether x is of the one type that compiled code is made for."""
    return x.ndim == 1 and x.dtype == np.float64 and x.flags.c_contiguous and x.flags.writeable


def upper(value: float, error: float) -> float:
    """The smallest float64 that is certainly not below a bounded figure."""
    return float(value) if error == 0 and float(value) == value else nextafter(float(value + error), inf)


def lower(value: float, error: float) -> float:
    """The largest float64 that is certainly not above a bounded figure."""
    return float(value) if error == 0 and float(value) == value else nextafter(float(value - error), -inf)
