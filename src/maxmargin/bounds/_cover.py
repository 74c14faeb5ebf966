"""How many labellings a plane can separate (Cover 1965, theorem 1)."""

from __future__ import annotations

from scipy.special import betainc

from ._checks import whole

# Up to here the fraction is computed from the exact count, in at most 10 ms.
_EXACT_POINTS = 10_000


def cover_count(points: int, dimensions: int) -> int:
    """Number of labellings of points in general position that a plane through the origin separates.

    Of the ``2**points`` ways to label the points -1 or +1, ``2 * sum(comb(points - 1, k) for k < dimensions)`` can be
    realised by the sign of a linear function. It does not matter where the points are, as long as no `dimensions` of
    them are linearly dependent.

    Parameters
    ----------
    points : int
        Number of points.
    dimensions : int
        Number of weights. A plane with an intercept has one more than the points have coordinates.

    Returns
    -------
    int
        Exact, however large.

    See Also
    --------
    cover_fraction : The same as a part of all labellings.

    Examples
    --------
    Four points of the plane, with an intercept: all labellings but the two of an exclusive or.

    >>> from maxmargin.bounds import cover_count
    >>> cover_count(points=4, dimensions=3)
    14
    """
    points, dimensions = whole("points", points), whole("dimensions", dimensions)
    if points <= dimensions:
        return 2**points
    total, term = 0, 1
    for k in range(dimensions):
        total += term
        term = term * (points - 1 - k) // (k + 1)  # the next binomial coefficient
    return 2 * total


def cover_fraction(points: int, dimensions: int) -> float:
    """Part of the labellings of points in general position that a plane through the origin separates.

    It is 1 up to as many points as dimensions, 1/2 at twice as many, and falls the more steeply between the two the
    more dimensions there are: random labels can be fitted up to about two points for each weight, the *capacity* of a
    linear classifier.

    Parameters
    ----------
    points : int
        Number of points.
    dimensions : int
        Number of weights. A plane with an intercept has one more than the points have coordinates.

    Returns
    -------
    float
        Correctly rounded up to 10000 points; beyond that right to about 12 digits.

    See Also
    --------
    cover_count : The number of labellings, exact.

    Examples
    --------
    >>> from maxmargin.bounds import cover_fraction
    >>> [cover_fraction(points, dimensions=50) for points in (50, 80, 100)]
    [1.0, 0.988..., 0.5]
    """
    points, dimensions = whole("points", points), whole("dimensions", dimensions)
    if points <= dimensions:
        return 1.0
    if points == 2 * dimensions:  # by symmetry of the binomial coefficients
        return 0.5
    if points <= _EXACT_POINTS:
        return cover_count(points, dimensions) / 2**points  # Python rounds a quotient of integers once, at the end
    # The sum is a tail of the binomial distribution, fewer than `dimensions` heads in `points - 1` tosses.
    return float(betainc(points - dimensions, dimensions, 0.5))
