"""Gathering, copying and counting for compiled code: NumPy's ways compile for half a second each, loops do not."""

from __future__ import annotations

import numpy as np

from ...engine import jit_inner


@jit_inner
def count_nonzero(x):  # type: ignore[no-untyped-def]
    count = 0
    for k in range(x.shape[0]):
        count += x[k] != 0
    return count


@jit_inner
def take(x, index):  # type: ignore[no-untyped-def]
    """``x[index]``."""
    out = np.empty(index.shape[0], x.dtype)
    for k in range(index.shape[0]):
        out[k] = x[index[k]]
    return out


@jit_inner
def copy(x):  # type: ignore[no-untyped-def]
    out = np.empty(x.shape[0], x.dtype)
    for k in range(x.shape[0]):
        out[k] = x[k]
    return out


@jit_inner
def total_of(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return total


@jit_inner
def all_of(n):  # type: ignore[no-untyped-def]
    """0, 1, ..., n - 1."""
    out = np.empty(n, np.int64)
    for k in range(n):
        out[k] = k
    return out


@jit_inner
def one_group(n):  # type: ignore[no-untyped-def]
    """Where the only group of variables ends."""
    ends = np.empty(1, np.int64)
    ends[0] = n
    return ends


@jit_inner
def support_of(beta):  # type: ignore[no-untyped-def]
    """The variables that are not 0, and their values."""
    index, value, count = np.empty(beta.shape[0], np.int64), np.empty(beta.shape[0]), 0
    for k in range(beta.shape[0]):
        if beta[k] != 0:
            index[count], value[count] = k, beta[k]
            count += 1
    return index[:count], value[:count]


@jit_inner
def centred(r, index, middle, like):  # type: ignore[no-untyped-def]
    """``r[index] - middle`` in the precision of `like`: float32 is finest about 0."""
    out = np.empty(index.shape[0], like.dtype)
    for k in range(index.shape[0]):
        out[k] = r[index[k]] - middle
    return out


@jit_inner
def put(part, index, x):  # type: ignore[no-untyped-def]
    """``x[index] = part``; returns which of x changed, and by how much."""
    moved, step, count = np.empty(index.shape[0], np.int64), np.empty(index.shape[0]), 0
    for k in range(index.shape[0]):
        change = part[k] - x[index[k]]
        if change != 0:
            moved[count], step[count] = index[k], change
            count += 1
        x[index[k]] = part[k]
    return moved[:count], step[:count]
