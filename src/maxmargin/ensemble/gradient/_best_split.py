"""The best split of a node from the histograms of its columns.

With G and H the sums of first and second derivatives of a node's rows, the quadratic model of the loss is lowest at the
value -G / (H + l2), and a split lowers that model by half of

    gain = G_L^2 / (H_L + l2) + G_R^2 / (H_R + l2) - G^2 / (H + l2)

(Friedman 2001; Chen and Guestrin 2016, equation 7). Values that are held within limits, so that predictions rise or
fall with a column, have the gain  G v - G_L v_L - G_R v_R  instead. The root counts as having the value 0.

Categories are put in the order of G / (H + 10), and splits are looked for from both ends of it up to the middle; those
of fewer than ten rows go right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import jit_inner, jit_within
from ._packed import Packed
from ._rules import (
    BY_SET,
    COLUMN,
    CUT,
    END,
    FIRST,
    GAIN,
    LEAST_HESSIAN,
    LEAST_SUPPORT,
    LEFT_G,
    LEFT_H,
    LEFT_VALUE,
    LOWER,
    MISSING,
    NOISE,
    PARENT,
    RIGHT_VALUE,
    UPPER,
    VALUE,
    G,
    H,
    Nodes,
    Rules,
    Scratch,
)


@jit_within
def random_below(state: Any, n: int) -> Any:
    """A whole number below n < 2^32 (splitmix64, its upper half times n)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@jit_within
def leaf_value(g: float, h: float, lower: float, upper: float, l2: float) -> float:
    """The value that lowers the quadratic model most, within limits."""
    return min(max(-g / (h + l2 + 1e-15), lower), upper)


@jit_inner
def allow_columns(nodes: Nodes, node: int, rules: Rules, scratch: Scratch) -> Any:
    """Put the columns that a node may be split on in front, drawn if only some are; their number."""
    d, m = scratch.columns.size, 0
    if rules.groups.shape[0]:
        scratch.allowed[:] = False
        for k in range(rules.groups.shape[0]):
            fits, above = True, nodes.integers[node, PARENT]
            while above >= 0 and fits:
                fits = rules.groups[k, nodes.integers[above, COLUMN]]
                above = nodes.integers[above, PARENT]
            if fits:
                for j in range(d):
                    scratch.allowed[j] |= rules.groups[k, j]
    for j in range(d):
        if scratch.allowed[j]:
            scratch.columns[m] = j
            m += 1
    if rules.share >= 1.0:
        return m
    wanted: Any = max(1, np.int64(np.ceil(rules.share * m - 1e-9)))
    # a generator for each node, so that the draws do not depend on the order in which nodes are looked at
    scratch.state[0] = scratch.state[1] + np.uint64(node) * np.uint64(0xD1B54A32D192ED03)
    for k in range(wanted):
        other = k + random_below(scratch.state, m - k)
        scratch.columns[k], scratch.columns[other] = scratch.columns[other], scratch.columns[k]
    for a in range(1, wanted):  # in their order, so that of splits alike the first column wins
        b, column = a, scratch.columns[a]
        while b > 0 and scratch.columns[b - 1] > column:
            scratch.columns[b] = scratch.columns[b - 1]
            b -= 1
        scratch.columns[b] = column
    return wanted


@jit_inner
def find_split(packed: Packed, hist: Any, nodes: Nodes, node: int, rules: Rules, scratch: Scratch) -> bool:
    """Write the best split of a node into the tables; whether there is one."""
    nodes.numbers[node, GAIN] = 0.0
    m = allow_columns(nodes, node, rules, scratch)
    for k in range(m):
        j = scratch.columns[k]
        if packed.level[j] >= 0:
            _try_level(packed, hist, j, nodes, node, rules)
        elif packed.categorical[j]:
            _try_categories(packed, hist, j, nodes, node, rules, scratch)
        else:
            _try_bins(packed, hist, j, False, nodes, node, rules)
            if packed.missing[j]:
                _try_bins(packed, hist, j, True, nodes, node, rules)
    return nodes.numbers[node, GAIN] > 0.0


