"""The layout of one-vs-one machines: pairs of classes, and where their multipliers are kept.

As in LIBSVM and scikit-learn, ``dual_coef`` has one column a support vector, ordered by class, and one row less than
there are classes: the column of a vector of class a holds its signed multiplier against class b in row b - 1 if
b > a, else in row b.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pair:
    """One binary problem: the classes on its positive and negative side, and its training rows."""

    positive: int
    negative: int
    rows: np.ndarray
    sign: np.ndarray


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """(positive, negative) class of each problem. Two classes: the second is positive, as decision values need it."""
    if classes == 2:
        return [(1, 0)]
    return [(a, b) for a in range(classes) for b in range(a + 1, classes)]


def make_pairs(label: np.ndarray, classes: int, weight: np.ndarray) -> list[Pair]:
    """The binary problems of encoded labels, without samples of weight zero."""
    taking_part = weight > 0
    pairs = []
    for a, b in pairs_of(classes):
        rows = np.flatnonzero(((label == a) | (label == b)) & taking_part)
        pairs.append(Pair(a, b, rows, np.where(label[rows] == a, 1.0, -1.0)))
    return pairs


def coefficient_row(of: int, against: int) -> int:
    """Row of ``dual_coef`` that holds the multipliers of class `of` against another class."""
    return against - 1 if against > of else against


def pack(
    betas: Sequence[np.ndarray], pairs: Sequence[Pair], label: np.ndarray, classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``support`` (rows ordered by class), ``dual_coef`` and ``n_support`` from the variables of each pair."""
    coef = np.zeros((classes - 1, len(label)))
    for beta, pair in zip(betas, pairs, strict=True):
        for of, against in ((pair.positive, pair.negative), (pair.negative, pair.positive)):
            mine = label[pair.rows] == of
            coef[coefficient_row(of, against), pair.rows[mine]] = beta[mine]
    used = np.flatnonzero(coef.any(axis=0))
    support = used[np.argsort(label[used], kind="stable")]
    return support, coef[:, support], np.bincount(label[support], minlength=classes)


def unpack(support: np.ndarray, dual_coef: np.ndarray, pairs: Sequence[Pair], label: np.ndarray) -> list[np.ndarray]:
    """The variables of each pair again, from what the model keeps."""
    n = len(label)
    coef = np.zeros((dual_coef.shape[0], n))
    coef[:, support] = dual_coef
    betas = []
    for pair in pairs:
        against = np.where(label[pair.rows] == pair.positive, pair.negative, pair.positive)
        row = np.where(against > label[pair.rows], against - 1, against)
        betas.append(coef[row, pair.rows])
    return betas


def class_slices(n_support: np.ndarray) -> list[slice]:
    """Where the support vectors of each class stand."""
    ends = np.concatenate([[0], np.cumsum(n_support)])
    return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]


def combine(by_class: Sequence[np.ndarray], intercept: np.ndarray) -> np.ndarray:
    """Decision values of each pair from the sums over the support vectors of each class, ``(n, classes - 1)`` each."""
    pairs = pairs_of(len(by_class))
    out = np.empty((len(by_class[0]), len(pairs)))
    for k, (a, b) in enumerate(pairs):
        out[:, k] = by_class[a][:, coefficient_row(a, b)] + by_class[b][:, coefficient_row(b, a)] + intercept[k]
    return out


def vote(values: np.ndarray, classes: int) -> np.ndarray:
    """The class with most pairs in its favour; ties go to the first class."""
    if classes == 2:
        return (values[:, 0] > 0).astype(np.intp)
    votes = np.zeros((len(values), classes), dtype=np.int64)
    for k, (a, b) in enumerate(pairs_of(classes)):
        wins = values[:, k] > 0
        votes[wins, a] += 1
        votes[~wins, b] += 1
    return np.argmax(votes, axis=1)
