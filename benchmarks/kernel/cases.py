"""The cases of the kernel benchmark, and the ratios that they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..datasets import Data, in_float64, load, shuffled, standardised, thinned
from ..names import INTELEX, SKLEARN
from ..options import Options

QUICK_ROWS = 1000
TOL = 1e-3


def targets(sklearn: float, intelex: float) -> dict[str, float]:
    """Required ratios: time of the peer over ours."""
    return {SKLEARN: sklearn, INTELEX: intelex}


@dataclass(frozen=True)
class Case:
    """One problem. ``gamma`` as a user would write it: a number, "scale" or "auto"."""

    name: str
    prepare: Callable[[Options], Data]
    required: dict[str, float]
    C: float = 1.0
    gamma: float | str = "scale"
    epsilon: float = 0.1
    regression: bool = False
    required_decision: dict[str, float] = field(default_factory=lambda: targets(8, 1.5))

    @property
    def title(self) -> str:
        epsilon = f", epsilon={self.epsilon:g}" if self.regression else ""
        return f"RBF, C={self.C:g}, gamma={self.gamma}{epsilon}"

    def data(self, options: Options) -> Data:
        data = self.prepare(options)
        return in_float64(thinned(data, QUICK_ROWS) if options.quick else data)


def gamma_value(gamma: float | str, X: Any) -> float:
    """The number meant by gamma, by scikit-learn's definition."""
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma == "scale":
        variance = X.multiply(X).mean() - X.mean() ** 2 if hasattr(X, "multiply") else X.var()
        return float(1.0 / (X.shape[1] * variance))
    return float(gamma)


def _magic04(options: Options) -> Data:
    return standardised(load("magic04", options.data))


def magic04_shuffled(options: Options) -> Data:
    """magic04 is ordered by class: for subsets that are its first rows it has to be mixed."""
    return shuffled(_magic04(options))


def _ijcnn1(options: Options) -> Data:
    return load("ijcnn1", options.data).rows(slice(20000))


def _fashion_2_against_4(options: Options) -> Data:
    data = load("fashion_mnist", options.data)
    data = data.rows(np.isin(data.y, (2, 4)))
    return replace(data, X=data.X / 255.0)


def _fashion_10(options: Options) -> Data:
    data = load("fashion_mnist", options.data).rows(slice(10000))
    return replace(data, X=data.X / 255.0)


def a9a(options: Options) -> Data:
    return load("a9a", options.data)


def california(options: Options) -> Data:
    data = standardised(load("california_housing", options.data))
    return replace(data, y=(data.y - data.y.mean()) / data.y.std())


def _breast_cancer(options: Options) -> Data:
    return standardised(load("breast_cancer", None))


def _digits_3_against_8(options: Options) -> Data:
    data = load("digits", None)
    return standardised(data.rows(np.isin(data.y, (3, 8))))


def _heart(options: Options) -> Data:
    return standardised(load("heart_scale", options.data))


_EVEN = {"required": targets(1, 1), "required_decision": targets(1, 1)}  # small data: not slower

CASES = (
    Case("magic04-c1", _magic04, targets(8, 3), C=1.0, gamma=0.1),
    Case("magic04-c100", _magic04, targets(8, 2.5), C=100.0, gamma=0.1),
    Case("ijcnn1", _ijcnn1, targets(5, 3), C=10.0, gamma=1.0),
    Case("fashion-2v4", _fashion_2_against_4, targets(15, 2), C=10.0, gamma=0.02),
    Case("fashion-10", _fashion_10, targets(15, 2), C=10.0, gamma=0.02),
    Case("a9a", a9a, targets(5, 1.5), C=1.0, gamma=0.01),
    Case("california-svr", california, targets(5, 2), C=1.0, gamma="auto", regression=True),
    Case("breast-cancer", _breast_cancer, **_EVEN),
    Case("digits-3v8", _digits_3_against_8, **_EVEN),
    Case("heart", _heart, **_EVEN),
)
