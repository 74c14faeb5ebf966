"""Passes over rows for linear models: products with one vector, sums of rows, weighted sums of squares.

Every function takes ``Rows.arrays`` and is written over the few overloaded pieces below, once for dense and CSR rows.
Sums are in float64 whatever the rows are stored in; float32 rows are widened a tile at a time, never as a whole.
The vector ``theta`` is (w, b): d weights and the intercept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from ..engine import jit, jit_sums

# Rows a tile: 512 x 54 float64 values lie in L2 beside the Hessian.
TILE = 512


def _is_dense(rows: Any) -> bool:
    return isinstance(rows, types.BaseTuple) and len(rows) == 1


@jit_sums
def _dense_dot(x, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * w[k]
    return total


@jit  # not `jit_sums`: the gather instructions that it leads to are four times slower than single loads
def _csr_dot(data, indices, start, stop, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for p in range(start, stop):
        total += data[p] * w[indices[p]]
    return total


def row_dot(rows, i, w):  # type: ignore[no-untyped-def]
    """<x_i, w> in float64; `w` may be longer than the row."""
    raise RuntimeError("row_dot is called from compiled code only")


@overload(row_dot, inline="always")
def _row_dot(rows, i, w):  # type: ignore[no-untyped-def]
    if _is_dense(rows):
        return lambda rows, i, w: _dense_dot(rows[0][i], w)
    return lambda rows, i, w: _csr_dot(rows[0], rows[1], rows[2][i], rows[2][i + 1], w)


def row_add(rows, i, a, out):  # type: ignore[no-untyped-def]
    """``out += a x_i``; `out` may be longer than the row."""
    raise RuntimeError("row_add is called from compiled code only")


@overload(row_add)
def _row_add(rows, i, a, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i, a, out):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for k in range(x.shape[0]):
                out[k] += a * x[k]

        return dense

    def csr(rows, i, a, out):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            out[indices[p]] += a * data[p]

    return csr


def row_square(rows, i):  # type: ignore[no-untyped-def]
    """||x_i||^2 in float64."""
    raise RuntimeError("row_square is called from compiled code only")


@overload(row_square)
def _row_square(rows, i):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i):  # type: ignore[no-untyped-def]
            total = 0.0
            for value in rows[0][i]:
                total += np.float64(value) * value
            return total

        return dense

    def csr(rows, i):  # type: ignore[no-untyped-def]
        total = 0.0
        for p in range(rows[2][i], rows[2][i + 1]):
            total += np.float64(rows[0][p]) * rows[0][p]
        return total

    return csr


def row_add_squares(rows, i, a, out):  # type: ignore[no-untyped-def]
    """``out += a x_i^2``, entry by entry."""
    raise RuntimeError("row_add_squares is called from compiled code only")


@overload(row_add_squares)
def _row_add_squares(rows, i, a, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, i, a, out):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for k in range(x.shape[0]):
                out[k] += a * x[k] * x[k]

        return dense

    def csr(rows, i, a, out):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            out[indices[p]] += a * data[p] * data[p]

    return csr


def tile_room(rows, d):  # type: ignore[no-untyped-def]
    """Room for a tile of widened rows; nothing where rows are used as they are."""
    raise RuntimeError("tile_room is called from compiled code only")


@overload(tile_room)
def _tile_room(rows, d):  # type: ignore[no-untyped-def]
    if _is_dense(rows) and rows[0].dtype != types.float64:
        return lambda rows, d: np.empty((TILE, d))
    return lambda rows, d: np.empty((0, d))


def packing_room(rows, d):  # type: ignore[no-untyped-def]
    """Room for the packed and the scaled rows of `tile_gram`; CSR needs none."""
    raise RuntimeError("packing_room is called from compiled code only")


@overload(packing_room)
def _packing_room(rows, d):  # type: ignore[no-untyped-def]
    if _is_dense(rows):
        return lambda rows, d: (np.empty((TILE, d)), np.empty((TILE, d + 1)))
    return lambda rows, d: (np.empty((0, d)), np.empty((0, d + 1)))


def tile_of(rows, start, stop, room):  # type: ignore[no-untyped-def]
    """Dense rows start..stop in float64 (in `room` if they have to be widened); CSR rows need no tile."""
    raise RuntimeError("tile_of is called from compiled code only")


@overload(tile_of)
def _tile_of(rows, start, stop, room):  # type: ignore[no-untyped-def]
    if not _is_dense(rows):
        return lambda rows, start, stop, room: room[:0]
    if rows[0].dtype == types.float64:
        return lambda rows, start, stop, room: rows[0][start:stop]

    def widen(rows, start, stop, room):  # type: ignore[no-untyped-def]
        X = rows[0]
        for i in range(start, stop):
            for k in range(X.shape[1]):
                room[i - start, k] = X[i, k]
        return room[: stop - start]

    return widen


def tile_dot(rows, start, stop, tile, w, out):  # type: ignore[no-untyped-def]
    """``out[t] = <x_{start + t}, w>``."""
    raise RuntimeError("tile_dot is called from compiled code only")


@overload(tile_dot)
def _tile_dot(rows, start, stop, tile, w, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):
        return lambda rows, start, stop, tile, w, out: np.dot(tile, w, out[: stop - start])

    def csr(rows, start, stop, tile, w, out):  # type: ignore[no-untyped-def]
        for i in range(start, stop):
            out[i - start] = _csr_dot(rows[0], rows[1], rows[2][i], rows[2][i + 1], w)

    return csr


def tile_sum(rows, start, stop, tile, a, out):  # type: ignore[no-untyped-def]
    """``out += sum_t a[t] x_{start + t}``."""
    raise RuntimeError("tile_sum is called from compiled code only")


@overload(tile_sum)
def _tile_sum(rows, start, stop, tile, a, out):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, start, stop, tile, a, out):  # type: ignore[no-untyped-def]
            out += np.dot(a[: stop - start], tile)

        return dense

    def csr(rows, start, stop, tile, a, out):  # type: ignore[no-untyped-def]
        for i in range(start, stop):
            if a[i - start] != 0:
                row_add(rows, i, a[i - start], out)

    return csr


def tile_gram(rows, start, stop, tile, h, room, scaled, gram):  # type: ignore[no-untyped-def]
    """``gram += sum_t h[t] x~_t x~_t'`` with x~ = (x, 1), of which CSR fills the upper triangle alone.

    Rows with h = 0 (outside of the street, for a squared hinge) cost nothing.
    """
    raise RuntimeError("tile_gram is called from compiled code only")


@overload(tile_gram)
def _tile_gram(rows, start, stop, tile, h, room, scaled, gram):  # type: ignore[no-untyped-def]
    if _is_dense(rows):

        def dense(rows, start, stop, tile, h, room, scaled, gram):  # type: ignore[no-untyped-def]
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
                gram[:d] += np.dot(left.T, scaled[:m])
                for t in range(m):
                    gram[d, d] += scaled[t, d]

        return dense

    def csr(rows, start, stop, tile, h, room, scaled, gram):  # type: ignore[no-untyped-def]
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

    return csr


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
