"""The k best pairs (squared distance, index) seen so far, worst in front.

Of equal distances the smaller index is the better one, so that the k best do not depend on the order in which pairs
are seen. An empty place holds (inf, EMPTY).
"""

from __future__ import annotations

import numpy as np

from ...engine import jit_inner

EMPTY = np.iinfo(np.int64).max


def empty_heaps(m: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Squares and indices of m heaps with k places each."""
    return np.full((m, k), np.inf), np.full((m, k), EMPTY)


@jit_inner
def offer(squares, index, square, i):  # type: ignore[no-untyped-def]
    """Let a pair take the place of the worst one, if it is better."""
    if square > squares[0] or (square == squares[0] and i >= index[0]):
        return
    k = squares.shape[0]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= k:
            break
        other = child + 1
        if other < k and (
            squares[other] > squares[child] or (squares[other] == squares[child] and index[other] > index[child])
        ):
            child = other
        if squares[child] < square or (squares[child] == square and index[child] < i):
            break
        squares[place], index[place] = squares[child], index[child]
        place = child
    squares[place], index[place] = square, i


def in_order(squares: np.ndarray, index: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k best of each row, nearest first and of equal distances the smaller index first."""
    order = np.lexsort((index, squares))[:, :k]
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(index, order, axis=1)
