"""Compiled passes of k-means that look at one row at a time: lengths, sums, distances from the own centre."""

from __future__ import annotations

from ...data import by_storage, row_add, row_dot
from ...engine import jit, jit_sums


@jit_sums
def _dense_apart(x, shift, c):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        apart = x[k] - shift[k] - c[k]
        total += apart * apart
    return total


def _row_apart_dense(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
    return _dense_apart(rows[0][i], shift, c)


def _row_apart_csr(rows, i, shift, norm, c, c_norm):  # type: ignore[no-untyped-def]
    return max(norm - 2 * row_dot(rows, i, c) + c_norm, 0.0)


row_apart = by_storage(
    _row_apart_dense,
    _row_apart_csr,
    "``||x_i - shift - c||^2`` in float64: by differences where they come cheap, that is, for dense rows.",
)


@jit
def own_squares_pass(rows, start, stop, shift, norms, centres, centre_norms, labels, out):  # type: ignore[no-untyped-def]
    """Squared distances of the rows from their own centres."""
    for i in range(start, stop):
        k = labels[i]
        out[i] = row_apart(rows, i, shift, norms[i], centres[k], centre_norms[k])


def _row_shifted_add_dense(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
    x = rows[0][i]
    for k in range(x.shape[0]):
        out[k] += a * (x[k] - shift[k])


def _row_shifted_add_csr(rows, i, shift, a, out):  # type: ignore[no-untyped-def]
    row_add(rows, i, a, out)


row_shifted_add = by_storage(
    _row_shifted_add_dense,
    _row_shifted_add_csr,
    "``out += a (x_i - shift)`` for dense rows; CSR rows are never shifted.",
)


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
