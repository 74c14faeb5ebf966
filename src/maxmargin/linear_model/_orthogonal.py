"""Polynomials of one variable that are orthonormal on the data, and their powers in as many digits as it takes.

The powers 1, x, ..., x^M are useless as a basis: on [1990, 2020] those of degree 15 agree to more digits than float64
has. On t = (x - centre) / half, in [-1, 1], the basis is built from itself (Stieltjes; in this form Brubeck,
Nakatsukasa and Trefethen 2021, "Vandermonde with Arnoldi"):

    h_{k+1} p_{k+1}(t) = t p_k(t) - sum_{j <= k} h_{jk} p_j(t),      sum_i s_i p_j(t_i) p_k(t_i) = [j = k],

with the h of a Gram-Schmidt process that is done twice. New points go through the same recurrence. Without an intercept
the first of them is x instead of 1. The coefficients of p_k in powers of x are computed from h in decimal arithmetic
with a few hundred digits, because they are the ill-conditioned step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from math import ceil, log10

import numpy as np

# A step of the process that leaves less than this of a vector has met points that coincide.
_NOTHING = 1e-13


@dataclass(frozen=True)
class OrthogonalBasis:
    """The basis, by its recurrence: ``first`` is the length of the first vector, ``h`` of shape (size, size - 1)."""

    centre: float
    half: float
    constant: bool
    first: float
    h: np.ndarray

    @property
    def size(self) -> int:
        """Number of polynomials."""
        return self.h.shape[0]

    @classmethod
    def of(cls, x: np.ndarray, weights: np.ndarray, size: int, constant: bool) -> tuple[OrthogonalBasis, np.ndarray]:
        """At most `size` polynomials orthonormal on these points, and their values times the roots of the weights."""
        low, high = float(x.min()), float(x.max())
        centre, half = low / 2 + high / 2, (high / 2 - low / 2) or 1.0
        t, roots = (x - centre) / half, np.sqrt(weights)
        start = roots if constant else roots * x
        first = float(np.linalg.norm(start))
        if first == 0:  # without an intercept, and x = 0 throughout: no polynomial but zero
            return cls(centre, half, constant, 1.0, np.zeros((0, 0))), np.zeros((len(x), 0))
        Q, h = np.zeros((len(x), size)), np.zeros((size, size - 1))
        Q[:, 0] = start / first
        for k in range(size - 1):
            v = t * Q[:, k]
            before = float(np.linalg.norm(v))
            for _ in range(2):
                part = Q[:, : k + 1].T @ v
                v -= Q[:, : k + 1] @ part
                h[: k + 1, k] += part
            h[k + 1, k] = np.linalg.norm(v)
            if not h[k + 1, k] > _NOTHING * before:
                return cls(centre, half, constant, first, h[: k + 1, :k].copy()), Q[:, : k + 1]
            Q[:, k + 1] = v / h[k + 1, k]
        return cls(centre, half, constant, first, h), Q

    def values(self, x: np.ndarray) -> np.ndarray:
        """All polynomials at new points, one column each."""
        t, P = (x - self.centre) / self.half, np.zeros((len(x), self.size))
        for k in range(self.size):
            if k == 0:
                P[:, 0] = (1.0 if self.constant else x) / self.first
            else:
                P[:, k] = (t * P[:, k - 1] - P[:, :k] @ self.h[:k, k - 1]) / self.h[k, k - 1]
        return P

    def digits(self, penalised: bool) -> int:
        """Decimal digits that leave float64 its own, after all cancellation; squared matrices need twice as many."""
        growth = log10(4 * (1 + abs(self.centre) / self.half)) + abs(log10(self.half)) / 4
        return 50 + ceil((6 if penalised else 3) * self.size * growth)

    def powers(self) -> list[list[Decimal]]:
        """Coefficients of each polynomial in 1, x, x^2, ...; to be called within a context of enough digits."""
        centre, half, zero = Decimal(self.centre), Decimal(self.half), Decimal(0)
        lead = 1 / Decimal(self.first)
        out = [[lead] if self.constant else [zero, lead]][: self.size]
        for k in range(1, self.size):
            last = out[-1]
            new = [-centre * c / half for c in last] + [zero]
            for i, c in enumerate(last):
                new[i + 1] += c / half
            for j in range(k):
                factor = Decimal(float(self.h[j, k - 1]))
                for i, c in enumerate(out[j]):
                    new[i] -= factor * c
            scale = Decimal(float(self.h[k, k - 1]))
            out.append([c / scale for c in new])
        return out


def precise(digits: int):  # type: ignore[no-untyped-def]
    """A context of so many digits, and of exponents beyond any float64."""
    return localcontext(Context(prec=digits, Emin=-999_999, Emax=999_999))


def combined(powers: Sequence[Sequence[Decimal]], z: Sequence[Decimal], length: int) -> list[Decimal]:
    """Coefficients of ``sum_k z_k p_k`` in powers 0 .. length - 1."""
    out = [Decimal(0)] * length
    for coefficients, factor in zip(powers, z, strict=True):
        for i, c in enumerate(coefficients):
            out[i] += factor * c
    return out


def penalised_solution(
    powers: Sequence[Sequence[Decimal]], gram: Sequence[Sequence[Decimal]], right: Sequence[Decimal], alpha: float
) -> list[Decimal]:
    """z of ``(G + alpha T'T) z = c``, T being the coefficients of powers 1, 2, ... (the constant is not penalised).

    Symmetric and positive definite: elimination without exchanges.
    """
    m, a = len(right), Decimal(alpha)
    rows = [list(gram[i]) + [right[i]] for i in range(m)]
    for i in range(m):
        for j in range(i + 1):
            both = zip(powers[i][1:], powers[j][1:], strict=False)
            rows[i][j] += a * sum((p * q for p, q in both), Decimal(0))
            rows[j][i] = rows[i][j]
    for k in range(m):
        for i in range(k + 1, m):
            factor = rows[i][k] / rows[k][k]
            if factor:
                for j in range(k, m + 1):
                    rows[i][j] -= factor * rows[k][j]
    z = [Decimal(0)] * m
    for k in reversed(range(m)):
        z[k] = (rows[k][m] - sum((rows[k][j] * z[j] for j in range(k + 1, m)), Decimal(0))) / rows[k][k]
    return z


def as_floats(inner: list[list[Decimal]]) -> np.ndarray:
    """One column a target."""
    return np.array([[float(value) for value in z] for z in inner]).T
