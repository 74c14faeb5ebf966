"""Passes over rows for several outputs at once: weights as a matrix (d + 1, k), its last row the intercepts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from ..engine import jit
from ._passes import TILE, tile_of, tile_room


def _is_dense(rows: Any) -> bool:
    return isinstance(rows, types.BaseTuple) and len(rows) == 1


def row_dots(rows, i, W, out):  # type: ignore[no-untyped-def]
    """``out += x_i W``: the values of one row for all outputs."""
    raise RuntimeError("row_dots is called from compiled code only")


@overload(row_dots)
def _row_dots(rows, i, W, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i, W, out):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for j in range(x.shape[0]):
                weights, value = W[j], np.float64(x[j])
                for k in range(out.shape[0]):
                    out[k] += value * weights[k]

        return dense

    def csr(rows, i, W, out):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        p, end = indptr[i], indptr[i + 1]
        while p + 4 <= end:  # four values a pass: the sums are loaded and stored a quarter as often
            a, b, c, e = W[indices[p]], W[indices[p + 1]], W[indices[p + 2]], W[indices[p + 3]]
            va, vb = np.float64(data[p]), np.float64(data[p + 1])
            vc, ve = np.float64(data[p + 2]), np.float64(data[p + 3])
            for k in range(out.shape[0]):
                out[k] += va * a[k] + vb * b[k] + vc * c[k] + ve * e[k]
            p += 4
        while p < end:
            weights, value = W[indices[p]], np.float64(data[p])
            for k in range(out.shape[0]):
                out[k] += value * weights[k]
            p += 1

    return csr


def row_adds(rows, i, change, W):  # type: ignore[no-untyped-def]
    """``W += x_i' change``: one row added to the weights of all outputs."""
    raise RuntimeError("row_adds is called from compiled code only")


@overload(row_adds)
def _row_adds(rows, i, change, W):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i, change, W):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for j in range(x.shape[0]):
                weights, value = W[j], np.float64(x[j])
                for k in range(change.shape[0]):
                    weights[k] += value * change[k]

        return dense

    def csr(rows, i, change, W):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            weights, value = W[indices[p]], np.float64(data[p])
            for k in range(change.shape[0]):
                weights[k] += value * change[k]

    return csr


def tile_dots(rows, start, stop, tile, W, out):  # type: ignore[no-untyped-def]
    """``out[t] = x_{start + t} W`` for the d weights' rows of W."""
    raise RuntimeError("tile_dots is called from compiled code only")


@overload(tile_dots)
def _tile_dots(rows, start, stop, tile, W, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, start, stop, tile, W, out):  # type: ignore[no-untyped-def]
            np.dot(tile, W[: tile.shape[1]], out)

        return dense

    def csr(rows, start, stop, tile, W, out):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for i in range(start, stop):
            row = out[i - start]
            row[:] = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                value, weights = np.float64(data[p]), W[indices[p]]
                for k in range(row.shape[0]):
                    row[k] += value * weights[k]

    return csr


def tile_sums(rows, start, stop, tile, A, out):  # type: ignore[no-untyped-def]
    """``out[:d] += sum_t x_{start + t}' A[t]``."""
    raise RuntimeError("tile_sums is called from compiled code only")


@overload(tile_sums)
def _tile_sums(rows, start, stop, tile, A, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, start, stop, tile, A, out):  # type: ignore[no-untyped-def]
            out[: tile.shape[1]] += np.dot(tile.T, A)

        return dense

    def csr(rows, start, stop, tile, A, out):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for i in range(start, stop):
            row = A[i - start]
            for p in range(indptr[i], indptr[i + 1]):
                value, target = np.float64(data[p]), out[indices[p]]
                for k in range(row.shape[0]):
                    target[k] += value * row[k]

    return csr


@jit
def decisions_pass(rows, start, stop, W, out):  # type: ignore[no-untyped-def]
    """``out[i] = (x_i, 1) W`` for rows start..stop."""
    d = W.shape[0] - 1
    room = tile_room(rows, d)
    for low in range(start, stop, TILE):
        high = min(stop, low + TILE)
        tile = tile_of(rows, low, high, room)
        tile_dots(rows, low, high, tile, W, out[low:high])
        for i in range(low, high):
            for k in range(W.shape[1]):
                out[i, k] += W[d, k]


@jit
def sums_pass(rows, start, stop, A, out):  # type: ignore[no-untyped-def]
    """``out += sum_i (x_i, 1)' A_i`` over rows start..stop."""
    d = out.shape[0] - 1
    room = tile_room(rows, d)
    for low in range(start, stop, TILE):
        high = min(stop, low + TILE)
        tile = tile_of(rows, low, high, room)
        tile_sums(rows, low, high, tile, A[low:high], out)
        for i in range(low, high):
            for k in range(out.shape[1]):
                out[d, k] += A[i, k]
