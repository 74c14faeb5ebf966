"""Search by pruning: images of rows leave few pairs to be asked (`prune`), if the data have directions worth the name.

Columns are in chunks of near ones, each in a box, and rows in blocks of near ones. A block visits the nearest chunks
first, so that the k-th distance is small early, and a row leaves out the chunks whose boxes are too far. Whether all
this repays is tried out with a few rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...data import Rows
from ...engine import run_portions
from ._heap import empty_heaps
from ._partition import partition
from ._projection import COARSE, Images, Projection, directions
from ._pruning_pass import distances_of_boxes, prune, seed
from ._simd import LANES

if TYPE_CHECKING:
    from ._tiles import Search

# Columns of a chunk, rows of a block, chunks from which the first candidates come, and pairs of a portion of the work.
_WIDTH, _HEIGHT, _SEED_CHUNKS = 512, 128, 8
_PORTION_PAIRS = 20_000_000
# Nanoseconds on one core, about: a feature of a pair in a product, a pair in a tile, one in the fine test, and a
# feature of a pair that is asked (most often of rows that are in no cache).
_PRODUCT, _COMPARED, _FINE, _ASKED = 0.027, 0.3, 30.0, 0.5

# The same for a product in float64; rows whose images take as long as finding directions; how often all that has to be
# repaid by what tiles would take. Fashion-MNIST, 50000 columns: 1700 rows.
_DOUBLE_PRODUCT, _SAMPLED, _REPAID = 0.03, 12_000, 5
# Rows that try pruning out, and the share of squared lengths that their directions have to keep to be tried at all.
_PILOT, _KEPT = 32, 0.6
# Lengths whose squares stay far from the ends of float32.
_LONGEST = 1e15

_U, _V = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Found:
    """Heaps of the rows, and how many pairs were compared, passed the coarse test, and were asked."""

    squares: np.ndarray
    index: np.ndarray
    compared: int
    passed: int
    asked: int

    def repays(self, pairs: int, d: int) -> bool:
        """Whether so many pairs took clearly less time than they do in plain tiles."""
        compared = (_PRODUCT * (COARSE + 1) + _COMPARED) * self.compared
        return compared + _FINE * self.passed + _ASKED * d * self.asked < 0.8 * (_PRODUCT * d + 2 * _COMPARED) * pairs


def worth_trying(n: int, d: int, rows: int) -> bool:
    """Whether directions of a sample and images of n columns take little time beside tiles with so many rows."""
    images = _DOUBLE_PRODUCT * d * directions(d) * (n + _SAMPLED)
    return _REPAID * images <= (_PRODUCT * d + 2 * _COMPARED) * n * rows


class Pruning:
    """Columns with their images, in chunks; none if they are not made for it.

    Parameters
    ----------
    columns : Rows
        Dense.
    threads : int

    """

    def __init__(self, columns: Rows, threads: int) -> None:
        self.projection = Projection(columns)
        self.ids = np.empty(0, np.int64)
        if self.projection.kept < _KEPT:
            return  # rows are about as long in all directions
        images = self.projection.images(columns, np.arange(columns.n), threads)
        self.error = float(images.errors.max(initial=0.0))
        if self.error > self.projection.error * _LONGEST:
            return
        self.ids = partition(images.leading, _WIDTH, threads)
        images = images.part(self.ids)
        edges = np.arange(0, len(self.ids), _WIDTH)
        self.centres = _means(images.coarse, edges)
        self.boxes = _boxes(images.coarse, edges)
        self.arrays = (_panels(images.coarse), images.fine.ravel(), images.far.ravel(), self.ids)

    def update(self, search: Search, order: np.ndarray, squares: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Offer all columns to the empty heaps of rows, if that is faster than by tiles; the places that are left."""
        left = np.ones(len(order), dtype=bool)

        def run(places: np.ndarray, height: int) -> bool:
            if not len(places):  # few rows, and the pilot had them all
                return False
            images = self.projection.images(search.rows, order[places], search.n_threads)
            if images.errors.max(initial=0.0) > self.projection.error * _LONGEST:
                return False
            found = self._search(search, order[places], images, squares.shape[1], height)
            squares[places], index[places] = found.squares, found.index
            left[places] = False
            return found.repays(len(places) * len(self.ids), search.rows.d)

        if len(self.ids):
            pilot = np.arange(0, len(order), -(-len(order) // _PILOT))
            if run(pilot[:4], 1) and run(pilot[4:], 1):
                run(np.flatnonzero(left), _HEIGHT)
        return np.flatnonzero(left)

    def _search(self, search: Search, order: np.ndarray, images: Images, k: int, height: int) -> Found:
        """The k nearest of all columns for the rows in `order`, of which the images are given."""
        places = partition(images.leading, height, search.n_threads)
        order, images = order[places], images.part(places)
        coarse = images.coarse
        floors = np.einsum("ij,ij->i", coarse, coarse, dtype=np.float64) * (1 - _gamma() - 8 * _V)
        coarse_and_one = np.column_stack([coarse, np.ones(len(order), np.float32)])
        query = (coarse_and_one, images.fine.ravel(), images.far.ravel(), images.errors + self.error, floors)
        visits = self._visits(coarse, height)
        growth = 2 * (search.rows.d + 16) * _U
        spread = 2 * (images.fine.shape[1] + images.far.shape[1] + 16) * _V
        heaps = empty_heaps(len(order), k)
        step = max(1, _PORTION_PAIRS // (height * _WIDTH))

        def task(block: int) -> np.ndarray:
            start, stop = block * height, min((block + 1) * height, len(order))
            reach = np.empty((stop - start, visits.shape[1]), np.float32)
            distances_of_boxes(coarse[start:stop], self.boxes, reach)
            rows = (search.rows.arrays, order, start, stop)
            columns = (search.columns.rows.arrays, self.arrays)
            seed(*rows, visits[block, :_SEED_CHUNKS], query, *columns, search.own, heaps)
            counts = np.zeros(3, np.int64)
            for a in range(0, visits.shape[1], step):
                part = visits[block, a : a + step]
                counts += prune(*rows, part, query, *columns, reach, growth, spread, search.own, heaps)
            return counts

        counts = sum(run_portions(task, [(block,) for block in range(len(visits))], search.n_threads))
        squares, index = empty_heaps(len(order), k)
        squares[places], index[places] = heaps
        return Found(squares, index, *(int(count) for count in counts))

    def _visits(self, coarse: np.ndarray, height: int) -> np.ndarray:
        """For each block of rows, the chunks of columns in the order of their distance."""
        means = _means(coarse, np.arange(0, len(coarse), height))
        return np.argsort(np.einsum("ij,ij->i", self.centres, self.centres) - 2 * means @ self.centres.T, axis=1)


def _gamma() -> float:
    """Relative error of a product of coarse images."""
    return (COARSE + 17) * _V


def _means(images: np.ndarray, edges: np.ndarray) -> np.ndarray:
    counts = np.diff(edges, append=len(images))
    return np.add.reduceat(images, edges, axis=0) / counts[:, None]


def _boxes(images: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Boxes around the images of each chunk, 16 side by side, flat."""
    boxes = np.zeros((-(-len(edges) // LANES), LANES, 2, COARSE), np.float32)
    each = boxes.reshape(-1, 2, COARSE)
    np.minimum.reduceat(images, edges, axis=0, out=each[: len(edges), 0])
    np.maximum.reduceat(images, edges, axis=0, out=each[: len(edges), 1])
    return np.ascontiguousarray(boxes.transpose(0, 3, 2, 1)).ravel()


def _panels(images: np.ndarray) -> np.ndarray:
    """Chunks of images as a product needs them."""
    chunks = -(-len(images) // _WIDTH)
    panels = np.zeros((chunks, COARSE + 1, _WIDTH), np.float32)
    underflow = 4 * (COARSE + 8) * float(np.finfo(np.float32).tiny)
    squares = np.einsum("ij,ij->i", images, images, dtype=np.float64)
    lows = squares * (1 - 2 * _gamma() - 8 * _V) - underflow
    for chunk in range(chunks):
        part = slice(chunk * _WIDTH, (chunk + 1) * _WIDTH)
        m = len(lows[part])
        np.multiply(images[part].T, -2, out=panels[chunk, :-1, :m])
        panels[chunk, -1, :m] = lows[part]
    return panels
