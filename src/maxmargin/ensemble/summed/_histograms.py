"""Histograms of many nodes as one sorted list, of which only entries are there that hold a row.

An entry has a key, ((node * columns + column) * 256 + bin) * classes + class, and sums of whole numbers: the weight
(and, of targets, both halves of the products), and the number of rows. Two lists are added by merging them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine import jit
from ._bags import drawn

BINS = 256


class Question(NamedTuple):
    """What the parts are asked of some trees: where rows go, and which columns are looked at in which nodes.

    `place` is for each node its number in the question, or -1; those of tree t are from ``first[t]`` to
    ``first[t + 1]``. Node r looks at ``columns[r, :wanted[r]]``.
    """

    seeds: np.ndarray
    bounds: np.ndarray
    left: np.ndarray
    feature: np.ndarray
    below: np.ndarray
    place: np.ndarray
    first: np.ndarray
    columns: np.ndarray
    wanted: np.ndarray
    classes: int


class Histograms(NamedTuple):
    """Keys in ascending order, and their sums."""

    keys: np.ndarray
    sums: np.ndarray


def histograms_of(rows: Any, question: Question) -> Histograms:
    """The histograms of a part's rows."""
    found = [_histograms_of_tree(rows, question, t) for t in range(len(question.seeds))]
    return Histograms(np.concatenate([one.keys for one in found]), np.concatenate([one.sums for one in found]))


def _histograms_of_tree(rows: Any, question: Question, t: int) -> Histograms:
    first, last = int(question.first[t]), int(question.first[t + 1])
    row, count, begins = _rows_of_nodes(
        rows.codes,
        np.uint64(rows.start),
        np.uint64(question.seeds[t]),
        question.bounds,
        rows.numbers,
        question.left,
        question.feature,
        question.below,
        question.place,
        t,
        first,
        last - first,
    )
    width, wanted = rows.numbers.shape[1] + 1, question.wanted[first:last]
    most = int((np.minimum(np.diff(begins), BINS * question.classes) * wanted).sum())
    keys, sums = np.empty(most, dtype=np.int64), np.empty((most, width), dtype=np.int64)
    m = _fill(
        rows.codes,
        rows.label,
        rows.numbers,
        row,
        count,
        begins,
        question.columns[first:last],
        wanted,
        first,
        question.classes,
        np.zeros((BINS * question.classes, width), dtype=np.int64),
        keys,
        sums,
    )
    return Histograms(keys[:m].copy(), sums[:m].copy())


@jit
def _rows_of_nodes(
    codes: Any,
    start: Any,
    seed: Any,
    bounds: Any,
    numbers: Any,
    left: Any,
    feature: Any,
    below: Any,
    place: Any,
    root: int,
    first: int,
    m: int,
) -> tuple[Any, Any, Any]:
    """The rows in the bag that are in nodes of the question, node by node, how often each is drawn, and beginnings."""
    n = codes.shape[0]
    node_of, times = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    begins = np.zeros(m + 1, dtype=np.int64)
    for i in range(n):
        node_of[i] = -1
        times[i] = 0
        if numbers[i, 0] <= 0:
            continue
        count = drawn(seed, start + np.uint64(i), bounds)
        if count == 0:
            continue
        node = root
        while left[node] >= 0:
            node = left[node] + (codes[i, feature[node]] > below[node])
        if place[node] >= 0:
            at = place[node] - first
            node_of[i] = at
            times[i] = count
            begins[at + 1] += 1
    for k in range(m):
        begins[k + 1] += begins[k]
    to = begins[:-1].copy()
    row, count_of = np.empty(begins[m], dtype=np.int64), np.empty(begins[m], dtype=np.int64)
    for i in range(n):
        if node_of[i] >= 0:
            at = to[node_of[i]]
            row[at] = i
            count_of[at] = times[i]
            to[node_of[i]] = at + 1
    return row, count_of, begins


@jit
def _fill(
    codes: Any,
    label: Any,
    numbers: Any,
    row: Any,
    count: Any,
    begins: Any,
    columns: Any,
    wanted: Any,
    first: int,
    classes: int,
    table: Any,
    keys: Any,
    sums: Any,
) -> int:
    """Write the entries of all nodes; their number. `table` is empty before and after."""
    width, most, m = table.shape[1], columns.shape[1], 0
    few = np.empty(table.shape[0], dtype=np.int64)
    held = np.zeros(table.shape[0], dtype=np.bool_)
    for r in range(begins.size - 1):
        a, b = begins[r], begins[r + 1]
        if a == b:
            continue
        for s in range(wanted[r]):
            f, distinct = columns[r, s], 0
            for k in range(a, b):
                i = row[k]
                at = np.int64(codes[i, f]) * classes + label[i]
                if not held[at]:
                    held[at] = True
                    few[distinct] = at
                    distinct += 1
                for v in range(width - 1):
                    table[at, v] += count[k] * numbers[i, v]
                table[at, width - 1] += 1
            base = ((np.int64(first) + r) * most + s) * (256 * classes)
            if distinct <= 32:  # insertion sort
                for x in range(1, distinct):
                    key, y = few[x], x
                    while y and few[y - 1] > key:
                        few[y] = few[y - 1]
                        y -= 1
                    few[y] = key
            else:
                distinct = 0
                for at in range(table.shape[0]):
                    if held[at]:
                        few[distinct] = at
                        distinct += 1
            for x in range(distinct):
                at = few[x]
                keys[m] = base + at
                for v in range(width):
                    sums[m, v] = table[at, v]
                    table[at, v] = 0
                held[at] = False
                m += 1
    return m


def merged(lists: list[Histograms]) -> Histograms:
    """Histograms added up, two by two."""
    while len(lists) > 1:
        pairs = [lists[k : k + 2] for k in range(0, len(lists), 2)]
        lists = [_added(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return lists[0]


def _added(a: Histograms, b: Histograms) -> Histograms:
    keys = np.empty(len(a.keys) + len(b.keys), dtype=np.int64)
    sums = np.empty((len(keys), a.sums.shape[1]), dtype=np.int64)
    m = _merge(a.keys, a.sums, b.keys, b.sums, keys, sums)
    return Histograms(keys[:m].copy(), sums[:m].copy())


@jit
def _merge(a_keys: Any, a_sums: Any, b_keys: Any, b_sums: Any, keys: Any, sums: Any) -> int:
    i, j, m, width = 0, 0, 0, sums.shape[1]
    while i < a_keys.size or j < b_keys.size:
        from_a = i < a_keys.size and (j == b_keys.size or a_keys[i] <= b_keys[j])
        from_b = j < b_keys.size and (i == a_keys.size or b_keys[j] <= a_keys[i])
        keys[m] = a_keys[i] if from_a else b_keys[j]
        for v in range(width):
            sums[m, v] = (a_sums[i, v] if from_a else 0) + (b_sums[j, v] if from_b else 0)
        i += from_a
        j += from_b
        m += 1
    return m
