"""Passes over rows for several outputs at once: weights as a matrix (d + 1, k), its last row the intercepts."""

from __future__ import annotations

import numpy as np

from ..engine import jit
from ._passes import TILE, tile_of, tile_room
from ._storage import by_storage


def _row_dots_dense(rows, i, W, out):  # type: ignore[no-untyped-def]
    x = rows[0][i]
    for j in range(x.shape[0]):
        weights, value = W[j], np.float64(x[j])
        for k in range(out.shape[0]):
            out[k] += value * weights[k]


def _row_dots_csr(rows, i, W, out):  # type: ignore[no-untyped-def]
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


row_dots = by_storage(_row_dots_dense, _row_dots_csr, "``out += x_i W``: the values of one row for all outputs.")


def _row_adds_dense(rows, i, change, W):  # type: ignore[no-untyped-def]
    x = rows[0][i]
    for j in range(x.shape[0]):
        weights, value = W[j], np.float64(x[j])
        for k in range(change.shape[0]):
            weights[k] += value * change[k]


def _row_adds_csr(rows, i, change, W):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    for p in range(indptr[i], indptr[i + 1]):
        weights, value = W[indices[p]], np.float64(data[p])
        for k in range(change.shape[0]):
            weights[k] += value * change[k]


row_adds = by_storage(
    _row_adds_dense, _row_adds_csr, "``W += x_i' change``: one row added to the weights of all outputs."
)


def _tile_dots_dense(rows, start, stop, tile, W, out):  # type: ignore[no-untyped-def]
    np.dot(tile, W[: tile.shape[1]], out)


def _tile_dots_csr(rows, start, stop, tile, W, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    for i in range(start, stop):
        row = out[i - start]
        row[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            value, weights = np.float64(data[p]), W[indices[p]]
            for k in range(row.shape[0]):
                row[k] += value * weights[k]


tile_dots = by_storage(_tile_dots_dense, _tile_dots_csr, "``out[t] = x_{start + t} W`` for the d weights' rows of W.")


def _tile_sums_dense(rows, start, stop, tile, A, out):  # type: ignore[no-untyped-def]
    sums = np.empty((tile.shape[1], A.shape[1]))
    np.dot(tile.T, A, sums)
    for j in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            out[j, k] += sums[j, k]


def _tile_sums_csr(rows, start, stop, tile, A, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    for i in range(start, stop):
        row = A[i - start]
        for p in range(indptr[i], indptr[i + 1]):
            value, target = np.float64(data[p]), out[indices[p]]
            for k in range(row.shape[0]):
                target[k] += value * row[k]


tile_sums = by_storage(_tile_sums_dense, _tile_sums_csr, "``out[:d] += sum_t x_{start + t}' A[t]``.")


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
