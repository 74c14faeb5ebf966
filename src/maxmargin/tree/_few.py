"""The best split of a node of few rows on one column, row by row.

A fully grown tree lives in its small nodes: half of its rows times levels lie in nodes of a few hundred rows, where a
histogram of bins times classes would be mostly empty. Here the rows of a bin are a linked list, a mark for each bin
says which have one, and rows move from the right to the left one by one, each changing the sums of one class:

    sum_k L_k^2 grows by s (2 L_k + s),  sum_k R_k^2 shrinks by s (2 R_k - s).

The work is proportional to the rows, whatever the numbers of bins and classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import jit_inner, jit_within
from ._split import BETTER, GINI, NOTHING, VARIANCE, Limits, NodeRows, Room, keep_if_best, x_log_x


@jit_within
def list_bins(codes: Any, stride: Any, first: Any, index: Any, room: Room) -> int:
    """Lists of the rows of each bin; the bins that have one, ascending, in ``room.order``, and their number."""
    head, after, seen, order = room.head, room.after, room.seen, room.order
    for i in range(index.size):
        code = np.uint64(codes[first + index[i] * stride])
        after[i] = head[code]
        head[code] = i
        seen[code] = 1
    m = 0
    for word in range(32):
        marks = room.seen_words[word]
        if marks:
            room.seen_words[word] = np.uint64(0)
            while marks:  # the lowest mark is the last bit of its byte: below it are eight bits for each byte before
                order[m] = 8 * word + (_ones((marks & (~marks + np.uint64(1))) - np.uint64(1)) >> 3)
                marks &= marks - np.uint64(1)
                m += 1
    return m


@jit_inner
def _ones(x: Any) -> Any:
    """The number of ones in 64 bits (compiled to one instruction)."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@jit_within
def scan_lists(
    rows: NodeRows, start: int, end: int, m: int, missing: int, limits: Limits, room: Room
) -> tuple[float, int]:
    """As `scan`, from the lists of the bins; ``missing`` is the bin that starts on the left, or -1."""
    kind, K = limits.criterion, limits.channels
    head, after, order, totals = room.head, room.after, room.order, room.totals
    weight, label, target = rows.weight[start:end], rows.label[start:end], rows.target[start:end]
    L, R = room.left[:K], room.left[K : 2 * K]
    w_total, right = 0.0, 0.0
    for k in range(K):
        L[k] = 0.0
        R[k] = totals[k]
        w_total += totals[k]
        right += totals[k] * totals[k] if kind == GINI else x_log_x(totals[k]) if kind != VARIANCE else 0.0
    if kind == VARIANCE:
        w_total, right = totals[0], totals[1]
    n_right, w_left, left = end - start, 0.0, 0.0
    best, place = NOTHING, -1
    for j in range(-1 if missing >= 0 else 0, m):
        i = head[order[j] if j >= 0 else missing]
        while i >= 0:
            s = weight[i]
            if kind == GINI:
                k = label[i]
                left += s * (2.0 * L[k] + s)
                right -= s * (2.0 * R[k] - s)
                L[k] += s
                R[k] -= s
            elif kind == VARIANCE:
                left += s * target[i]
                right -= s * target[i]
            else:
                k = label[i]
                left += x_log_x(L[k] + s) - x_log_x(L[k])
                right += x_log_x(R[k] - s) - x_log_x(R[k])
                L[k] += s
                R[k] -= s
            w_left += s
            n_right -= 1
            i = after[i]
        if j < 0:
            continue
        w_right = w_total - w_left
        if n_right < limits.min_samples_leaf or w_right < limits.min_weight_leaf or w_right <= 0.0:
            break
        if end - start - n_right < limits.min_samples_leaf or w_left < limits.min_weight_leaf:
            continue
        if kind == GINI:
            score = left / w_left + right / w_right
        elif kind == VARIANCE:
            score = left * left / w_left + right * right / w_right
        else:
            score = left + right - x_log_x(w_left) - x_log_x(w_right)
        if score > best + BETTER * abs(best):
            best, place = score, j
    return best, place


@jit_within
def try_few(
    codes: Any,
    stride: Any,
    first: Any,
    f: int,
    bins: int,
    rows: NodeRows,
    start: int,
    end: int,
    limits: Limits,
    room: Room,
) -> bool:
    """Try all splits of a node of few rows on a column of numbers; False if it is constant there."""
    m = list_bins(codes, stride, first, rows.row[start:end], room)
    missing = m > 0 and room.order[m - 1] == bins
    occupied = m
    m -= missing
    if occupied > 1:
        for turn in range(1 + missing):
            score, place = scan_lists(rows, start, end, m, bins if turn else -1, limits, room)
            keep_if_best(score, place, f, m, turn if missing else -1, False, room)
    for j in range(occupied):
        room.head[room.order[j]] = -1
    return occupied > 1
