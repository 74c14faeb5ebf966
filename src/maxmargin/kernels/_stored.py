"""Inner products kept, for those who need the kernels of many gammas on the same rows.

A search over gamma needs k(x, z) = t(<x, z>) for one t after the other. The inner products are computed once and kept
in float64; the values of a gamma, or of some rows and columns, then cost the transform alone (1.2 ns a value for RBF).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import jit
from ._accuracy import Accuracy, exact as given, roundings
from ._gram import Gram
from ._kernel import Kernel
from ._matrix_gram import MatrixGram
from ._tiled_gram import TiledGram
from ._transform import UNTRANSFORMED, transform_tile

# Kernel values below this are stored as 0. It changes nothing that is above a rounding error, and products with values
# near the smallest floats take a hundred cycles each: RBF with gamma=10 took 91 instead of 15 ms a problem.
_NOTHING = 1e-30
_STRIP = 64


@jit
def _fill(products, rows, columns, norms, params, out):  # type: ignore[no-untyped-def]
    """``out[t, j] = k(x_r, x_c)`` for r = rows[t], c = columns[j]."""
    width = columns.shape[0]
    column_norms, scratch = np.empty(width), np.empty(width)
    for j in range(width):
        column_norms[j] = norms[columns[j]]
    for first in range(0, rows.shape[0], _STRIP):
        last = min(rows.shape[0], first + _STRIP)
        strip = out[first:last]
        for t in range(last - first):
            source, target = products[rows[first + t]], strip[t]
            for j in range(width):
                target[j] = source[columns[j]]
        transform_tile(params, strip, last - first, width, norms, rows, first, column_norms, scratch)
        for t in range(last - first):
            target = strip[t]
            for j in range(width):
                target[j] = target[j] if abs(target[j]) > _NOTHING else 0.0


class StoredProducts:
    """What the kernels of a search are functions of, for n rows: n x n float64 values.

    Rows are kept in `order`, so that those that are often asked for together lie together; they are named as before.
    """

    def __init__(self, products: np.ndarray, norms: np.ndarray, order: np.ndarray, gram: Gram) -> None:
        self._products, self._norms, self._gram = products, norms, gram
        self._transformed = isinstance(gram, TiledGram)
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))

    @classmethod
    def of(cls, gram: Gram, order: np.ndarray | None = None) -> StoredProducts:
        """From a Gram matrix of any gamma; of a user's own values there is only one."""
        if order is None:
            order = np.arange(gram.shape[0])
        else:
            gram = gram.restricted(order)
        if isinstance(gram, TiledGram):
            return cls(*gram.products(), order, gram)
        values = np.ascontiguousarray(gram.whole(np.float64))
        return cls(values, np.zeros(len(values)), order, gram)

    @staticmethod
    def bytes_needed(n: int) -> int:
        """Memory for n rows."""
        return 8 * n * n

    def values(self, kernel: Kernel, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """``k(x_r, x_c)`` in float64 for rows r and columns c."""
        out = np.empty((len(rows), len(columns)))
        params: Any = getattr(kernel, "params", UNTRANSFORMED) if self._transformed else UNTRANSFORMED
        _fill(self._products, self._place[rows], self._place[columns], self._norms, params, out)
        return out

    def accuracy(self, kernel: Kernel, rows: np.ndarray) -> Accuracy:
        """How far these values may be off."""
        gram, place = self._gram, self._place[rows]
        if not isinstance(gram, TiledGram):
            return _with_zeros(gram.accuracy().of(place))
        kernel = replace(kernel, by_differences=True) if gram.kernel.by_differences else kernel  # type: ignore[type-var]
        return _with_zeros(kernel.accuracy(self._norms[place], gram.rows.longest[0]))  # type: ignore[attr-defined]


class FreshProducts:
    """The same without the memory: inner products are computed each time."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def values(self, kernel: Kernel, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """``k(x_r, x_c)`` in float64 for rows r and columns c."""
        out = kernel.gram(self._rows, None, 1).block(rows, columns, np.float64)
        out[np.abs(out) <= _NOTHING] = 0.0
        return out

    def accuracy(self, kernel: Kernel, rows: np.ndarray) -> Accuracy:
        """How far these values may be off."""
        return _with_zeros(kernel.gram(self._rows, None, 1).accuracy().of(rows))


def _with_zeros(found: Accuracy) -> Accuracy:
    """Where small values count as zero."""
    return replace(found, absolute=found.absolute + _NOTHING)


class StoredMatrix:
    """All values of one problem: float64 for what has to be exact, float32 for what has to be fast."""

    def __init__(self, exact: np.ndarray, accuracy: Accuracy | None = None) -> None:
        self.exact = exact
        self.coarse = exact.astype(np.float32)
        self.accuracy = given(np.sqrt(np.abs(exact.diagonal()))) if accuracy is None else accuracy

    def image_errors(self, betas: np.ndarray) -> np.ndarray:
        """How far ``betas @ exact`` may be from the product with the exact kernel, for each row of `betas`.

        The sizes of the terms, ``|betas| @ |K|``, come from float32 values, which takes half the time; a millionth
        more covers what that loses.
        """
        a = self.accuracy
        heavy = np.abs(betas)
        with np.errstate(over="ignore", invalid="ignore"):
            size = (heavy.astype(np.float32) @ np.abs(self.coarse)).astype(np.float64)
            size *= 1 + 1e-6 + 2 * len(self.exact) * 2.0**-24
            own = heavy @ a.scale
            size = np.where(np.isfinite(size), size, np.inf) + own[:, None] * a.scale * 1e-30
            errors = (a.relative + roundings(len(self.exact) + 2)) * size
            return (errors + a.absolute * own[:, None] * a.scale) * (1 + 1e-9)

    @property
    def length(self) -> float:
        """The largest length of a sample in feature space."""
        return float(self.accuracy.scale.max(initial=0.0))

    @staticmethod
    def bytes_needed(n: int) -> int:
        """Memory for n samples."""
        return 12 * n * n

    def gram(self) -> MatrixGram:
        """The same values as solvers of other kinds take them."""
        return MatrixGram(self.exact, symmetric=True)
