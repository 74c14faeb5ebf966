"""Kernel machines of many rows: the proven gap to the exact one, and what others reach in what time.

Every contender is fitted once, in a process of its own, whose memory is measured. Those with landmarks (maxmargin's and
scikit-learn's Nystroem with a linear machine) are judged by the same referee: the exact primal objective of their
decision function, computed by plain kernel values in float64 from landmarks, coefficients and intercept alone.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import memory, table
from .datasets import load
from .names import OURS, SKLEARN
from .options import SEED, Options
from .parts import run_parts
from .progress import say

MINUTES = 90.0


@dataclass(frozen=True)
class Case:
    """Rows of covtype or made ones, and the machine that is wanted."""

    name: str
    C: float
    gamma: float | str = "scale"
    rows: int | None = None  # None: all of covtype
    columns: int = 54
    gap: float = 0.01
    memory: float = 7000.0  # MB
    exact: bool = False  # whether the exact machine runs as well
    minutes: float | None = None  # the time limit
    peers: bool = True

    def data(self, options: Options) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Training rows and labels, and a tenth that is held out; float32."""
        rng = np.random.default_rng(SEED)
        if self.rows is None:
            found = load("covtype", options.data)
            X, y = np.asarray(found.X, dtype=np.float32), np.where(found.y == 2, 1, 0)
            order = rng.permutation(len(X))[: 20_000 if options.quick else None]
            X, y = X[order], y[order]
        else:
            n = self.rows // 100 if options.quick else self.rows
            X = rng.standard_normal(size=(n, self.columns), dtype=np.float32)
            y = (np.square(X[:, :4]).sum(axis=1) + np.sin(2 * X[:, 4]) * X[:, 5] > 3.3).astype(int)
            y = np.where(rng.uniform(size=n) < 0.05, 1 - y, y)
        held = len(X) // 10
        mean, deviation = X[held:].mean(axis=0, dtype=np.float64), X[held:].std(axis=0, dtype=np.float64)
        X = ((X - mean) / np.where(deviation > 0, deviation, 1.0)).astype(np.float32)
        return X[held:], y[held:], X[:held], y[:held]

    def gamma_of(self, X: np.ndarray) -> float:
        return 1.0 / (X.shape[1] * float(X.var(dtype=np.float64))) if self.gamma == "scale" else float(self.gamma)


CASES = (
    Case("covtype-1", 1.0, exact=True),
    Case("covtype-10", 10.0, exact=True),
    Case("covtype-exact", 1.0, gap=1e-4, peers=False),
    Case("covtype-local", 10.0, gamma=0.3, gap=0.05, peers=False, minutes=25.0),
    Case("made-million", 1.0, rows=1_111_111, columns=20),
    Case("made-eleven-million", 1.0, rows=11_000_000, columns=28, memory=12_000.0, peers=False, minutes=25.0),
)
PARTS = tuple(case.name for case in CASES)


@dataclass(frozen=True)
class Answer:
    """Seconds, peak of memory in MB, accuracy, and where there are any: a function by landmarks, bounds, words."""

    seconds: float
    peak: float
    accuracy: float
    function: tuple[np.ndarray, np.ndarray, float] | None = None
    bounds: tuple[float, float] | None = None
    landmarks: int | None = None
    words: str = ""


def ours(case: Case, data: Any, landmarks: int | None) -> Answer:
    from maxmargin.svm import LargeSVC

    X, y, new, labels = data
    LargeSVC().fit(X[:500], y[:500])  # compiles
    LargeSVC(method="landmarks", n_landmarks=50).fit(X[:2000], y[:2000])
    memory.reset_peak()
    start = time.perf_counter()
    limit = 60 * case.minutes if case.minutes else None
    model = LargeSVC(C=case.C, gamma=case.gamma, gap_tol=case.gap, memory=case.memory, time_limit=limit).fit(X, y)
    seconds, peak, proof = time.perf_counter() - start, memory.peak(), model.certificate_
    function = None
    if model.method_ == ["landmarks"]:
        function = model.support_vectors_, model.dual_coef_[0], float(model.intercept_[0])
    bounds, words = (proof.dual, proof.primal), model.method_reason_[0]
    return Answer(seconds, peak, model.score(new, labels), function, bounds, len(model.support_), words)


def exact(case: Case, data: Any, landmarks: int | None) -> Answer:
    from maxmargin.svm import SVC

    X, y, new, labels = data
    SVC().fit(X[:500], y[:500])
    memory.reset_peak()
    start = time.perf_counter()
    model = SVC(C=case.C, gamma=case.gamma, cache_size=2000).fit(X, y)
    seconds, proof = time.perf_counter() - start, model.certificate_
    return Answer(seconds, memory.peak(), model.score(new, labels), None, (proof.dual, proof.primal))


def _nystroem(case: Case, data: Any, landmarks: int | None, linear: Any) -> Answer:
    from sklearn.kernel_approximation import Nystroem

    X, y, new, labels = data
    memory.reset_peak()
    start = time.perf_counter()
    features = Nystroem(gamma=case.gamma_of(X), n_components=landmarks or 1000, random_state=0).fit(X)
    machine = linear.fit(features.transform(X), y)
    seconds, peak = time.perf_counter() - start, memory.peak()
    function = features.components_, features.normalization_.T @ machine.coef_[0], float(machine.intercept_[0])
    return Answer(seconds, peak, machine.score(features.transform(new), labels), function, None, landmarks)


