"""Columns of two values that exclude each other, many of them as one: a code a row says which of them it has.

Indicators of the levels of something come in dozens, and a row has one of them. They are bundled into one column of
codes: 0 for none, and a level for each of them. One pass over the rows of a node gives the sums of all columns of a
bundle, and says which are constant; column by column, as many passes as columns are drawn would do the same, and most
of them would find a constant. A forest on covtype, whose 44 columns of two values are two bundles, spent 30 % of its
time there. The sums of the other value of a column are what is left of the node's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ..engine import INNER, jit_within
from ._split import VARIANCE, Limits, NodeRows, Room, try_histogram

# Columns of a bundle, with none of them a byte; and bundles that a column is tried with.
_LEVELS, _TRIES = 255, 8


class Bundles(NamedTuple):
    """Codes of the bundles, one after another; of each column its bundle (-1: none), level and value (0 or 1) that has
    the level; where the levels of each bundle begin among all of them.
    """

    codes: np.ndarray
    bundle: np.ndarray
    level: np.ndarray
    value: np.ndarray
    first: np.ndarray


class NoBundles(NamedTuple):
    """There are none, as of most data: of a type of its own, for which the search of bundles is not compiled."""

    first: np.ndarray


def find_bundles(codes: np.ndarray, n_bins: np.ndarray, missing: np.ndarray) -> Bundles | NoBundles:
    """Bundle the columns of two values, `codes` of shape (columns, rows), each with the first that it excludes."""
    d, n = codes.shape
    bundle, level, value = np.full(d, -1), np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
    groups: list[list[int]] = []
    taken: list[np.ndarray] = []
    for j in np.flatnonzero((n_bins == 2) & ~missing):
        value[j] = 2 * np.count_nonzero(codes[j]) <= n
        bits = np.packbits(codes[j] == value[j])
        for group, mask in zip(groups[-_TRIES:], taken[-_TRIES:], strict=True):
            if len(group) < _LEVELS and not (mask & bits).any():
                group.append(int(j))
                mask |= bits
                break
        else:
            groups.append([int(j)])
            taken.append(bits)
    groups = [group for group in groups if len(group) > 1]
    if not groups:
        return NoBundles(np.zeros(1, dtype=np.int64))
    both, first = np.zeros((len(groups), n), dtype=np.uint8), [0]
    for b, group in enumerate(groups):
        bundle[group] = b
        for place, k in enumerate(group, start=1):
            level[k] = place
            both[b][codes[k] == value[k]] = place
        first.append(first[-1] + len(group) + 1)
    return Bundles(both.ravel(), bundle, level, value, np.array(first))


@jit_within
def fill_bundle(bundles: Bundles, b: int, rows: NodeRows, start: int, end: int, limits: Limits, sums: Any) -> None:
    """Add the rows of a node to the sums of all levels, those of bundle b, which are zero."""
    width, K, one = np.uint64(limits.channels + limits.counted), np.uint64(limits.channels), np.uint64(1)
    index, weight = rows.row[start:end], rows.weight[start:end]
    label, target = rows.label[start:end], rows.target[start:end]
    n = bundles.codes.size // (bundles.first.size - 1)
    codes, base = bundles.codes[b * n : (b + 1) * n], np.uint64(bundles.first[b]) * width
    for i in range(index.size):
        at = base + np.uint64(codes[index[i]]) * width
        if limits.criterion == VARIANCE:
            sums[at] += weight[i]
            sums[at + one] += weight[i] * target[i]
        else:
            sums[at + label[i]] += weight[i]
        if limits.counted:
            sums[at + K] += 1.0


@jit_within
def try_level(bundles: Bundles, f: int, by_set: bool, n_total: int, limits: Limits, sums: Any, room: Room) -> bool:
    """Try the split of a column from the sums of its level; False if it is constant in the node."""
    width = limits.channels + limits.counted
    at = (bundles.first[bundles.bundle[f]] + bundles.level[f]) * width
    inside = 0.0
    if limits.counted:
        inside = sums[at + limits.channels]
    else:
        for k in range(1 if limits.criterion == VARIANCE else limits.channels):
            inside += sums[at + k]
    if inside == 0.0:
        return False
    hist, here, there = room.hist[: 2 * width], bundles.value[f] * width, (1 - bundles.value[f]) * width
    for k in range(width):
        hist[here + k] = sums[at + k]
        hist[there + k] = room.totals[k] - sums[at + k]
    varies = try_histogram(hist, f, 2, False, by_set, n_total, limits, room)
    for k in range(2 * width):
        hist[k] = 0.0
    return varies


def in_bundle(bundles: Any, f: int) -> bool:
    """Whether column f is in a bundle; for compiled code, as the two that follow."""
    raise RuntimeError("in_bundle is called from compiled code only")


@overload(in_bundle, jit_options=INNER)
def _in_bundle(bundles, f):  # type: ignore[no-untyped-def]
    if bundles.instance_class is NoBundles:
        return lambda bundles, f: False
    return lambda bundles, f: bundles.bundle[f] >= 0


def try_bundled(
    bundles: Any, f: int, by_set: bool, rows: NodeRows, start: int, end: int, limits: Limits, room: Room
) -> bool:
    """Try the split of a column that is in a bundle, whose sums are formed when its first column is tried."""
    raise RuntimeError("try_bundled is called from compiled code only")


@overload(try_bundled, jit_options=INNER)
def _try_bundled(bundles, f, by_set, rows, start, end, limits, room):  # type: ignore[no-untyped-def]
    if bundles.instance_class is NoBundles:
        return lambda bundles, f, by_set, rows, start, end, limits, room: False

    def attempt(bundles, f, by_set, rows, start, end, limits, room):  # type: ignore[no-untyped-def]
        b = bundles.bundle[f]
        if not room.filled[b]:
            room.filled[b] = True
            fill_bundle(bundles, b, rows, start, end, limits, room.levels)
        return try_level(bundles, f, by_set, end - start, limits, room.levels, room)

    return attempt


def forget_bundles(bundles: Any, limits: Limits, room: Room) -> None:
    """Make the sums of the bundles zero again that were formed for a node."""
    raise RuntimeError("forget_bundles is called from compiled code only")


@overload(forget_bundles, jit_options=INNER)
def _forget_bundles(bundles, limits, room):  # type: ignore[no-untyped-def]
    if bundles.instance_class is NoBundles:
        return lambda bundles, limits, room: None

    def forget(bundles, limits, room):  # type: ignore[no-untyped-def]
        width = limits.channels + limits.counted
        for b in range(room.filled.size):
            if room.filled[b]:
                room.filled[b] = False
                for k in range(bundles.first[b] * width, bundles.first[b + 1] * width):
                    room.levels[k] = 0.0

    return forget
