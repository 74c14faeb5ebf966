"""Sums of gradients, of second derivatives and of rows, by bins, in whole numbers.

A row has a pair of 64-bit integers: its gradient in units of ``g_unit``, and its second derivative in units of
``h_unit`` times 2^bits, plus 1. A histogram adds them up, so that the upper bits of the second sum are those of the
second derivatives and the lower ones the number of rows. Whole numbers add up to the same in any order: a tree does not
depend on how many threads have grown it, and a histogram minus that of one child is exactly that of the other one.

With n rows, n below 2^L, a gradient has 62 - L bits, a second derivative 63 - 2 L: 42 and 23 of a million rows. (A
floating-point sum of so many float32 gradients, which other libraries form, has 24 bits.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine import add_pair, jit, jit_inner, jit_within, prefetch
from ._packed import Packed

# Rows ahead of which memory is asked for.
_AHEAD = 12


class Units(NamedTuple):
    """What a unit of the sums is worth, and the bits that the number of rows takes."""

    g_unit: float
    h_unit: float
    bits: int


def units_for(n: int, g_most: float, h_most: float) -> Units:
    """Units in which n rows with derivatives up to these add up without overflow."""
    bits = max(1, int(n).bit_length())
    g_unit = g_most / 2.0 ** (62 - bits) if g_most > 0 else 1.0
    h_unit = h_most / (2.0 ** (63 - 2 * bits) - 1) if h_most > 0 else 1.0
    tiny = float(np.finfo(np.float64).tiny)
    return Units(max(g_unit, tiny), max(h_unit, tiny), bits)


@jit
def make_pairs(g: Any, h: Any, start: int, end: int, units: Units, pairs: Any) -> None:
    """The pairs of some rows from their derivatives; no `h`: all are 1, which is then the unit."""
    to_g, to_h = 1.0 / units.g_unit, 1.0 / units.h_unit
    constant = (np.int64(1) << units.bits) + np.int64(1)
    for i in range(start, end):
        pairs[2 * i] = np.int64(np.rint(g[i] * to_g))
    if h.size:
        for i in range(start, end):
            pairs[2 * i + 1] = (np.int64(np.rint(h[i] * to_h)) << units.bits) + np.int64(1)
    else:
        for i in range(start, end):
            pairs[2 * i + 1] = constant


@jit_within
def fill(packed: Packed, index: Any, start: int, end: int, pairs: Any, hist: Any) -> None:
    """Add rows ``index[start:end]`` to a histogram of all columns."""
    rows, first, size = packed.rows, packed.first, np.uint64(packed.first.size - 1)
    dense = np.int64(index[end - 1]) - np.int64(index[start]) == end - 1 - start
    for i in range(start, end):
        row = np.uint64(index[i])
        if not dense and i + _AHEAD < end:
            ahead = np.uint64(index[i + _AHEAD])
            prefetch(rows, np.int64(ahead * size))
            if size > np.uint64(64):
                prefetch(rows, np.int64(ahead * size + np.uint64(64)))
            prefetch(pairs, np.int64(ahead + ahead))
        g, h, base = pairs[row + row], pairs[row + row + np.uint64(1)], row * size
        for k in range(size):
            at = np.uint64(first[k]) + np.uint64(rows[base + k])
            add_pair(hist, at + at, g, h)


@jit_inner
def totals(packed: Packed, hist: Any) -> Any:
    """The sums of all rows, from the bins of the first byte."""
    g, h = np.int64(0), np.int64(0)
    for b in range(packed.first[1]):
        g += hist[2 * b]
        h += hist[2 * b + 1]
    return g, h
