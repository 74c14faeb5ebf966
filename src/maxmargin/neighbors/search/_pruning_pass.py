"""One pass over the images of columns: which of them are among the k nearest of each row.

An image x' of a row is a shorter row with |x' - z'| <= |x - z| + e_x + e_z (`Projection` makes them). A pair passes a
coarse test, a fine one, and what passes both is asked for its distance in float64:

    coarse   |x'|^2 + |z'|^2 - 2<x', z'>   from a matrix product of the first few coordinates, with its rounding errors
    fine     sum (x'_k - z'_k)^2           over all coordinates of the images

are lower bounds of (|x - z| + e_x + e_z)^2 up to rounding. A pair whose bound exceeds what the k-th distance so far
makes of it is out. The answer is that of asking all pairs, to the last bit.

The coarse product has one more coordinate, 1 for rows and |z'|^2 for columns, so that a comparison is all that is left
to do with it. Rounding moves it by at most gamma (2 |x'| |z'| + |z'|^2) <= gamma (|x'|^2 + 2 |z'|^2), which `Pruning`
takes off the squares beforehand.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner
from ._distances import squared_distance
from ._heap import offer
from ._simd import LANES, lowest_bit, square_apart, squares_of_boxes, within

# Columns at least that are asked to begin with.
_SEEDS = 16
# More than all squares of an image that underflow in float32 together.
_UNDERFLOW = 512 * float(np.finfo(np.float32).tiny)


@jit_inner
def _limits(square, error, floor, growth, spread):  # type: ignore[no-untyped-def]
    """The coarse score and the fine square above which a pair is out, rounded up."""
    root = np.sqrt(square * (1.0 + growth)) + error
    top = root * root
    coarse = top - floor
    return np.float32(coarse + 4e-7 * abs(coarse) + _UNDERFLOW), np.float32(top * (1.0 + spread) + _UNDERFLOW)


@jit_inner
def _promising(scores, m, first, best, place):  # type: ignore[no-untyped-def]
    """Offer places with low scores to a heap of them."""
    limit = np.float32(best[0])
    for begin in range(0, m, LANES):
        mask = within(scores, begin, limit)
        if begin + LANES > m:
            mask &= (1 << (m - begin)) - 1
        while mask:
            j = begin + lowest_bit(mask)
            mask &= mask - 1
            offer(best, place, np.float64(scores[j]), first + j)
            limit = np.float32(best[0])


@jit
def seed(rows, order, start, stop, visits, query, columns, images, own, out):  # type: ignore[no-untyped-def]
    """Ask the columns with the lowest coarse scores in the first chunks, so that limits are small from the start.

    Parameters are those of `prune`; of the rows start:stop, the heaps have to be empty.
    """
    squares, index = out
    coarse, panels, ids = query[0], images[0], images[3]
    width, count = panels.shape[2], max(_SEEDS, 2 * squares.shape[1])
    scores = np.empty((stop - start, width), np.float32)
    best = np.full((stop - start, count), np.inf)
    place = np.full((stop - start, count), -1)
    for chunk in visits:
        np.dot(coarse[start:stop], panels[chunk], scores)
        m = min(width, ids.shape[0] - chunk * width)
        for t in range(stop - start):
            _promising(scores[t], m, chunk * width, best[t], place[t])
    for t in range(start, stop):
        r = order[t]
        for s in range(count):
            if place[t - start, s] >= 0:
                i = ids[place[t - start, s]]
                if not (own and i == r):
                    offer(squares[t], index[t], squared_distance(rows, r, columns, i), i)


@jit_inner
def _is_among(i, index):  # type: ignore[no-untyped-def]
    for s in range(index.shape[0]):
        if index[s] == i:
            return True
    return False


@jit_inner
def _gather(coarse, start, reach, chunk, limits, tile, active):  # type: ignore[no-untyped-def]
    """Copy the rows that a chunk is in reach of to `tile`; how many."""
    count = 0
    for t in range(reach.shape[0]):
        if reach[t, chunk] <= limits[t]:
            active[count] = t
            tile[count] = coarse[start + t]
            count += 1
    return count


@jit
def distances_of_boxes(coarse, boxes, reach):  # type: ignore[no-untyped-def]
    """``reach[t, c]``: the squared distance of row t from the box of chunk c; boxes lie in groups of 16."""
    near, x = np.empty(LANES, np.float32), np.empty(coarse.shape[1], np.float32)
    step = 2 * LANES * x.shape[0]
    for t in range(reach.shape[0]):
        x[:] = coarse[t]
        for c in range(0, reach.shape[1], LANES):
            squares_of_boxes(boxes, c // LANES * step, x, np.float32(0.0), near)
            for j in range(c, min(reach.shape[1], c + LANES)):
                reach[t, j] = near[j - c]


@jit
def prune(rows, order, start, stop, visits, query, columns, images, reach, growth, spread, own, out):  # type: ignore[no-untyped-def]
    """Offer columns to the heaps of the rows r = order[t], t in start:stop; pairs in the product, passing, and asked.

    Parameters
    ----------
    visits : chunks of columns, in the order in which they are visited
    query : per place t, the image of few and of all coordinates, e_x + e_z and |x'|^2 rounded down
    images : of columns in chunks, (-2z', |z'|^2 rounded down); their images of all coordinates; their indices
    reach : squared distances of the rows from the boxes of the chunks
    growth, spread : relative errors of a distance in float64 and of a sum of squares of images
    own : whether rows are columns, of which each leaves out itself
    out : the heaps, (squares, index), each of shape (len(order), k)

    """
    squares, index = out
    coarse, fine, far, errors, floors = query
    panels, fine_images, far_images, ids = images
    width, height = panels.shape[2], stop - start
    near, beyond = fine.shape[0] // order.shape[0], far.shape[0] // order.shape[0]
    tile, scores = np.empty((height, coarse.shape[1]), np.float32), np.empty((height, width), np.float32)
    active, limits, fine_limits = np.empty(height, np.int64), np.empty(height, np.float32), np.empty(height, np.float32)
    for t in range(height):
        s = start + t
        limits[t], fine_limits[t] = _limits(squares[s, 0], errors[s], floors[s], growth, spread)
    compared, passed, asked = 0, 0, 0
    for chunk in visits:
        count = _gather(coarse, start, reach, chunk, fine_limits, tile, active)
        if count == 0:
            continue
        np.dot(tile[:count], panels[chunk], scores[:count])
        m = min(width, ids.shape[0] - chunk * width)
        compared += count * m
        for c in range(count):
            t = active[c]
            s, score, limit, fine_limit = start + t, scores[c], limits[t], fine_limits[t]
            r, best, found = order[s], squares[s], index[s]
            for begin in range(0, m, LANES):
                mask = within(score, begin, limit)
                if begin + LANES > m:
                    mask &= (1 << (m - begin)) - 1
                while mask:
                    place = chunk * width + begin + lowest_bit(mask)
                    mask &= mask - 1
                    passed += 1
                    i = ids[place]
                    square = square_apart(fine, s * near, fine_images, place * near, near)
                    # nothing is nearer than a copy
                    if square > fine_limit or (own and i == r) or (best[0] == 0.0 and i > found[0]):
                        continue
                    rest = fine[s * near] - fine_images[place * near]
                    square += square_apart(far, s * beyond, far_images, place * beyond, beyond) - rest * rest
                    if (beyond and square > fine_limit) or _is_among(i, found):
                        continue
                    asked += 1
                    offer(best, found, squared_distance(rows, r, columns, i), i)
                    limit, fine_limit = _limits(best[0], errors[s], floors[s], growth, spread)
            limits[t], fine_limits[t] = limit, fine_limit
    return compared, passed, asked
