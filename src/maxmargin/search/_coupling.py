"""Probabilities of many classes from those of their pairs.

Method 2 of Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling" (2004), is
the one of LIBSVM. From ``r_ij``, the probability of class i where only i and j are possible, it takes the p that
minimises::

    sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2    subject to sum_i p_i = 1,

which is a linear system for each row; its solution has no negative entries.
"""

from __future__ import annotations

import numpy as np

from ..estimators import class_pairs

# LIBSVM's bound: a pair that is certain would leave the system singular
CERTAIN_PAIR = 1e-7
_BLOCK_VALUES = 2_000_000


def couple(pair_probability: np.ndarray, classes: int) -> np.ndarray:
    """Probabilities of the classes from those of the first class of each pair, in the order of `class_pairs`."""
    n = len(pair_probability)
    out = np.empty((n, classes))
    block = max(1, _BLOCK_VALUES // (classes + 1) ** 2)
    for start in range(0, n, block):
        rows = slice(start, start + block)
        out[rows] = _couple_block(pair_probability[rows], classes)
    return out


def _couple_block(pair_probability: np.ndarray, classes: int) -> np.ndarray:
    n = len(pair_probability)
    first, second = np.array(class_pairs(classes)).T
    r = np.clip(pair_probability, CERTAIN_PAIR, 1.0 - CERTAIN_PAIR)
    # the matrix of the constrained problem: Q with a border of ones for the sum
    system = np.zeros((n, classes + 1, classes + 1))
    system[:, first, second] = system[:, second, first] = -r * (1.0 - r)
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        system[:, a, a] += (1.0 - r[:, k]) ** 2
        system[:, b, b] += r[:, k] ** 2
    system[:, :classes, classes] = system[:, classes, :classes] = 1.0
    right = np.zeros((n, classes + 1, 1))
    right[:, classes] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :classes, 0], 0.0)  # zeros may come out as -1e-17
    return p / p.sum(axis=1, keepdims=True)
