"""Passes over rows that bound their own rounding errors: absolute values, and compensated sums."""

from __future__ import annotations

import numpy as np

from ..engine import jit, jit_exact, jit_sums, run_parallel
from ._passes import TILE
from ._rows import Rows
from ._storage import by_storage

_SPLIT = 2.0**27 + 1  # parts a float64 into two halves of its bits (Veltkamp)


@jit_sums
def _dense_magnitude(x, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        total += abs(x[k]) * w[k]
    return total


def _row_magnitude_dense(rows, i, w):  # type: ignore[no-untyped-def]
    return _dense_magnitude(rows[0][i], w)


def _row_magnitude_csr(rows, i, w):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    total = 0.0
    for p in range(indptr[i], indptr[i + 1]):
        total += abs(np.float64(data[p])) * w[indices[p]]
    return total


_row_magnitude = by_storage(_row_magnitude_dense, _row_magnitude_csr, "<|x_i|, w> in float64.")


def _row_add_magnitude_dense(rows, i, a, out):  # type: ignore[no-untyped-def]
    x = rows[0][i]
    for k in range(x.shape[0]):
        out[k] += a * abs(x[k])


def _row_add_magnitude_csr(rows, i, a, out):  # type: ignore[no-untyped-def]
    data, indices, indptr = rows
    for p in range(indptr[i], indptr[i + 1]):
        out[indices[p]] += a * abs(np.float64(data[p]))


_row_add_magnitude = by_storage(_row_add_magnitude_dense, _row_add_magnitude_csr, "``out += a |x_i|``.")


@jit_exact
def _add_exactly(values, columns, a, halves, total, lost, size):  # type: ignore[no-untyped-def]
    """``total + lost += a x`` by Knuth's two-sum, and ``size += |a x|``, x having these values (in these columns).

    With the `halves` of a, the roundings of the products go to `lost` as well (Dekker's two-product).
    """
    for p in range(values.shape[0]):
        k = p
        if columns is not None:
            k = columns[p]
        value, old = np.float64(values[p]), total[k]
        term = a * value
        new = old + term
        virtual = new - old
        error = (old - (new - virtual)) + (term - virtual)
        if halves is not None:
            wide = _SPLIT * value
            high = wide - (wide - value)
            low = value - high
            a_high, a_low = halves
            error += a_low * low - (((term - a_high * high) - a_low * high) - a_high * low)
        lost[k] += error
        total[k] = new
        size[k] += abs(term)


def _row_add_exactly_dense(rows, i, a, halves, total, lost, size):  # type: ignore[no-untyped-def]
    return _add_exactly(rows[0][i], None, a, halves, total, lost, size)


def _row_add_exactly_csr(rows, i, a, halves, total, lost, size):  # type: ignore[no-untyped-def]
    start, stop = rows[2][i], rows[2][i + 1]
    return _add_exactly(rows[0][start:stop], rows[1][start:stop], a, halves, total, lost, size)


_row_add_exactly = by_storage(_row_add_exactly_dense, _row_add_exactly_csr, "`_add_exactly` of a row.")


@jit_exact
def _exact_sum_pass(rows, start, stop, a, sums, with_products):  # type: ignore[no-untyped-def]
    """Sums of ``a_i x_i``; `with_products` is None or True, which the compiler knows apart."""
    total, lost, size = sums[0], sums[1], sums[2]
    for i in range(start, stop):
        if a[i] != 0:
            if with_products is None:
                _row_add_exactly(rows, i, a[i], None, total, lost, size)
            else:
                wide = _SPLIT * a[i]
                high = wide - (wide - a[i])
                _row_add_exactly(rows, i, a[i], (high, a[i] - high), total, lost, size)


@jit
def _product_pass(rows, start, stop, sizes, out):  # type: ignore[no-untyped-def]
    d = sizes.shape[0] - 1
    w, b = sizes[:d], sizes[d]
    for i in range(start, stop):
        out[i] = _row_magnitude(rows, i, w) + b


@jit
def _sum_pass(rows, start, stop, a, out):  # type: ignore[no-untyped-def]
    d = out.shape[0] - 1
    for i in range(start, stop):
        if a[i] != 0:
            _row_add_magnitude(rows, i, abs(a[i]), out[:d])
            out[d] += abs(a[i])


def product_magnitudes(rows: Rows, theta: np.ndarray, threads: int = 1) -> np.ndarray:
    """``<|x_i|, |w|> + |b|`` for all rows, theta being (w, b)."""
    out, sizes = np.empty(rows.n), np.abs(theta)
    run_parallel(lambda low, high: _product_pass(rows.arrays, low, high, sizes, out), rows.strips(threads))
    return out


def sum_magnitudes(rows: Rows, a: np.ndarray, threads: int = 1) -> np.ndarray:
    """``sum_i |a_i| (|x_i|, 1)``."""
    strips = rows.strips(threads)
    parts = np.zeros((len(strips), rows.d + 1))
    run_parallel(
        lambda k, low, high: _sum_pass(rows.arrays, low, high, a, parts[k]), [(k, *s) for k, s in enumerate(strips)]
    )
    return parts.sum(axis=0)


def compensated_sums(rows: Rows, a: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """``sum_i a_i x_i`` and ``sum_i |a_i x_i|``.

    The first is off by at most ``4 u`` of itself and ``u + 3 (n u)**2`` of the second (Ogita, Rump and Oishi 2005).
    """
    return _summed(rows, a, threads, None)


def exact_sums(rows: Rows, a: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """As `compensated_sums`, with the roundings of the products caught as well.

    The first is off by at most ``4 u`` of itself and ``3 (n u)**2`` of the second (the same paper), in three times the
    time; not finite where a value is above 1e300.
    """
    return _summed(rows, a, threads, True)


def _summed(rows: Rows, a: np.ndarray, threads: int, with_products: bool | None) -> tuple[np.ndarray, np.ndarray]:
    strips = rows.strips(threads)
    parts = np.zeros((len(strips), 3, rows.d))
    run_parallel(
        lambda k, low, high: _exact_sum_pass(rows.arrays, low, high, a, parts[k], with_products),
        [(k, *s) for k, s in enumerate(strips)],
    )
    total, lost = parts[0, 0], parts[0, 1]
    for part in parts[1:]:
        new = total + part[0]
        virtual = new - total
        lost = lost + part[1] + ((total - (new - virtual)) + (part[0] - virtual))
        total = new
    return total + lost, parts[:, 2].sum(axis=0)


def product_depth(rows: Rows) -> int:
    """Roundings that a value ``<x_i, w> + b`` may go through, in whatever order it is summed."""
    return rows.longest[0] + 2


def sum_depth(rows: Rows, threads: int = 1) -> int:
    """Roundings that an entry of ``sum_i a_i x_i`` may go through: dense rows are summed by tiles."""
    parts, longest = len(rows.strips(threads)), rows.longest[1]
    return (longest if rows.sparse else min(longest, TILE + -(-longest // TILE) + 1)) + parts + 2
