"""Growing one tree of gradient boosting: the leaf that gains most is split next, until a limit says no.

The histogram of the larger child is that of its parent minus that of the smaller one, which alone is counted. Where the
number of leaves has no limit, the order makes no difference to the tree, and the smaller child is grown first: no more
than log2(n) histograms wait then. A node for which there is no memory has its histogram counted when it is split.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import jit, jit_inner
from ._best_split import child_values, find_split
from ._packed import Packed
from ._rules import (
    BY_SET,
    COLUMN,
    CUT,
    DEPTH,
    END,
    FIRST,
    GAIN,
    LEAST_HESSIAN,
    LEFT,
    LEFT_G,
    LEFT_H,
    LEFT_VALUE,
    LOWER,
    MISSING,
    PARENT,
    RIGHT_VALUE,
    SLOT,
    UPPER,
    VALUE,
    G,
    H,
    Nodes,
    Rules,
    Scratch,
)
from ._sums import totals
from ._teamwork import Team, fill_together, part_together, send_home

# Bytes that waiting histograms may take.
_MEMORY = 1 << 28


def slots_for(n: int, entries: int, max_leaves: int) -> int:
    """Histograms that may wait at the same time, at least three."""
    most = max(1, _MEMORY // (16 * entries))
    wanted = int(np.log2(max(2, n))) + 4 if max_leaves < 0 else max_leaves + 2
    return max(3, min(wanted, most))


@jit_inner
def _add_leaf(nodes: Nodes, node: int, parent: int, first: int, end: int, depth: int) -> None:
    integers = nodes.integers[node]
    integers[LEFT], integers[COLUMN], integers[CUT], integers[MISSING] = -1, -1, -1, -1
    integers[FIRST], integers[END], integers[DEPTH] = first, end, depth
    integers[SLOT], integers[PARENT], integers[BY_SET] = -1, parent, 0
    nodes.numbers[node, GAIN] = 0.0


@jit_inner
def _set_sides(packed: Packed, nodes: Nodes, node: int, side: Any) -> None:
    """Which codes of the byte of the split go left."""
    j, words = nodes.integers[node, COLUMN], nodes.subsets[node if nodes.integers[node, BY_SET] else 0]
    cut, m = nodes.integers[node, CUT], packed.n_bins[j]
    if packed.level[j] >= 0:
        inside = packed.value[j] <= cut
        for code in range(256):
            side[code] = inside if code == packed.level[j] else not inside
        return
    for code in range(m):
        if nodes.integers[node, BY_SET]:
            side[code] = (words[code >> 6] >> np.uint64(code & 63)) & np.uint64(1)
        else:
            side[code] = code <= cut
    if packed.missing[j]:
        side[m] = nodes.integers[node, MISSING] > 0


@jit_inner
def _limit_children(nodes: Nodes, node: int, left: int, rules: Rules) -> None:
    """The limits of what is below the children: on either side of the middle of their values, if the column is told to
    rise or fall.
    """
    sign = rules.monotonic[nodes.integers[node, COLUMN]]
    lower, upper = nodes.numbers[node, LOWER], nodes.numbers[node, UPPER]
    middle = (nodes.numbers[node, LEFT_VALUE] + nodes.numbers[node, RIGHT_VALUE]) / 2
    nodes.numbers[left, LOWER] = middle if sign < 0 else lower
    nodes.numbers[left, UPPER] = middle if sign > 0 else upper
    nodes.numbers[left + 1, LOWER] = middle if sign > 0 else lower
    nodes.numbers[left + 1, UPPER] = middle if sign < 0 else upper


@jit_inner
def _split(team: Team, packed: Packed, nodes: Nodes, node: int, count: int, rules: Rules) -> None:
    """Part the rows of a node and add its children to the tables."""
    start, end = nodes.integers[node, FIRST], nodes.integers[node, END]
    _set_sides(packed, nodes, node, team.side)
    byte = packed.place[nodes.integers[node, COLUMN]]
    middle = part_together(team, packed, byte, start, end)
    nodes.integers[node, LEFT] = count
    if nodes.integers[node, MISSING] < 0:  # new rows go the way of most
        nodes.integers[node, MISSING] = np.int64(middle - start > end - middle)
    depth = nodes.integers[node, DEPTH] + 1
    _add_leaf(nodes, count, node, start, middle, depth)
    _add_leaf(nodes, count + 1, node, middle, end, depth)
    nodes.sums[count, G], nodes.sums[count, H] = nodes.sums[node, LEFT_G], nodes.sums[node, LEFT_H]
    nodes.sums[count + 1, G] = nodes.sums[node, G] - nodes.sums[node, LEFT_G]
    nodes.sums[count + 1, H] = nodes.sums[node, H] - nodes.sums[node, LEFT_H]
    child_values(nodes, node, rules)
    nodes.numbers[count, VALUE] = nodes.numbers[node, LEFT_VALUE]
    nodes.numbers[count + 1, VALUE] = nodes.numbers[node, RIGHT_VALUE]
    _limit_children(nodes, node, count, rules)


@jit_inner
def _may_split(nodes: Nodes, node: int, rules: Rules) -> bool:
    rows = nodes.integers[node, END] - nodes.integers[node, FIRST]
    hessian = (nodes.sums[node, H] >> rules.units.bits) * rules.units.h_unit
    return nodes.integers[node, DEPTH] < rules.max_depth and rows >= 2 * rules.min_rows and hessian >= LEAST_HESSIAN


@jit_inner
def _is_ahead(nodes: Nodes, node: int, other: int) -> Any:
    """Whether a node gains more than another one; what differs in the last digits alone is the same."""
    return np.float32(nodes.numbers[node, GAIN]) > np.float32(nodes.numbers[other, GAIN])


@jit_inner
def _push(heap: Any, size: int, nodes: Nodes, node: int, by_gain: bool) -> int:
    """Add a node to those that wait, the one of the largest gain in front, or the last one at the end."""
    heap[size] = node
    if by_gain:
        at = size
        while at > 0 and _is_ahead(nodes, node, heap[(at - 1) // 2]):
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = node
    return size + 1


@jit_inner
def _pop(heap: Any, size: int, nodes: Nodes, by_gain: bool) -> int:
    """Take the next node out; the others, one fewer, keep their order."""
    if not by_gain:
        return heap[size - 1]
    top, last, at = heap[0], heap[size - 1], 0
    while 2 * at + 1 < size - 1:
        child = 2 * at + 1
        if child + 1 < size - 1 and _is_ahead(nodes, heap[child + 1], heap[child]):
            child += 1
        if not _is_ahead(nodes, heap[child], last):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return top


@jit_inner
def _look_for_splits(
    team: Team,
    packed: Packed,
    nodes: Nodes,
    left: int,
    slot: int,
    free: Any,
    n_free: int,
    rules: Rules,
    scratch: Scratch,
) -> int:
    """Find the splits of two new leaves; `slot` has the histogram of their parent, or is -1. The slots left over.

    `free` are the numbers of slots that nobody uses.
    """
    small, large = left, left + 1
    rows = nodes.integers[left, END] - nodes.integers[left, FIRST]
    if rows > nodes.integers[left + 1, END] - nodes.integers[left + 1, FIRST]:
        small, large = left + 1, left
    tries = _may_split(nodes, small, rules), _may_split(nodes, large, rules)
    if not tries[0] and not tries[1]:
        if slot >= 0:
            free[n_free] = slot
            n_free += 1
        return n_free
    n_free -= 1
    other = free[n_free]
    fill_together(team, packed, nodes.integers[small, FIRST], nodes.integers[small, END], other)
    if slot < 0:
        n_free -= 1
        slot = free[n_free]
        fill_together(team, packed, nodes.integers[large, FIRST], nodes.integers[large, END], slot)
    else:
        parent, child = team.hists[slot], team.hists[other]
        for k in range(parent.size):
            parent[k] -= child[k]
    for node, at, tried in ((large, slot, tries[1]), (small, other, tries[0])):
        if tried and find_split(packed, team.hists[at], nodes, node, rules, scratch):
            nodes.integers[node, SLOT] = at
        if nodes.integers[node, SLOT] < 0:
            free[n_free] = at
            n_free += 1
    return n_free


@jit_inner
def _spare_slot(nodes: Nodes, heap: Any, size: int, free: Any, n_free: int, by_gain: bool) -> int:
    """Take histograms from nodes that wait longest until two slots are free; they will be counted again."""
    at = size - 1 if by_gain else 0
    while n_free < 2 and 0 <= at < size:
        node = heap[at]
        if nodes.integers[node, SLOT] >= 0:
            free[n_free] = nodes.integers[node, SLOT]
            n_free += 1
            nodes.integers[node, SLOT] = -1
        at += -1 if by_gain else 1
    return n_free


@jit
def grow(team: Team, packed: Packed, nodes: Nodes, heap: Any, rules: Rules, scratch: Scratch, stop: Any) -> int:
    """Grow a tree into the tables; the number of its nodes. With ``stop[0]`` it ends early, and there is no tree."""
    n, slots, by_gain = team.order.size, team.hists.shape[0], rules.max_leaves > 0
    for i in range(n):
        team.order[i] = i
    free, n_free, size, count, leaves = np.arange(slots)[::-1].copy(), slots, 0, 1, 1
    _add_leaf(nodes, 0, -1, 0, n, 0)
    nodes.numbers[0, VALUE], nodes.numbers[0, LOWER], nodes.numbers[0, UPPER] = 0.0, -np.inf, np.inf
    n_free -= 1
    slot = free[n_free]
    fill_together(team, packed, 0, n, slot)
    nodes.sums[0, G], nodes.sums[0, H] = totals(packed, team.hists[slot])
    if _may_split(nodes, 0, rules) and find_split(packed, team.hists[slot], nodes, 0, rules, scratch):
        nodes.integers[0, SLOT] = slot
        size = _push(heap, size, nodes, 0, by_gain)
    while size > 0 and (rules.max_leaves < 0 or leaves < rules.max_leaves) and not stop[0]:
        node = _pop(heap, size, nodes, by_gain)
        size -= 1
        slot = nodes.integers[node, SLOT]
        _split(team, packed, nodes, node, count, rules)
        leaves += 1
        if leaves != rules.max_leaves:
            n_free = _spare_slot(nodes, heap, size, free, n_free, by_gain)
            n_free = _look_for_splits(team, packed, nodes, count, slot, free, n_free, rules, scratch)
            first, second = count, count + 1
            if not by_gain and (
                nodes.integers[count, END] - nodes.integers[count, FIRST]
                < nodes.integers[count + 1, END] - nodes.integers[count + 1, FIRST]
            ):  # the smaller one comes last, to be taken first
                first, second = count + 1, count
            for child in (first, second):
                if nodes.integers[child, SLOT] >= 0:
                    size = _push(heap, size, nodes, child, by_gain)
        count += 2
    send_home(team)
    return count
