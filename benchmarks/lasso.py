"""The lasso and the elastic net against scikit-learn's coordinate descent, at an equal duality gap.

Everybody has to come within `GAP` of the optimum: maxmargin at its default tolerance, scikit-learn at the loosest one
that gets it there, which is looked for outside of the clock; and once more as it comes, at its own default tolerance,
however close that is. Searches, ridge and least squares (`regressors`) are measured as they come.

The referee computes both objectives by numpy alone, from the coefficients; the residual, scaled until it is feasible,
is the point of the dual, or for an elastic net the residual as it is if that proves more.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import regressors, table
from .contender import Contender, peer
from .contest import Contest
from .linear.tolerance import find
from .names import OURS, SKLEARN
from .options import SEED, Options
from .parts import run_parts
from .timing import Laps

MINUTES = 7.0
GAP = 1e-4
_ROUNDING = 1e-12
_LIMIT = 60.0
_MAX_ITER = 100_000


@dataclass(frozen=True)
class Case:
    """Rows and columns made, the columns with a weight, and the penalty as a part of the one that makes all zero."""

    name: str
    n: int
    d: int
    informative: int
    part: float
    l1_ratio: float = 1.0
    correlation: float = 0.5
    dtype: str = "float64"
    density: float = 1.0  # below 1 the rows are CSR, and their values independent

    def data(self, options: Options) -> tuple[Any, np.ndarray]:
        rng = np.random.default_rng(SEED)
        n, d = (max(100, self.n // 10), max(20, self.d // 10)) if options.quick else (self.n, self.d)
        X: Any = np.sqrt(1 - self.correlation) * rng.normal(size=(n, d))
        X += np.sqrt(self.correlation) * rng.normal(size=(n, 1))
        if self.density < 1:
            X = sp.random(n, d, self.density, format="csr", random_state=SEED)
        w = np.zeros(d)
        w[: min(self.informative, d)] = rng.normal(size=min(self.informative, d))
        y = X @ w + rng.normal(size=n) * (1.0 if self.density == 1 else 0.1)
        return X.astype(self.dtype), y.astype(self.dtype)

    def alpha(self, X: Any, y: np.ndarray) -> float:
        X, y = exact(X), y.astype(np.float64)
        largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
        return float(self.part * largest / self.l1_ratio)


def exact(X: Any) -> np.ndarray:
    """X as the referee sees it: dense, in float64."""
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


CASES = (
    Case("tall", 100_000, 50, 20, 0.1),
    Case("wide", 500, 10_000, 30, 0.1),
    Case("wide-small-alpha", 500, 5000, 30, 0.01),
    Case("square", 2000, 2000, 100, 0.05),
    Case("elastic-net", 1000, 4000, 50, 0.1, 0.5),
    Case("small", 200, 30, 10, 0.1),
    Case("tiny", 80, 10, 5, 0.1),
    Case("tiny-elastic-net", 80, 10, 5, 0.1, 0.5),
    Case("wide-elastic-net", 200, 3000, 30, 0.1, 0.5),
    Case("wide-elastic-net-independent", 200, 3000, 30, 0.01, 0.5, 0.0),
    Case("float32", 3000, 100, 30, 0.1, dtype="float32"),
    Case("float32-elastic-net", 3000, 100, 30, 0.1, 0.5, dtype="float32"),
    Case("csr", 5000, 2000, 30, 0.05, density=0.01),
)
PARTS = tuple(case.name for case in (*CASES, *regressors.CASES))


@dataclass(frozen=True)
class Judgement:
    """Both objectives by the referee."""

    primal: float
    dual: float
    nonzeros: int
    gave_up: bool = False

    @property
    def relative_gap(self) -> float:
        gap = (self.primal - self.dual) / max(abs(self.primal), 1e-300)
        return 0.0 if -_ROUNDING < gap < 0 else gap  # anything further below would be the referee's mistake: show it

    @property
    def reached(self) -> bool:
        return self.relative_gap <= GAP


def judge(X: Any, y: np.ndarray, alpha: float, l1_ratio: float, model: tuple) -> Judgement:
    """Primal and dual of the model; the intercept of the judged problem is the best one for its weights."""
    w, gave_up = np.asarray(model[0], dtype=np.float64), bool(model[1])
    X, y = exact(X), y.astype(np.float64)
    n, l1, l2 = len(y), alpha * l1_ratio, alpha * (1 - l1_ratio)
    A, t = X - X.mean(axis=0), y - y.mean()
    r = t - A @ w
    primal = float(r @ r) / (2 * n) + l1 * float(np.abs(w).sum()) + l2 / 2 * float(w @ w)
    # the elastic net is a lasso with d more rows, sqrt(n l2) I, whose residuals are -sqrt(n l2) w
    slopes = A.T @ r / n - l2 * w
    scale = min(1.0, l1 / float(np.abs(slopes).max()))
    square = float(r @ r) / n + l2 * float(w @ w)
    dual = scale * float(t @ r) / n - scale**2 / 2 * square
    if l2 > 0:  # or the residual as it is, with the conjugate of the penalty: whichever proves more
        excess = np.maximum(np.abs(A.T @ r / n) - l1, 0.0)
        dual = max(dual, float(t @ r) / n - float(r @ r) / (2 * n) - float(excess @ excess) / (2 * l2))
    return Judgement(primal, dual, int(np.count_nonzero(w)), gave_up)


class _Lasso(Contender):
    """Fits the case to its data, at the tolerance that was chosen for it."""

    def __init__(self, case: Case, X: Any, y: np.ndarray, alpha: float) -> None:
        self.case, self.X, self.y, self.alpha = case, X, y, alpha
        self.tol, self.model = GAP, None

    def choose(self, tol: float) -> None:
        self.tol = tol

    def warm_up(self) -> None:
        self.estimator().fit(self.X[:50, :20].copy(), self.y[:50])

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = None

    def fit(self) -> None:
        self.model = self.estimator().fit(self.X, self.y)

    @abstractmethod
    def estimator(self) -> Any:
        """How this library does it."""

    def coefficients(self) -> tuple[np.ndarray, bool]:
        model: Any = self.model
        return model.coef_, int(np.max(model.n_iter_)) >= _MAX_ITER


class MaxMargin(_Lasso):
    name, compiles = OURS, True

    def estimator(self) -> Any:
        kind = peer("maxmargin.linear_model", "ElasticNet")
        return kind(self.alpha, l1_ratio=self.case.l1_ratio, tol=self.tol)


class Sklearn(_Lasso):
    name = f"{SKLEARN} coordinate descent"

    def estimator(self) -> Any:
        kind = peer("sklearn.linear_model", "ElasticNet")
        return kind(self.alpha, l1_ratio=self.case.l1_ratio, tol=self.tol, max_iter=_MAX_ITER)


class AsItComes(_Lasso):
    name = f"{SKLEARN} as it comes"

    def estimator(self) -> Any:
        kind = peer("sklearn.linear_model", "ElasticNet")
        return kind(self.alpha, l1_ratio=self.case.l1_ratio, max_iter=_MAX_ITER)


def measure(case: Case, options: Options) -> tuple[list[list[str]], dict[str, Any]]:
    """Lines of the table, and the raw numbers."""
    X, y = case.data(options)
    alpha = case.alpha(X, y)

    def referee(model: tuple) -> Judgement:
        return judge(X, y, alpha, case.l1_ratio, model)

    judged, tolerances, least = {}, {}, set()
    names = {OURS, Sklearn.name, AsItComes.name}
    with Contest([MaxMargin, Sklearn, AsItComes], case, (X, y, alpha), options, names, [("fit", {})]) as contest:
        contest.ask(OURS, "fit")
        answer = contest.ask(OURS, "coefficients")
        if answer is not None:
            judged[OURS], tolerances[OURS] = referee(answer.value), GAP
        contest.ask(AsItComes.name, "fit")
        answer = contest.ask(AsItComes.name, "coefficients")
        if answer is not None:
            judged[AsItComes.name], tolerances[AsItComes.name] = referee(answer.value), GAP
        found = find(contest, referee, Sklearn.name, _LIMIT)  # type: ignore[arg-type]
        laps: dict[str, Laps] = {}
        if found is not None:
            tolerances[Sklearn.name] = found.tol
            if found.judgement is not None:
                judged[Sklearn.name] = found.judgement  # type: ignore[assignment]
            if found.reached:
                contest.ask(Sklearn.name, "choose", tol=found.tol)
            else:
                least.add(Sklearn.name)
                laps[Sklearn.name] = Laps([found.seconds], found.peak_mb)
        laps |= contest.race("fit", only=[name for name in contest.names if name not in least])
    ours = laps[OURS].median if OURS in laps and judged[OURS].reached else None
    lines = []
    for name, lap in laps.items():
        ratio = None if ours is None or name == OURS else lap.median / ours
        verdict = judged.get(name)
        lines.append(
            [
                f"{case.name} {X.shape[0]} x {X.shape[1]}" if name == OURS else "",
                name,
                table.seconds(lap.median),
                table.small(None if verdict is None else verdict.relative_gap),
                table.count(None if verdict is None else verdict.nonzeros),
                f"{tolerances[name]:.0e}",
                table.ratio(ratio, name in least),
                "" if name == OURS else table.verdict(ratio, 1.0, name in least),
            ]
        )
    record = {
        name: {**lap.raw(), "tol": tolerances[name], "gap": judged[name].relative_gap if name in judged else None}
        for name, lap in laps.items()
    }
    return sorted(lines, key=lambda line: not line[0]), {"shape": list(X.shape), "alpha": alpha, **record}


READING = f"""Lasso and elastic net: seconds of a fit that the referee finds within {GAP:g} of the optimum, relative to
the objective, and of scikit-learn's at its default tolerance, whatever its gap. Searches, ridge and least squares are
measured as they come, the gap being that of the model that was chosen. maxmargin's time includes its certificate.
"ratio" is the peer's time over maxmargin's, and is to be at least 1."""
_HEADER = ["case", "who", "seconds", "gap", "nonzeros", "tol", "ratio", "verdict"]


def run(options: Options) -> dict[str, Any]:
    """Print a table for each case, return the raw numbers."""
    print(READING, end="\n\n", flush=True)

    def part(case: Case) -> Any:
        def measured(options: Options) -> tuple[str, Any]:
            lines, record = measure(case, options)
            return f"{table.render(_HEADER, lines, left=['who'])}\n", record

        return measured

    fits = {case.name: part(case) for case in CASES}
    return run_parts(options, fits | {case.name: regressors.part(case, judge) for case in regressors.CASES})