@jit_within
def _is_better(
    nodes: Nodes, node: int, j: int, left_g: int, left_h: int, sign: int, rules: Rules
) -> tuple[bool, float]:
    """Whether a split keeps the limits and gains more than the best one so far, and its gain."""
    units = rules.units
    rows, mask = nodes.integers[node, END] - nodes.integers[node, FIRST], (np.int64(1) << units.bits) - np.int64(1)
    count = left_h & mask
    if count < rules.min_rows or rows - count < rules.min_rows:
        return False, 0.0
    right_g, right_h = nodes.sums[node, G] - left_g, nodes.sums[node, H] - left_h
    a, b = (left_h >> units.bits) * units.h_unit, (right_h >> units.bits) * units.h_unit
    if a < LEAST_HESSIAN or b < LEAST_HESSIAN:
        return False, 0.0
    x, y = left_g * units.g_unit, right_g * units.g_unit
    own = nodes.sums[node, G] * units.g_unit * nodes.numbers[node, VALUE]
    if rules.constrained:
        lower, upper = nodes.numbers[node, LOWER], nodes.numbers[node, UPPER]
        v, w = leaf_value(x, a, lower, upper, rules.l2), leaf_value(y, b, lower, upper, rules.l2)
        if (sign > 0 and v > w) or (sign < 0 and v < w):
            return False, 0.0
        score = -x * v - y * w
    else:
        score = x * x / (a + rules.l2) + y * y / (b + rules.l2)
    gain = score + own
    return gain - nodes.numbers[node, GAIN] > NOISE * score, gain


@jit_within
def _keep(nodes: Nodes, node: int, j: int, cut: int, missing: int, left_g: int, left_h: int, gain: float) -> None:
    nodes.integers[node, COLUMN] = j
    nodes.integers[node, CUT] = cut
    nodes.integers[node, MISSING] = missing
    nodes.integers[node, BY_SET] = 0
    nodes.sums[node, LEFT_G] = left_g
    nodes.sums[node, LEFT_H] = left_h
    nodes.numbers[node, GAIN] = gain


@jit_within
def _try_bins(packed: Packed, hist: Any, j: int, from_left: bool, nodes: Nodes, node: int, rules: Rules) -> None:
    """Try the splits between the bins of a column; missing values go left or right."""
    at, m = packed.first[packed.place[j]], packed.n_bins[j]
    units, sign = rules.units, rules.monotonic[j]
    mask = (np.int64(1) << units.bits) - np.int64(1)
    rows = nodes.integers[node, END] - nodes.integers[node, FIRST]
    all_g, all_h, g, h = nodes.sums[node, G], nodes.sums[node, H], np.int64(0), np.int64(0)
    last = m - 1
    if from_left:
        g, h = hist[2 * (at + m)], hist[2 * (at + m) + 1]
    elif packed.missing[j]:
        last = m
    own = all_g * units.g_unit * nodes.numbers[node, VALUE]
    best, place, best_g, best_h = nodes.numbers[node, GAIN] - own, -1, np.int64(0), np.int64(0)
    for b in range(last):
        word = hist[2 * (at + b) + 1]
        if word == 0:
            continue
        g += hist[2 * (at + b)]
        h += word
        count = h & mask
        if count < rules.min_rows:
            continue
        if rows - count < rules.min_rows:
            break
        if rules.constrained:
            better, gain = _is_better(nodes, node, j, g, h, sign, rules)
            if better and gain - own - best > NOISE * (gain - own):
                best, place, best_g, best_h = gain - own, b, g, h
            continue
        left, right = (h >> units.bits) * units.h_unit, ((all_h - h) >> units.bits) * units.h_unit
        x, y = g * units.g_unit, (all_g - g) * units.g_unit
        score = x * x / (left + rules.l2) + y * y / (right + rules.l2)
        if score - best > NOISE * score and left >= LEAST_HESSIAN and right >= LEAST_HESSIAN:
            best, place, best_g, best_h = score, b, g, h
    if place >= 0:
        missing = np.int64(from_left) if packed.missing[j] else -1
        _keep(nodes, node, j, place, missing, best_g, best_h, best + own)


