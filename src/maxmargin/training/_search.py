"""What a family's search is given, what it finds, and who is told while candidates are tried.

Plain searches are for families without one of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from ..messages import Candidate, Fitting, ProgressEvent
from ..search import SearchState, standard_error
from ._metrics import figure, judge
from ._split import RowOrder


class Reporter:
    """Events to whoever listens, one at a time, and the end of the time for tuning.

    Parameters
    ----------
    progress : callable or None
    deadline : float or None
        Of `time.perf_counter`.

    """

    def __init__(self, progress: Callable[[ProgressEvent], Any] | None, deadline: float | None) -> None:
        self._progress, self.deadline = progress, deadline
        self._lock = Lock()

    @property
    def out_of_time(self) -> bool:
        """Whether the time for tuning has passed."""
        return self.deadline is not None and time.perf_counter() > self.deadline

    def tell(self, event: ProgressEvent) -> None:
        """Pass an event on."""
        if self._progress is not None:
            with self._lock:
                self._progress(event)

    def fitting(self, state: dict[str, Any]) -> None:
        """Pass on how far a fit is: the callback of an estimator."""
        gap = float(state["gap"])
        self.tell(Fitting(int(state["iteration"]), gap, state["seconds"], state["problem"], state["violation"]))


class StateMonitor:
    """Stands where a search's own monitor stands: tells of finished candidates, stops the search in time.

    Called under the lock of the state.
    """

    verbose = True  # or the search would not call

    def __init__(self, state: SearchState, family: str, reporter: Reporter) -> None:
        self._state, self._family, self._reporter = state, family, reporter
        self._told = np.zeros(len(state.grid), dtype=bool)
        self.stopped = False

    def report(self, scores: np.ndarray, done: np.ndarray, marks: dict[int, str], last: bool = False) -> None:
        """Tell of candidates that were finished since."""
        for k in np.flatnonzero(done.all(axis=1) & ~self._told).tolist():
            self._told[k] = True
            record = self._state.record
            seconds = float((record.fit_seconds[k] + record.score_seconds[k]).sum())
            event = Candidate(
                self._family,
                {name: float(value) for name, value in self._state.grid.candidates[k].items()},
                float(scores[k].mean()),
                standard_error(scores[k]),
                seconds,
                int(self._told.sum()),
                len(self._told),
            )
            self._reporter.tell(event)
        if self._reporter.out_of_time and not last:
            self.stopped = True
            self._state.stop()

    def say(self, text: str) -> None:
        """Nothing: notes are collected elsewhere."""


class Reporting:
    """For a search: it reports to a `Reporter`. To be mixed in in front of it."""

    reporter: Reporter
    family: str
    monitor: StateMonitor | None = None

    def _monitor_of(self, state: SearchState) -> StateMonitor:
        self.monitor = StateMonitor(state, self.family, self.reporter)
        return self.monitor


class OutOfTimeError(Exception):
    """The time for tuning was over before any candidate had all its folds."""


@dataclass(frozen=True, eq=False)
class Job:
    """What is searched.

    Attributes
    ----------
    family : str
    X, y : ndarray or CSR matrix, ndarray
        Prepared rows to tune on, and labels or values.
    codes : ndarray or None
        Numbers of the classes.
    folds : list of (train, test)
        The same for all families.
    metric : str
    fixed : dict
        What the user gave: C, gamma, kernel.
    class_weight : str, dict or None
        As classifiers take it.
    seed : int
    n_jobs : int or None
    memory : float
        MB for kernel values.
    reporter : Reporter
    minutes : float or None
        As they were asked for.
    order : RowOrder
        How the rows hang together.

    """

    family: str
    X: Any
    y: np.ndarray
    codes: np.ndarray | None
    folds: list[tuple[np.ndarray, np.ndarray]]
    metric: str
    fixed: dict[str, Any]
    class_weight: Any
    seed: int
    n_jobs: int | None
    memory: float
    reporter: Reporter
    minutes: float | None = None
    order: RowOrder = field(default_factory=RowOrder)

    @property
    def classes(self) -> bool:
        """Whether labels are learnt."""
        return self.codes is not None

    @property
    def balanced(self) -> bool:
        """Whether classes weigh alike."""
        return isinstance(self.class_weight, str)

    @property
    def scoring(self) -> Callable | None:
        """As our searches take it: None is accuracy and R2, which they compute themselves."""
        return None if self.metric in ("accuracy", "R2") else self.judge

    def score(self, y: np.ndarray, predictions: np.ndarray) -> float:
        """What candidates are compared by."""
        return figure(self.metric, y, predictions)

    def judge(self, model: Any, X: Any, y: np.ndarray) -> float:
        """The same of a fitted model, which may be asked for more than predictions."""
        return judge(self.metric, model, X, y)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What came out of a search.

    Attributes
    ----------
    params : dict
        Of the best candidate: arguments of the estimator.
    fold_scores : ndarray
        Its scores.
    table : list of dict
        All candidates, plain.
    note : str
        What was searched, in words.

    """

    params: dict[str, Any]
    fold_scores: np.ndarray
    table: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""


