"""Whether convex combinations of rows coincide exactly, for weights next to those that are given in float64.

Let the columns of A be the rows with the signs of their sets, and w the weights. Exact weights satisfy A w = b, where b
is zero but for the sums of the weights. With R about a right inverse of A, weights w + R z do so for z = (A R)^-1
(b - A w), and if ||I - A R|| <= f < 1 in the largest row sum, no element of z exceeds max |b - A w| / (1 - f). If that
moves no weight below zero the exact weights exist. Every product is bounded with its rounding errors.

Rows in special position (a grid, columns that sum to 1, one row in both sets) have no right inverse. There the
equations are solved in integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from ..kernels import Kernel
from ._columns import Columns, columns_of

_EPS = float(np.finfo(np.float64).eps)
# How far exact weights may be from those that are given
_NEAR = 1e-6
# Multiplications of the inverse in float64, rows of the equations in integers, and multiplications of those
_INVERSE, _EXACT_ROWS, _EXACT = 10**9, 80, 500_000


def coinciding_weights(
    kernel: Kernel | None, X: Any, rows: np.ndarray, sign: np.ndarray, weights: np.ndarray, through_origin: bool = False
) -> np.ndarray | None:
    """Weights, rounded, of combinations that are exactly the same point; None where that is not proven.

    `sign` says of which set a row is. The weights of each set sum to 1 (of both together, `through_origin`).
    """
    weights = np.asarray(weights, dtype=np.float64)
    used = np.flatnonzero(weights)
    if not len(used) or not np.isfinite(weights).all() or (weights < 0).any():
        return None
    columns = columns_of(kernel, X, rows[used], through_origin)
    if columns is None:
        return None
    if _near_exact(columns, sign[used], weights[used], through_origin):
        return weights
    exact = _solved(columns, sign[used], weights[used], through_origin)
    if exact is None:
        return None
    found = np.zeros_like(weights)
    found[used] = exact
    return found


def _sums(sign: np.ndarray, through_origin: bool) -> np.ndarray:
    """The rows of A that sum weights."""
    if through_origin:
        return np.ones((1, len(sign)))
    return np.stack([sign > 0, sign < 0]).astype(np.float64)


def equations(
    columns: Columns, sign: np.ndarray, through_origin: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """A, bounds of the errors of its elements, and b; None where the columns underflow."""
    found = columns.floats()
    if found is None:
        return None
    values, errors = found
    sums = _sums(sign, through_origin)
    A = np.vstack([values.T * sign, sums])
    return A, np.vstack([errors.T, np.zeros_like(sums)]), np.append(np.zeros(values.shape[1]), np.ones(len(sums)))


@np.errstate(all="ignore")
def _near_exact(columns: Columns, sign: np.ndarray, w: np.ndarray, through_origin: bool) -> bool:
    """Whether a right inverse proves that exact weights are next to w."""
    if columns.count > len(w) or len(w) ** 3 > _INVERSE:
        return False
    found = equations(columns, sign, through_origin)
    if found is None or len(found[0]) > len(w):
        return False
    A, errors, b = found
    try:
        R = w[:, None] * np.linalg.pinv(A * w)
    except np.linalg.LinAlgError:
        return False
    size, rounding = np.abs(R), (len(w) + len(A) + 8) * _EPS
    off = np.abs(np.eye(len(A)) - A @ R) + rounding * (np.abs(A) @ size + 1) + errors @ size
    f = 1.001 * float(off.sum(axis=1).max())
    if not f < 0.5:
        return False
    left = np.abs(b - A @ w) + rounding * (np.abs(A) @ w + b) + errors @ w
    moved = 1.001 * size.sum(axis=1) * float(left.max()) / (1 - f)
    return bool((moved < w).all() and moved.max() <= _NEAR)


def _solved(columns: Columns, sign: np.ndarray, w: np.ndarray, through_origin: bool) -> np.ndarray | None:
    """Exact weights next to w, rounded, by elimination in integers."""
    order = np.argsort(-w, kind="stable")
    n = len(order)
    if n > _EXACT_ROWS or columns.count * n > _EXACT:
        return None
    signs = [int(s) for s in sign[order]]
    ordered = Columns(columns.rows[order], columns.degrees, columns.from_first)
    signed = ([s * v for s, v in zip(signs, column, strict=True)] for column in ordered.integers())
    first = [] if through_origin else [signs]
    exact = _null_vector([*first, *signed], [float(value) for value in w[order]])
    if exact is None:
        return None
    total = Fraction(sum(exact), 1 if through_origin else 2)
    if min(exact) < 0 or not total > 0:
        return None
    found = np.empty(n)
    found[order] = [float(value / total) for value in exact]
    return found if np.abs(found - w).max() <= _NEAR else None


def _null_vector(rows: Iterable[list[int]], near: list[float]) -> list[int] | None:
    """A vector on which all rows vanish: where it is free, that of `near`; None if only zero is."""
    kept: dict[int, list[int]] = {}
    vector: list[int] | None = None
    n, work = len(near), 0
    for row in rows:
        if vector is not None:  # one direction is left: either it is the answer, or there is none
            if sum(a * x for a, x in zip(row, vector, strict=True) if a):
                return None
            continue
        for lead in sorted(kept):
            if row[lead]:
                other = kept[lead]
                common = gcd(row[lead], other[lead])
                p, q = other[lead] // common, row[lead] // common
                row = [p * a - q * b for a, b in zip(row, other, strict=True)]
                work += n
        divisor = gcd(*row)
        if divisor:
            kept[next(k for k, a in enumerate(row) if a)] = [a // divisor for a in row]
        if len(kept) == n or work > _EXACT:
            return None
        if len(kept) == n - 1:
            vector = _back_substituted(kept, near)
    return _back_substituted(kept, near) if vector is None else vector


def _back_substituted(kept: dict[int, list[int]], near: list[float]) -> list[int]:
    """The vector times the common denominator of its elements."""
    x = [Fraction(value) for value in near]
    for lead in sorted(kept, reverse=True):
        row = kept[lead]
        x[lead] = -sum((row[k] * x[k] for k in range(lead + 1, len(x)) if row[k]), Fraction()) / row[lead]
    common = lcm(*(value.denominator for value in x))
    return [value.numerator * (common // value.denominator) for value in x]
