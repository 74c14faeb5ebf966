"""A training, stage by stage.

data -> split -> prepare (training rows alone) -> tune each family on the same folds -> choose -> fit on all
training rows -> certify -> evaluate on the held-out rows, beside a baseline
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from ..messages import Argument, Judged, ProgressEvent, Stage, parameters, quoted
from ..search import standard_error
from ._account import versions
from ._arguments import Arguments
from ._evaluate import constant_scores, scores_of
from ._families import BY_COST, FAMILIES, Family, compare, reason_of, too_sparse
from ._findings import Finding, on_columns, on_the_split, on_the_target
from ._growing import FOLDS, GROWTH, expected_seconds, search_again, seconds_left, survivors
from ._kept import Kept, key_of
from ._leaks import drift, leaks, sparse_leaks
from ._metrics import check_for, needs_probabilities, own_score, shown_name
from ._notes import without_repetitions
from ._order import order_of
from ._prepare import Preparation
from ._search import Job, OutOfTimeError, Reporter, SearchResult
from ._split import RANDOM, TIME, RowOrder
from ._table import (
    Divided,
    TrainingTable,
    divide_table,
    draw_tuning_rows,
    make_folds,
    make_split,
    open_table,
    rows_fingerprint,
)
from ._target import Target, read_target
from ._training import FamilyResult, Split, Training, TrainingError, TrainingInterrupted, is_interrupt

# From this share of the training rows on, the most frequent class makes accuracy meaningless.
_DOMINANT = 0.9


@dataclass(eq=False)
class TrainingRun:
    """One training, stage by stage."""

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
        self._tell("data", "reading the columns")
        table = open_table(data, self.target_name, self.given.columns)
        if self.given.kinds and self.target_name in self.given.kinds:
            asked = Argument("kinds", key=self.target_name)
            raise TrainingError(asked, " is the target, whose kind is said by ", Argument("task"), ".")
        target = read_target(table.target, self.given.task, self.given.drop_missing_target)
        classes = target.classes is not None
        families = self._families(classes, table)
        self._order_rows(table, target)
        rows = divide_table(table, target, self._split(table, target))
        y, y_test = rows.y_train, rows.y_test
        self.places = np.searchsorted(target.rows, rows.split.train_rows)  # among the rows that have a target
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
        scores = {}
        if len(y_test):
            X_test = model[:-1].transform(rows.X_test)
            scores = scores_of(model[-1], X_test, y_test, self.given.seed)
            scores |= own_score(metric, model[-1], X_test, y_test, self.given.seed)
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

    # ---------------------------------------------------------------- before tuning

    def _families(self, classes: bool, table: TrainingTable) -> list[Family]:
        """Those to try, the quickest first."""
        names = [n for n in BY_COST if FAMILIES[n].learns(classes)]
        if self.given.model == "auto":
            if not table.sparse:
                return [FAMILIES[name] for name in names]
            n, d = table.features.shape
            if why := too_sparse(n, d):
                for name in names:
                    if not FAMILIES[name].sparse:
                        self._leave_out(name, why)
                names = [name for name in names if FAMILIES[name].sparse]
            return [FAMILIES[name] for name in names]
        names += [n for n in FAMILIES if FAMILIES[n].learns(classes) and n not in names]
        asked = self.given.models
        wrong = next((name for name in asked if name not in names), None)
        if wrong is not None:
            kind = "classes" if classes else "numbers"
            raise TrainingError(
                Argument("model", wrong),
                f" does not learn {kind}, which this target has; use one of {', '.join(names)}, or ",
                Argument("model", "auto"),
                ".",
                *(() if classes else (" ", Argument("task", "classification"), " would learn classes.")),
            )
        return [FAMILIES[name] for name in names if name in asked]

    def _split(self, table: TrainingTable, target: Target) -> Split:
        given = self.given
        classes = target.classes is not None
        split = make_split(target.y, target.rows, table.rows, classes, given.test, given.seed, self.order)
        if given.test and not len(split.test_rows):
            words = f" of {len(target.rows)} rows is none; use a larger share or 0."
            raise TrainingError(Argument("test", given.test), words)
        if len(split.train_rows) < 4:
            words = f" leaves {len(split.train_rows)} of {len(target.rows)} rows to train on; use less."
            raise TrainingError(Argument("test", given.test), words)
        if target.dropped:
            self.notes.append(f"{target.dropped} rows without a target were left out")
        self._tell("split", f"{len(split.train_rows)} rows to train on, {len(split.test_rows)} held out")
        self._check_parts(target, split)
        return split

    def _check_parts(self, target: Target, split: Split) -> None:
        """Rows that are held out together may leave nothing to learn."""
        y = target.of(split.train_rows)
        if len(np.unique(y)) < 2:
            asked = Argument(split.kind if split.kind == TIME else "group", split.column)
            raise TrainingError(asked, f" leaves rows to train on that all have the target {quoted(y[0])}.")

    def _order_rows(self, table: TrainingTable, target: Target) -> None:
        """How rows hang together, for every split of them."""
        dropped = {name for name, kind in self._kinds().items() if kind == "drop"}
        self.order = order_of(table, target.rows, self.given.time, self.given.group, dropped)

    def _kinds(self) -> dict[str, str]:
        """What columns are, as the user says; one that tells groups is not learnt from."""
        kinds = dict(self.given.kinds or {})
        return kinds if self.given.group is None else {self.given.group: "drop", **kinds}

    def _find(self, rows: Divided, prepared: Preparation) -> list[Finding]:
        """What endangers trust, the serious first."""
        self._tell("prepare", "looking for leaks, copies and identifiers")
        table, target, y = rows.table, rows.target, rows.y_train
        told = self.given.time is not None
        codes = None if target.classes is None else np.unique(y, return_inverse=True)[1]
        found = on_the_target(table, target)
        if table.sparse:
            found += sparse_leaks(rows.X_train, None, codes, y)
        else:
            names = [plan.name for plan in prepared.outputs]
            levels = [plan.kind == "category" for plan in prepared.outputs]
            of_training = self.order.take(self.places)
            found += leaks(prepared.numbers, names, levels, prepared.words, y, codes, of_training, self.given.seed)
            found += on_columns(table, prepared.columns, self.order, target)
            if self.order.kind != RANDOM and len(rows.y_test):
                after = prepared.read(rows.X_test)
                kept = [j for j, name in enumerate(names) if name != self.order.column]
                found += drift(
                    prepared.numbers[:, kept], after[:, kept], [names[j] for j in kept], [levels[j] for j in kept], y,
                    rows.y_test,
                )  # fmt: skip
        found += on_the_split(table, self.order, rows.split, target, told)
        return sorted(found, key=lambda finding: not finding.serious)

    def _metric(self, y: np.ndarray, classes: bool) -> tuple[str, str]:
        asked = self.given.metric
        if asked != "auto":
            check_for(asked, np.unique(y) if classes else None)
            return asked, "as asked"
        if not classes:
            return "R2", "share of the target's variance that is explained"
        labels, counts = np.unique(y, return_counts=True)
        share = counts.max() / len(y)
        if share < _DOMINANT:
            return "accuracy", "share of rows that are classified correctly"
        return "balanced accuracy", (
            f"{100 * share:.1f} % of the training rows are {str(labels[counts.argmax()])!r}, so that accuracy says "
            "little: the mean recall of the classes is compared, and classes weigh alike in training"
        )

    def _prepare(self, rows: Divided, ways: set[bool]) -> Preparation:
        columns = rows.table.features.shape[1]
        self._tell("prepare", f"{columns} columns")
        prepared = Preparation(rows.X_train, rows.table.sparse, self._kinds() or None, ways)
        width = prepared.rows(scaled=True).shape[1]
        self._tell("prepare", f"{columns} columns become {width} numbers a row")
        return prepared

    def _class_weight(self, y: np.ndarray, classes: bool, metric: str) -> Any:
        """What classes weigh: as estimators take it."""
        given = self.given.class_weight
        if given == "auto" or given is None:
            return "balanced" if given == "auto" and classes and metric == "balanced accuracy" else None
        asked = Argument("class_weight", given)
        if not classes:
            raise TrainingError(asked, " weighs classes, and this target is a number: leave it out.")
        if isinstance(given, str):
            return given
        known = {str(label): label for label in np.unique(y).tolist()}
        unknown = next((str(label) for label in given if str(label) not in known), None)
        if unknown is not None:
            words = f" names the class {quoted(unknown)}; the target has {', '.join(map(quoted, list(known)[:5]))}."
            raise TrainingError(Argument("class_weight"), words)
        return {known[str(label)]: float(weight) for label, weight in given.items()}

    def _kept_before(self, table: TrainingTable) -> Kept:
        """What an interrupted run of the same table and arguments has tuned."""
        if self.given.resume is None:
            return Kept(None, "")
        key = key_of(self.given.settings(self.target_name), table.fingerprint, versions()["maxmargin"])
        kept = Kept(Path(self.given.resume), key)
        if kept.found:
            self._tell("data", f"an interrupted run has tuned {', '.join(kept.found)}")
            self.notes.append(f"tuned in an earlier run that was interrupted: {', '.join(kept.found)}")
        return kept

    # ---------------------------------------------------------------- tuning

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

    def _tune(self, families: list[Family], prepared: Preparation, y: np.ndarray, classes: bool, metric: str) -> None:
        given = self.given
        codes = np.unique(y, return_inverse=True)[1] if classes else None
        rows = draw_tuning_rows(codes, len(y), given.tuning_rows, given.seed)
        some = codes if codes is None else codes[rows]
        order = self.order.take(self.places[rows])
        folds = make_folds(some, len(rows), given.folds, given.seed, order)
        if not folds:
            raise TrainingError(f"the {len(rows)} training rows give no folds in which two classes can be learnt.")
        self.tuned_on, self.fold_count = len(rows), len(folds)
        if len(rows) < len(y):
            kept = ", in the proportions of the classes" if classes else ""
            self.notes.append(
                f"families were compared and tuned on {len(rows)} of {len(y)} training rows, drawn at random{kept}; "
                "the winner was fitted on all"
            )
        if len(folds) < given.folds:
            self.notes.append(f"{len(folds)} folds, because there are too few rows for {given.folds}")
        for family in families:
            if why := self._not_for_words(family, prepared):
                self._leave_out(family.name, why)
                continue
            width = prepared.rows(family.scaled).shape[1]
            cost = family.too_great(len(y), width, 0 if codes is None else int(codes.max()) + 1)
            if classes and needs_probabilities(metric) and not family.probabilities:
                self._leave_out(family.name, f"left out: it gives no probabilities, which {metric} needs")
                continue
            if why := self._not_weighed(family):
                self._leave_out(family.name, why)
                continue
            if prepared.sparse and family.dense:
                self._leave_out(family.name, "left out: it takes dense rows alone")
                continue
            if given.model == "auto" and cost:
                self._leave_out(family.name, cost)
                continue
            X = prepared.rows(family.scaled)
            X = X if len(rows) == len(y) else X[rows]
            self._tune_one(family, self._job(family.name, X, y[rows], classes, metric, folds, order))
        if not any(result.judged for result in self.results):
            why = "; ".join(f"{result.family}: {result.note}" for result in self.results[:3])
            words = f"no family could be tuned ({why}); give more minutes, or another model."
            raise TrainingError(words, argument="minutes")

    def _not_weighed(self, family: Family) -> str:
        """Why a family cannot weigh the classes as asked; empty if it can, or nobody asked."""
        given = self.given.class_weight
        kind = "balanced" if given == "balanced" else "given"
        if given is None or given == "auto" or kind in family.weighs:
            return ""
        return "left out: it takes no such weights of classes"

    def _not_for_words(self, family: Family, prepared: Preparation) -> str:
        """Why a family is not tried where columns are free text; empty if it is."""
        if not prepared.has_words:
            return ""
        if not family.scaled:
            return "" if prepared.has_more_than_words else "left out: it is not given the words of free text"
        if family.sparse or family.name in self.given.models:
            return ""
        return "left out: not tried on the words of free text; name it as model= to train it"

    def _compare_on_more(self, prepared: Preparation, y: np.ndarray, classes: bool, metric: str) -> None:
        """The families near the best one once more, on growing numbers of rows."""
        given, n, size = self.given, len(y), self.tuned_on
        hurry = given.minutes is not None
        codes = np.unique(y, return_inverse=True)[1] if classes else None
        while size < n:
            growth = min(GROWTH, n / size)
            near = survivors(compare(self.results, classes)[0], hurry)
            now = {result.family: result for result in self.results}
            seconds = [expected_seconds(f, self.found[f.name], now[f.name], growth) for f in near]
            while len(near) > 2 and sum(seconds) > seconds_left(self.reporter.deadline):
                near, seconds = near[:-1], seconds[:-1]  # the last is the furthest behind
            if len(near) < (1 if hurry else 2) or sum(seconds) > seconds_left(self.reporter.deadline):
                return
            size = min(n, GROWTH * size)
            rows = draw_tuning_rows(codes, n, size, given.seed)
            some = codes if codes is None else codes[rows]
            order = self.order.take(self.places[rows])
            folds = make_folds(some, len(rows), min(FOLDS, given.folds), given.seed, order)
            done = [self._judge_again(f, now[f.name], prepared, y, rows, metric, folds, order) for f in near]
            if not all(done):  # some have no time left: the comparison before stands
                return
            for result, found in done:  # type: ignore[misc]
                self.found[result.family] = found
                self.results[self.results.index(now[result.family])] = result
                self.reporter.tell(
                    Judged(result.family, found.params, result.score, result.error, result.seconds, result.note)
                )
            self.tuned_on = size
            names = ", ".join(family.name for family in near)
            self.notes.append(f"{names} were compared again on {size} training rows in {len(folds)} folds")
            if not hurry:
                return

    def _judge_again(
        self, family: Family, before: FamilyResult, prepared: Preparation, y: np.ndarray, rows: np.ndarray,
        metric: str, folds: list, order: RowOrder,
    ) -> tuple[FamilyResult, SearchResult] | None:  # fmt: skip
        """A family on more rows; None if the time is over."""
        X = prepared.rows(family.scaled)
        job = self._job(family.name, X[rows], y[rows], y.dtype.kind != "f", metric, folds, order)
        self._tell("tune", f"{family.name} again, on {len(rows)} rows")
        begin = time.perf_counter()
        try:
            found = (family.again or partial(search_again, family))(job, self.found[family.name])
        except OutOfTimeError:
            return None
        scores = found.fold_scores
        result = replace(
            before, score=float(scores.mean()), std=float(scores.std()), error=standard_error(scores),
            seconds=before.seconds + time.perf_counter() - begin, params=found.params,
            fold_scores=tuple(float(s) for s in scores), note=found.note, rows=len(rows),
        )  # fmt: skip
        return result, found

    def _tune_one(self, family: Family, job: Job) -> None:
        self._tell("tune", f"{family.name}, {family.words}")
        before = self.kept.get(family.name)
        if before is not None and len(before[0].fold_scores) == len(job.folds):
            return self._note(family, *before)
        if self.reporter.out_of_time:
            return self._leave_out(family.name, "left out: the time for tuning was over")
        begin = time.perf_counter()
        try:
            found = family.search(job)
        except OutOfTimeError:
            seconds = time.perf_counter() - begin
            return self._leave_out(family.name, "left out: the time for tuning was over before it had a score", seconds)
        except (ArithmeticError, ValueError, MemoryError, RuntimeError) as failure:
            if len(self.given.models) == 1 or is_interrupt(failure):
                raise
            return self._leave_out(family.name, f"failed: {failure}", time.perf_counter() - begin)
        seconds = time.perf_counter() - begin
        self.kept.put(family.name, found, seconds)
        self._note(family, found, seconds)

    def _note(self, family: Family, found: SearchResult, seconds: float) -> None:
        """What a family came to."""
        scores = found.fold_scores
        error = standard_error(scores)
        self.found[family.name] = found
        result = FamilyResult(
            family.name,
            float(scores.mean()),
            float(scores.std()),
            error,
            seconds,
            found.params,
            tuple(float(s) for s in scores),
            note=found.note,
        )
        self.results.append(result)
        self.reporter.tell(Judged(family.name, found.params, result.score, error, seconds, found.note))

    def _leave_out(self, family: str, note: str, seconds: float = 0.0) -> None:
        nan = float("nan")
        self.results.append(FamilyResult(family, nan, nan, nan, seconds, {}, note=note))
        if self.progress is not None:
            self.reporter.tell(Judged(family, {}, nan, nan, seconds, note))

    def _tuning_table(self, metric: str) -> dict[str, Any]:
        families = {
            name: {"parameters": list(found.params), "candidates": found.table} for name, found in self.found.items()
        }
        return {"metric": shown_name(metric), "folds": self.fold_count, "rows": self.tuned_on, "families": families}

    # ---------------------------------------------------------------- after tuning

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

    def _tell(self, name: str, detail: str) -> None:
        self.stage = name
        self.reporter.tell(Stage(name, detail))

    def _tick(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] = now - self.last
        self.last = now

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
