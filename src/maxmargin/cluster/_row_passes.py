"""Compiled passes of k-means that look at one row at a time: lengths, sums, distances from the own centre."""

from __future__ import annotations

from numba.extending import overload

from ..data import row_add, row_dot
from ..engine import jit, jit_sums
from ._two_nearest import is_dense


@jit_sums
def _dense_apart(x, shift, c):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        apart = x[k] - shift[k] - c[k]
        total += apart * apart
    return total


def row_apart(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
    """``||x_i - shift - c||^2`` in float64: by differences where they come cheap, that is, for dense rows."""
    raise RuntimeError("row_apart is called from compiled code only")


@overload(row_apart)
def _row_apart(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
    if is_dense(rows):
        return lambda rows, i, shift, norm, c, c_norm: _dense_apart(rows[0][i], shift, c)

    def csr(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
        return max(norm - 2 * row_dot(rows, i, c) + c_norm, 0.0)

    return csr


@jit
def own_squares_pass(rows, start, stop, shift, norms, centres, centre_norms, labels, out):  # type: ignore[no-untyped-def]
    """Squared distances of the rows from their own centres."""
    for i in range(start, stop):
        k = labels[i]
        out[i] = row_apart(rows, i, shift, norms[i], centres[k], centre_norms[k])


def row_shifted_add(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
    """``out += a (x_i - shift)`` for dense rows; CSR rows are never shifted."""
    raise RuntimeError("row_shifted_add is called from compiled code only")


@overload(row_shifted_add)
def _row_shifted_add(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
    if is_dense(rows):

        def dense(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for k in range(x.shape[0]):
                out[k] += a * (x[k] - shift[k])

        return dense

    def csr(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
        row_add(rows, i, a, out)

    return csr


@jit
def sums_pass(rows, start, stop, shift, weights, labels, sums):  # type: ignore[no-untyped-def]
    """Add the (shifted) rows to the sums of their clusters."""
    for i in range(start, stop):
        row_shifted_add(rows, i, shift, weights[i], sums[labels[i]])


@jit
def moves_pass(rows, moved, start, stop, shift, weights, before, labels, sums):  # type: ignore[no-untyped-def]
    """Take the rows moved[start:stop] from the sums of their clusters before, and add them to those of now."""
    for t in range(start, stop):
        i = moved[t]
        row_shifted_add(rows, i, shift, -weights[i], sums[before[i]])
        row_shifted_add(rows, i, shift, weights[i], sums[labels[i]])
