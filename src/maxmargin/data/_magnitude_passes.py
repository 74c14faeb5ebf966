"""Passes over rows that bound their own rounding errors: absolute values, and compensated sums."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..engine import jit, jit_exact, jit_sums, one_blas_thread_for, run_parallel
from ._passes import TILE
from ._rows import Rows
from ._storage import by_storage

_SPLIT = 2.0**27 + 1  # parts a float64 into two halves of its bits (Veltkamp)
# Coefficients so large that their halves would overflow are summed as smaller ones: powers of two round nothing.
_LARGE, _SHIFT = 2.0**990, 64


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


@jit_exact
def _add_four_exactly(X, i, a, total, lost, size):  # type: ignore[no-untyped-def]
    """`_add_exactly` of rows i to i + 3, one after the other for each column: sums are read and written once."""
    x0, x1, x2, x3 = X[i], X[i + 1], X[i + 2], X[i + 3]
    a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
    for k in range(total.shape[0]):
        old, error, length = total[k], lost[k], size[k]
        term = a0 * np.float64(x0[k])
        new = old + term
        virtual = new - old
        error += (old - (new - virtual)) + (term - virtual)
        length += abs(term)
        old = new
        term = a1 * np.float64(x1[k])
        new = old + term
        virtual = new - old
        error += (old - (new - virtual)) + (term - virtual)
        length += abs(term)
        old = new
        term = a2 * np.float64(x2[k])
        new = old + term
        virtual = new - old
        error += (old - (new - virtual)) + (term - virtual)
        length += abs(term)
        old = new
        term = a3 * np.float64(x3[k])
        new = old + term
        virtual = new - old
        error += (old - (new - virtual)) + (term - virtual)
        total[k], lost[k], size[k] = new, error, length + abs(term)


def _add_many_exactly_dense(rows, start, stop, a, total, lost, size):  # type: ignore[no-untyped-def]
    i = start
    while i + 4 <= stop:
        _add_four_exactly(rows[0], i, a, total, lost, size)
        i += 4
    return i


def _add_many_exactly_csr(rows, start, stop, a, total, lost, size):  # type: ignore[no-untyped-def]
    return start


_add_many_exactly = by_storage(
    _add_many_exactly_dense, _add_many_exactly_csr, "Rows that can be added four at once; the first that is left."
)


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
    first = start
    if with_products is None:
        first = _add_many_exactly(rows, start, stop, a, total, lost, size)
    for i in range(first, stop):
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
    """``<|x_i|, |w|> + |b|`` for all rows, theta being (w, b), or several such as columns."""
    if theta.ndim == 2:
        if theta.shape[1] > 1 and not rows.sparse:
            return _dense_products(rows, np.abs(theta), threads)
        columns = [product_magnitudes(rows, np.ascontiguousarray(one), threads) for one in theta.T]
        return np.column_stack(columns) if len(columns) > 1 else columns[0][:, None]
    out, sizes = np.empty(rows.n), np.abs(theta)
    run_parallel(lambda low, high: _product_pass(rows.arrays, low, high, sizes, out), rows.strips(threads))
    return out


def sum_magnitudes(rows: Rows, a: np.ndarray, threads: int = 1) -> np.ndarray:
    """``sum_i |a_i| (|x_i|, 1)``, for several a as columns."""
    if a.ndim == 2:
        if a.shape[1] > 1 and not rows.sparse:
            return _dense_sums(rows, np.abs(a), threads)
        columns = [sum_magnitudes(rows, np.ascontiguousarray(one), threads) for one in a.T]
        return np.column_stack(columns) if len(columns) > 1 else columns[0][:, None]
    strips = rows.strips(threads)
    parts = np.zeros((len(strips), rows.d + 1))
    run_parallel(
        lambda k, low, high: _sum_pass(rows.arrays, low, high, a, parts[k]), [(k, *s) for k, s in enumerate(strips)]
    )
    return parts.sum(axis=0) if len(strips) > 1 else parts[0]


def _dense_products(rows: Rows, sizes: np.ndarray, threads: int) -> np.ndarray:
    """`product_magnitudes` of dense rows and several thetas."""
    out = np.empty((rows.n, sizes.shape[1]))

    def part(low: int, high: int) -> None:
        for a, b in _blocks(rows, low, high):
            np.dot(_sizes(rows, a, b), sizes[:-1], out=out[a:b])

    with one_blas_thread_for(float(rows.stored) * sizes.shape[1]):
        run_parallel(part, rows.strips(threads, sizes.shape[1]))
    return out + sizes[-1]


def _dense_sums(rows: Rows, a: np.ndarray, threads: int) -> np.ndarray:
    """`sum_magnitudes` of dense rows and several a."""

    def part(low: int, high: int) -> np.ndarray:
        total = np.zeros((rows.d + 1, a.shape[1]))
        for start, stop in _blocks(rows, low, high):
            total[:-1] += _sizes(rows, start, stop).T @ a[start:stop]
        total[-1] = a[low:high].sum(axis=0)
        return total

    with one_blas_thread_for(float(rows.stored) * a.shape[1]):
        return np.sum(run_parallel(part, rows.strips(threads, a.shape[1])), axis=0)


def _blocks(rows: Rows, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows whose values stay in the cache."""
    height = max(64, 2**15 // max(1, rows.d))
    return ((start, min(high, start + height)) for start in range(low, high, height))


def _sizes(rows: Rows, low: int, high: int) -> np.ndarray:
    return np.abs(rows.take(slice(low, high))).astype(np.float64, copy=False)  # type: ignore[arg-type]


def compensated_sums(rows: Rows, a: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """``sum_i a_i x_i`` and ``sum_i |a_i x_i|``.

    The first is off by at most ``4 u`` of itself and ``u + 3 (n u)**2`` of the second (Ogita, Rump and Oishi 2005).
    """
    return _summed(rows, a, threads, None)


def exact_sums(rows: Rows, a: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """As `compensated_sums`, with the roundings of the products caught as well.

    The first is off by at most ``4 u`` of itself and ``3 (n u)**2`` of the second (the same paper), in three times the
    time; not finite where a value of a row is above 1e300. Larger coefficients are summed as smaller ones.
    """
    if not np.abs(a).max(initial=0.0) > _LARGE:
        return _summed(rows, a, threads, True)
    value, size = _summed(rows, np.ldexp(a, -_SHIFT), threads, True)
    with np.errstate(over="ignore"):
        return np.ldexp(value, _SHIFT), np.ldexp(size, _SHIFT)


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
    return total + lost, parts[:, 2].sum(axis=0) if len(strips) > 1 else parts[0, 2]


def product_depth(rows: Rows) -> int:
    """Roundings that a value ``<x_i, w> + b`` may go through, in whatever order it is summed."""
    return rows.longest[0] + 2


def sum_depth(rows: Rows, threads: int = 1) -> int:
    """Roundings that an entry of ``sum_i a_i x_i`` may go through: dense rows are summed by tiles."""
    parts, longest = len(rows.strips(threads)), rows.longest[1]
    return (longest if rows.sparse else min(longest, TILE + -(-longest // TILE) + 1)) + parts + 2
