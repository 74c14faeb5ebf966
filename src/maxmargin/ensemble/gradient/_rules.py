"""What a tree of gradient boosting may be like, and the tables that it is grown in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._sums import Units

# Columns of the table of whole numbers of the nodes: the left child (the right one follows it; -1 for a leaf), the
# column of the split, its last bin on the left, whether missing values go left (-1: none were seen), the stretch of
# rows, the depth, the histogram, the parent, whether the split is by category.
LEFT, COLUMN, CUT, MISSING, FIRST, END, DEPTH, SLOT, PARENT, BY_SET = range(10)
INTEGERS = 10
# Columns of the table of numbers: value, gain of the split, limits of the values below, values of the children.
VALUE, GAIN, LOWER, UPPER, LEFT_VALUE, RIGHT_VALUE = range(6)
NUMBERS = 6
# Columns of the table of sums: those of the node, and of its left child.
G, H, LEFT_G, LEFT_H = range(4)
SUMS = 4

# As in scikit-learn: sides need this much of second derivatives, and a category this many rows to be sorted.
LEAST_HESSIAN, LEAST_SUPPORT = 1e-3, 10.0
# What a gain, or its lead over that of another split, has to be, relative to the scores that it is a difference of, to
# be more than rounding: of splits that differ by less the first is taken, whatever the order of the sums.
NOISE = 1e-10


class Rules(NamedTuple):
    """The limits of a tree; `max_leaves` is -1 if there is none, `groups` has a row for each set of columns that may
    meet on a path, and none if all may."""

    units: Units
    max_leaves: int
    max_depth: int
    min_rows: int
    l2: float
    share: float
    monotonic: np.ndarray
    constrained: bool
    groups: np.ndarray


class Nodes(NamedTuple):
    """The tables of the nodes, and the categories that go left, a bit each."""

    integers: np.ndarray
    numbers: np.ndarray
    sums: np.ndarray
    subsets: np.ndarray


def new_nodes(rows: int, max_leaves: int, min_rows: int, categorical: bool) -> Nodes:
    """Tables for the largest tree that there can be; the system provides memory only as it is written to."""
    leaves = max(1, rows // max(1, min_rows)) + 1
    most = 2 * (leaves if max_leaves < 0 else min(leaves, max_leaves)) + 1
    return Nodes(
        np.empty((most, INTEGERS), dtype=np.int64),
        np.empty((most, NUMBERS)),
        np.empty((most, SUMS), dtype=np.int64),
        np.empty((most if categorical else 1, 4), dtype=np.uint64),
    )


class Scratch(NamedTuple):
    """Memory of one search: columns to look at, which are allowed, sorted categories, a generator and its seed."""

    columns: np.ndarray
    allowed: np.ndarray
    order: np.ndarray
    keys: np.ndarray
    state: np.ndarray


def new_scratch(d: int, seed: int) -> Scratch:
    return Scratch(
        np.arange(d),
        np.ones(d, dtype=np.bool_),
        np.empty(256, dtype=np.int64),
        np.empty(256),
        np.full(2, seed, dtype=np.uint64),
    )
