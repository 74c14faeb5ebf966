"""How far computed kernel values may be from the exact ones: what a certificate widens its interval by.

The bounds are a priori: they hold for whatever order the terms of an inner product are added in, with or without fused
multiplication, in round-to-nearest arithmetic of the given unit (2**-53 in float64) without overflow. The rows of X and
the parameters of the kernel are taken as exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

UNIT = 2.0**-53
# x86 has 64 binary digits here, other machines 53 or 113; the bounds are right for all of them.
EXTENDED = np.longdouble
EXTENDED_UNIT = float(np.finfo(EXTENDED).eps) / 2
FLOAT32_UNIT = 2.0**-24
# Values that are off by more, relative to themselves, are computed from differences of the rows.
INACCURATE = 1e-9
_ROOM = 1 + 1e-9  # the bounds are themselves computed in float64
_TINY = 1e-300  # what may underflow: values below 2e-308 are stated as that
_FLOAT32_TINY = 2.0**-125  # the same of float32, whose values below 2**-126 are stated as that, or lost
_FLOAT32_RANGE = 1e-30, 1e30  # of gamma and squared lengths


@dataclass(frozen=True)
class Accuracy:
    """``|K^_ij - K_ij| <= relative_i |K^_ij| + absolute s_i s_j``, where s = `scale` and ``|K_ij| <= s_i s_j``.

    Attributes
    ----------
    relative : ndarray of shape (n,)
        For all values of row i.
    absolute : float
        The part that goes with the sizes of the two samples.
    scale : ndarray of shape (n,)
        The size of each sample in feature space, or a little more.

    """

    relative: np.ndarray
    absolute: float
    scale: np.ndarray

    def of(self, index: np.ndarray) -> Accuracy:
        """The same for some of the samples."""
        return Accuracy(self.relative[index], self.absolute, self.scale[index])


def roundings(n: float, unit: float = UNIT) -> float:
    """The relative error of n roundings in a row, at most."""
    return n * unit / (1 - n * unit) if n * unit < 0.5 else np.inf


def exact(scale: np.ndarray) -> Accuracy:
    """Values that are what they are: given by the user."""
    return Accuracy(np.zeros(len(scale)), 0.0, scale)


def of_products(squared_norms: np.ndarray, terms: float, unit: float = UNIT) -> Accuracy:
    """Inner products of so many terms."""
    return Accuracy(
        np.zeros(len(squared_norms)), roundings(terms + 2, unit) * _ROOM, np.sqrt(squared_norms) * (1 + 1e-12)
    )


def of_powers(
    squared_norms: np.ndarray, terms: float, gamma: float, coef0: float, degree: int, unit: float = UNIT
) -> Accuracy:
    """``(gamma <x, z> + coef0) ** degree``: the base is off by (terms + 3) roundings of gamma |x| |z| + |coef0|."""
    with np.errstate(over="ignore"):
        scale = np.sqrt((abs(gamma) * squared_norms + abs(coef0)) ** degree) * (1 + 1e-9)
    return Accuracy(np.zeros(len(scale)), roundings(max(degree, 1) * (terms + 5) + 2, unit) * _ROOM, scale)


def of_sigmoids(squared_norms: np.ndarray, terms: float, gamma: float, coef0: float, unit: float = UNIT) -> Accuracy:
    """``tanh(gamma <x, z> + coef0)``, whose slope is at most 1."""
    scale = np.sqrt(abs(gamma) * squared_norms + abs(coef0) + 1) * (1 + 1e-9)
    return Accuracy(np.zeros(len(scale)), roundings(terms + 8, unit) * _ROOM, scale)


def of_expanded_distances(squared_norms: np.ndarray, terms: float, gamma: float, unit: float = UNIT) -> Accuracy:
    """``exp(-gamma d^2)`` with d^2 = |x|^2 + |z|^2 - 2 <x, z>, off by (terms + 12) roundings of (|x| + |z|)^2.

    40 roundings are for the exponential and its argument t, which is off by three roundings of itself: above t = 8,
    where t exp(-t) falls, these are at most 24 exp(-8) of 1.
    """
    length = np.sqrt(squared_norms)
    squared = (length + length.max(initial=0.0)) ** 2
    with np.errstate(over="ignore"):
        relative = (gamma * roundings(terms + 12, unit) * squared + 40 * unit) * (1.2 * _ROOM)
    if not relative.max(initial=0.0) < 0.1:  # nothing is known but that values lie between 0 and 1
        return Accuracy(np.zeros(len(length)), 1.0, np.ones(len(length)))
    return Accuracy(relative, 30 * np.exp(-8.0) * unit + _TINY, np.ones(len(length)))


def of_differences(n: int, terms: float, unit: float = UNIT) -> Accuracy:
    """``exp(-gamma d^2)`` with d^2 a sum of squared differences, which is off by (terms + 4) roundings of itself.

    With t = gamma d^2 the value is off by t (terms + 4) roundings of itself; above t = 8, where t exp(-t) falls, that
    is at most 8 exp(-8) of 1.
    """
    each = roundings(terms + 6, unit)
    absolute = 8 * np.exp(-8.0) * each + _TINY
    return Accuracy(np.full(n, (8 * each + 20 * unit) * _ROOM), absolute * _ROOM, np.ones(n))


def of_float32_distances(
    squared_norms: np.ndarray, moments: np.ndarray, coefficients: np.ndarray, most: float, terms: float, gamma: float
) -> np.ndarray:
    """How far float32 sums ``sum_j c_j exp(-gamma d_j^2)`` may be off, rows by columns of outputs; inf where unknown.

    `moments` are ``sum_j s_j``, ``sum_j s_j l_j`` and ``sum_j s_j l_j^2`` of the computed sizes s_j = |c_j| K^_j and
    bounds l_j of the lengths of the others, `most` their largest one, `coefficients` sum_j |c_j|. With u = 2**-24 and a
    the length of the row, d^2 = (2 <x, z> - |x|^2) - |z|^2 is off by

    - 2 (terms + 2) u a l for <x, z> of rows that were rounded to float32, whatever order its terms are added in,
    - u (a^2 + l^2) for the squared lengths, rounded to float32,
    - u |l^2 - d^2| and u d^2 for the differences,
    - what underflows: 2**-126 at most for each entry and each product, times the other factor.

    60 roundings are for the exponential and its argument t, which is off by five roundings of itself (two are those of
    u d^2): above t = 8, where t exp(-t) falls, these are at most 40 exp(-8) of 1. An error of 0.1 in the exponent is
    one of 0.106 in the value.
    """
    u, a = FLOAT32_UNIT, np.sqrt(squared_norms)
    across, under = 2 * roundings(terms + 4, u), 2.0**-122 * (terms + 4)

    def error(size: np.ndarray | float, first: np.ndarray | float, second: np.ndarray | float) -> np.ndarray:
        off = across * a * first + 1.01 * u * (a * a * size + 2 * second) + under * ((1 + a) * size + first)
        return (gamma * off + 60 * u * size) * 1.1

    errors = error(*moments) + (50 * np.exp(-8.0) * u + _FLOAT32_TINY) * coefficients[:, None]
    return np.where(error(1.0, most, most * most) < 0.1, errors, np.inf)


def within_float32(gamma: float, squared_length: float) -> bool:
    """Whether rows of up to this squared length, and gamma, are in the range of float32."""
    least, most = _FLOAT32_RANGE
    return least < gamma < most and squared_length < most
