"""Signed multipliers of each binary problem, out of the arrays that models keep.

LIBSVM's layout, which all contenders share: classes have an order; ``coef`` has a column for each support vector and
one row less than there are classes. The column of a vector of the i-th class holds its multiplier against the j-th
class in row j - 1 if j > i, else in row j; it is positive if its class comes first in the pair. A regressor has a
single row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Multipliers:
    """``support``: rows of the training set; ``order``: classes in the model's order, None for a regressor.

    scikit-learn makes the second class positive where there are two: there, the order is turned round.
    """

    support: np.ndarray
    coef: np.ndarray
    order: np.ndarray | None = None


def of_scikit_style(model: Any) -> Multipliers:
    """Those of a fitted machine with scikit-learn's attributes."""
    coef = model.dual_coef_
    coef = np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64)
    classes = getattr(model, "classes_", None)
    order = classes[::-1] if classes is not None and len(classes) == 2 else classes
    return Multipliers(np.asarray(model.support_, dtype=np.int64), np.atleast_2d(coef), order)


@dataclass(frozen=True)
class Pair:
    """One binary problem: its training rows, their signs, and the signed multipliers of all support vectors."""

    rows: np.ndarray
    sign: np.ndarray
    on_support: np.ndarray


def pairs(multipliers: Multipliers, y: np.ndarray) -> list[Pair]:
    """The one-vs-one problems of a classifier, in the model's order."""
    order, support, coef = multipliers.order, multipliers.support, multipliers.coef
    if order is None:
        raise ValueError("a regressor has no pairs of classes")
    position = np.argmax(y[:, None] == order[None, :], axis=1)
    of = position[support]
    found = []
    for i, j in itertools.combinations(range(len(order)), 2):
        rows = np.flatnonzero((position == i) | (position == j))
        on_support = np.zeros(len(support))
        on_support[of == i] = coef[j - 1, of == i]
        on_support[of == j] = coef[i, of == j]
        found.append(Pair(rows, np.where(position[rows] == i, 1.0, -1.0), on_support))
    return found
