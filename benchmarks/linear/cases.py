"""The cases of the linear benchmark, and the ratios that they are to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..datasets import Data, in_float64, load, standardised, thinned
from ..names import INTELEX, SKLEARN
from ..options import SEED, Options

GAP = 1e-4  # the relative gap that everybody has to reach
QUICK_ROWS = 1000


def _of(library: str, *solvers: str) -> tuple[str, ...]:
    return tuple(f"{library} {solver}" for solver in solvers)


# Who takes part, by loss. Those that are thought to be fastest come first: their times limit those of the others.
# scikit-learn-intelex has a logistic regression of its own for dense rows only.
DUAL = _of(SKLEARN, "dual")
SQUARED = _of(SKLEARN, "primal", "dual")
LOGISTIC = (*_of(SKLEARN, "lbfgs", "newton-cholesky", "newton-cg", "sag", "liblinear"), *_of(INTELEX, "lbfgs"))
MULTINOMIAL = _of(SKLEARN, "sag", "saga", "newton-cg", "lbfgs")
LASSO = _of(SKLEARN, "liblinear", "saga")


@dataclass(frozen=True)
class Case:
    """One problem, and the time that the best of scikit-learn's solvers should take over ours.

    ``max_iter`` is what peers are allowed; ours has its own default.
    """

    name: str
    prepare: Callable[[Options], Data]
    loss: str
    peers: tuple[str, ...]
    required: float
    penalty: str = "l2"
    C: float = 1.0
    max_iter: int = 100_000

    @property
    def title(self) -> str:
        return f"{self.loss.replace('_', ' ')} loss, {self.penalty} penalty, C={self.C:g}"

    def data(self, options: Options) -> Data:
        return in_float64(self.prepare(options))


def _few(data: Data, options: Options) -> Data:
    return thinned(data, QUICK_ROWS) if options.quick else data


def covtype_two(options: Options) -> Data:
    """covtype as it is kept, class 2 against the rest."""
    data = load("covtype", options.data)
    return replace(data, y=np.where(data.y == 2, 1, -1))


def _covtype_first(options: Options) -> Data:
    return standardised(_few(covtype_two(options).rows(slice(100_000)), options))


def _covtype_all(options: Options) -> Data:
    return standardised(_few(covtype_two(options), options))


def _a9a(options: Options) -> Data:
    return _few(load("a9a", options.data), options)


def _news20(options: Options) -> Data:
    return _few(load("news20_tfidf", options.data), options)


def _news20_first_against_rest(options: Options) -> Data:
    data = _news20(options)
    return replace(data, y=np.where(data.y == 0, 1, -1))


def made(n: int, d: int, seed: int = SEED) -> Data:
    """Correlated features of like size, and labels that a plane tells apart but for some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n, 1))
    score = X @ rng.normal(size=d) / np.sqrt(d) + 0.5 * rng.logistic(size=n)
    return Data(X, np.where(score > 0, 1, -1), "made")


def _made_small(options: Options) -> Data:
    return made(1000, 50)


CASES = (
    # LIBLINEAR needs more epochs than anybody has patience for: 3000 take it over a minute, and are not enough
    Case("covtype-hinge", _covtype_first, "hinge", DUAL, 20, max_iter=3000),
    Case("covtype-squared-hinge", _covtype_first, "squared_hinge", SQUARED, 2),
    Case("covtype-logistic", _covtype_all, "logistic", LOGISTIC, 1.5),
    Case("a9a-hinge", _a9a, "hinge", DUAL, 3),
    Case("a9a-squared-hinge", _a9a, "squared_hinge", SQUARED, 3),
    Case("news20-squared-hinge", _news20, "squared_hinge", SQUARED[::-1], 1.5),
    Case("news20-logistic", _news20, "logistic", MULTINOMIAL, 3),
    Case("made-hinge", _made_small, "hinge", DUAL, 1),
    Case("made-squared-hinge", _made_small, "squared_hinge", SQUARED, 1),
    Case("made-logistic", _made_small, "logistic", LOGISTIC, 1),
    Case("a9a-l1", _a9a, "logistic", LASSO[::-1], 2, penalty="l1"),
    Case("news20-l1", _news20_first_against_rest, "logistic", LASSO, 2, penalty="l1"),
)
