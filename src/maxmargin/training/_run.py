"""A training, stage by stage.

data -> split -> prepare (training rows alone) -> tune each family on the same folds -> choose -> fit on all
training rows -> certify -> evaluate on the held-out rows, beside a baseline
"""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from ..messages import Argument, parameters
from ._evaluate import constant_scores, scores_of
from ._families import FAMILIES, Family, compare, reason_of
from ._growing import seconds_left
from ._metrics import own_score
from ._notes import without_repetitions
from ._prepare import Preparation
from ._search import Job, Reporter
from ._setup import Setup
from ._table import (
    Divided,
    TrainingTable,
    divide_table,
    open_table,
    rows_fingerprint,
)
from ._target import Target, read_target
from ._training import Training, TrainingError, TrainingInterrupted, is_interrupt
from ._tuning import Tuning


class TrainingRun(Setup, Tuning):
    """One training, stage by stage."""

    def run(self, data: Any) -> Training:
        self.begin = self.last = time.perf_counter()
        deadline = None if self.given.minutes is None else self.begin + 60 * self.given.minutes
        self.reporter = Reporter(self.progress, deadline)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                training = self._stages(data)
        except BaseException as error:
            if is_interrupt(error):
                raise self._interrupted() from error
            raise
        seen = without_repetitions([str(warning.message) for warning in caught])
        return replace(training, notes=(*training.notes, *seen))

    def _stages(self, data: Any) -> Training:
        table, target = self._opened(data)
        classes = target.classes is not None
        families = self._families(classes, table)
        self._order_rows(table, target)
        rows = divide_table(table, target, self._split(table, target))
        y, y_test = rows.y_train, rows.y_test
        self.places = np.searchsorted(target.rows, rows.split.train_rows)
        metric, metric_reason = self._metric(y, classes)
        self.class_weight = self._class_weight(y, classes, metric)
        self.kept = self._kept_before(table)
        summary, fingerprint = None if table.sparse else table.summary, {"data": table.fingerprint}
        self._tick("data")
        prepared = self._prepare(rows, {True} | {family.scaled for family in families})
        self.findings = self._find(rows, prepared)
        prepared.numbers_seen()
        self._tick("prepare")
        self._tune(families, prepared, y, classes, metric)
        self._compare_on_more(prepared, y, classes, metric)
        compared, winner = compare(self.results, classes)
        reason = reason_of(compared, metric, len(self.given.models) == 1)
        self._tell("choose", reason)
        self._tick("tune")
        model, X = self._fit(FAMILIES[winner], prepared, y, classes, metric)
        self._tick("fit")
        self._tell("evaluate", f"{len(y_test)} rows that were held out" if len(y_test) else "no rows were held out")
        scores = self._scores(model, rows, metric)
        baseline, baseline_name = constant_scores(y, y_test, classes, self.given.seed)
        self._remark_on(scores, baseline, metric, baseline_name)
        fingerprint["training_rows"] = rows_fingerprint(X, y)
        self._tick("evaluate")
        self.seconds["total"] = self.last - self.begin
        self.kept.remove()
        return Training(
            model=model,
            task=target.task,
            task_reason=target.reason,
            target=None if table.sparse else self.target_name,
            classes=None if target.classes is None else tuple(target.classes.tolist()),
            class_counts=_counts(y) if classes else None,
            metric=metric,
            metric_reason=metric_reason,
            family=winner,
            reason=reason,
            candidates=compared,
            tuning=self._tuning_table(metric),
            scores=scores,
            baseline=baseline,
            baseline_name=baseline_name,
            certificate=model[-1].certificate_,
            summary=summary,
            columns=prepared.columns,
            split=rows.split,
            fingerprint=fingerprint,
            settings=self.given.settings(self.target_name),
            notes=tuple(self.notes),
            seconds=self.seconds,
            findings=tuple(self.findings),
            rows=rows,
        )

    def _opened(self, data: Any) -> tuple[TrainingTable, Target]:
        """The columns and the target."""
        self._tell("data", "reading the columns")
        table = open_table(data, self.target_name, self.given.columns)
        if self.given.kinds and self.target_name in self.given.kinds:
            asked = Argument("kinds", key=self.target_name)
            raise TrainingError(asked, " is the target, whose kind is said by ", Argument("task"), ".")
        return table, read_target(table.target, self.given.task, self.given.drop_missing_target)

    def _scores(self, model: Pipeline, rows: Divided, metric: str) -> dict[str, Any]:
        """What the rows that were held out say of the model; nothing if there are none."""
        if not len(rows.y_test):
            return {}
        X = model[:-1].transform(rows.X_test)
        scores = scores_of(model[-1], X, rows.y_test, self.given.seed)
        return scores | own_score(metric, model[-1], X, rows.y_test, self.given.seed)

    def _fit(self, family: Family, prepared: Preparation, y: np.ndarray, classes: bool, metric: str) -> tuple[Any, Any]:
        """The winner on all training rows, behind its preparation; and the rows that it was fitted on."""
        X = prepared.rows(family.scaled)
        prepared.forget(not family.scaled)
        job = self._job(family.name, X, y, classes, metric, [], self.order.take(self.places))
        params = self._for_all(family, job)
        self._tell("fit", f"{family.name} on {len(y)} rows with {parameters(params) or 'no parameters to choose'}")
        estimator = family.make(job, params)
        if hasattr(estimator, "callback"):
            estimator.callback = self.reporter.fitting
        with warnings.catch_warnings():
            if hasattr(estimator, "time_limit"):  # what it has reached is remarked on below
                warnings.simplefilter("ignore", ConvergenceWarning)
            estimator.fit(X, y)
        if hasattr(estimator, "callback"):
            estimator.callback = None  # a saved model calls nobody
        remark = family.remark(job, estimator)
        if remark:
            self.notes.append(remark)
        return Pipeline([("prepare", prepared.pipeline(family.scaled)), ("model", estimator)]), X

    def _for_all(self, family: Family, job: Job) -> dict[str, Any]:
        """The parameters of the fit on all training rows, if there is time to find out what more rows change."""
        found = self.found[family.name]
        if seconds_left(self.reporter.deadline) <= 0:
            return found.params
        params = family.enlarge(job, found.params, self.tuned_on)
        changed = {name: value for name, value in params.items() if value != found.params.get(name)}
        if changed:
            self.notes.append(
                f"{parameters(changed)} of the final fit was found on all {len(job.y)} training rows, a part held back"
            )
        return params

    def _remark_on(self, scores: dict, baseline: dict, metric: str, name: str) -> None:
        score, constant = scores.get(metric), baseline.get(metric)
        if score is None or constant is None:
            return
        if score.value > constant.value if score.more_is_better else score.value < constant.value:
            return
        self.notes.append(
            f"on the held-out rows the model is no better than {name} ({metric} {score.value:.4g} against "
            f"{constant.value:.4g}): the columns may say nothing about the target"
        )

    def _interrupted(self) -> TrainingInterrupted:
        judged = [result for result in self.results if result.judged]
        kept = getattr(self, "kept", None)
        file = None if kept is None or not judged or kept.path is None else kept.path
        if not judged:
            return TrainingInterrupted(self.stage, tuple(self.results))
        rows, winner = compare(self.results, any(not FAMILIES[result.family].values for result in judged))
        best = next(row for row in rows if row.chosen)
        fixed = {name: best.params[name] for name in FAMILIES[winner].takes if name in best.params}
        return TrainingInterrupted(self.stage, rows, {"model": winner, **fixed}, file)


def _counts(y: np.ndarray) -> dict[str, int]:
    labels, counts = np.unique(y, return_counts=True)
    return {str(label): int(count) for label, count in zip(labels.tolist(), counts.tolist(), strict=True)}
