"""Shorter images of rows that tell many pairs to be far apart.

For orthonormal Q (p of d directions) the map

    x -> (r, Q(x - m)),   r = |x - m - Q'Q(x - m)|

brings no two rows farther apart: |x - z|^2 = |Q(x - z)|^2 + |the rest of x - the rest of z|^2, and the lengths of two
vectors differ by no more than the vectors. Any Q will do; the leading principal directions of some of the rows leave
the least to r.

In floating point, an image is off by at most e |x - m|, where e is the sum of the following (u, v: units of float64
and float32). The difference x - m, rounded: u. Q is off an orthonormal matrix by at most |QQ' - I|. The product is off
by gamma_d |Q|_F. So far, a share s. Then r^2 = |x - m|^2 - |Q(x - m)|^2 is off by t = 2s + 2(d + p + 4) u, which makes
at most sqrt(t) in r, because |a - b|^2 <= |a^2 - b^2| for lengths a, b. Rounding the image to float32: v.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data import Rows
from ...engine import jit, jit_sums, run_portions
from ._simd import LANES

# Coordinates of coarse and fine images, the length of the rest included, and of what follows for rows of many features.
COARSE, FINE = 31, 128
# Rows that are looked at for the directions, and how often the subspace is turned towards the leading ones.
_SAMPLE = 2048
_TURNS = 2
# Values of a block of rows in float64: 2 MB.
_BLOCK = 2**18

_U, _V = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Images:
    """Images of rows in float32, and how far off they are at most.

    The length of the rest comes first, and the coordinates of `coarse` are the first ones of `fine`. The image of all
    coordinates is (fine without the rest, far). Both are filled up with zeros to a multiple of 16 coordinates.
    """

    coarse: np.ndarray
    fine: np.ndarray
    far: np.ndarray  # of no coordinates for rows of few features
    errors: np.ndarray

    def part(self, chosen: np.ndarray) -> Images:
        """Those of some rows."""
        return Images(self.coarse[chosen], self.fine[chosen], self.far[chosen], self.errors[chosen])

    @property
    def leading(self) -> np.ndarray:
        """The first few coordinates, by which near rows are told."""
        return np.ascontiguousarray(self.coarse[:, 1:13])


def directions(d: int) -> int:
    """How many directions images of rows with d features have: less than half of them, and no more than 254."""
    return 2 * FINE - 2 if d >= 4 * FINE else min(FINE, d // 2) - 1


class Projection:
    """The map, made for some dense rows.

    Attributes
    ----------
    kept : float
        Share of the rows' squared lengths that the directions keep, estimated.

    """

    def __init__(self, rows: Rows) -> None:
        self.mean = rows.mean
        p = directions(rows.d)
        self.basis, self.kept = _leading(rows, p)
        d = rows.d
        off = float(np.linalg.norm(self.basis.T @ self.basis - np.eye(p))) + d * p * _U
        share = _U + off + (d + 4) * _U * float(np.linalg.norm(self.basis))
        self.error = share + np.sqrt(2 * share + 2 * (d + p + 4) * _U) + 2 * _V

    def images(self, rows: Rows, order: np.ndarray, threads: int) -> Images:
        """Images of the rows in `order`."""
        d, p = self.basis.shape
        n = len(order)
        coarse = np.zeros((n, COARSE), np.float32)
        fine = np.zeros((n, -(-min(FINE, p + 1) // LANES) * LANES), np.float32)
        far = np.zeros((n, FINE if p >= FINE else 0), np.float32)
        lengths = np.empty(n)

        def fill(a: int, b: int) -> None:
            block = rows.arrays[0][order[a:b]] - self.mean
            _finish(block, block @ self.basis, coarse[a:b], fine[a:b], far[a:b], lengths[a:b])

        step = max(64, _BLOCK // d)
        run_portions(fill, [(a, min(a + step, n)) for a in range(0, n, step)], threads)
        # tiny: what underflows in float32
        return Images(coarse, fine, far, self.error * lengths + 2 * FINE * float(np.finfo(np.float32).tiny))


@jit
def _finish(block, image, coarse, fine, far, lengths):  # type: ignore[no-untyped-def]
    """Write images with the lengths of what they leave."""
    few = coarse.shape[1] - 1
    last = min(image.shape[1], fine.shape[1] - 1)
    for i in range(block.shape[0]):
        square = _squared_length(block[i])
        lengths[i] = np.sqrt(square)
        square -= _squared_length(image[i, :few])
        coarse[i, 0], coarse[i, 1:] = np.sqrt(max(square, 0.0)), image[i, :few]
        square -= _squared_length(image[i, few:last])
        fine[i, 0], fine[i, 1 : last + 1] = np.sqrt(max(square, 0.0)), image[i, :last]
        if far.shape[1]:
            square -= _squared_length(image[i, last:])
            far[i, 0], far[i, 1:] = np.sqrt(max(square, 0.0)), image[i, last:]


@jit_sums
def _squared_length(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * x[k]
    return total


def _leading(rows: Rows, p: int) -> tuple[np.ndarray, float]:
    """About the p leading principal directions of some rows, as columns in their order; the share that they keep."""
    some = np.linspace(0, rows.n - 1, min(rows.n, _SAMPLE)).astype(np.int64)
    X = rows.dense(some, rows.mean, np.float64)
    Q = np.random.default_rng(0).standard_normal((rows.d, p))
    for _ in range(_TURNS):
        Q, _ = np.linalg.qr(X.T @ (X @ Q))
    image = X @ Q
    squares, turn = np.linalg.eigh(image.T @ image)
    Q, _ = np.linalg.qr(Q @ turn[:, ::-1])
    return Q, float(squares.sum() / max(np.square(X).sum(), np.finfo(np.float64).tiny))
