"""Growing a tree from binned columns: a node is split until a limit says no, on an explicit stack.

Rows are kept in the order of the nodes: those of a node are a stretch of the array, and a split puts those that go left
in front, each side in the order it had. What the columns' codes are looked up by then ascends, and the labels and
weights of a node lie side by side.

Where all columns are searched and a node has many rows, the histogram of the larger child is that of its parent minus
that of the smaller one, which alone is counted. The smaller child is then grown first: of the waiting nodes each is at
least as large as the one above it on the stack, so that no more than log2(n) histograms wait.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from ..engine import jit, jit_bare, jit_within
from ._binning import Binned
from ._find_split import fill_all, find_split, node_totals, place_of
from ._split import (
    ABOVE,
    BELOW,
    BY_CATEGORY,
    FEATURE,
    FEW,
    MISSING_LEFT,
    NOTHING,
    VARIANCE,
    Limits,
    NodeRows,
    Room,
    own_score,
)

# Columns of the node table: the left child (the right one follows it; -1 for a leaf), the split, the stretch of rows,
# and the row of the table of subsets of categories.
LEFT, COLUMN, LOWER, UPPER, MISSING, FIRST, END, SUBSET, DEPTH = range(9)
NODE_FIELDS = ("left", "column", "lower", "upper", "missing", "first", "end", "subset", "depth")
FIELDS = 9
# Numbers of a waiting node: itself, the constant columns known, its histogram.
_NODE, _CONSTANT, _SLOT = 0, 1, 2
# A subtraction costs about a quarter of counting a value, for each entry of the histogram.
_SUBTRACTION = 4
# Entries of a histogram of all columns (32 MB) above which none is kept.
_LARGEST = 1 << 22


def kept_histograms(n: int, d: int, entries: int, limits: Limits) -> tuple[np.ndarray, int]:
    """Memory for the histograms of waiting nodes, and the fewest rows of a node that has one."""
    fewest = max(FEW, entries // (_SUBTRACTION * d))
    if limits.max_features < d or entries > _LARGEST or n < fewest:
        return np.empty((1, 0)), n + 1
    return np.empty((int(np.log2(n)) + 3, entries)), fewest


@jit_within
def partition(
    nodes: Any,
    node: int,
    subsets: Any,
    binned: Binned,
    rows: NodeRows,
    spare: NodeRows,
    start: int,
    end: int,
    goes_left: Any,
) -> Any:
    """Put the rows that go left in front, both sides in their order; where the right ones begin.

    Each row is written to both sides and one of the two is kept, which spares a branch that nobody can predict.
    """
    f, subset = nodes[node, COLUMN], nodes[node, SUBSET]
    for code in range(binned.n_bins[f]):
        if subset >= 0:
            goes_left[code] = (subsets[subset, code >> 6] >> np.uint64(code & 63)) & np.uint64(1)
        else:
            goes_left[code] = code <= nodes[node, LOWER]
    goes_left[binned.n_bins[f]] = nodes[node, MISSING] > 0
    stride, first = place_of(binned, f, end - start)
    index, weight, label, target = (
        rows.row[start:end],
        rows.weight[start:end],
        rows.label[start:end],
        rows.target[start:end],
    )
    labelled = label.size > 0
    to, over = np.uint64(0), np.uint64(0)
    for i in range(index.size):
        row, s = index[i], weight[i]
        left = np.uint64(goes_left[binned.codes[first + row * stride]])
        index[to] = row
        spare.row[over] = row
        weight[to] = s
        spare.weight[over] = s
        if labelled:
            k = label[i]
            label[to] = k
            spare.label[over] = k
        else:
            y = target[i]
            target[to] = y
            spare.target[over] = y
        to += left
        over += np.uint64(1) - left
    for i in range(np.int64(over)):
        at = to + np.uint64(i)
        index[at] = spare.row[i]
        weight[at] = spare.weight[i]
        if labelled:
            label[at] = spare.label[i]
        else:
            target[at] = spare.target[i]
    return start + np.int64(to)


@jit_within
def add_leaf(nodes: Any, node: int, start: int, end: int, depth: int) -> None:
    """Write a leaf into the node table."""
    for k in range(FIELDS):
        nodes[node, k] = -1
    nodes[node, COLUMN] = -2
    nodes[node, FIRST] = start
    nodes[node, END] = end
    nodes[node, DEPTH] = depth


@jit_within
def write_split(nodes: Any, node: int, subsets: Any, n_subsets: int, room: Room) -> int:
    """Write the found split into the node table, a subset of categories into theirs; the number of these."""
    pick = room.pick
    nodes[node, COLUMN] = pick[FEATURE]
    nodes[node, LOWER] = pick[BELOW]
    nodes[node, UPPER] = pick[ABOVE]
    nodes[node, MISSING] = pick[MISSING_LEFT]
    if not pick[BY_CATEGORY]:
        return n_subsets
    for word in range(4):
        subsets[n_subsets, word] = room.subset[word]
    nodes[node, SUBSET] = n_subsets
    return n_subsets + 1


@jit_within
def split_node(
    nodes: Any, node: int, count: int, subsets: Any, binned: Binned, rows: NodeRows, spare: NodeRows, goes_left: Any
) -> None:
    """Part the rows of a node by its split and add its children to the table.

    New rows whose value is missing where it never was in the node go the way of most others.
    """
    start, end = np.int64(nodes[node, FIRST]), np.int64(nodes[node, END])
    middle = partition(nodes, node, subsets, binned, rows, spare, start, end, goes_left)
    nodes[node, LEFT] = count
    if nodes[node, MISSING] < 0:
        nodes[node, MISSING] = 2 * (middle - start) > end - start
    depth = np.int64(nodes[node, DEPTH]) + 1
    add_leaf(nodes, count, start, middle, depth)
    add_leaf(nodes, count + 1, middle, end, depth)


@jit_within
def may_split(nodes: Any, node: int, differ: bool, limits: Limits, totals: Any) -> bool:
    """Whether the limits allow to look for a split."""
    n = nodes[node, END] - nodes[node, FIRST]
    if not differ or n < limits.min_samples_split or n < 2 * limits.min_samples_leaf:
        return False
    weight = 0.0
    for k in range(1 if limits.criterion == VARIANCE else limits.channels):
        weight += totals[k]
    return nodes[node, DEPTH] < limits.max_depth and weight >= 2 * limits.min_weight_leaf


@jit_within
def gains_enough(limits: Limits, room: Room, total: float) -> bool:
    """Whether a split was found that lowers the impurity of the whole tree by what is asked for, up to rounding."""
    if room.score[0] == NOTHING or limits.min_decrease <= 0.0:
        return room.score[0] != NOTHING
    return (room.score[0] - own_score(limits, room.totals)) / total + 2.220446049250313e-16 >= limits.min_decrease


@jit_bare
def grow_deep(
    binned: Binned,
    rows: NodeRows,
    spare: NodeRows,
    offsets: Any,
    limits: Limits,
    room: Room,
    total: float,
    nodes: Any,
    subsets: Any,
    stack: Any,
    sums: Any,
    fewest: int,
    stop: Any,
) -> int:
    """Grow until no leaf may be split, into the tables of nodes and subsets of categories; the number of nodes.

    With ``stop[0]`` it ends at once, and what is there is no tree.
    """
    n, entries = rows.row.size, sums.shape[1]
    add_leaf(nodes, 0, 0, n, 0)
    n_subsets, count, none = 0, 1, sums[0, :0]
    if entries:
        fill_all(binned, rows, 0, n, offsets, limits, sums[0])
    top = 1
    stack[0, _NODE], stack[0, _CONSTANT], stack[0, _SLOT] = 0, 0, 0 if entries else -1
    while top and not stop[0]:
        top -= 1
        node, constant, slot = stack[top, _NODE], stack[top, _CONSTANT], stack[top, _SLOT]
        start, end = np.int64(nodes[node, FIRST]), np.int64(nodes[node, END])
        differ = node_totals(rows, start, end, slot < 0, limits, room.totals)
        if not may_split(nodes, node, differ, limits, room.totals):
            continue
        held = sums[slot] if slot >= 0 else none
        constant = find_split(binned, rows, start, end, constant, limits, room, held, offsets)
        if not gains_enough(limits, room, total):
            continue
        n_subsets = write_split(nodes, node, subsets, n_subsets, room)
        split_node(nodes, node, count, subsets, binned, rows, spare, room.goes_left)
        small, large, slot_small = count, count + 1, -1
        if slot >= 0:
            n_small = nodes[count, END] - start
            if 2 * n_small > end - start:
                small, large, n_small = count + 1, count, end - start - n_small
            if end - start - n_small >= fewest:
                # the slots above this one belong to nodes that are done
                first, last = np.int64(nodes[small, FIRST]), np.int64(nodes[small, END])
                fill_all(binned, rows, first, last, offsets, limits, sums[slot + 1])
                for k in range(entries):
                    sums[slot, k] -= sums[slot + 1, k]
                slot_small = slot + 1 if n_small >= fewest else -1
            else:
                slot = -1
        stack[top, _NODE], stack[top, _CONSTANT], stack[top, _SLOT] = large, constant, slot
        stack[top + 1, _NODE], stack[top + 1, _CONSTANT], stack[top + 1, _SLOT] = small, constant, slot_small
        top += 2
        count += 2
    return count


@jit
def grow_best(
    binned: Binned,
    rows: NodeRows,
    spare: NodeRows,
    limits: Limits,
    room: Room,
    total: float,
    nodes: Any,
    subsets: Any,
    stop: Any,
) -> int:
    """Split the leaf that lowers the impurity most, until there are `max_leaves`; returns as `grow_deep`.

    The split of every leaf is found when it is made, and kept in the table; leaves are not visited in depth-first
    order, so that no constant columns are handed down.
    """
    add_leaf(nodes, 0, 0, rows.row.size, 0)
    n_subsets, count = 0, 1
    waiting, first = [(0.0, 0)], 0
    waiting.pop()
    none, offsets = np.empty(0), np.empty(0, dtype=np.int64)
    while True:
        for node in range(first, count):
            start, end = np.int64(nodes[node, FIRST]), np.int64(nodes[node, END])
            differ = node_totals(rows, start, end, True, limits, room.totals)
            if not may_split(nodes, node, differ, limits, room.totals):
                continue
            find_split(binned, rows, start, end, 0, limits, room, none, offsets)
            if gains_enough(limits, room, total):
                n_subsets = write_split(nodes, node, subsets, n_subsets, room)
                heapq.heappush(waiting, (own_score(limits, room.totals) - room.score[0], node))
        if not waiting or stop[0] or (count + 1) // 2 >= limits.max_leaves:
            break
        node = heapq.heappop(waiting)[1]
        split_node(nodes, node, count, subsets, binned, rows, spare, room.goes_left)
        first = count
        count += 2
    for node in range(count):
        if nodes[node, LEFT] < 0:
            nodes[node, COLUMN] = -2
            nodes[node, SUBSET] = -1
    return count
