"""Rows to train on and rows to test on, checked before anything is computed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of the rows, by their numbers."""

    train: np.ndarray
    test: np.ndarray


def make_folds(cv: Any, X: Any, y: np.ndarray, groups: Any, classifier: bool) -> list[Fold]:
    """The folds of a splitter, a number (None: five) or an iterable of (train, test)."""
    n = X.shape[0]
    folds = []
    for k, (train, test) in enumerate(check_cv(cv, y, classifier=classifier).split(X, y, groups)):
        fold = Fold(_row_numbers(train, n, k, "training"), _row_numbers(test, n, k, "test"))
        folds.append(fold)
    if not folds:
        raise ValueError(f"cv={cv!r} gives no folds; use a number of 2 or more, a splitter or a list of (train, test).")
    return folds


def can_be_repeated(cv: Any) -> bool:
    """Whether folds can be made again from the rows alone: nothing drawn without a seed, no groups, no iterator."""
    if cv is None or isinstance(cv, Integral):
        return True
    if not hasattr(cv, "split"):
        return isinstance(cv, list | tuple)
    if getattr(cv, "shuffle", True) and not isinstance(getattr(cv, "random_state", 0), Integral):
        return False
    routing = getattr(cv, "get_metadata_routing", None)
    return routing is not None and routing().split.requests.get("groups") is not True


def _row_numbers(rows: Any, n: int, fold: int, part: str) -> np.ndarray:
    """Row numbers from row numbers or a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        if rows.shape != (n,):
            raise ValueError(f"the {part} mask of fold {fold} has shape {rows.shape}; X has {n} rows.")
        rows = np.flatnonzero(rows)
    if not rows.size:
        raise ValueError(f"fold {fold} has no {part} rows; give cv folds that have some.")
    rows = rows.astype(np.intp)
    if rows.min() < -n or rows.max() >= n:
        raise ValueError(f"fold {fold} has {part} row {rows.max()}; X has {n} rows.")
    return rows % n


def check_classes(folds: list[Fold], label: np.ndarray, classes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Which folds train on every class; one that has a single class to train on is refused.

    A class of which no training row has a positive weight is not there. With two or more others the fold is used, as
    scikit-learn does, and a warning says so.
    """
    complete = np.ones(len(folds), dtype=bool)
    lacks = []
    for k, fold in enumerate(folds):
        rows = fold.train if weights is None else fold.train[weights[fold.train] > 0]
        present = np.bincount(label[rows], minlength=len(classes)) > 0
        if present.sum() < 2:
            only = f"class {classes[present][0]!s} alone" if present.any() else "no class at all"
            raise ValueError(
                f"the training part of fold {k} has {only}, and a classifier needs two. Use folds that keep the "
                f"proportions of the classes (sklearn.model_selection.StratifiedKFold, with shuffle=True for sorted "
                f"rows), or fewer of them."
            )
        if not present.all():
            complete[k] = False
            lacks.append(f"fold {k} (class {', '.join(str(c) for c in classes[~present])})")
    if lacks:
        warnings.warn(
            f"the training part of some folds lacks a class, whose test rows then count as errors: {'; '.join(lacks)}. "
            f"Use sklearn.model_selection.StratifiedKFold or fewer folds.",
            UserWarning,
            stacklevel=4,
        )
    return complete
