"""The kernel matrix of rows on a cluster: its products are computed by tiles, where the rows are.

Certificates ask a `Gram` for products and for bounds of their rounding errors; they need not know where it is. A
product with few columns has these rows sent to every partition; one with many has groups of them stacked on the
workers, and a tile for each pair of a partition and a group. Of what is computed only sums come to the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows
from ..engine import one_blas_thread
from ..kernels import RBF, Accuracy, Gram, roundings
from ._cluster import added
from ._part import Part
from ._partitions import Partitions

# Columns that are sent to every partition, and columns of a group.
_FEW, _GROUP = 4096, 8192
# Values that are off by more, relative to themselves, are computed from differences of the rows.
_INACCURATE = 1e-9
_ROOM = 1 + 1e-9


class RemoteRows:
    """Rows on a cluster, some of which are fetched by their numbers."""

    def __init__(self, samples: Partitions) -> None:
        self.samples, self.shape, self.sparse = samples, (samples.n, samples.d), samples.sparse

    def __getitem__(self, index: np.ndarray) -> Any:
        index = np.asarray(index)
        numbers, back = np.unique(index, return_inverse=True)
        found = self.samples.cluster.gathered("fetch-rows", self.pieces(numbers))
        if not found:
            return sp.csr_array((0, self.shape[1])) if self.sparse else np.empty((0, self.shape[1]))
        return stacked(found)[back]

    def pieces(self, numbers: np.ndarray) -> list[Any]:
        """Tasks that take rows of ascending numbers from their partitions."""
        places = self.divided(numbers)
        pairs = [(part, local) for part, local in zip(self.samples.parts, places, strict=True) if len(local)]
        return self.samples.cluster.mapped("take-rows", _taken, pairs)

    def divided(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Ascending numbers, by partition and counted from the first row of each."""
        starts = self.samples.starts
        pieces = np.split(numbers, np.searchsorted(numbers, starts[1:]))
        return [piece - start for piece, start in zip(pieces, starts, strict=True)]


def stacked(pieces: Sequence[Any]) -> Any:
    """Rows below one another."""
    if len(pieces) == 1:
        return pieces[0]
    return sp.csr_array(sp.vstack(pieces)) if any(sp.issparse(piece) for piece in pieces) else np.vstack(pieces)


def _taken(part: Part, index: np.ndarray) -> Any:
    return part.X[index]


