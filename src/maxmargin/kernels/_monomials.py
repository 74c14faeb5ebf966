"""Kernels whose feature space is spanned by monomials of the columns.

The functions of the feature space of ``<x, z>`` are spanned by the columns, those of ``(gamma <x, z> + coef0)**degree``
by the monomials of total degree up to `degree` (of that degree alone where coef0 is 0). The space of a sum of kernels
is the sum of the spaces, that of a product is spanned by the products: so sums and products of such kernels are
described by the total degrees that occur.
"""

from __future__ import annotations

from ._combined import Constant, Product, Sum
from ._kernel import Kernel
from ._kernels import Linear, Polynomial


def monomial_degrees(kernel: Kernel) -> frozenset[int] | None:
    """The total degrees of the monomials that span the feature space; None for other kernels.

    None also where the formula does not say that the kernel is positive semi-definite.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, Polynomial, monomial_degrees
    >>> sorted(monomial_degrees(Linear() * Polynomial(coef0=1.0, degree=2)))
    [1, 2, 3]

    """
    if not kernel.known_definite:
        return None
    if type(kernel) is Linear:
        return frozenset([1])
    if type(kernel) is Constant:
        return frozenset([0] if kernel.value > 0 else [])
    if type(kernel) is Polynomial:
        least = 0 if kernel.coef0 > 0 else kernel.degree
        most = kernel.degree if kernel.gamma > 0 else 0
        return frozenset(range(least, most + 1))
    if type(kernel) not in (Sum, Product):
        return None
    parts = [monomial_degrees(part) for part in kernel.kernels]  # type: ignore[attr-defined]
    if any(part is None for part in parts):
        return None
    found = frozenset(parts[0] or [])
    for part in parts[1:]:
        degrees = part or frozenset()
        found = found | degrees if type(kernel) is Sum else frozenset(a + b for a in found for b in degrees)
    return found
