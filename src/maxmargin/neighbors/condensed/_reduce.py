"""Leave out prototypes that are not needed (Gates, 1972, The reduced nearest neighbor rule).

A prototype can go if every sample nearest to it is right by the next one. The oldest are tried first: they were chosen
when there was little to choose from. A prototype that is needed now need not be when others have gone, so that
passes are repeated until one removes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..search import EMPTY, Search


def _can_go(prototype: int, nearest: np.ndarray, own: np.ndarray, label: np.ndarray) -> bool:
    """Whether all samples, with labels `own` and two `nearest` prototypes, stay right without one prototype."""
    cell = nearest[:, 0] == prototype
    second = nearest[cell, 1]
    return bool((second != EMPTY).all() and (label[second] == own[cell]).all())


def reduce(
    search: Search,
    label: np.ndarray,
    order: np.ndarray,
    prototypes: np.ndarray,
    passed: Callable[[int], None] | None = None,
) -> np.ndarray:
    """The prototypes that remain, in their order.

    Parameters
    ----------
    search : Search
        Of all samples among themselves.
    label : ndarray of int
        Of all samples.
    order : ndarray of int
        The samples that have to stay right.
    prototypes : ndarray of int
        Oldest first; one nearest neighbour among them is right on all samples of `order`.
    passed : callable, optional
        Told the number of prototypes after each pass.

    """
    _, nearest = search.nearest(2, order, prototypes)
    own = label[order]
    before = -1
    while before != len(prototypes):
        before = len(prototypes)
        for prototype in prototypes:
            if not _can_go(prototype, nearest, own, label):
                continue
            prototypes = prototypes[prototypes != prototype]
            moved = np.flatnonzero((nearest == prototype).any(axis=1))
            if moved.size:
                _, nearest[moved] = search.nearest(2, order[moved], prototypes)
        if passed is not None:
            passed(len(prototypes))
    return prototypes
