"""The layout of one-vs-one machines: pairs of classes, and where their multipliers are kept.

As in LIBSVM and scikit-learn, ``dual_coef`` has one column a support vector, ordered by class, and one row less than
there are classes: the column of a vector of class a holds its signed multiplier against class b in row b - 1 if
b > a, else in row b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..estimators import class_pairs, pair_vote


@dataclass(frozen=True)
class Pair:
    """One binary problem: the classes on its positive and negative side (None: all others), and its training rows."""

    positive: int
    negative: int | None
    rows: np.ndarray
    sign: np.ndarray

    def label(self, classes: np.ndarray) -> str:
        """Its name, such as "setosa against virginica"."""
        return f"{classes[self.positive]} against {'the rest' if self.negative is None else classes[self.negative]}"


class OneVsOne:
    """Every pair of classes; the class with most pairs in its favour wins. For two classes the only layout."""

    def __init__(self, classes: int) -> None:
        self.classes = classes
        # two classes: the second is positive, as decision values need it
        self.sides = [(1, 0)] if classes == 2 else class_pairs(classes)

    def pairs(self, label: np.ndarray, weight: np.ndarray) -> list[Pair]:
        """The binary problems of encoded labels, without samples of weight zero."""
        if self.classes == 2:
            rows = np.flatnonzero(weight > 0)
            return [Pair(1, 0, rows, np.where(label[rows] == 1, 1.0, -1.0))]
        # class by class, so that blocks of the matrix lie together
        members = [np.flatnonzero((label == k) & (weight > 0)) for k in range(self.classes)]
        return [
            Pair(
                a,
                b,
                np.concatenate([members[a], members[b]]),
                np.repeat([1.0, -1.0], [len(members[a]), len(members[b])]),
            )
            for a, b in self.sides
        ]

    def pack(self, betas: Sequence[np.ndarray], pairs: Sequence[Pair], label: np.ndarray) -> np.ndarray:
        """Multipliers of all training rows, in the rows of ``dual_coef``."""
        coef = np.zeros((self.classes - 1, len(label)))
        for beta, pair in zip(betas, pairs, strict=True):
            coef[self._row_of(pair, label), pair.rows] = beta
        return coef

    def unpack(self, coef: np.ndarray, pairs: Sequence[Pair], label: np.ndarray) -> list[np.ndarray]:
        """The variables of each pair again."""
        return [coef[self._row_of(pair, label), pair.rows] for pair in pairs]

    def _row_of(self, pair: Pair, label: np.ndarray) -> np.ndarray:
        mine = label[pair.rows]
        against = np.where(mine == pair.positive, np.array(pair.negative), pair.positive)
        return np.where(against > mine, against - 1, against)

    def combine(self, by_class: Sequence[np.ndarray], intercept: np.ndarray) -> np.ndarray:
        """Decision values of each pair from the sums over the support vectors of each class."""
        out = np.empty((len(by_class[0]), len(self.sides)))
        for k, (a, b) in enumerate(self.sides):
            out[:, k] = by_class[a][:, _row(a, b)] + by_class[b][:, _row(b, a)] + intercept[k]
        return out

    def vote(self, values: np.ndarray) -> np.ndarray:
        """The class with most pairs in its favour; ties go to the first class."""
        if self.classes == 2:
            return (values[:, 0] > 0).astype(np.intp)
        return pair_vote(values, self.classes)

    def settled(self, values: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Rows whose vote is the same for all values within the errors.

        The winner has more pairs for certain than any other class may have; as many, if it is the first of the two.
        """
        if self.classes == 2:
            return np.abs(values[:, 0]) > errors[:, 0]
        certain, possible = np.zeros((2, len(values), self.classes), dtype=np.intp)
        for k, (a, b) in enumerate(self.sides):
            wins, loses = values[:, k] > errors[:, k], values[:, k] < -errors[:, k]
            certain[wins, a] += 1
            certain[loses, b] += 1
            possible[~loses, a] += 1
            possible[~wins, b] += 1
        winner = self.vote(values)
        held = certain[np.arange(len(values)), winner][:, None]
        before = np.arange(self.classes) < winner[:, None]
        ahead = np.where(before, held > possible, held >= possible)
        ahead[np.arange(len(values)), winner] = True
        return ahead.all(axis=1)

    def weights_of(self, k: int, slices: Sequence[slice]) -> list[tuple[int, slice]]:
        """Rows and columns of ``dual_coef`` that make up the weights of pair k."""
        a, b = self.sides[k]
        return [(_row(a, b), slices[a]), (_row(b, a), slices[b])]


def _row(of: int, against: int) -> int:
    """Row of ``dual_coef`` that holds the multipliers of class `of` against another class."""
    return against - 1 if against > of else against


def class_slices(n_support: np.ndarray) -> list[slice]:
    """Where the support vectors of each class stand."""
    return [slice(int(a), int(b)) for a, b in pairwise(np.concatenate([[0], np.cumsum(n_support)]))]
