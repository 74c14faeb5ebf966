"""The perceptron's mistakes (Block 1962, Novikoff 1962)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..data import csr_rows
from ._checks import positive


class MistakeBound(NamedTuple):
    """What `mistake_bound_of` found in the data."""

    mistakes: float
    """The largest possible number of mistakes."""
    radius: float
    """Length of the longest sample."""
    margin: float
    """Distance of the closest sample from the plane."""


def mistake_bound(radius: float, margin: float) -> float:
    """Most mistakes that a perceptron can make on separable data: ``(radius / margin)**2``.

    The perceptron starts at w = 0 and adds ``y x`` whenever ``y <w, x> <= 0``. If every sample has a length of at most
    `radius`, and some plane through the origin has every sample on its right side at a distance of at least
    `margin`, then the number of mistakes has this bound, whatever the order, the number of passes or the dimension.

    Parameters
    ----------
    radius : float
        Length of the longest sample.
    margin : float
        Smallest distance of a sample from a separating plane through the origin; the widest gives the best bound. A
        plane with an intercept goes through the origin in the space of the samples with an additional 1, and then
        `radius` has to be measured there as well. `mistake_bound_of` takes care of that.

    Returns
    -------
    float

    See Also
    --------
    mistake_bound_of : The same from samples and a separating plane.

    Examples
    --------
    >>> from maxmargin.bounds import mistake_bound
    >>> mistake_bound(radius=2.0, margin=0.5)
    16.0
    """
    radius, margin = positive("radius", radius), positive("margin", margin)
    if margin > radius:
        raise ValueError(
            f"margin must be at most radius, as no sample is farther from a plane through the origin than from the "
            f"origin; got margin={margin!r} and radius={radius!r}."
        )
    ratio = radius / margin
    return ratio * ratio  # a product overflows to inf, a power raises


def mistake_bound_of(X: Any, y: Any, w: Any, b: float | None = None) -> MistakeBound:
    """Most mistakes that a perceptron can make on these samples, by a plane that separates them.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The samples.
    y : array of shape (n,)
        Their labels, -1 and +1.
    w : array of shape (d,)
        Normal of the plane, of any length.
    b : float, optional
        Intercept of the plane, for a perceptron that learns one. Radius and margin are then those of the samples
        with an additional 1. Without it the plane goes through the origin.

    Returns
    -------
    MistakeBound
        A tuple ``(mistakes, radius, margin)``.

    See Also
    --------
    mistake_bound : The theorem.

    Examples
    --------
    >>> from maxmargin.bounds import mistake_bound_of
    >>> mistake_bound_of([[3.0, 4.0], [-4.0, 0.0]], [1, -1], w=[2.0, 0.0])
    MistakeBound(mistakes=2.77..., radius=5.0, margin=3.0)
    """
    X = csr_rows(X).astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    y, w = np.asarray(y, dtype=np.float64), np.ravel(np.asarray(w, dtype=np.float64))
    if X.ndim != 2 or X.shape[0] == 0:
        raise ValueError(f"X must have one row for each sample and at least one row; got shape {X.shape}.")
    if y.shape != (X.shape[0],) or not np.all(np.abs(y) == 1):
        raise ValueError(f"y must hold {X.shape[0]} labels of -1 and +1, one for each row of X; got {y!r}.")
    if w.shape != (X.shape[1],):
        raise ValueError(f"w must hold {X.shape[1]} numbers, one for each column of X; got {w.size}.")
    squares = X.power(2).sum(axis=1) if sparse.issparse(X) else (X * X).sum(axis=1)
    length, distances = float(np.linalg.norm(w)), y * (X @ w)
    if b is not None:
        squares, length, distances = squares + 1.0, float(np.hypot(length, b)), y * (X @ w + b)
    worst = int(np.argmin(distances))
    if not distances[worst] > 0:
        raise ValueError(
            f"w and b must separate the samples, every y (<w, x> + b) being positive; that of sample {worst} is "
            f"{float(distances[worst])!r}."
        )
    radius, margin = float(np.sqrt(squares.max())), float(distances[worst] / length)
    # of a single sample both are the same number but for rounding
    return MistakeBound(mistake_bound(max(radius, margin), margin), radius, margin)
