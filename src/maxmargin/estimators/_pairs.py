"""Pairs of classes, as one-vs-one machines have them, and their vote."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def class_pairs(classes: int) -> list[tuple[int, int]]:
    """(0, 1), (0, 2), ...: the order of one-vs-one decision values, which are positive for the first of a pair."""
    return list(combinations(range(classes), 2))


def pair_vote(values: np.ndarray, classes: int) -> np.ndarray:
    """The class with most pairs in its favour, from one column of decision values a pair; ties go to the first."""
    votes = np.zeros((len(values), classes), dtype=np.intp)
    for (a, b), value in zip(class_pairs(classes), values.T, strict=True):
        wins = value > 0
        votes[wins, a] += 1
        votes[~wins, b] += 1
    return np.argmax(votes, axis=1)
