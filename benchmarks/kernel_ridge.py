"""Kernel ridge regression against scikit-learn's, at an equal residual of its equations.

Both factorise the matrix of (K + alpha I) a = y, and maxmargin proves its gap in the same time. scikit-learn runs as
it comes, and with BLAS held to one thread, which is faster on small problems and on busy machines. The referee computes
K in float64 by formulas of its own, and the residuals; the gap is the sum of their squares.
"""

from __future__ import annotations

import statistics
import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from . import table
from .contender import Contender, peer
from .contest import Contest
from .names import OURS, SKLEARN
from .options import SEED, Options
from .parts import run_parts

MINUTES = 6.0
ONE_THREAD = f"{SKLEARN}, BLAS on one thread"


@dataclass(frozen=True)
class Case:
    """Rows and columns made, the kernel with scikit-learn's gamma, and how the rows are stored."""

    name: str
    n: int
    d: int
    kernel: str = "rbf"
    alpha: float = 1.0
    targets: int = 1
    storage: str = "float64"

    def data(self, options: Options) -> tuple[Any, np.ndarray]:
        rng = np.random.default_rng(SEED)
        n, d = (max(100, self.n // 10), max(10, self.d // 10)) if options.quick else (self.n, self.d)
        X: Any = rng.normal(size=(n, d))
        if self.storage == "csr":
            X = sp.csr_array(np.where(rng.uniform(size=(n, d)) < 0.02, X, 0.0))
        y = np.asarray(X @ rng.normal(size=(d, self.targets))) / np.sqrt(d) + rng.normal(size=(n, self.targets))
        y = y[:, 0] if self.targets == 1 else y
        return (X.astype(np.float32), y.astype(np.float32)) if self.storage == "float32" else (X, y)

    def matrix(self, X: Any) -> np.ndarray:
        """The kernel matrix, by differences of the rows where these count."""
        X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        gamma = 1.0 / X.shape[1]
        if self.kernel == "rbf":
            return np.exp(-gamma * cdist(X, X, "sqeuclidean"))
        products = X @ X.T
        return products if self.kernel == "linear" else (gamma * products + 1.0) ** 3


CASES = (
    Case("rbf", 2000, 100),
    Case("rbf-5000", 5000, 50),
    Case("rbf-1000", 1000, 20),
    Case("rbf-small", 200, 30),
    Case("linear-small", 200, 30, "linear"),
    Case("small-alpha", 2000, 100, alpha=1e-4),
    Case("linear", 2000, 100, "linear"),
    Case("poly", 2000, 100, "poly"),
    Case("ten-targets", 2000, 50, targets=10),
    Case("rbf-float32", 2000, 100, storage="float32"),
    Case("rbf-csr", 2000, 2000, storage="csr"),
    Case("linear-csr", 2000, 2000, "linear", storage="csr"),
    Case("rbf-wide", 500, 3000),
    Case("linear-wide", 500, 3000, "linear"),
)
PARTS = tuple(case.name for case in CASES)


@dataclass(frozen=True)
class Judgement:
    """The largest residual of the equations and the gap by the referee, relative to the targets.

    ``rounding`` is what float64 may leave of a residual: nobody is asked for less.
    """

    residual: float
    gap: float
    rounding: float

    def as_good_as(self, other: Judgement) -> bool:
        return self.residual <= max(other.residual, self.rounding)


def judge(K: np.ndarray, y: np.ndarray, alpha: float, coefficients: np.ndarray) -> Judgement:
    """The worst of all targets."""
    a = np.asarray(coefficients, dtype=np.float64).reshape(len(K), -1)
    y = np.asarray(y, dtype=np.float64).reshape(len(K), -1)
    residuals = y - K @ a - alpha * a
    sizes = np.abs(y).max(axis=0)
    terms = (np.abs(K) @ np.abs(a) + alpha * np.abs(a) + np.abs(y)).max(axis=0)
    rounding = len(K) * np.finfo(np.float64).eps * float((terms / sizes).max())
    gap = float(((residuals**2).sum(axis=0) / (y**2).sum(axis=0)).max())
    return Judgement(float((np.abs(residuals).max(axis=0) / sizes).max()), gap, rounding)


class _KernelRidge(Contender):
    """Fits the case to its data."""

    def __init__(self, case: Case, X: Any, y: np.ndarray) -> None:
        self.case, self.X, self.y = case, X, y
        self.model: Any = None
        self.processor: list[float] = []

    def warm_up(self) -> None:
        self._made().fit(self.X[:50], self.y[:50])

    def before(self, method: str) -> None:
        if method == "fit":
            self.model = None

    def fit(self) -> None:
        start = time.process_time()
        self.model = self._made().fit(self.X, self.y)
        self.processor.append(time.process_time() - start)

    def _made(self) -> Any:
        return self.kind()(alpha=self.case.alpha, kernel=self.case.kernel)

    @abstractmethod
    def kind(self) -> Any:
        """The class of this library."""

    def coefficients(self) -> np.ndarray:
        return self.model.dual_coef_

    def processor_seconds(self) -> float:
        """The median over all fits but the first."""
        return statistics.median(self.processor[1:] or self.processor)


class MaxMargin(_KernelRidge):
    name, compiles = OURS, True

    def kind(self) -> Any:
        return peer("maxmargin.kernel_ridge", "KernelRidge")


class Sklearn(_KernelRidge):
    name = SKLEARN

    def kind(self) -> Any:
        return peer("sklearn.kernel_ridge", "KernelRidge")


class SklearnOneThread(Sklearn):
    name = ONE_THREAD

    def warm_up(self) -> None:
        super().warm_up()
        threadpool_limits(1)  # once and for good: setting it takes milliseconds, which are not scikit-learn's


def measure(case: Case, options: Options) -> tuple[list[list[str]], dict[str, Any]]:
    """Lines of the table, and the raw numbers."""
    X, y = case.data(options)
    contenders = [MaxMargin, Sklearn, SklearnOneThread]
    names = [contender.name for contender in contenders]
    with Contest(contenders, case, (X, y), options, names, [("fit", {})]) as contest:
        laps = contest.race("fit")
        answers = {name: contest.ask(name, "coefficients") for name in laps}
        processor = {name: contest.ask(name, "processor_seconds") for name in laps}
    K = case.matrix(X)
    judged = {name: judge(K, y, case.alpha, answer.value) for name, answer in answers.items() if answer is not None}
    cpu = {name: answer.value for name, answer in processor.items() if answer is not None}
    lines, record = [], {}
    for name, lap in laps.items():
        verdict, fair = judged.get(name), OURS in judged and name in judged and judged[OURS].as_good_as(judged[name])
        ratio = lap.median / laps[OURS].median if fair and name != OURS else None
        cpu_ratio = cpu[name] / cpu[OURS] if fair and name != OURS and name in cpu and OURS in cpu else None
        lines.append(
            [
                f"{case.name} {X.shape[0]} x {X.shape[1]}" if name == OURS else "",
                name,
                table.seconds(lap.median),
                table.seconds(cpu.get(name)),
                table.small(None if verdict is None else verdict.residual),
                table.small(None if verdict is None else verdict.gap),
                table.ratio(ratio),
                table.ratio(cpu_ratio),
                "" if name == OURS else table.verdict(ratio, 1.0),
            ]
        )
        figures = {} if verdict is None else {"residual": verdict.residual, "gap": verdict.gap}
        record[name] = {**lap.raw(), "processor_seconds": cpu.get(name), **figures}
    lines.sort(key=lambda line: not line[0])
    lines += [[case.name, name, reason] for name, reason in contest.failed.items()]
    return lines, {"shape": list(X.shape), **record}


READING = """Kernel ridge regression: seconds of a fit, and those of all processors together. maxmargin's include its
certificate. "residual" is the largest of the equations (K + alpha I) a = y, relative to the largest target, "gap" the
sum of their squares relative to that of the targets, both by the referee. "ratio" is the peer's time over maxmargin's,
and is to be at least 1; there is none where maxmargin's residual is neither as small as the peer's nor rounding."""
_HEADER = ["case", "who", "seconds", "processor", "residual", "gap", "ratio", "processor ratio", "verdict"]


def run(options: Options) -> dict[str, Any]:
    """Print a table for each case, return the raw numbers."""
    print(READING, end="\n\n", flush=True)

    def part(case: Case) -> Any:
        def measured(options: Options) -> tuple[str, Any]:
            lines, record = measure(case, options)
            return f"{table.render(_HEADER, lines, left=['who'])}\n", record

        return measured

    return run_parts(options, {case.name: part(case) for case in CASES})