@dataclass(frozen=True, eq=False)
class RemoteGram(Gram):
    """The matrix of the rows with the numbers ``index``, and what is known of each of them."""

    rows: RemoteRows
    kernel: Any
    index: np.ndarray
    values: np.ndarray  # the diagonal
    precision: Accuracy

    @classmethod
    def of(cls, rows: RemoteRows, kernel: Any) -> RemoteGram:
        """Of all rows, about their mean if the kernel does not mind."""
        samples = rows.samples
        centre = np.zeros(samples.d)
        if kernel.shift_invariant and not rows.sparse:
            total, n = samples.cluster.total("kernel-mean", _sums, samples.parts)
            centre = total / n
        found = samples.cluster.each("kernel-diagonal", _extent, samples.parts, kernel, centre)
        norms, values = (np.concatenate([one[place] for one in found]) for place in range(2))
        terms = max(one[2] for one in found)
        if kernel.shift_invariant:  # tiles lie about other points, which are no farther from here than the farthest row
            norms = np.full(len(norms), 4 * float(norms.max()))
        accuracy = kernel.accuracy(norms, terms)
        if isinstance(kernel, RBF) and not accuracy.relative.max() <= _INACCURATE:
            kernel = replace(kernel, by_differences=True)
            accuracy = kernel.accuracy(norms, terms)
        return cls(rows, kernel, np.arange(samples.n), values, accuracy)

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Rows and columns."""
        return len(self.index), len(self.index)

    def diagonal(self) -> np.ndarray:
        return self.values.copy()

    def accuracy(self) -> Accuracy:
        return self.precision

    def restricted(self, index: np.ndarray) -> RemoteGram:
        return replace(self, index=self.index[index], values=self.values[index], precision=self.precision.of(index))

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        numbers, back = np.unique(self.index[i], return_inverse=True)
        asked, cluster = self._asked(numbers), self.rows.samples.cluster
        tasks = cluster.mapped("kernel-block", _block, asked, self.rows[self.index[j]], self.kernel)
        found = cluster.gathered("kernel-block", tasks)
        return np.concatenate([np.empty((0, len(j))), *found])[back].astype(dtype)

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        rows = self.index if i is None else self.index[i]
        if len(rows) <= _FEW < len(j):
            return self._across(rows, self.index[j], coef)
        return self._products(rows, self.index[j], coef)[0]

    def _across(self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Products of few rows with many columns: the rows go to where the columns are."""
        order = np.argsort(columns, kind="stable")
        places = self.rows.divided(columns[order])
        ends = np.cumsum([len(place) for place in places])[:-1]
        shares = np.split(np.ascontiguousarray(coef[:, order]), ends, axis=1)
        samples = self.rows.samples
        asked = [one for one in zip(samples.parts, places, shares, strict=True) if len(one[1])]
        tasks = samples.cluster.mapped("kernel-across", _across_part, asked, self.rows[rows], self.kernel)
        return np.asarray(samples.cluster.summed("kernel-across", tasks)[0])

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        f, size, error, tiles = self._products(self.index, self.index[j], coef)
        additions = len(j) + tiles + 8
        # tiles lie about another point than all rows do: their own errors are counted in, too
        return f, np.maximum(size, error / roundings(additions)) * _ROOM, additions

    def _products(
        self, rows: np.ndarray, columns: np.ndarray, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Products, sums of the sizes of their terms, bounds of their errors, and how many tiles they are sums of."""
        order = np.argsort(columns, kind="stable")
        columns, coef = columns[order], np.ascontiguousarray(coef[:, order])
        numbers, back = np.unique(rows, return_inverse=True)
        groups = self._groups(columns, coef)
        tasks = self._tiles(numbers, groups)
        found = self.rows.samples.cluster.gathered("kernel-sums", tasks)
        f, size, error = (np.concatenate([one[place] for one in found], axis=1)[:, back] for place in range(3))
        return f, size, error + roundings(len(groups) + 2) * size, len(groups)

    def _groups(self, columns: np.ndarray, coef: np.ndarray) -> list[tuple[Any, np.ndarray]]:
        """Rows of the columns with their coefficients, as arrays or as tasks that stack them."""
        if len(columns) <= _FEW:
            return [(self.rows[columns], coef)]
        cluster, groups = self.rows.samples.cluster, []
        for begin in range(0, len(columns), _GROUP):
            pieces = self.rows.pieces(columns[begin : begin + _GROUP])
            stack = cluster.mapped("stack-rows", _stack, [tuple(pieces)])[0]
            groups.append((stack, coef[:, begin : begin + _GROUP]))
        return groups

    def _tiles(self, numbers: np.ndarray, groups: list[tuple[Any, np.ndarray]]) -> list[Any]:
        """One task for each partition that has some of the rows."""
        cluster, asked, tiles = self.rows.samples.cluster, self._asked(numbers), []
        for columns, coef in groups:
            if hasattr(columns, "dask"):
                pairs = [(*one, columns) for one in asked]
                tiles.append(cluster.mapped("kernel-tile", tile, pairs, coef, self.kernel))
            else:
                tiles.append(cluster.mapped("kernel-tile", tile, asked, columns, coef, self.kernel))
        if len(tiles) == 1:
            return tiles[0]
        return cluster.mapped("kernel-sums", _added, list(zip(*tiles, strict=True)))

    def _asked(self, numbers: np.ndarray) -> list[tuple]:
        """Partitions that have some of these rows, and which of their own these are: None for all."""
        samples = self.rows.samples
        return [
            (part, local if len(local) < fact.n else None)
            for part, local, fact in zip(samples.parts, self.rows.divided(numbers), samples.facts, strict=True)
            if len(local)
        ]


# ---------------------------------------------------------------- on the partitions


def tile(
    part: Part, index: np.ndarray | None, columns: Any, coef: np.ndarray, kernel: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``coef @ K.T`` for rows of a partition and others, sums of the sizes of the terms, and bounds of the errors."""
    with one_blas_thread():
        X = part.X if index is None else part.X[index]
        gram, sizes, j = kernel.gram(Rows(X), Rows(columns), 1), np.abs(coef), np.arange(columns.shape[0])
        n, terms = X.shape[0], max(gram.rows.longest[0], gram.columns.longest[0])
        accuracy = gram.kernel.accuracy(np.concatenate(gram.squared_norms), terms)
        reach = np.multiply.outer(sizes @ accuracy.scale[n:], accuracy.scale[:n])
        if gram.kernel.non_negative:
            found = gram.product(j, np.concatenate([coef, sizes]), np.float64)
            f, size = found[: len(coef)], found[len(coef) :]
        else:
            f, size = gram.product(j, coef, np.float64), reach
        error = (accuracy.relative[:n] + roundings(len(j) + 8)) * size + accuracy.absolute * reach
        return f, size, error * _ROOM


def _block(part: Part, index: np.ndarray | None, columns: Any, kernel: Any) -> np.ndarray:
    X = part.X if index is None else part.X[index]
    with one_blas_thread():
        gram = kernel.gram(Rows(X), Rows(columns), 1)
        return np.asarray(gram.block(np.arange(X.shape[0]), np.arange(columns.shape[0]), np.float64))


def _across_part(part: Part, index: np.ndarray, coef: np.ndarray, rows: Any, kernel: Any) -> tuple:
    with one_blas_thread():
        gram = kernel.gram(Rows(rows), Rows(part.X[index]), 1)
        return (gram.product(np.arange(len(index)), coef, np.float64),)


def _added(*tiles: tuple) -> tuple:
    return added(list(tiles))


def _stack(*pieces: Any) -> Any:
    return stacked(pieces)


def _sums(part: Part) -> tuple:
    with np.errstate(over="ignore", invalid="ignore"):
        return part.X.sum(axis=0, dtype=np.float64), part.n


def _extent(part: Part, kernel: Any, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Squared lengths about a point, the kernel's diagonal, and terms of an inner product."""
    rows = Rows(part.X)
    return rows.squared_norms(centre), kernel.diagonal(rows.squared_norms(np.zeros(rows.d))), rows.longest[0]
