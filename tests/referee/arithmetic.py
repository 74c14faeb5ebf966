"""Fixed-point numbers: Python integers in object arrays of numpy, which multiply without rounding.

A number x is kept as the integer ``x * 2**bits``. Sums are exact, and a dot product is rounded once.
"""

from fractions import Fraction

import numpy as np
from mpmath import libmp


def number(x, bits):
    """One float or fraction, rounded down to a multiple of ``2**-bits`` (floats of ordinary size are exact)."""
    top, bottom = (x.numerator, x.denominator) if isinstance(x, Fraction) else float(x).as_integer_ratio()
    return (top << bits) // bottom


def array(values, bits):
    """An array of floats (or fractions) as fixed-point numbers."""
    values = np.asarray(values)
    if values.dtype.kind == "f":
        values = values.astype(np.float64)
    out = np.empty(values.shape, dtype=object)
    out.ravel()[:] = [number(v, bits) for v in values.ravel().tolist()]
    return out


def zeros(*shape):
    out = np.empty(shape, dtype=object)
    out.fill(0)
    return out


def product(a, b, bits):
    """``a @ b``, also where nothing is to be summed."""
    if a.shape[-1] == 0:
        return zeros(*a.shape[:-1], *b.shape[1:]) if a.ndim + b.ndim > 2 else 0
    return np.dot(a, b) >> bits


def exact(value, bits):
    """The fraction that a fixed-point number is."""
    return Fraction(int(value), 1 << bits)


def exponential(value, bits):
    """``exp(value)`` of a fixed-point number that is not positive, to the last bit or two."""
    if -value > (bits + 2) << bits:  # exp(-bits) < 2**-bits
        return 0
    return int(libmp.to_fixed(libmp.mpf_exp(libmp.from_man_exp(value, -bits), bits + 16), bits))


def power_of_two(x):
    """The exponent of the power of two next above the size of a number; 0 for 0."""
    x = Fraction(x)
    return x.numerator.bit_length() - x.denominator.bit_length() + 1 if x else 0
