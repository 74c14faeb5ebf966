"""Searches for a penalty, ridge and least squares against scikit-learn's, both as they come.

The referee computes by numpy alone how far the model that was chosen is from the best one with its penalty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import table
from .contender import Contender, peer
from .contest import Contest
from .names import OURS, SKLEARN
from .options import SEED, Options
from .parts import Part


@dataclass(frozen=True)
class Case:
    """An estimator by its name, and the size of what it is trained on."""

    name: str
    kind: str
    n: int
    d: int
    targets: int = 1
    density: float = 1.0

    def data(self, options: Options) -> tuple[Any, np.ndarray]:
        rng = np.random.default_rng(SEED)
        n, d = (max(80, self.n // 10), max(10, self.d // 10)) if options.quick else (self.n, self.d)
        X: Any = np.sqrt(0.5) * (rng.normal(size=(n, d)) + rng.normal(size=(n, 1)))
        if self.density < 1:
            X = sp.random(n, d, self.density, format="csr", random_state=SEED)
        W = np.zeros((d, self.targets))
        W[:10] = rng.normal(size=(min(d, 10), self.targets))
        Y = X @ W + (1.0 if self.density == 1 else 0.1) * rng.normal(size=(n, self.targets))
        return X, Y if self.targets > 1 else Y[:, 0]


CASES = (
    Case("path-tiny", "LassoCV", 80, 10),
    Case("path-small", "LassoCV", 200, 30),
    Case("path", "LassoCV", 3000, 100),
    Case("ridge-tiny", "Ridge", 80, 10),
    Case("ridge", "Ridge", 3000, 100),
    Case("ridge-many", "Ridge", 200, 30, 10),
    Case("ridge-csr", "Ridge", 5000, 2000, density=0.01),
    Case("ridge-cv-small", "RidgeCV", 200, 30),
    Case("ridge-cv", "RidgeCV", 3000, 100),
    Case("least-squares-tiny", "LinearRegression", 80, 10),
    Case("least-squares-many", "LinearRegression", 200, 30, 10),
    Case("least-squares", "LinearRegression", 3000, 100, 10),
    Case("least-squares-csr", "LinearRegression", 5000, 2000, density=0.01),
)

Judge = Callable[..., Any]


def relative_gap(case: Case, X: Any, Y: np.ndarray, model: tuple, of_lasso: Judge) -> float:
    """How far the weights are from the best ones with their penalty, relative to the objective; the worst target's.

    The intercept of the judged problem is the best one. Ridge: with g half the slope of the objective, that curves by
    2 alpha at least, it is at most ``||g||^2 / alpha`` above its minimum.
    """
    W, alpha = np.atleast_2d(np.asarray(model[0], dtype=np.float64)).T, model[1]
    if case.kind == "LassoCV":
        return float(of_lasso(X, Y, alpha, 1.0, (W[:, 0], False)).relative_gap)
    A = X.toarray() if sp.issparse(X) else X
    A, T = A - A.mean(axis=0), (Y - Y.mean(axis=0)).reshape(len(Y), -1)
    R = T - A @ W
    squares = np.einsum("ij,ij->j", R, R)
    if case.kind == "LinearRegression":
        # what is left to gain is the part of the residual that the columns span
        gain = A @ np.linalg.lstsq(A, R, rcond=None)[0]
        return float((np.einsum("ij,ij->j", gain, gain) / squares).max())
    slopes = alpha * W - A.T @ R
    objective = squares + alpha * np.einsum("ij,ij->j", W, W)
    return float((np.einsum("ij,ij->j", slopes, slopes) / alpha / objective).max())


class _Regressor(Contender):
    """Fits the estimator of the case as it comes."""

    room: str

    def __init__(self, case: Case, X: Any, Y: np.ndarray) -> None:
        self.case, self.X, self.Y = case, X, Y
        self.model: Any = None

    def warm_up(self) -> None:
        self._estimator().fit(self.X[:50, :10].copy(), self.Y[:50])

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = None

    def fit(self) -> None:
        self.model = self._estimator().fit(self.X, self.Y)

    def _estimator(self) -> Any:
        return peer(self.room, self.case.kind)()

    def chosen(self) -> tuple[np.ndarray, float]:
        default = {"Ridge": 1.0, "LinearRegression": 0.0}
        return self.model.coef_, float(default.get(self.case.kind, getattr(self.model, "alpha_", 0.0)))


class MaxMargin(_Regressor):
    name, compiles, room = OURS, True, "maxmargin.linear_model"


class Sklearn(_Regressor):
    name, room = SKLEARN, "sklearn.linear_model"


def measure(case: Case, options: Options, of_lasso: Judge) -> tuple[list[list[str]], dict[str, Any]]:
    """Lines of the table, and the raw numbers."""
    X, Y = case.data(options)
    gaps: dict[str, float] = {}
    with Contest([MaxMargin, Sklearn], case, (X, Y), options, {OURS, Sklearn.name}, [("fit", {})]) as contest:
        for name in contest.names:
            contest.ask(name, "fit")
            answer = contest.ask(name, "chosen")
            if answer is not None:
                gaps[name] = relative_gap(case, X, Y, answer.value, of_lasso)
        laps = contest.race("fit")
    lines = []
    for name, lap in laps.items():
        ratio = lap.median / laps[OURS].median if OURS in laps and name != OURS else None
        shape = f"{case.name} {case.kind} {X.shape[0]} x {X.shape[1]}" + f" x {case.targets}" * (case.targets > 1)
        verdict = "" if name == OURS else table.verdict(ratio, 1.0, False)
        figures = [table.seconds(lap.median), table.small(gaps.get(name)), table.ratio(ratio, False), verdict]
        lines.append([shape if name == OURS else "", name, *figures])
    record = {name: {**lap.raw(), "gap": gaps.get(name)} for name, lap in laps.items()}
    return sorted(lines, key=lambda line: not line[0]), {"shape": list(X.shape), **record}


_HEADER = ["case", "who", "seconds", "gap", "ratio", "verdict"]


def part(case: Case, of_lasso: Judge) -> Part:
    """The case as a part of a benchmark; `of_lasso` is the referee of the lasso."""

    def measured(options: Options) -> tuple[str, Any]:
        lines, record = measure(case, options, of_lasso)
        return f"{table.render(_HEADER, lines, left=['who'])}\n", record

    return measured
