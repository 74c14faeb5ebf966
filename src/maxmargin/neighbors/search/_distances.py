"""Squared Euclidean distances of two rows in float64, from differences: nothing cancels.

Written over ``Rows.arrays`` of both sides, dense or CSR in any combination. Every decision about neighbours rests on
this one function; tiles of inner products only say which pairs need not be asked.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from ...data import is_dense
from ...engine import jit, jit_sums


@jit_sums
def _dense_dense(x, z):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        difference = np.float64(x[k]) - np.float64(z[k])
        total += difference * difference
    return total


@jit
def _dense_csr(x, data, indices, p, end):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        difference = np.float64(x[k])
        if p < end and indices[p] == k:
            difference -= np.float64(data[p])
            p += 1
        total += difference * difference
    return total


@jit
def _csr_csr(a, a_indices, p, p_end, b, b_indices, q, q_end):  # type: ignore[no-untyped-def]
    total = 0.0
    while p < p_end or q < q_end:  # columns ascend on both sides
        if q == q_end or (p < p_end and a_indices[p] < b_indices[q]):
            difference = np.float64(a[p])
            p += 1
        elif p == p_end or b_indices[q] < a_indices[p]:
            difference = np.float64(b[q])
            q += 1
        else:
            difference = np.float64(a[p]) - np.float64(b[q])
            p += 1
            q += 1
        total += difference * difference
    return total


def squared_distance(rows, i, columns, j):  # type: ignore[no-untyped-def]
    """||x_i - z_j||^2."""
    raise RuntimeError("squared_distance is called from compiled code only")


@overload(squared_distance)
def _squared_distance(rows, i, columns, j):  # type: ignore[no-untyped-def]
    if is_dense(rows) and is_dense(columns):
        return lambda rows, i, columns, j: _dense_dense(rows[0][i], columns[0][j])
    if is_dense(rows):
        return lambda rows, i, columns, j: _dense_csr(
            rows[0][i], columns[0], columns[1], columns[2][j], columns[2][j + 1]
        )
    if is_dense(columns):
        return lambda rows, i, columns, j: _dense_csr(columns[0][j], rows[0], rows[1], rows[2][i], rows[2][i + 1])
    return lambda rows, i, columns, j: _csr_csr(
        rows[0], rows[1], rows[2][i], rows[2][i + 1], columns[0], columns[1], columns[2][j], columns[2][j + 1]
    )


@jit
def distances_of_pairs(rows, columns, index, squares):  # type: ignore[no-untyped-def]
    """``squares[i, t] = ||x_i - z_j||^2`` for the columns j = index[i, t]."""
    for i in range(index.shape[0]):
        for t in range(index.shape[1]):
            squares[i, t] = squared_distance(rows, i, columns, index[i, t])
