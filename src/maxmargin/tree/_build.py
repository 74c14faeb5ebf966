"""From binned columns and a target to a tree: the rows that have a weight, grown, with what is in each node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import jit, jit_inner, raise_interrupt, run_parallel, stop_flag
from ._binning import Bins
from ._grow import (
    COLUMN,
    DEPTH,
    END,
    FIELDS,
    FIRST,
    LEFT,
    LOWER,
    MISSING,
    SUBSET,
    UPPER,
    grow_best,
    grow_deep,
    kept_histograms,
)
from ._split import ENTROPY, GINI, VARIANCE, Limits, NodeRows, make_room, x_log_x
from ._tree import Tree

CRITERIA = {"gini": GINI, "entropy": ENTROPY, "log_loss": ENTROPY, "squared_error": VARIANCE}


def build_tree(bins: Bins, target: np.ndarray, weight: np.ndarray, limits: Limits, seed: int) -> Tree:
    """Grow a tree.

    Parameters
    ----------
    bins : Bins
        Of all columns and rows.
    target : ndarray of shape (n_rows,)
        int32 numbers of classes, or float64 values, according to the criterion.
    weight : ndarray of shape (n_rows,)
        Float64; rows of weight 0 take no part.
    limits : Limits
        What holds it back.
    seed : int
        Of the draws of columns.

    """
    index = np.flatnonzero(weight).astype(np.uint32)
    if limits.criterion == VARIANCE:
        # sums of squares about the mean keep the digits that those about zero would lose
        middle = float(np.average(target, weights=weight))
        rows = NodeRows(index, weight[index], np.empty(0, dtype=np.uint32), target[index] - middle)
    else:
        rows = NodeRows(index, weight[index], target[index].astype(np.uint32), np.empty(0))
    spare = NodeRows(*(np.empty_like(part) for part in rows))
    d, total = len(bins.low), float(rows.weight.sum())
    first = bins.binned.bundles.first
    room = make_room(limits, d, seed, int(first[-1]), len(first) - 1)
    # the largest tables that a tree can need; the system provides memory only as it is written to
    most = 2 * (len(index) if limits.max_leaves < 0 else min(len(index), limits.max_leaves)) + 1
    nodes = np.empty((most, FIELDS), dtype=np.int32)
    subsets = np.empty((most if bins.binned.categorical.any() else 0, 4), dtype=np.uint64)
    stop = stop_flag()
    if limits.max_leaves > 0:
        count = grow_best(bins.binned, rows, spare, limits, room, total, nodes, subsets, stop)
    else:
        width = limits.channels + limits.counted
        offsets = np.concatenate([[0], np.cumsum((bins.binned.n_bins.astype(np.int64) + 1) * width)])
        stack = np.empty((len(index) + 2, 3), dtype=np.int64)
        kept = kept_histograms(len(index), d, int(offsets[-1]), limits)
        count = grow_deep(bins.binned, rows, spare, offsets, limits, room, total, nodes, subsets, stack, *kept, stop)
    raise_interrupt()
    nodes = nodes[:count]
    subsets = subsets[: int(nodes[:, SUBSET].max()) + 1].copy()
    if limits.criterion == VARIANCE:
        rows = rows._replace(target=target[rows.row])
    value, mass, impurity = node_contents(nodes, rows, limits)
    if limits.criterion == VARIANCE:
        alike = impurity == 0.0  # to the last bit the target of the rows
        value[alike, 0] = target[rows.row[nodes[alike, FIRST]]]
    return tree_of_nodes(nodes, subsets, value, mass, impurity, bins.low, bins.high)


def tree_of_nodes(
    nodes: np.ndarray,
    subsets: np.ndarray,
    value: np.ndarray,
    mass: np.ndarray,
    impurity: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> Tree:
    """A tree from its table of nodes and their contents; `low` and `high` are the ranges of the bins by column."""
    threshold, cut = _thresholds(nodes, low, high)
    return Tree(
        children_left=nodes[:, LEFT].astype(np.int64),
        feature=nodes[:, COLUMN].astype(np.int64),
        threshold=threshold,
        missing_go_to_left=nodes[:, MISSING] > 0,
        impurity=impurity,
        n_node_samples=(nodes[:, END] - nodes[:, FIRST]).astype(np.int64),
        weighted_n_node_samples=mass,
        value=value[:, None, :],
        subset=nodes[:, SUBSET].astype(np.int64),
        subsets=subsets,
        cut=cut,
        n_features=len(low),
        max_depth=int(nodes[:, DEPTH].max()),
    )


def grow_tree(bins: Bins, target: np.ndarray, weight: np.ndarray, limits: Limits, seed: int) -> Tree:
    """As `build_tree`, while the calling thread listens for Ctrl-C."""
    return run_parallel(build_tree, [(bins, target, weight, limits, seed)], long=True)[0]


@jit_inner
def _midway(below: float, above: float) -> float:
    """The middle of two values; the lower one where rounding would give the upper one."""
    middle = below / 2 + above / 2
    return middle if below <= middle < above or above == np.inf else below


@jit
def _thresholds(nodes: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Thresholds, and the last bin that lies below each.

    A threshold lies midway between the neighbouring values in the node. Should it fall inside a bin of several values,
    of which the node has none, it moves to the end of that bin: what lies below it can be told from the bins alone.
    """
    out, cut = np.full(len(nodes), -2.0), np.full(len(nodes), -1, dtype=np.int16)
    for node in range(len(nodes)):
        if nodes[node, LEFT] < 0:
            continue
        j, last, above = nodes[node, COLUMN], nodes[node, LOWER], nodes[node, UPPER]
        middle = _midway(high[j, last], low[j, above] if above >= 0 else np.inf)
        while last + 1 < above and low[j, last + 1] <= middle:
            last += 1
        if high[j, last] > middle:
            middle = _midway(high[j, last], low[j, last + 1])
        out[node] = middle if nodes[node, SUBSET] < 0 else np.nan
        cut[node] = last
    return out, cut


