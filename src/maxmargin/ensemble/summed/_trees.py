"""From grown nodes to trees: thresholds, and what is in the nodes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...tree import NODE_FIELDS, Tree, tree_of_nodes
from ._growth import Growth
from ._rows import LOW_BITS, Scales
from ._search import ENTROPY, VARIANCE


def means_of(growth: Growth, scales: Scales) -> np.ndarray:
    """The mean targets of all nodes."""
    weight, high, low = growth.totals.T.astype(np.float64)
    return scales.middle + (high * 2.0**LOW_BITS + low) / weight * (scales.weight / scales.product)


def trees_of(
    growth: Growth, scales: Scales, squares: np.ndarray | None, low: np.ndarray, high: np.ndarray
) -> list[Tree]:
    """The trees; `squares` are those about the means of leaves, weighted, by node (None for classes)."""
    order = np.argsort(growth.tree, kind="stable")
    bounds = np.searchsorted(growth.tree[order], np.arange(len(growth.seeds) + 1))
    return [_tree_of(growth, order[a:b], scales, squares, low, high) for a, b in pairwise(bounds)]


def _tree_of(
    growth: Growth, number: np.ndarray, scales: Scales, squares: np.ndarray | None, low: np.ndarray, high: np.ndarray
) -> Tree:
    """The tree of some nodes, in their order; children come behind their parents."""
    m = len(number)
    new = np.full(int(number[-1]) + 1, -1)
    new[number] = np.arange(m)
    left = growth.left[number]
    inner = left >= 0
    left = np.where(inner, new[np.where(inner, left, number[0])], -1)
    nodes = np.full((m, len(NODE_FIELDS)), -1, dtype=np.int32)
    rows = growth.rows[number]
    ends = _stretches(left, rows)
    most_left = inner.copy()
    most_left[inner] = 2 * rows[left[inner]] > rows[inner]
    columns: dict[str, Any] = {
        "left": left,
        "column": np.where(inner, growth.feature[number], -2),
        "lower": growth.below[number],
        "upper": growth.above[number],
        "missing": np.where(inner, most_left, -1),
        "first": ends - rows,
        "end": ends,
        "depth": growth.depth[number],
    }
    for name, values in columns.items():
        nodes[:, NODE_FIELDS.index(name)] = values
    contents = _of_classes if squares is None else _of_targets
    value, mass, impurity = contents(growth, number, left, scales, squares)
    return tree_of_nodes(nodes, np.empty((0, 4), dtype=np.uint64), value, mass, impurity, low, high)


def _stretches(left: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Where the rows of each node end, were they in the order of the nodes."""
    ends = np.empty(len(left), dtype=np.int64)
    ends[0] = rows[0]
    level = np.zeros(1, dtype=np.int64)
    while len(level):
        inner = level[left[level] >= 0]
        children = left[inner]
        ends[children + 1] = ends[inner]
        ends[children] = ends[inner] - rows[children + 1]
        level = np.concatenate([children, children + 1])
    return ends


def _of_classes(
    growth: Growth, number: np.ndarray, left: np.ndarray, scales: Scales, squares: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of the classes, weights and impurities of nodes."""
    totals = growth.totals[number].astype(np.float64)
    mass = totals.sum(axis=1)
    share = totals / mass[:, None]
    if growth.limits.limits.criterion == ENTROPY:
        logs = np.where(share > 0, share * np.log2(np.where(share > 0, share, 1.0)), 0.0)
        impurity = np.maximum(-logs.sum(axis=1), 0.0)
    else:
        impurity = 1.0 - (share * share).sum(axis=1)
    return share, mass / scales.weight, impurity


def _of_targets(
    growth: Growth, number: np.ndarray, left: np.ndarray, scales: Scales, squares: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, weights and variances of nodes, the variances from the leaves up."""
    assert squares is not None and growth.limits.limits.criterion == VARIANCE
    mean, mass = means_of(growth, scales)[number], growth.totals[number, 0] / scales.weight
    spread = squares[number].copy()
    depth = growth.depth[number]
    for level in range(int(depth.max()) - 1, -1, -1):
        inner = np.flatnonzero((depth == level) & (left >= 0))
        a, b = left[inner], left[inner] + 1
        between = (mean[a] - mean[b]) ** 2 * (mass[a] * mass[b] / mass[inner])
        spread[inner] = spread[a] + spread[b] + between
    return mean[:, None], mass, spread / mass
