"""Who is asked. Each is fitted once, in a process of its own, after a small fit that loads and compiles."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import memory
from ..names import OURS, SKLEARN
from .cases import Case

Function = tuple[np.ndarray, np.ndarray, float]  # landmarks, coefficients, intercept
# What scikit-learn's pair holds of a value of the features: float32 twice, float64, and LIBLINEAR's index and value.
_LINEAR_BYTES, _SGD_BYTES = 32, 12
_START = 5000  # rows of the first fit on a subset


@dataclass
class Clock:
    """The time and the memory of one fit; says when it begins, so that a limit counts from there."""

    begins: Callable[[], None]
    seconds: float = 0.0
    peak: float = 0.0
    start: float = field(default=0.0, repr=False)

    def __enter__(self) -> Clock:
        memory.reset_peak()
        self.begins()
        self.start = time.perf_counter()
        return self

    def __exit__(self, *error: Any) -> None:
        self.seconds = time.perf_counter() - self.start
        self.peak = memory.peak()


@dataclass(frozen=True)
class Told:
    """What a contender may know of the first: its seconds and its landmarks; and how much memory there is, in MB."""

    seconds: float | None
    landmarks: int | None
    memory: float


@dataclass(frozen=True)
class Fit:
    """A fitted model: how it predicts, its function by landmarks and its bounds if it has any, and words."""

    score: Callable[[Any, Any], float]
    function: Function | None = None
    bounds: tuple[float, float] | None = None
    confidence: float = 1.0
    landmarks: int | None = None
    words: str = ""


def ours(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    from maxmargin.svm import LargeSVC

    _compile(X[:_START], y[:_START])
    limit = 60 * case.minutes if case.limited else None
    model = LargeSVC(C=case.C, gamma=case.gamma, gap_tol=case.gap, memory=case.memory, time_limit=limit)
    return _large(model, X, y, clock)


def cold(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    """The exact engine at the same gap, without a start."""
    from maxmargin.svm import LargeSVC

    _compile(X[:_START], y[:_START])
    model = LargeSVC(C=case.C, gamma=case.gamma, gap_tol=case.gap, memory=case.memory, method="exact")
    return _large(model, X, y, clock)


def _compile(X: Any, y: Any) -> None:
    from maxmargin.svm import LargeSVC

    model = LargeSVC(method="landmarks", n_landmarks=50, gap_tol=1e-3, warm_start=True).fit(X, y)
    model.set_params(method="auto").fit(X, y)
    LargeSVC(method="cells", gamma=1.0).fit(X, y)
    LargeSVC().fit(X, y)


def _large(model: Any, X: Any, y: Any, clock: Clock) -> Fit:
    with clock:
        model.fit(X, y)
    proof, over_landmarks = model.certificate_, model.method_ == ["landmarks"]
    function = (model.support_vectors_, model.dual_coef_[0], float(model.intercept_[0])) if over_landmarks else None
    count = len(model.support_) if over_landmarks else None
    words = f"{model.method_[0]}, {proof.status}: {model.method_reason_[0]}"
    return Fit(model.score, function, (proof.dual, proof.primal), proof.confidence, count, words)


def exact(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    from maxmargin.svm import SVC

    SVC().fit(X[:_START], y[:_START])
    with clock:
        model = SVC(C=case.C, gamma=case.gamma, cache_size=2000).fit(X, y)
    proof = model.certificate_
    return Fit(model.score, None, (proof.dual, proof.primal))


def subset(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    """The exact machine on as many of the rows as it does in the time of the first; the clock shows its last fit.

    Its time is measured on ever more rows, twice as many each time, until a fit takes a quarter of what there is; the
    last fit is on as many as the growth so far allows.
    """
    from maxmargin.svm import SVC

    gamma, target = case.gamma_of(X), told.seconds or 60.0

    def fitted(rows: int) -> Any:
        with clock:
            return SVC(C=case.C, gamma=gamma, cache_size=2000).fit(X[:rows], y[:rows])

    fitted(min(500, len(X)))
    rows = min(_START, len(X))
    model, before, power = fitted(rows), 0.0, 2.0
    while rows < len(X) and clock.seconds < 0.9 * target:
        if before:
            power = float(np.clip(np.log2(clock.seconds / before), 1.0, 3.0))
        room = rows * (0.95 * target / clock.seconds) ** (1 / power)
        last, rows = room <= 4 * rows, int(min(room if room <= 4 * rows else 2 * rows, len(X)))
        before, model = clock.seconds, fitted(rows)
        if last:
            break
    return Fit(model.score, words=f"on {rows} rows")


def _nystroem(case: Case, X: Any, y: Any, told: Told, clock: Clock, linear: Any, size: int) -> Fit:
    """At the same number of landmarks, or at as many as there is memory for: the features are held as a whole."""
    from sklearn.kernel_approximation import Nystroem

    wanted = told.landmarks or 1000
    room = int(max(0.9 * told.memory * 1e6 - 3 * X.nbytes, 1.0) / (size * len(X)))
    count = max(min(wanted, room), 1)
    Nystroem(n_components=5).fit_transform(X[:100])
    with clock:
        features = Nystroem(gamma=case.gamma_of(X), n_components=count, random_state=0).fit(X)
        machine = linear.fit(features.transform(X), y)
    function = features.components_, features.normalization_.T @ machine.coef_[0], float(machine.intercept_[0])
    words = "" if count == wanted else f"{wanted} landmarks would take about {wanted * size * len(X) / 1e6:.0f} MB"

    def score(new: Any, labels: Any) -> float:
        parts = np.array_split(np.arange(len(new)), max(1, len(new) // 10_000))
        hits = sum(float((machine.predict(features.transform(new[part])) == labels[part]).sum()) for part in parts)
        return hits / len(new)

    return Fit(score, function, None, 1.0, count, words)


def linear(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    from sklearn.svm import LinearSVC

    return _nystroem(case, X, y, told, clock, LinearSVC(C=case.C, loss="hinge", random_state=0), _LINEAR_BYTES)


def sgd(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    from sklearn.linear_model import SGDClassifier

    machine = SGDClassifier(alpha=1.0 / (case.C * len(X)), random_state=0)
    return _nystroem(case, X, y, told, clock, machine, _SGD_BYTES)


def forest(case: Case, X: Any, y: Any, told: Told, clock: Clock) -> Fit:
    from maxmargin.ensemble import RandomForestClassifier

    RandomForestClassifier(2).fit(X[:500], y[:500])
    with clock:
        model = RandomForestClassifier(100, random_state=0).fit(X, y)
    return Fit(model.score)


@dataclass(frozen=True)
class Contender:
    """How tables call it, who fits, and how many times the seconds of the first it may take (None: the case says)."""

    name: str
    fit: Callable[[Case, Any, Any, Told, Clock], Fit]
    patience: float | None


CONTENDERS = {
    "ours": Contender(f"{OURS}, LargeSVC", ours, None),
    "subset": Contender(f"{OURS}, exact SVC on fewer rows", subset, 4.0),
    "linear": Contender(f"{SKLEARN}, Nystroem + LinearSVC", linear, 3.0),
    "sgd": Contender(f"{SKLEARN}, Nystroem + SGDClassifier", sgd, 3.0),
    "forest": Contender(f"{OURS}, forest", forest, 2.0),
    "exact": Contender(f"{OURS}, exact SVC", exact, 5.2),  # a fifth of its time is what the first should take
    "cold": Contender(f"{OURS}, exact from the beginning", cold, 2.0),
}
