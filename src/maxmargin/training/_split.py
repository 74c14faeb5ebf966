"""Which rows are held out, which are tuned on, and in which folds; all of it by a seed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from ._table import TrainingTable
from ._target import Target
from ._training import Split

# Each draw has its own stream of random numbers, so that one does not depend on whether another was made.
_TEST, _TUNING, _COARSE = 1, 2, 3


@dataclass(frozen=True, eq=False)
class Divided:
    """The rows of a table, parted as in a training.

    Attributes
    ----------
    X_train, X_test : data frame or CSR matrix
        Columns to learn from, as the model takes them.
    y_train, y_test : ndarray
        Labels or numbers.
    split : Split
    table : TrainingTable
        All rows.
    target : Target
        Labels or numbers of those that have one.

    """

    X_train: Any
    y_train: np.ndarray
    X_test: Any
    y_test: np.ndarray
    split: Split
    table: TrainingTable
    target: Target


def divide_table(table: TrainingTable, target: Target, split: Split) -> Divided:
    """The rows of a table and their targets in the two parts of a split."""
    train, test = split.train_rows, split.test_rows
    return Divided(table.take(train), target.of(train), table.take(test), target.of(test), split, table, target)


def draw_rows(codes: np.ndarray | None, n: int, count: int, least: int, seed: int, stream: int) -> np.ndarray:
    """`count` of n rows at random, sorted; of each class in proportion, at least `least` (or all it has).

    Shares that are not whole are rounded down, and the rows that are left go to the largest remainders.
    """
    generator = np.random.default_rng([seed, stream])
    if codes is None:
        return np.sort(generator.permutation(n)[:count])
    sizes = np.bincount(codes)
    wanted = sizes * (count / n)
    take = np.maximum(np.floor(wanted).astype(int), np.minimum(least, sizes))
    for k in np.argsort(take - wanted, kind="stable")[: max(0, count - int(take.sum()))]:
        take[k] += take[k] < sizes[k]
    order = generator.permutation(n)
    of_class = order[np.argsort(codes[order], kind="stable")]
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    chosen = [of_class[begin : begin + many] for begin, many in zip(begins, take, strict=True)]
    return np.sort(np.concatenate(chosen))


def make_split(y: np.ndarray, rows: np.ndarray, total: int, classes: bool, test: float, seed: int) -> Split:
    """Rows to train on and rows to test on.

    Parameters
    ----------
    y : ndarray
        Targets of `rows`.
    rows : ndarray of int
        Numbers of the rows that have a target.
    total : int
        Rows of the table.
    classes : bool
        Whether y are labels, whose proportions are kept; each has at least two training rows.
    test : float
        Share that is held out.
    seed : int

    """
    n = len(rows)
    codes = np.unique(y, return_inverse=True)[1] if classes else None
    keep = n - round(test * n)
    train = draw_rows(codes, n, keep, 2, seed, _TEST) if test else np.arange(n)
    held = np.ones(n, dtype=bool)
    held[train] = False
    return Split(test, seed, classes, rows[train], rows[held], total - n)


def draw_tuning_rows(codes: np.ndarray | None, n: int, most: int, seed: int) -> np.ndarray:
    """Training rows that the families are cross-validated on: all, or a draw."""
    return np.arange(n) if n <= most else draw_rows(codes, n, most, 2, seed, _TUNING)


def coarse_rows(codes: np.ndarray | None, n: int, most: int, seed: int) -> np.ndarray:
    """Rows of a first, wide search."""
    return np.arange(n) if n <= most else draw_rows(codes, n, most, 2, seed, _COARSE)


def make_folds(codes: np.ndarray | None, n: int, folds: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same folds for every family; classes keep their proportions."""
    if codes is None:
        return list(KFold(min(folds, n), shuffle=True, random_state=seed).split(np.zeros(n)))
    count = max(2, min(folds, int(np.bincount(codes).max())))
    with warnings.catch_warnings():
        # a class of fewer rows than folds is in the training part of each, which is all that is needed
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return list(StratifiedKFold(count, shuffle=True, random_state=seed).split(np.zeros(n), codes))
