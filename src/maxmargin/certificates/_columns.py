"""The columns of a feature space, in float64 with bounds of their rounding, and as integers without any.

Whether hulls of rows meet does not depend on the units of the columns, nor on where they are measured from as long as
the functions of the space, with a constant, are the same: columns are multiplied by powers of two, and rows are taken
from the first one where the space has all monomials up to a degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernels import Kernel, Linear, kernel_name, monomial_degrees, symmetric_part

_EPS = float(np.finfo(np.float64).eps)
# Columns of a feature space, and values of them, up to which they are written out
_COLUMNS, _VALUES = 5000, 4_000_000
# Below this, products of scaled values may have lost digits to underflow
_SMALL = 1e-250


@dataclass(frozen=True)
class Columns:
    """Monomials of some columns of numbers.

    Attributes
    ----------
    rows : ndarray of shape (n, d)
        The numbers as they are given: finite float64.
    degrees : tuple of int
        Total degrees of the monomials.
    from_first : bool
        Whether the numbers are taken as differences from the first row.

    """

    rows: np.ndarray
    degrees: tuple[int, ...]
    from_first: bool

    def monomials(self) -> Iterator[tuple[int, ...]]:
        """The columns that are multiplied, one after the other."""
        for degree in self.degrees:
            yield from combinations_with_replacement(range(self.rows.shape[1]), degree)

    def floats(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Values, each column with a largest one from 1/2 to 1, and bounds of their errors; None if they underflow."""
        _, exponent = np.frexp(np.abs(self.rows).max(axis=0, initial=0.0))
        near = np.ldexp(self.rows, -exponent - 1)  # exact, but for what vanishes: 2^-1074 of the largest
        near = near - near[0] if self.from_first else near
        nonzero = self.rows != (self.rows[:1] if self.from_first else 0)
        values, errors = [], []
        for factors in self.monomials():
            if not nonzero[:, list(factors)].all(axis=1).any():
                continue
            value = np.prod(near[:, list(factors)], axis=1)
            largest = float(np.abs(value).max())
            if largest < _SMALL:
                return None
            value = np.ldexp(value, -int(np.frexp(largest)[1]))
            values.append(value)
            # a difference and a product round once for each factor; what underflows is below 1e-300 / _SMALL
            errors.append((2 * len(factors) + 2) * _EPS * np.abs(value) + 1e-45)
        if not values:
            return np.zeros((len(near), 0)), np.zeros((len(near), 0))
        return np.column_stack(values), np.column_stack(errors)

    def integers(self) -> Iterator[list[int]]:
        """Each column as integers: the exact values times a power of two."""
        columns = [_integers(column, self.from_first) for column in self.rows.T]
        for factors in self.monomials():
            parts = [columns[k] for k in factors]
            yield [prod(part[i] for part in parts) for i in range(len(self.rows))]

    @property
    def count(self) -> int:
        """How many columns there are."""
        return _count(self.rows.shape[1], self.degrees)


def columns_of(kernel: Kernel | None, X: Any, rows: np.ndarray, through_origin: bool = False) -> Columns | None:
    """The columns of the feature space of a kernel (None: of the rows themselves); None where they cannot be written.

    The space of a given matrix of values is that of its columns: a function of the space is a combination of them.
    """
    kernel = Linear() if kernel is None else kernel
    if kernel_name(kernel) == "precomputed":
        table = symmetric_part(np.asarray(X, dtype=np.float64))[rows]
        return _if_moderate(Columns(table, (1,), not through_origin))
    degrees = monomial_degrees(kernel)
    if degrees is None:
        return None
    part = X[rows]
    if sp.issparse(part):
        part = part[:, np.unique(part.indices)].toarray()
    part = np.asarray(part, dtype=np.float64)
    wanted = sorted(degrees | {0}) if not through_origin else sorted(degrees)
    everything = not through_origin and wanted == list(range(len(wanted)))
    part = part[:, (part != (part[:1] if everything else 0)).any(axis=0)]
    wanted = wanted if through_origin else [k for k in wanted if k]  # weights sum to the same: the column of ones
    return _if_moderate(Columns(part, tuple(wanted), everything))


def _if_moderate(columns: Columns) -> Columns | None:
    count = columns.count
    return columns if count <= _COLUMNS and count * max(len(columns.rows), 1) <= _VALUES else None


def _count(d: int, degrees: tuple[int, ...]) -> int:
    return sum(comb(d + k - 1, k) if d else int(k == 0) for k in degrees)


def _integers(column: np.ndarray, from_first: bool) -> list[int]:
    mantissa, exponent = np.frexp(column)
    whole = [int(m) for m in np.ldexp(mantissa, 53).tolist()]
    powers = exponent.tolist()
    least = min((e for m, e in zip(whole, powers, strict=True) if m), default=0)
    found = [m << (e - least) if m else 0 for m, e in zip(whole, powers, strict=True)]
    return [value - found[0] for value in found] if from_first else found