def nystroem_linear(case: Case, data: Any, landmarks: int | None) -> Answer:
    from sklearn.svm import LinearSVC

    return _nystroem(case, data, landmarks, LinearSVC(C=case.C, loss="hinge", random_state=0))


def nystroem_sgd(case: Case, data: Any, landmarks: int | None) -> Answer:
    from sklearn.linear_model import SGDClassifier

    return _nystroem(case, data, landmarks, SGDClassifier(alpha=1.0 / (case.C * len(data[0])), random_state=0))


def forest(case: Case, data: Any, landmarks: int | None) -> Answer:
    from maxmargin.ensemble import RandomForestClassifier

    X, y, new, labels = data
    RandomForestClassifier(2).fit(X[:500], y[:500])
    start = time.perf_counter()
    model = RandomForestClassifier(100, random_state=0).fit(X, y)
    return Answer(time.perf_counter() - start, memory.peak(), model.score(new, labels))


CONTENDERS: dict[str, Callable[[Case, Any, int | None], Answer]] = {
    OURS: ours,
    f"{OURS}, exact SVC": exact,
    f"{SKLEARN}, Nystroem + LinearSVC": nystroem_linear,
    f"{SKLEARN}, Nystroem + SGDClassifier": nystroem_sgd,
    f"{OURS}, forest": forest,
}


def objective(case: Case, X: np.ndarray, y: np.ndarray, function: tuple[np.ndarray, np.ndarray, float]) -> float:
    """The exact primal objective of a function of landmarks, by plain kernel values in float64."""
    Z, c, b = (np.asarray(part, dtype=np.float64) for part in function)
    gamma, sign = case.gamma_of(X), np.where(y > 0, 1.0, -1.0)

    def kernel(A: np.ndarray) -> np.ndarray:
        A = np.asarray(A, dtype=np.float64)
        squares = np.square(A).sum(axis=1)[:, None] + np.square(Z).sum(axis=1) - 2 * (A @ Z.T)
        return np.exp(-gamma * np.maximum(squares, 0.0))

    value = float(c @ kernel(Z) @ c) / 2
    for a in range(0, len(X), 4096):
        f = kernel(X[a : a + 4096]) @ c + b
        value += case.C * float(np.maximum(0.0, 1.0 - sign[a : a + 4096] * f).sum())
    return value


def _in_child(queue: Any, name: str, case: Case, options: Options, landmarks: int | None) -> None:
    try:
        queue.put(CONTENDERS[name](case, case.data(options), landmarks))
    except BaseException as error:
        queue.put(f"{type(error).__name__}: {error}")


def _ask(name: str, case: Case, options: Options, landmarks: int | None) -> Answer | str:
    """What a contender answers in a process of its own; a text where it failed."""
    say(f"{case.name}: {name}")
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_in_child, args=(queue, name, case, options, landmarks))
    process.start()
    while True:
        try:
            answer = queue.get(timeout=5)
            break
        except Exception:
            if not process.is_alive():
                answer = f"ended with {process.exitcode}"
                break
    process.join()
    return answer


def measure(case: Case, options: Options) -> tuple[list[list[str]], dict[str, Any]]:
    """Lines of the table, and the raw numbers."""
    X, y, *_ = case.data(options)
    lines, record, landmarks, first = [], {}, None, None
    for name in CONTENDERS:
        if (name == f"{OURS}, exact SVC" and not case.exact) or (SKLEARN in name and not case.peers):
            continue
        answer = _ask(name, case, options, landmarks)
        if isinstance(answer, str):
            lines.append([case.name, name, answer])
            continue
        if name == OURS:
            landmarks, first = answer.landmarks, answer.seconds
        value = objective(case, X, y, answer.function) if answer.function is not None else None
        low, high = answer.bounds or (None, None)
        gap = None if low is None or high is None else (high - low) / max(abs(high), abs(low))
        lines.append(
            [
                f"{case.name} {X.shape[0]} x {X.shape[1]}" if name == OURS else "",
                name,
                table.seconds(answer.seconds),
                table.ratio(None if first is None or name == OURS else answer.seconds / first),
                table.megabytes(answer.peak),
                f"{answer.accuracy:.2%}",
                table.small(gap),
                table.MISSING if value is None else f"{value:.7g}",
                table.MISSING if low is None else f"{low:.7g} to {high:.7g}",
            ]
        )
        record[name] = {
            "seconds": answer.seconds,
            "peak": answer.peak,
            "accuracy": answer.accuracy,
            "bounds": answer.bounds,
            "objective": value,
            "words": answer.words,
        }
    return lines, {"shape": list(X.shape), **record}


READING = """Kernel machines of many rows: seconds of one fit, its peak of memory, accuracy on the tenth held out. "gap"
is proven, relative to the exact optimum, which lies between the bounds; "objective" is the exact one of a function of
landmarks, by the referee. "ratio" is a contender's time over that of LargeSVC; scikit-learn has as many landmarks."""
_HEADER = ["case", "who", "seconds", "ratio", "MB", "accuracy", "gap", "objective", "exact optimum"]


def run(options: Options) -> dict[str, Any]:
    """Print a table for each case, return the raw numbers."""
    print(READING, end="\n\n", flush=True)

    def part(case: Case) -> Any:
        def measured(options: Options) -> tuple[str, Any]:
            lines, record = measure(case, options)
            return f"{table.render(_HEADER, lines, left=['who'])}\n", record

        return measured

    return run_parts(options, {case.name: part(case) for case in CASES})
