"""The layout of one-vs-rest machines: one problem a class, on all rows.

``dual_coef`` has one column a support vector, ordered by class, and one row a class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._one_vs_one import OneVsOne, Pair


class OneVsRest:
    """Each class against all others; the largest decision value wins."""

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def pairs(self, label: np.ndarray, weight: np.ndarray) -> list[Pair]:
        """The binary problems of encoded labels, without samples of weight zero."""
        rows = np.flatnonzero(weight > 0)
        return [Pair(k, None, rows, np.where(label[rows] == k, 1.0, -1.0)) for k in range(self.classes)]

    def pack(self, betas: Sequence[np.ndarray], pairs: Sequence[Pair], label: np.ndarray) -> np.ndarray:
        """Multipliers of all training rows, one row a class."""
        coef = np.zeros((self.classes, len(label)))
        for beta, pair in zip(betas, pairs, strict=True):
            coef[pair.positive, pair.rows] = beta
        return coef

    def unpack(self, coef: np.ndarray, pairs: Sequence[Pair], label: np.ndarray) -> list[np.ndarray]:
        """The variables of each problem again."""
        return [coef[pair.positive, pair.rows] for pair in pairs]

    def combine(self, by_class: Sequence[np.ndarray], intercept: np.ndarray) -> np.ndarray:
        """Decision values of each class from the sums over the support vectors of each class."""
        return np.sum(by_class, axis=0) + intercept

    def vote(self, values: np.ndarray) -> np.ndarray:
        """The class with the largest decision value."""
        return np.argmax(values, axis=1)

    def settled(self, values: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Rows whose largest value is the largest for all values within the errors."""
        at = np.arange(len(values)), self.vote(values)
        others = values + errors
        others[at] = -np.inf
        return values[at] - errors[at] > others.max(axis=1)

    def weights_of(self, k: int, slices: Sequence[slice]) -> list[tuple[int, slice]]:
        """Rows and columns of ``dual_coef`` that make up the weights of problem k."""
        return [(k, s) for s in slices]


def scheme_of(multi_class: str, classes: int) -> OneVsOne | OneVsRest:
    """The layout that the parameter `multi_class` asks for; of two classes there is one only."""
    return OneVsRest(classes) if multi_class in ("ovr", "crammer_singer") and classes > 2 else OneVsOne(classes)
