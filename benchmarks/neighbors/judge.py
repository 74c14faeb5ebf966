"""The referee's word on neighbours: distances of the rows that were named, in float64 from differences.

Whether they are the nearest is looked up for some of the queries, by all distances of these. Two rows whose squared
distances differ by less than products in the type of the data can tell are equally near.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..names import OURS
from ..options import SEED
from ..side_by_side import Verdict
from ..table import MISSING, small
from .cases import Case, Split
from .contenders import Found

LOOKED_UP = 500  # queries
ROUNDING = 16  # units in the last place of the squared lengths
FIGURES = ("exact", "as ours", "error")
_SPARE = 8  # candidates more than wanted: a product may misjudge who is in
_BLOCK = 20_000


class Judge:
    """Judges all contenders of a case."""

    def __init__(self, case: Case, data: Split, seed: int = SEED) -> None:
        self.case, self.data = case, data
        m = len(data.queries)
        self.chosen = np.sort(np.random.default_rng(seed).choice(m, min(m, LOOKED_UP), replace=False))
        self.truth = nearest_squares(data.X, data.queries[self.chosen], case.k)
        longest = max(float(_squares(part).max()) for _, part in _blocks(data.X))
        self.tolerance = ROUNDING * np.finfo(data.X.dtype).eps * (longest + _squares(data.queries.astype(np.float64)))
        self.ours: np.ndarray | None = None

    def __call__(self, name: str, found: Found) -> Verdict:
        squares = named_squares(self.data.X, self.data.queries, found.indices, self.case.k)
        reported = np.sort(np.asarray(found.distances, dtype=np.float64), axis=1)
        error = float(np.max(np.abs(reported - np.sqrt(squares)) / max(np.sqrt(squares).mean(), np.finfo(float).tiny)))
        exact = self._share(squares[self.chosen], self.truth, self.tolerance[self.chosen])
        as_ours = None if self.ours is None else self._share(squares, self.ours, self.tolerance)
        if name == OURS:
            self.ours = squares
        shown = (f"{exact:.4f}", MISSING if as_ours is None else f"{as_ours:.4f}", small(error))
        flaw = "" if exact == 1 else "not the nearest rows"
        return Verdict(0.0, shown, flaw, numbers={"exact": exact, "as_ours": as_ours, "error": error})

    @staticmethod
    def _share(squares: np.ndarray, truth: np.ndarray, tolerance: np.ndarray) -> float:
        return float((np.abs(squares - truth) <= tolerance[:, None]).all(axis=1).mean())


def named_squares(X: np.ndarray, queries: np.ndarray, indices: np.ndarray, k: int) -> np.ndarray:
    """Squared distances of the rows that were named, ascending; ValueError if they cannot be the k nearest."""
    indices = np.asarray(indices)
    if indices.shape != (len(queries), k):
        raise ValueError(f"indices have shape {indices.shape}, not {(len(queries), k)}")
    if indices.min() < 0 or indices.max() >= len(X):
        raise ValueError("an index is of no row")
    if (np.diff(np.sort(indices, axis=1), axis=1) == 0).any():
        raise ValueError("a row is named twice for a query")
    squares = np.empty(indices.shape)
    for start in range(0, len(queries), 1000):
        part = slice(start, start + 1000)
        difference = X[indices[part]].astype(np.float64) - queries[part, None, :]
        squares[part] = np.einsum("qkd,qkd->qk", difference, difference)
    return np.sort(squares, axis=1)


def nearest_squares(X: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The k smallest squared distances of each query, ascending: candidates by products, then by differences."""
    Q = queries.astype(np.float64)
    wanted = min(k + _SPARE, len(X))
    best = np.empty((len(Q), 0), dtype=np.int64)
    value = np.empty((len(Q), 0))
    for start, part in _blocks(X):
        near = _squares(part) - 2 * (Q @ part.T)  # but for the length of the query, which is the same for all
        take = min(wanted, len(part))
        index = np.argpartition(near, take - 1, axis=1)[:, :take]
        value = np.hstack([value, np.take_along_axis(near, index, axis=1)])
        best = np.hstack([best, index + start])
        keep = np.argsort(value, axis=1, kind="stable")[:, :wanted]
        value, best = np.take_along_axis(value, keep, axis=1), np.take_along_axis(best, keep, axis=1)
    return named_squares(X, Q, best, best.shape[1])[:, :k]


def _blocks(X: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    for start in range(0, len(X), _BLOCK):
        yield start, X[start : start + _BLOCK].astype(np.float64)


def _squares(X: np.ndarray) -> np.ndarray:
    return np.einsum("id,id->i", X, X)
