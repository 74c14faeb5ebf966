"""Rows that are equal and have different labels: no rule that looks at the row alone is right on all of them."""

from __future__ import annotations

import numpy as np

from ...data import Rows, decision_pass
from ..search import distances_of_pairs


def contradicting(rows: Rows, label: np.ndarray) -> np.ndarray:
    """Which rows disagree with the commonest label among their copies (of equally common ones, the first class)."""
    leader = _leaders(rows)
    classes = int(label.max()) + 1
    kinds, counts = np.unique(leader * classes + label, return_counts=True)
    order = np.lexsort((kinds, -counts, kinds // classes))
    groups, first = np.unique(kinds[order] // classes, return_index=True)
    commonest = np.empty(rows.n, dtype=np.int64)
    commonest[groups] = kinds[order][first] % classes
    return commonest[leader] != label


def _leaders(rows: Rows) -> np.ndarray:
    """For each row the first one that equals it.

    Equal rows have equal projections on a random direction. Rows that differ almost surely do not, and are compared.
    """
    theta = np.append(np.random.default_rng(0).normal(size=rows.d), 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        projection = np.empty(rows.n)
        decision_pass(rows.arrays, 0, rows.n, theta, projection)
    _, first, run = np.unique(projection, return_index=True, return_inverse=True)
    leader = first[run]
    squares = np.empty((rows.n, 1))
    distances_of_pairs(rows.arrays, rows.arrays, leader[:, None], squares)
    return np.where(squares[:, 0] == 0, leader, np.arange(rows.n))
