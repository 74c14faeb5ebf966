"""The cases of the clusters benchmark, and the ratios that they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..datasets import Data, load, shuffled, standardised
from ..names import INTELEX, SKLEARN
from ..options import SEED, Options

QUICK_ROWS = 2000
QUICK_CLUSTERS = 20
QUICK_POINTS = 1500
POINTS = 10_000  # of a spectral clustering
TO_THE_END = 1000  # steps: nobody needs that many

SKLEARN_LLOYD, SKLEARN_ELKAN = f"{SKLEARN} lloyd", f"{SKLEARN} elkan"


@dataclass(frozen=True)
class KMeansCase:
    """k-means from given centres: for so many steps, or without ``steps`` until no point changes its cluster."""

    name: str
    prepare: Callable[[Options], Data]
    required: dict[str, float]
    peers: tuple[str, ...]
    k: int
    steps: int | None = None
    dtype: type = np.float64
    once: bool = False

    @property
    def title(self) -> str:
        end = "until no point changes" if self.steps is None else f"{self.steps} steps"
        return f"k={self.k}, {end}"

    @property
    def max_iter(self) -> int:
        return TO_THE_END if self.steps is None else self.steps

    def small(self) -> KMeansCase:
        """The same for --quick."""
        return replace(self, k=QUICK_CLUSTERS)

    def data(self, options: Options) -> Data:
        data = self.prepare(options)
        rows = slice(QUICK_ROWS if options.quick else None)
        return Data(np.ascontiguousarray(data.X[rows], dtype=self.dtype), data.y[rows], data.origin)

    def start(self, data: Data, options: Options) -> np.ndarray:
        """Rows drawn at random, no two of them equal, as the first centres of everybody."""
        order = np.random.default_rng(options.seed).permutation(len(data.X))[: 2 * self.k]
        distinct = np.unique(data.X[order], axis=0, return_index=True)[1]
        return data.X[order[np.sort(distinct)[: self.k]]]


@dataclass(frozen=True)
class SpectralCase:
    """A normalised cut of the graph of the k nearest neighbours."""

    name: str
    prepare: Callable[[Options], Data]
    required: dict[str, float]
    k: int
    neighbours: int = 10
    once: bool = False

    @property
    def title(self) -> str:
        return f"{self.k} clusters, graph of {self.neighbours} neighbours"

    def data(self, options: Options) -> Data:
        data = self.prepare(options)
        rows = slice(QUICK_POINTS if options.quick else POINTS)
        return Data(np.ascontiguousarray(data.X[rows], dtype=np.float64), data.y[rows], data.origin)


def fashion(options: Options) -> Data:
    """The images as they are kept, values 0 to 1; their order is random already."""
    data = load("fashion_mnist", options.data)
    return Data(data.X / np.float32(255), data.y, data.origin)


def covtype(options: Options) -> Data:
    """All columns; its rows are ordered by place, and have to be mixed for first ones to be like all."""
    data = shuffled(load("covtype", options.data))
    data = standardised(data.rows(slice(QUICK_ROWS)) if options.quick else data)
    return Data(data.X, data.y, f"{data.origin}, standardised")


def circles(options: Options, n: int = POINTS) -> Data:
    """A circle in a circle, near enough for a graph of neighbours to be in one piece."""
    from sklearn.datasets import make_circles

    X, y = make_circles(QUICK_POINTS if options.quick else n, noise=0.07, factor=0.5, random_state=SEED)
    return Data(X, y, "two circles, made")


KMEANS = (
    KMeansCase(
        "kmeans-fashion",
        fashion,
        {SKLEARN: 2, INTELEX: 1.5},
        (SKLEARN_LLOYD, SKLEARN_ELKAN, INTELEX),
        k=50,
        dtype=np.float32,
    ),
    KMeansCase(
        "kmeans-covtype",
        covtype,
        {SKLEARN: 2, INTELEX: 2},
        (SKLEARN_LLOYD, SKLEARN_ELKAN, INTELEX),
        k=1000,
        steps=50,
        once=True,
    ),
)
SPECTRAL = (
    SpectralCase("spectral-fashion", fashion, {SKLEARN: 2}, k=10),
    SpectralCase("spectral-circles", circles, {SKLEARN: 2}, k=2),
)
CASES = (*KMEANS, *SPECTRAL)