def table_row(params: dict[str, Any], scores: np.ndarray, seconds: float, status: str = "") -> dict[str, Any]:
    """One candidate as plain values."""
    return {
        "params": dict(params),
        "score": float(np.mean(scores)),
        "std": float(np.std(scores)),
        "fold_scores": [float(s) for s in scores],
        "seconds": float(seconds),
        "status": status,
    }


def best_of(rows: Sequence[dict[str, Any]], note: str) -> SearchResult:
    """The first with the best mean."""
    best = max(rows, key=lambda row: row["score"] if np.isfinite(row["score"]) else -np.inf)
    return SearchResult(dict(best["params"]), np.array(best["fold_scores"]), list(rows), note)


def search_each(job: Job, candidates: Sequence[dict[str, Any]], make: Callable[..., Any], note: str) -> SearchResult:
    """Train every candidate on every fold, one after the other; those that the time allows."""
    rows: list[dict[str, Any]] = []
    for params in candidates:
        if job.reporter.out_of_time:
            break
        begin = time.perf_counter()
        scores, status = np.empty(len(job.folds)), "converged"
        for f, (train, test) in enumerate(job.folds):
            model = make(**params).fit(job.X[train], job.y[train])
            scores[f] = job.judge(model, job.X[test], job.y[test])
            proof = getattr(model, "certificate_", None)
            status = status if proof is None or str(proof.status) == "converged" else str(proof.status)
        rows.append(table_row(params, scores, time.perf_counter() - begin, status))
        tell_candidate(job, rows[-1], len(rows), len(candidates))
    if not rows:
        raise OutOfTimeError
    cut = "" if len(rows) == len(candidates) else f"; the time was over after {len(rows)} of {len(candidates)}"
    return best_of(rows, note + cut)


def search_together(
    job: Job,
    candidates: Sequence[dict[str, Any]],
    scores_of: Callable[[np.ndarray, np.ndarray], Sequence[float]],
    note: str,
) -> SearchResult:
    """Score all candidates of a fold by one piece of work: neighbours found once, rounds of one boost.

    Parameters
    ----------
    job : Job
    candidates : list of dict
    scores_of : callable
        From training and test rows of a fold to one score a candidate.
    note : str

    """
    begin = time.perf_counter()
    scores = np.empty((len(candidates), len(job.folds)))
    for f, (train, test) in enumerate(job.folds):
        if job.reporter.out_of_time:
            raise OutOfTimeError
        scores[:, f] = scores_of(train, test)
    share = (time.perf_counter() - begin) / len(candidates)
    rows = [table_row(params, row, share, "") for params, row in zip(candidates, scores, strict=True)]
    for number, row in enumerate(rows, 1):
        tell_candidate(job, row, number, len(rows))
    return best_of(rows, note)


def tell_candidate(job: Job, row: dict[str, Any], number: int, count: int) -> None:
    """Tell whoever listens of a candidate that is scored."""
    error = standard_error(np.array(row["fold_scores"]))
    job.reporter.tell(Candidate(job.family, dict(row["params"]), row["score"], error, row["seconds"], number, count))
