"""What a training knows while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..messages import Judged, ProgressEvent, Stage
from ._arguments import Arguments
from ._findings import Finding
from ._kept import Kept
from ._search import Job, Reporter, SearchResult
from ._split import RowOrder
from ._training import FamilyResult


@dataclass(eq=False)
class RunState:
    """What a training knows at any stage, and whom it tells."""

    given: Arguments
    target_name: str | None
    progress: Callable[[ProgressEvent], Any] | None
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    results: list[FamilyResult] = field(default_factory=list)
    found: dict[str, SearchResult] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    order: RowOrder = field(default_factory=RowOrder)
    stage: str = "data"
    class_weight: Any = None
    reporter: Reporter = field(init=False)
    kept: Kept = field(init=False)
    places: np.ndarray = field(init=False)  # of the training rows, among those that have a target
    tuned_on: int = field(init=False)
    fold_count: int = field(init=False)
    begin: float = field(init=False)
    last: float = field(init=False)

    def _job(self, family: str, X: Any, y: np.ndarray, classes: bool, metric: str, folds: list, order: RowOrder) -> Job:
        given = self.given
        fixed = {"C": given.C, "gamma": given.gamma, "kernel": given.kernel or "rbf"}
        codes = np.unique(y, return_inverse=True)[1] if classes else None
        return Job(
            family=family,
            X=X,
            y=y,
            codes=codes,
            folds=folds,
            metric=metric,
            fixed=fixed,
            class_weight=self.class_weight if classes else None,
            seed=given.seed,
            n_jobs=given.n_jobs,
            memory=given.memory,
            reporter=self.reporter,
            minutes=given.minutes,
            order=order,
        )

    def _kinds(self) -> dict[str, str]:
        """What columns are, as the user says; one that tells groups is not learnt from."""
        kinds = dict(self.given.kinds or {})
        return kinds if self.given.group is None else {self.given.group: "drop", **kinds}

    def _leave_out(self, family: str, note: str, seconds: float = 0.0) -> None:
        nan = float("nan")
        self.results.append(FamilyResult(family, nan, nan, nan, seconds, {}, note=note))
        if self.progress is not None:
            self.reporter.tell(Judged(family, {}, nan, nan, seconds, note))

    def _tell(self, name: str, detail: str) -> None:
        self.stage = name
        self.reporter.tell(Stage(name, detail))

    def _tick(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] = now - self.last
        self.last = now
