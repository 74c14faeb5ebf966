"""Cholesky's factorisation of a large matrix on several threads.

Column blocks from the left: what is finished is multiplied into the next block of columns, whose diagonal block is then
factorised and inverted. All but that are products of matrices, whose rows the threads share, with BLAS held to one
thread in each. BLAS's own threads wait for each other by spinning: on two cores that other programs use too, `dpotrf`
of 2000 rows took 300 to 2400 ms with two of them and 96 with one, and this takes 103.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg.lapack import get_lapack_funcs

from ...engine import one_blas_thread, run_parallel

_WIDTH = 128  # columns of a block: wider ones spend more on the triangle of the diagonal block
_ONE_THREAD = 700  # rows up to which LAPACK's takes less


def factorise(A: np.ndarray, n_threads: int = 1) -> bool:
    """Write L with ``L L' = A`` over the lower half of A, C-contiguous float32 or float64; False if there is none.

    The half above the diagonal is neither read nor written.
    """
    n = len(A)
    potrf, trtri = get_lapack_funcs(("potrf", "trtri"), (A,))
    with one_blas_thread():
        if n <= _ONE_THREAD:
            # the lower half of C's order is the upper half of Fortran's
            return bool(potrf(A.T, lower=0, clean=0, overwrite_a=1)[1] == 0)
        for first in range(0, n, _WIDTH):
            last = min(n, first + _WIDTH)
            if first:
                run_parallel(_subtract_finished, [(A, first, last, *rows) for rows in _strips(first, n, n_threads)])
            R, info = potrf(A[first:last, first:last].T, lower=0, clean=0)
            if info != 0:
                return False
            lower = np.tri(last - first, dtype=bool)
            A[first:last, first:last][lower] = R.T[lower]
            if last < n:
                inverse = np.triu(trtri(R, lower=0)[0])
                run_parallel(_divide, [(A, first, last, inverse, *rows) for rows in _strips(last, n, n_threads)])
    return True


def _strips(first: int, last: int, n_threads: int) -> list[tuple[int, int]]:
    count = min(n_threads, max(1, (last - first) // _WIDTH))
    return list(pairwise(first + (last - first) * t // count for t in range(count + 1)))


def _subtract_finished(A: np.ndarray, first: int, last: int, start: int, stop: int) -> None:
    """What the finished columns make of rows of the block; of its own rows the part above the diagonal stays."""
    change = A[start:stop, :first] @ A[first:last, :first].T
    inner = min(max(start, last), stop)
    if start < inner:
        below = np.arange(start, inner)[:, None] >= np.arange(first, last)
        A[start:inner, first:last] -= np.where(below, change[: inner - start], 0)
    A[inner:stop, first:last] -= change[inner - start :]


def _divide(A: np.ndarray, first: int, last: int, inverse: np.ndarray, start: int, stop: int) -> None:
    A[start:stop, first:last] = A[start:stop, first:last] @ inverse
