"""Kernel tiles: matrix product, fused transform, and what is done with the tile while it is in cache.

Measured, one core, 512 columns: 0.24 ns (product, d=10) + 0.45 (RBF) + 0.06 (sum) a value in float32. A value read
back from memory costs about as much, so that sweeps of cheap kernels recompute and store nothing.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from ..data import row_differences, row_products
from ..engine import INNER, jit, jit_sums
from ._transform import Differences, RBFOfDifferences, transform_tile

WIDTH = 512  # columns of a tile: 64 x 512 float32 values are 128 KB, a tenth of L2
_COLUMNS = 16  # of a square that are mirrored at a time


def tile_height(d: int) -> int:
    """Rows of a tile: long inner products want taller ones (784 features: 15.5 ns a value at 512 rows, 22 at 64)."""
    return 64 if d < 128 else 512


def _products(params, rows, order, first, last, shift, panels, chunk, tile, values):  # type: ignore[no-untyped-def]
    """What the transform starts from: inner products, or half the squared distances with a minus sign."""
    raise RuntimeError("_products is called from compiled code only")


@overload(_products, jit_options=INNER)
def _products_for(params, rows, order, first, last, shift, panels, chunk, tile, values):  # type: ignore[no-untyped-def]
    return _by_differences if params.instance_class in (RBFOfDifferences, Differences) else _by_products


def _by_differences(params, rows, order, first, last, shift, panels, chunk, tile, values):  # type: ignore[no-untyped-def]
    row_differences(rows, order, first, last, shift, panels, chunk, tile, values)


def _by_products(params, rows, order, first, last, shift, panels, chunk, tile, values):  # type: ignore[no-untyped-def]
    row_products(rows, order, first, last, shift, panels, chunk, tile, values)


@jit
def accumulate(rows, order, start, stop, shift, norms, panels, panel_norms, coef, params, height, out):  # type: ignore[no-untyped-def]
    """``out[c, t] += sum_j k(x_r, z_j) coef[j, c]`` for the rows r = order[t], t in start:stop; `out` is float64.

    ``coef`` has shape (chunks, width, outputs).
    """
    chunks, d, width = panels.shape
    tile = np.empty((height, d), panels.dtype)
    values = np.empty((height, width), panels.dtype)
    scratch = np.empty(width, panels.dtype)
    sums, table = np.empty(height, panels.dtype), np.empty((height, out.shape[0]), panels.dtype)
    for first in range(start, stop, height):
        last = min(stop, first + height)
        m = last - first
        for chunk in range(chunks):
            _products(params, rows, order, first, last, shift, panels, chunk, tile, values)
            transform_tile(params, values, m, width, norms, order, first, panel_norms[chunk], scratch)
            if out.shape[0] == 1:
                np.dot(values[:m], coef[chunk].reshape(-1), sums[:m])
                for t in range(m):
                    out[0, first + t] += sums[t]
            else:
                np.dot(values[:m], coef[chunk], table[:m])
                for c in range(out.shape[0]):
                    for t in range(m):
                        out[c, first + t] += table[t, c]


@jit_sums
def _wide_sums(values, m, coef, length, first, out):  # type: ignore[no-untyped-def]
    """``out[0, c, first + t] += s = sum_j values[t, j] coef[c, j]``, float32 values summed in float64; and two moments.

    ``out[1]`` and ``out[2]`` are the sums of |s| times the `length` and its square.
    """
    for t in range(m):
        for c in range(coef.shape[0]):
            total = 0.0
            for j in range(coef.shape[1]):
                total += np.float64(values[t, j]) * coef[c, j]
            out[0, c, first + t] += total
            out[1, c, first + t] += abs(total) * length
            out[2, c, first + t] += abs(total) * length * length


@jit
def accumulate_wide(  # type: ignore[no-untyped-def]
    rows, order, start, stop, shift, norms, panels, panel_norms, coef, lengths, params, height, out
):
    """As `accumulate` of float32 values, with coefficients and sums in float64: ``coef`` is (chunks, outputs, width).

    A float32 sum of 512 terms would be off by more than values of ten features are. ``out`` has the sums, and two
    moments of their sizes by the largest length in each chunk (`_wide_sums`).
    """
    chunks, d, width = panels.shape
    tile = np.empty((height, d), panels.dtype)
    values = np.empty((height, width), panels.dtype)
    scratch = np.empty(width, panels.dtype)
    for first in range(start, stop, height):
        last = min(stop, first + height)
        for chunk in range(chunks):
            _products(params, rows, order, first, last, shift, panels, chunk, tile, values)
            transform_tile(params, values, last - first, width, norms, order, first, panel_norms[chunk], scratch)
            _wide_sums(values, last - first, coef[chunk], lengths[chunk], first, out)


@jit
def accumulate_and_store(  # type: ignore[no-untyped-def]
    rows, order, start, stop, shift, norms, panels, panel_norms, coef, slots, storage, params, height, out
):
    """As `accumulate` for one output; the values also go to ``storage[slots[j], start:stop]``, one row a column j."""
    chunks, d, width = panels.shape
    tile = np.empty((height, d), panels.dtype)
    values = np.empty((height, width), panels.dtype)
    scratch, sums = np.empty(width, panels.dtype), np.empty(height, panels.dtype)
    for first in range(start, stop, height):
        last = min(stop, first + height)
        m = last - first
        for chunk in range(chunks):
            _products(params, rows, order, first, last, shift, panels, chunk, tile, values)
            transform_tile(params, values, m, width, norms, order, first, panel_norms[chunk], scratch)
            np.dot(values[:m], coef[chunk].reshape(-1), sums[:m])
            for t in range(m):
                out[0, first + t] += sums[t]
            begin = chunk * width
            for j in range(min(width, slots.shape[0] - begin)):
                target = storage[slots[begin + j], first:last]
                for t in range(m):
                    target[t] = values[t, j]


@jit
def fill(rows, order, start, stop, shift, norms, panels, panel_norms, params, height, out):  # type: ignore[no-untyped-def]
    """``out[t, j] = k(x_r, z_j)`` for the rows r = order[t], t in start:stop."""
    chunks, d, width = panels.shape
    tile = np.empty((height, d), panels.dtype)
    values = np.empty((height, width), panels.dtype)
    scratch = np.empty(width, panels.dtype)
    for first in range(start, stop, height):
        last = min(stop, first + height)
        for chunk in range(chunks):
            _products(params, rows, order, first, last, shift, panels, chunk, tile, values)
            begin = chunk * width
            end = min(out.shape[1], begin + width)
            transform_tile(params, values, last - first, width, norms, order, first, panel_norms[chunk], scratch)
            for t in range(last - first):
                source, target = values[t], out[first + t, begin:end]
                for k in range(target.shape[0]):  # a slice assignment costs 0.2 us more
                    target[k] = source[k]


@jit
def transform_symmetric(out, norms, order, params):  # type: ignore[no-untyped-def]
    """Kernel values over the lower half of a square matrix of inner products, mirrored to the upper half."""
    n = out.shape[0]
    side = 64
    z_norms, scratch = np.empty(n, out.dtype), np.empty(n, out.dtype)
    for t in range(n):
        z_norms[t] = norms[order[t]]
    for first in range(0, n, side):
        last = min(n, first + side)
        transform_tile(params, out[first:last], last - first, last, norms, order, first, z_norms, scratch)
        for begin in range(0, last, side):  # squares: both the rows read and the rows written stay in cache
            for i in range(first, last):
                for j in range(begin, min(begin + side, i)):
                    out[j, i] = out[i, j]


@jit
def fill_symmetric(rows, order, strips, start, shift, norms, panels, panel_norms, params, out):  # type: ignore[no-untyped-def]
    """``out[i, j] = out[j, i] = k(x_r, x_s)``, r = order[i] and s = order[j], for the squares up to the diagonal.

    A square is a strip of rows against a panel of columns; the first panel is that of strip `start`.
    """
    chunks, d, side = panels.shape
    tile = np.empty((side, d), panels.dtype)
    values = np.empty((side, side), panels.dtype)
    scratch = np.empty(side, panels.dtype)
    for strip in strips:
        first = strip * side
        last = min(out.shape[0], first + side)
        for chunk in range(min(chunks, strip - start + 1)):
            _products(params, rows, order, first, last, shift, panels, chunk, tile, values)
            transform_tile(params, values, last - first, side, norms, order, first, panel_norms[chunk], scratch)
            begin = (start + chunk) * side
            for t in range(last - first):
                source, target = values[t], out[first + t]
                for j in range(min(side, first + t + 1 - begin)):
                    target[begin + j] = source[j]
            for column in range(0, side, _COLUMNS):  # some at a time: the rows written stay in cache
                for t in range(last - first):
                    for j in range(column, min(column + _COLUMNS, side, first + t - begin)):
                        out[begin + j, first + t] = values[t, j]


@jit
def accumulate_symmetric(  # type: ignore[no-untyped-def]
    rows, order, strips, start, shift, norms, panels, panel_norms, coef, params, out
):
    """``out += K coef`` by the squares up to the diagonal, each of which serves for its rows and for its columns.

    ``coef`` and ``out`` have shape (strips, side, outputs); `out` is float64.
    """
    chunks, d, side = panels.shape
    n, outputs = order.shape[0], out.shape[2]
    tile = np.empty((side, d), panels.dtype)
    values = np.empty((side, side), panels.dtype)
    scratch, table = np.empty(side, panels.dtype), np.empty((side, outputs), panels.dtype)
    for strip in strips:
        first = strip * side
        last = min(n, first + side)
        m = last - first
        for chunk in range(min(chunks, strip - start + 1)):
            _products(params, rows, order, first, last, shift, panels, chunk, tile, values)
            transform_tile(params, values, m, side, norms, order, first, panel_norms[chunk], scratch)
            np.dot(values[:m], coef[start + chunk], table[:m])
            for t in range(m):
                for c in range(outputs):
                    out[strip, t, c] += table[t, c]
            if start + chunk < strip:
                np.dot(values[:m].T, coef[strip, :m], table)
                for t in range(side):
                    for c in range(outputs):
                        out[start + chunk, t, c] += table[t, c]
