"""Boxes that overlap: one object answers in many windows, of which the best is kept.

A box is (top, left, bottom, right), its ends not included. The overlap of two is the area that they share over the area
that they cover together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LARGE = 2.0**1020


def checked_boxes(boxes: Any, what: str = "boxes") -> np.ndarray:
    """Boxes as float64 of shape (n, 4), none of them empty."""
    try:
        found = np.asarray(boxes)
    except ValueError:  # lists of different lengths
        found = np.asarray(boxes, dtype=object)
    if found.size == 0:
        found = np.empty((0, 4))
    if found.dtype.kind not in "biuf":
        raise ValueError(
            f"{what} must be finite numbers (top, left, bottom, right), a row each; got {found.dtype.name}."
        )
    found = found.astype(np.float64)
    if found.ndim != 2 or found.shape[1] != 4 or not np.isfinite(found).all():
        raise ValueError(
            f"{what} must be finite numbers (top, left, bottom, right), a row each; got shape {found.shape}."
        )
    if not ((found[:, 2] > found[:, 0]) & (found[:, 3] > found[:, 1])).all():
        raise ValueError(f"{what} must have their bottom below their top and their right beyond their left.")
    return found


def box_overlaps(first: Any, second: Any) -> np.ndarray:
    """Of each pair of boxes, the area that they share over the area that they cover together.

    Parameters
    ----------
    first, second : array-like of shape (n, 4) and (m, 4)
        Boxes (top, left, bottom, right).

    Returns
    -------
    ndarray of shape (n, m)
        Between 0 and 1.

    Examples
    --------
    >>> from maxmargin.detection import box_overlaps
    >>> box_overlaps([[0, 0, 2, 2]], [[0, 1, 2, 3], [5, 5, 6, 6]]).round(3)
    array([[0.333, 0.   ]])
    """
    a, b = checked_boxes(first, "first"), checked_boxes(second, "second")
    if max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)) > _LARGE:  # exactly, and sides are finite then
        a, b = a / 4, b / 4
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared, first, second = np.maximum(high - low, 0.0), (a[:, 2:] - a[:, :2])[:, None], (b[:, 2:] - b[:, :2])[None]
    # heights and widths over a power of 2 near the larger one of each pair: an area neither overflows nor vanishes
    exponent = -np.frexp(np.maximum(first, second))[1]
    shared, first, second = (np.ldexp(sides, exponent).prod(axis=2) for sides in (shared, first, second))
    union = first + second - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def non_maximum_suppression(boxes: Any, scores: Any, max_overlap: float = 0.3) -> np.ndarray:
    """The boxes that no better one overlaps by more than `max_overlap`: greedily, the best first.

    Parameters
    ----------
    boxes : array-like of shape (n, 4)
        Boxes (top, left, bottom, right).
    scores : array-like of shape (n,)
        Their scores; of equal ones the first box is the better.
    max_overlap : float, default=0.3
        Largest overlap of two boxes that are kept.

    Returns
    -------
    ndarray of int
        Places of the boxes that are kept, the best first. No two of them overlap by more, and every other box overlaps
        one of them that is at least as good.

    Examples
    --------
    >>> from maxmargin.detection import non_maximum_suppression
    >>> boxes = [[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]]
    >>> non_maximum_suppression(boxes, [0.8, 0.9, 0.3])
    array([1, 2])
    """
    boxes, scores = checked_boxes(boxes), np.asarray(scores, dtype=np.float64).ravel()
    if len(scores) != len(boxes) or np.isnan(scores).any():
        raise ValueError(f"scores must be a number for each of {len(boxes)} boxes; got {len(scores)}, or NaN.")
    if not 0 <= max_overlap <= 1:
        raise ValueError(f"max_overlap must be between 0 and 1; got {max_overlap!r}.")
    order, kept = np.argsort(-scores, kind="stable"), []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(best)
        order = order[box_overlaps(boxes[best : best + 1], boxes[order])[0] <= max_overlap]
    return np.array(kept, dtype=np.int64)
