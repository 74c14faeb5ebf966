"""Questions of splits in the words and units of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import number, shortened
from ._columns import MISSING, Column

_MOST_LEVELS = 4


def split_in_words(column: Column, threshold: float, right: bool) -> str:
    """What is known of a row on one side of a threshold: values up to it are on the left."""
    name = column.source or column.name
    if column.kind == "level":
        return f"{name} is {'' if right else 'not '}{'missing' if column.level == MISSING else column.level}"
    if column.kind == "indicator":
        return f"{name} is {'missing' if right else 'known'}"
    if column.kind == "flag":
        return f"{name} is {'yes' if right else 'no'}"
    if np.isinf(threshold):
        return f"{column.name} is {'missing' if right == (threshold > 0) else 'known'}"
    value = threshold
    if column.kind != "mixed" and column.scale != 0.0:
        value, right = (threshold - column.offset) / column.scale, right == (column.scale > 0)
    text = day(value) if column.kind == "part" and column.name == column.source else number(value)
    return f"{column.name} {'>' if right else '<='} {text}"


def day(days: float) -> str:
    """The date of a number of days since 1970."""
    return str(np.datetime64(int(np.floor(days)), "D"))


def node_in_words(tree: Any, node: int, right: bool, columns: list[Column], categories: Any) -> str:
    """The answer of a row to the question of a node of one of our trees."""
    column = columns[int(tree.feature[node])]
    place = int(tree.subset[node])
    if place < 0:
        return split_in_words(column, float(tree.threshold[node]), right)
    words = tree.subsets[place]
    known = None if categories is None else categories.of.get(int(tree.feature[node]))
    count = 64 * len(words) if known is None else len(known)
    left = [k for k in range(count) if int(words[k // 64]) >> (k % 64) & 1]
    names = [f"no. {k}" if known is None else shortened(str(known[k]), 14, middle=True) for k in left]
    more = [f"{len(names) - _MOST_LEVELS} more"] if len(names) > _MOST_LEVELS else []
    return f"{column.name} {'not ' if right else ''}in {{{', '.join(names[:_MOST_LEVELS] + more)}}}"


def learner_in_words(learner: Any, columns: list[Column]) -> str:
    """The rule of a weak learner."""
    kind = type(learner).__name__
    if kind == "DecisionStump":
        first, second = (str(label) for label in learner.classes_[learner._leaves])
        if learner.feature_ < 0:
            return f"always {first}"
        column = columns[learner.feature_]
        return f"{split_in_words(column, float(learner.threshold_), True)}: {second}, else {first}"
    if kind == "DecisionBox":
        outside, inside = (str(label) for label in learner.classes_[learner._leaves])
        sides = []
        for j in np.flatnonzero((learner.lower_ > -np.inf) | (learner.upper_ < np.inf)).tolist():
            if learner.lower_[j] > -np.inf:
                sides.append(split_in_words(columns[j], float(learner.lower_[j]), True))
            if learner.upper_[j] < np.inf:
                sides.append(split_in_words(columns[j], float(learner.upper_[j]), False))
        return f"{' and '.join(sides) or 'always'}: {inside}, else {outside}"
    if kind == "DecisionPlane":
        heaviest = columns[int(np.argmax(np.abs(learner.coef_)))].name
        return f"a plane, most of all along {heaviest}"
    return kind
