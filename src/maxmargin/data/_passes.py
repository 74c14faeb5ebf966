"""Passes over rows for linear models: products with one vector, sums of rows, weighted sums of squares.

Every function takes ``Rows.arrays`` and is written once, over the few pieces below that are pairs: dense and CSR.
Sums are in float64 whatever the rows are stored in; float32 rows are widened a tile at a time, never as a whole.
The vector ``theta`` is (w, b): d weights and the intercept.
"""

from __future__ import annotations

import numpy as np

from ..engine import jit, jit_inner, jit_sums
from ._storage import by_storage

# Rows a tile: 512 x 54 float64 values lie in L2 beside the Hessian.
TILE = 512


@jit_sums
def _dense_dot(x, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * w[k]
    return total


@jit_inner  # not `jit_sums`: the gather instructions that it leads to are four times slower than single loads
def _csr_dot(data, indices, start, stop, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for p in range(start, stop):
        total += data[p] * w[indices[p]]
    return total


def _row_dot_dense(rows, i, w):  # type: ignore[no-untyped-def]
    return _dense_dot(rows[0][i], w)


def _row_dot_csr(rows, i, w):  # type: ignore[no-untyped-def]
    return _csr_dot(rows[0], rows[1], rows[2][i], rows[2][i + 1], w)


row_dot = by_storage(
    _row_dot_dense, _row_dot_csr, "<x_i, w> in float64; `w` may be longer than the row.", inline="always"
)


def _row_add_dense(rows, i, a, out):  # type: ignore[no-untyped-def]
    x = rows[0][i]
    for k in range(x.shape[0]):
        out[k] += a * x[k]


def _row_add_csr(rows, i, a, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    for p in range(indptr[i], indptr[i + 1]):
        out[indices[p]] += a * data[p]


row_add = by_storage(_row_add_dense, _row_add_csr, "``out += a x_i``; `out` may be longer than the row.")


def _row_square_dense(rows, i):  # type: ignore[no-untyped-def]
    total = 0.0
    for value in rows[0][i]:
        total += np.float64(value) * value
    return total


def _row_square_csr(rows, i):  # type: ignore[no-untyped-def]
    total = 0.0
    for p in range(rows[2][i], rows[2][i + 1]):
        total += np.float64(rows[0][p]) * rows[0][p]
    return total


row_square = by_storage(_row_square_dense, _row_square_csr, "||x_i||^2 in float64.")


def _row_add_squares_dense(rows, i, a, out):  # type: ignore[no-untyped-def]
    x = rows[0][i]
    for k in range(x.shape[0]):
        out[k] += a * x[k] * x[k]


def _row_add_squares_csr(rows, i, a, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    for p in range(indptr[i], indptr[i + 1]):
        out[indices[p]] += a * data[p] * data[p]


row_add_squares = by_storage(_row_add_squares_dense, _row_add_squares_csr, "``out += a x_i^2``, entry by entry.")


def _row_gather_dense(rows, i, place, places, values):  # type: ignore[no-untyped-def]
    x, many = rows[0][i], 0
    for k in range(x.shape[0]):
        if place[k] >= 0:
            places[many], values[many] = place[k], x[k]
            many += 1
    return many


def _row_gather_csr(rows, i, place, places, values):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    many = 0
    for p in range(indptr[i], indptr[i + 1]):
        at = place[indices[p]]
        if at >= 0:
            places[many], values[many] = at, data[p]
            many += 1
    return many


_row_gather = by_storage(
    _row_gather_dense,
    _row_gather_csr,
    "Entries of x_i in columns k with ``place[k] >= 0``: these numbers, the values in float64, and how many there are.",
)


def _no_room(rows, d):  # type: ignore[no-untyped-def]
    return np.empty((0, d))


def _room_to_widen(rows, d):  # type: ignore[no-untyped-def]
    return np.empty((TILE, d))


tile_room = by_storage(
    _no_room,
    _no_room,
    "Room for a tile of widened rows; nothing where rows are used as they are.",
    narrow=_room_to_widen,
)


def _packing_room_dense(rows, d):  # type: ignore[no-untyped-def]
    return (np.empty((TILE, d)), np.empty((TILE, d + 1)))


def _packing_room_csr(rows, d):  # type: ignore[no-untyped-def]
    return (np.empty((0, d)), np.empty((0, d + 1)))


packing_room = by_storage(
    _packing_room_dense, _packing_room_csr, "Room for the packed and the scaled rows of `tile_gram`; CSR needs none."
)


def _tile_of_dense(rows, start, stop, room):  # type: ignore[no-untyped-def]
    return rows[0][start:stop]


def _tile_of_narrow(rows, start, stop, room):  # type: ignore[no-untyped-def]
    X = rows[0]
    for i in range(start, stop):
        for k in range(X.shape[1]):
            room[i - start, k] = X[i, k]
    return room[: stop - start]


def _tile_of_csr(rows, start, stop, room):  # type: ignore[no-untyped-def]
    return room[:0]


tile_of = by_storage(
    _tile_of_dense,
    _tile_of_csr,
    "Dense rows start..stop in float64 (in `room` if they have to be widened); CSR rows need no tile.",
    narrow=_tile_of_narrow,
)


def _tile_dot_dense(rows, start, stop, tile, w, out):  # type: ignore[no-untyped-def]
    np.dot(tile, w, out[: stop - start])


def _tile_dot_csr(rows, start, stop, tile, w, out):  # type: ignore[no-untyped-def]
    for i in range(start, stop):
        out[i - start] = _csr_dot(rows[0], rows[1], rows[2][i], rows[2][i + 1], w)


tile_dot = by_storage(_tile_dot_dense, _tile_dot_csr, "``out[t] = <x_{start + t}, w>``.")


def _tile_sum_dense(rows, start, stop, tile, a, out):  # type: ignore[no-untyped-def]
    sums = np.empty(tile.shape[1])
    np.dot(a[: stop - start], tile, sums)
    for k in range(sums.shape[0]):
        out[k] += sums[k]


def _tile_sum_csr(rows, start, stop, tile, a, out):  # type: ignore[no-untyped-def]
    for i in range(start, stop):
        if a[i - start] != 0:
            row_add(rows, i, a[i - start], out)


tile_sum = by_storage(_tile_sum_dense, _tile_sum_csr, "``out += sum_t a[t] x_{start + t}``.")


def _tile_gram_dense(rows, start, stop, tile, h, room, scaled, gram):  # type: ignore[no-untyped-def]
    d, m = tile.shape[1], stop - start
    used = 0
    for t in range(m):
        used += h[t] != 0
    left = tile
    if used < m:  # pack the rows that count
        m = 0
        for t in range(stop - start):
            if h[t] != 0:
                for k in range(d):
                    room[m, k] = tile[t, k]
                    scaled[m, k] = h[t] * tile[t, k]
                scaled[m, d] = h[t]
                m += 1
        left = room[:m]
    else:
        for t in range(m):
            for k in range(d):
                scaled[t, k] = h[t] * tile[t, k]
            scaled[t, d] = h[t]
    if m:
        sums = np.empty((d, d + 1))
        np.dot(left.T, scaled[:m], sums)
        for j in range(d):
            for k in range(d + 1):
                gram[j, k] += sums[j, k]
        for t in range(m):
            gram[d, d] += scaled[t, d]


def _tile_gram_csr(rows, start, stop, tile, h, room, scaled, gram):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    d = gram.shape[0] - 1
    for i in range(start, stop):
        a = h[i - start]
        if a != 0:
            for p in range(indptr[i], indptr[i + 1]):
                ap = a * data[p]
                row = gram[indices[p]]
                for q in range(p, indptr[i + 1]):  # canonical CSR: columns ascend
                    row[indices[q]] += ap * data[q]
                row[d] += ap
            gram[d, d] += a


tile_gram = by_storage(
    _tile_gram_dense,
    _tile_gram_csr,
    """``gram += sum_t h[t] x~_t x~_t'`` with x~ = (x, 1), of which CSR fills the upper triangle alone.

    Rows with h = 0 (outside of the margin, for a squared hinge) cost nothing.
    """,
)


@jit
def decision_pass(rows, start, stop, theta, out):  # type: ignore[no-untyped-def]
    """``out[i] = <x_i, w> + b`` for rows start..stop."""
    d = theta.shape[0] - 1
    room = tile_room(rows, d)
    for low in range(start, stop, TILE):
        high = min(stop, low + TILE)
        tile = tile_of(rows, low, high, room)
        tile_dot(rows, low, high, tile, theta[:d], out[low:high])
        for i in range(low, high):
            out[i] += theta[d]


@jit
def sum_pass(rows, start, stop, a, out):  # type: ignore[no-untyped-def]
    """``out += sum_i a_i (x_i, 1)`` over rows start..stop."""
    d = out.shape[0] - 1
    room = tile_room(rows, d)
    for low in range(start, stop, TILE):
        high = min(stop, low + TILE)
        tile = tile_of(rows, low, high, room)
        tile_sum(rows, low, high, tile, a[low:high], out[:d])
        for i in range(low, high):
            out[d] += a[i]


@jit
def square_pass(rows, start, stop, h, out):  # type: ignore[no-untyped-def]
    """``out += sum_i h_i (x_i^2, 1)`` over rows start..stop."""
    d = out.shape[0] - 1
    for i in range(start, stop):
        if h[i] != 0:
            row_add_squares(rows, i, h[i], out)
            out[d] += h[i]


@jit
def gram_pass(rows, start, stop, h, gram):  # type: ignore[no-untyped-def]
    """``gram += sum_i h_i (x_i, 1)(x_i, 1)'`` over rows start..stop; the upper triangle alone is complete."""
    d = gram.shape[0] - 1
    room = tile_room(rows, d)
    packed, scaled = packing_room(rows, d)
    for low in range(start, stop, TILE):
        high = min(stop, low + TILE)
        tile = tile_of(rows, low, high, room)
        tile_gram(rows, low, high, tile, h[low:high], packed, scaled, gram)


@jit
def columns_gram_pass(rows, start, stop, h, place, first, gram):  # type: ignore[no-untyped-def]
    """``gram[j - first, k] += sum_i h_i x_i(j) x_i(k)`` over rows start..stop, of some columns.

    x(j) is the column whose `place` is j, or there is none; those below `first` are not among the rows of `gram`. Made
    for CSR, where it costs little more than to read the rows.
    """
    places, values = np.empty(gram.shape[1], np.int64), np.empty(gram.shape[1])
    for i in range(start, stop):
        many = _row_gather(rows, i, place, places, values)
        for s in range(many):
            if places[s] >= first:
                row, a = gram[places[s] - first], h[i] * values[s]
                for t in range(many):
                    row[places[t]] += a * values[t]
