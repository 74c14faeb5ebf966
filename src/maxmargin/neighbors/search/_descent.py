"""The k nearest columns of a row, from the root of a tree down to its leaves (`Tree` builds it).

A node has up to 16 children, whose boxes lie side by side in memory: one pass of vectors bounds all 16. Children that
may hold a neighbour are visited nearest first. For a box [a, b] and any z in it,

    |x - z|^2 >= sum_k max(a_k - x_k, x_k - b_k, 0)^2,

and the rows of a leaf are compared in the precision of the tree. Copies in that precision are off by e_x and e_z, so
that a bound is out if it exceeds (k-th distance + e_x + e_z)^2, rounded up. Whatever is not out is asked for its
distance in float64: the answer is that of asking all rows, to the last bit.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner
from ._distances import squared_distance
from ._heap import offer
from ._simd import LANES, lowest_bit, squares_of_boxes, squares_of_rows

# More levels of 16 than any memory has rows for; each leaves at most 15 children for later.
_LEVELS = 16
_STACK = _LEVELS * LANES


@jit_inner
def _limit(square, error, rounding):  # type: ignore[no-untyped-def]
    """What a sum of squares has to exceed to be out, rounded up."""
    growth, spread, underflow = rounding
    root = np.sqrt(square * (1.0 + growth)) + error
    return root * root * (1.0 + spread) + underflow


@jit_inner
def _shifted(row, shift, x):  # type: ignore[no-untyped-def]
    """Write a row as the tree sees it to x; its length."""
    total = 0.0
    for k in range(row.shape[0]):
        value = row[k] - shift[k]
        total += value * value
        x[k] = value
    return np.sqrt(total)


@jit_inner
def _push(bounds, mask, level, first, depth, pending, places):  # type: ignore[no-untyped-def]
    """Put the children of a mask on the stack, the nearest on top; its new depth."""
    base = depth
    while mask:
        j = lowest_bit(mask)
        mask &= mask - 1
        bound, place = bounds[j], depth
        while place > base and pending[place - 1] <= bound:  # of equal ones the first, where indices are lower
            pending[place], places[place] = pending[place - 1], places[place - 1]
            place -= 1
        pending[place], places[place] = bound, (first + j) * _LEVELS + level
        depth += 1
    return depth


@jit
def descend(rows, order, start, stop, columns, shift, tree, rounding, own, out):  # type: ignore[no-untyped-def]
    """Offer columns to the heaps of the rows r = order[t], t in start:stop; how many leaves and rows were looked at.

    Parameters
    ----------
    shift : origin of the tree
    tree : as `Tree.arrays`
    rounding : relative errors of a distance in float64 and of a sum in the precision of the tree, and what underflows
    own : whether rows are columns, of which each leaves out itself
    out : the heaps, (squares, index), each of shape (len(order), k)

    """
    leaves, boxes, ids, width, levels, sizes, leaf_errors, lowest = tree
    squares, index = out
    n, d = ids.shape[0], shift.shape[0]
    kind = leaves.dtype.type
    unit, underflow = np.finfo(leaves.dtype).eps, rounding[2]
    x, near = np.empty(d, leaves.dtype), np.empty(LANES, leaves.dtype)
    pending, places = np.empty(_STACK, leaves.dtype), np.empty(_STACK, np.int64)
    visited, asked = 0, 0
    for t in range(start, stop):
        r, best, found = order[t], squares[t], index[t]
        error = unit * _shifted(rows[0][r], shift, x) + underflow
        limit = kind(_limit(best[0], error, rounding))
        pending[0], places[0] = 0, levels.shape[0]
        depth = 1
        while depth:
            depth -= 1
            if pending[depth] > limit:
                continue
            node, level = places[depth] // _LEVELS, places[depth] % _LEVELS
            if level:
                mask = squares_of_boxes(boxes, (levels[level - 1] + node) * d * 2 * LANES, x, limit, near)
                mask &= (1 << min(LANES, sizes[level - 1] - node * LANES)) - 1
                depth = _push(near, mask, level - 1, node * LANES, depth, pending, places)
                continue
            if best[0] == 0.0 and lowest[node] > found[0]:
                continue  # nothing is nearer than a copy
            visited += 1
            slack = error + leaf_errors[node]
            for begin in range(node * width, min(n, (node + 1) * width), LANES):
                leaf_limit = kind(_limit(best[0], slack, rounding))
                mask = squares_of_rows(leaves, begin * d, x, leaf_limit, near)
                mask &= (1 << min(LANES, n - begin)) - 1
                while mask:
                    j = lowest_bit(mask)
                    mask &= mask - 1
                    i = ids[begin + j]
                    if near[j] > leaf_limit or (own and i == r):
                        continue
                    asked += 1
                    offer(best, found, squared_distance(rows, r, columns, i), i)
                    leaf_limit = kind(_limit(best[0], slack, rounding))
            limit = kind(_limit(best[0], error, rounding))
    return visited, asked