@jit
def node_contents(nodes: Any, rows: NodeRows, limits: Limits) -> tuple[Any, Any, Any]:
    """Shares of the classes or means, weights and impurities of all nodes, from the leaves up.

    Parts of means a, b and weights v, w have the squares about their common mean  q_a + q_b + (a - b)^2 v w/(v + w).
    """
    n, K = len(nodes), limits.channels
    kind = limits.criterion
    value = np.zeros((n, 1 if kind == VARIANCE else K))
    mass, impurity = np.zeros(n), np.zeros(n)
    for node in range(n - 1, -1, -1):
        start, end, left = nodes[node, FIRST], nodes[node, END], nodes[node, LEFT]
        if kind != VARIANCE:
            if left < 0:
                for i in range(start, end):
                    value[node, rows.label[i]] += rows.weight[i]
            else:
                for k in range(K):
                    value[node, k] = value[left, k] + value[left + 1, k]
        elif left < 0:
            for i in range(start, end):
                mass[node] += rows.weight[i]
                value[node, 0] += rows.weight[i] * rows.target[i]
            value[node, 0] /= mass[node]
            for i in range(start, end):
                impurity[node] += rows.weight[i] * (rows.target[i] - value[node, 0]) ** 2
        else:
            a, b, v, w = value[left, 0], value[left + 1, 0], mass[left], mass[left + 1]
            mass[node] = v + w
            value[node, 0] = a + (b - a) * (w / (v + w))
            impurity[node] = impurity[left] + impurity[left + 1] + (a - b) ** 2 * (v * w / (v + w))
    for node in range(n):
        if kind == VARIANCE:
            impurity[node] /= mass[node]
            continue
        total, inside = 0.0, 0.0
        for k in range(K):
            total += value[node, k]
        for k in range(K):
            share = value[node, k] / total
            value[node, k] = share
            inside += share * share if kind == GINI else x_log_x(share)
        mass[node] = total
        impurity[node] = 1.0 - inside if kind == GINI else max(0.0, -inside)
    return value, mass, impurity
