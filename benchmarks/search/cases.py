"""The cases of the search benchmark, and the ratios that they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from ..datasets import Data, in_float64, load, shuffled, thinned
from ..kernel.cases import Case as Machine, a9a, california, magic04_shuffled, targets
from ..options import Options

ROWS = 3000
QUICK_ROWS = 400
QUICK_CELLS = 3

Grid = dict[str, np.ndarray]  # values of C and of gamma
Folds = list[tuple[np.ndarray, np.ndarray]]  # training and test rows of each


@dataclass(frozen=True)
class Case:
    """A grid of RBF machines on one set of data.

    ``C`` and ``gamma`` are the powers of ten from and to which the grid reaches, ``cells`` the number of values of
    each. ``minutes`` is the part of the time that the case should get.
    """

    name: str
    prepare: Callable[[Options], Data]
    required: dict[str, float]
    C: tuple[float, float]
    gamma: tuple[float, float]
    cells: int
    folds: int
    minutes: float
    regression: bool = False
    epsilon: float = 0.1

    @property
    def grid(self) -> Grid:
        return {"C": np.logspace(*self.C, self.cells), "gamma": np.logspace(*self.gamma, self.cells)}

    @property
    def candidates(self) -> list[tuple[float, float]]:
        """C and gamma of each, gamma changing fastest: the order that scikit-learn has them in."""
        return [(float(C), float(gamma)) for C in self.grid["C"] for gamma in self.grid["gamma"]]

    @property
    def title(self) -> str:
        spans = (f"{name} {10**low:g} to {10**high:g}" for name, (low, high) in (("C", self.C), ("gamma", self.gamma)))
        epsilon = f", epsilon={self.epsilon:g}" if self.regression else ""
        return f"RBF, {', '.join(spans)}{epsilon}, {self.cells} x {self.cells} cells, {self.folds} folds"

    def small(self) -> Case:
        """The same for --quick, from end to end of the grid."""
        return replace(self, cells=QUICK_CELLS)

    def data(self, options: Options) -> Data:
        data = self.prepare(options)
        return in_float64(thinned(data, QUICK_ROWS) if options.quick else data)

    def split(self, data: Data) -> Folds:
        """The same rows for everybody."""
        splitter = KFold(self.folds) if self.regression else StratifiedKFold(self.folds)
        return list(splitter.split(data.X, data.y))

    def machine(self, candidate: int) -> Machine:
        """A cell as a case of its own, for the referee."""
        C, gamma = self.candidates[candidate]
        return Machine(
            self.name, self.prepare, self.required, C=C, gamma=gamma, epsilon=self.epsilon, regression=self.regression
        )


def _magic04(options: Options) -> Data:
    return magic04_shuffled(options).rows(slice(ROWS))


def _usps(options: Options) -> Data:
    return load("usps", options.data)


def _a9a(options: Options) -> Data:
    return shuffled(a9a(options)).rows(slice(ROWS))


def _california(options: Options) -> Data:
    return shuffled(california(options)).rows(slice(ROWS))


CASES = (
    Case("magic04-3000", _magic04, targets(20, 8), C=(-2, 3), gamma=(-3, 1), cells=10, folds=5, minutes=2.5),
    Case("usps", _usps, targets(15, 5), C=(-1, 3), gamma=(-3, 0), cells=6, folds=5, minutes=3.5),
    Case("a9a-3000", _a9a, targets(15, 8), C=(-2, 3), gamma=(-4, 0), cells=8, folds=5, minutes=2.5),
    Case(
        "california-svr-3000",
        _california,
        targets(10, 5),
        C=(-2, 2),
        gamma=(-3, 1),
        cells=8,
        folds=5,
        minutes=2.5,
        regression=True,
    ),
    Case("magic04-all", magic04_shuffled, targets(10, 3), C=(-1, 2), gamma=(-2, 0), cells=6, folds=3, minutes=4.0),
)