@jit_within
def _try_level(packed: Packed, hist: Any, j: int, nodes: Nodes, node: int, rules: Rules) -> None:
    """Try the split of a column that is one level of a bundle; the rows of its other value are all others."""
    at = packed.first[packed.place[j]] + packed.level[j]
    g, h = hist[2 * at], hist[2 * at + 1]
    if packed.value[j]:
        g, h = nodes.sums[node, G] - g, nodes.sums[node, H] - h
    better, gain = _is_better(nodes, node, j, g, h, rules.monotonic[j], rules)
    if better:
        _keep(nodes, node, j, 0, -1, g, h, gain)


@jit_inner
def _sort_categories(packed: Packed, hist: Any, j: int, nodes: Nodes, node: int, rules: Rules, scratch: Scratch) -> int:
    """Put categories that have enough rows in the order of their mean gradient; their number."""
    at, units, used = packed.first[packed.place[j]], rules.units, 0
    rows = nodes.integers[node, END] - nodes.integers[node, FIRST]
    whole = (nodes.sums[node, H] >> units.bits) * units.h_unit
    factor = rows / whole if whole > 0.0 else 0.0
    for b in range(packed.n_bins[j] + packed.missing[j]):
        h = (hist[2 * (at + b) + 1] >> units.bits) * units.h_unit
        if h * factor < LEAST_SUPPORT:
            continue
        key, i = hist[2 * (at + b)] * units.g_unit / (h + LEAST_SUPPORT), used
        while i and scratch.keys[i - 1] > key:
            scratch.keys[i] = scratch.keys[i - 1]
            scratch.order[i] = scratch.order[i - 1]
            i -= 1
        scratch.keys[i] = key
        scratch.order[i] = b
        used += 1
    return used


@jit_inner
def _try_categories(packed: Packed, hist: Any, j: int, nodes: Nodes, node: int, rules: Rules, scratch: Scratch) -> None:
    """Try the splits of sorted categories, from both ends up to the middle; those looked at go left."""
    at, order = packed.first[packed.place[j]], scratch.order
    used = _sort_categories(packed, hist, j, nodes, node, rules, scratch)
    if used < 2:
        return
    best_turn, best_place = 0, -1
    for turn in range(2):
        middle = (used + 1) // 2 - turn
        g, h = np.int64(0), np.int64(0)
        for i in range(middle):
            code = order[i] if turn == 0 else order[used - 1 - i]
            g += hist[2 * (at + code)]
            h += hist[2 * (at + code) + 1]
            better, gain = _is_better(nodes, node, j, g, h, 0, rules)
            if better:
                _keep(nodes, node, j, 0, -1, g, h, gain)
                best_turn, best_place = turn, i
    if best_place < 0:
        return
    words = nodes.subsets[node]
    for word in range(4):
        words[word] = np.uint64(0)
    nodes.integers[node, BY_SET] = 1
    nodes.integers[node, MISSING] = 0 if packed.missing[j] else -1
    for i in range(best_place + 1):
        code = order[i] if best_turn == 0 else order[used - 1 - i]
        if code == packed.n_bins[j]:
            nodes.integers[node, MISSING] = 1
        else:
            words[code >> 6] |= np.uint64(1) << np.uint64(code & 63)


@jit_inner
def child_values(nodes: Nodes, node: int, rules: Rules) -> None:
    """The values of the children of a node, from its split."""
    units, lower, upper = rules.units, nodes.numbers[node, LOWER], nodes.numbers[node, UPPER]
    g, h = nodes.sums[node, LEFT_G], nodes.sums[node, LEFT_H]
    other_g, other_h = nodes.sums[node, G] - g, nodes.sums[node, H] - h
    nodes.numbers[node, LEFT_VALUE] = leaf_value(
        g * units.g_unit, (h >> units.bits) * units.h_unit, lower, upper, rules.l2
    )
    nodes.numbers[node, RIGHT_VALUE] = leaf_value(
        other_g * units.g_unit, (other_h >> units.bits) * units.h_unit, lower, upper, rules.l2
    )
