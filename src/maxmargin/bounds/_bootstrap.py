"""How much of the data a bag holds."""

from __future__ import annotations

import math

from ._checks import whole


def bootstrap_inclusion(n: int) -> float:
    """Probability that a row is in a bag of n rows drawn with replacement from n: ``1 - (1 - 1/n)**n``.

    It is also the part of all rows that a bag is expected to hold. It falls with n towards ``1 - 1/e``, 63.2 %, and is
    within 1 % of that from n = 30 on.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from maxmargin.bounds import bootstrap_inclusion
    >>> [round(bootstrap_inclusion(n), 4) for n in (1, 2, 10, 1000)]
    [1.0, 0.75, 0.6513, 0.6323]
    """
    n = whole("n", n)
    if n == 1:
        return 1.0
    # by logarithms: (1 - 1/n)**n loses the digits of 1/n for large n
    return -math.expm1(n * math.log1p(-1 / n))
