"""The cases of the neighbours benchmark, and the ratios that they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..datasets import Data, load, shuffled, standardised
from ..names import FAISS, INTELEX, SKLEARN
from ..options import Options

QUERIES = 10_000
QUICK_QUERIES = 500
QUICK_ROWS = 5000
MEASURED = 10  # columns of covtype that are measurements; the others are marks of areas and soils

SKLEARN_BRUTE, SKLEARN_KD, SKLEARN_BALL = (f"{SKLEARN} {algorithm}" for algorithm in ("brute", "kd_tree", "ball_tree"))
INTELEX_BRUTE, INTELEX_KD = (f"{INTELEX} {algorithm}" for algorithm in ("brute", "kd_tree"))


@dataclass(frozen=True)
class Split:
    """Rows that are searched, their labels, and rows that are searched for."""

    X: np.ndarray
    y: np.ndarray
    queries: np.ndarray
    origin: str

    @property
    def text(self) -> str:
        n, d = self.X.shape
        return f"{n} x {d} {self.X.dtype}, {len(self.queries)} queries; data: {self.origin}"


@dataclass(frozen=True)
class Case:
    """A search for the k nearest rows of one set of data."""

    name: str
    prepare: Callable[[Options], Data]
    required: dict[str, float]
    peers: tuple[str, ...]
    rows: int
    k: int = 5
    dtype: type = np.float32
    once: bool = field(default=False, repr=False)

    @property
    def title(self) -> str:
        return f"{self.k} nearest"

    def data(self, options: Options) -> Split:
        rows, queries = (QUICK_ROWS, QUICK_QUERIES) if options.quick else (self.rows, QUERIES)
        return split(self.prepare(options), rows, queries, self.dtype)


def split(data: Data, rows: int, queries: int, dtype: type) -> Split:
    """The first rows, and as many after them as are searched for, in C order."""
    X = np.ascontiguousarray(data.X[: rows + queries], dtype=dtype)
    return Split(X[:rows], data.y[:rows], X[rows:], data.origin)


def fashion(options: Options) -> Data:
    """The images as they are kept, values 0 to 1; their order is random already."""
    data = load("fashion_mnist", options.data)
    return Data(data.X / np.float32(255), data.y, data.origin)


def covtype_measured(options: Options) -> Data:
    """The measurements alone; its rows are ordered by place, and have to be mixed for a split."""
    data = load("covtype", options.data)
    data = shuffled(Data(data.X[:, :MEASURED], data.y, f"{data.origin}, shuffled"))
    return standardised(data.rows(slice(QUICK_ROWS + QUICK_QUERIES)) if options.quick else data)


CASES = (
    Case(
        "knn-fashion",
        fashion,
        {SKLEARN: 2, INTELEX: 1, FAISS: 1},
        (SKLEARN_BRUTE, INTELEX_BRUTE, FAISS),
        rows=50_000,
    ),
    Case(
        "knn-covtype",
        covtype_measured,
        {SKLEARN: 1},
        (SKLEARN_KD, SKLEARN_BALL, SKLEARN_BRUTE, INTELEX_KD, INTELEX_BRUTE),
        rows=500_000,
        dtype=np.float64,
    ),
)
