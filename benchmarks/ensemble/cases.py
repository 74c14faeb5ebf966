"""The cases of the benchmark of trees and ensembles, and the ratios that they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..datasets import Data, load, shuffled
from ..names import INTELEX, SKLEARN
from ..options import Options

QUICK_ROWS = 3000
FOREST, TREE, BOOSTED = "forest", "tree", "boosted"


@dataclass(frozen=True)
class Split:
    """Rows to train on, and rows held out."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    origin: str

    @property
    def text(self) -> str:
        n, d = self.X.shape
        return f"{n} x {d} {self.X.dtype}, {len(self.y_test)} held out; data: {self.origin}"


@dataclass(frozen=True)
class Case:
    """One kind of model on one set of data."""

    name: str
    kind: str
    prepare: Callable[[Options], Data]
    required: dict[str, float]
    rows: int
    held_out: int
    settings: dict[str, Any] = field(default_factory=dict)
    peers: tuple[str, ...] = (SKLEARN, INTELEX)
    predicts: bool = False
    once: bool = False

    @property
    def title(self) -> str:
        settings = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.kind}{f', {settings}' if settings else ''}"

    def data(self, options: Options) -> Split:
        rows, held_out = (QUICK_ROWS, QUICK_ROWS) if options.quick else (self.rows, self.held_out)
        return split(self.prepare(options), rows, held_out)


def split(data: Data, rows: int, held_out: int) -> Split:
    """The first rows to train on, as many after them as are held out; of a set that is too small, a quarter."""
    n = len(data.y)
    if rows + held_out > n:
        rows, held_out = n - n // 4, n // 4
    X, y = np.ascontiguousarray(data.X[: rows + held_out]), data.y[: rows + held_out]
    return Split(X[:rows], y[:rows], X[rows:], y[rows:], data.origin)


def covtype(options: Options) -> Data:
    """Its rows are ordered by place, and have to be mixed for a split."""
    data = shuffled(load("covtype", options.data))
    return Data(data.X, data.y, f"{data.origin}, shuffled")


def covtype_binary(options: Options) -> Data:
    data = covtype(options)
    return Data(data.X, (data.y == 2).astype(int), f"{data.origin}, class 2 against the rest")


def fashion(options: Options) -> Data:
    return load("fashion_mnist", options.data)


def magic04(options: Options) -> Data:
    return shuffled(load("magic04", options.data))


_STUMPS = {"n_estimators": 200}

CASES = (
    Case("forest-covtype", FOREST, covtype, {SKLEARN: 3, INTELEX: 2}, 100_000, 50_000),
    Case("forest-predict", FOREST, covtype, {SKLEARN: 2}, 100_000, 50_000, predicts=True),
    Case("tree-covtype", TREE, covtype, {SKLEARN: 3}, 100_000, 50_000, peers=(SKLEARN,)),
    Case("boosted-magic04", BOOSTED, magic04, {SKLEARN: 15}, 15_020, 4000, _STUMPS, peers=(SKLEARN,)),
    Case("boosted-covtype", BOOSTED, covtype_binary, {SKLEARN: 15}, 100_000, 50_000, _STUMPS, (SKLEARN,), once=True),
    Case("forest-fashion", FOREST, fashion, {SKLEARN: 2}, 50_000, 10_000, once=True),
)
