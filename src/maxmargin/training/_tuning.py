"""Families of models tuned and compared, on growing numbers of rows."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..messages import Judged
from ..search import standard_error
from ._families import Family, compare
from ._growing import FOLDS, GROWTH, expected_seconds, search_again, seconds_left, survivors
from ._metrics import needs_probabilities, shown_name
from ._prepare import Preparation
from ._run_state import RunState
from ._search import Job, OutOfTimeError, SearchResult
from ._split import RowOrder
from ._table import (
    draw_tuning_rows,
    make_folds,
)
from ._training import FamilyResult, TrainingError, is_interrupt


class Tuning(RunState):
    """Families tuned on the same folds, and those near the best one compared on more rows."""

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

    def _tuning_table(self, metric: str) -> dict[str, Any]:
        families = {
            name: {"parameters": list(found.params), "candidates": found.table} for name, found in self.found.items()
        }
        return {"metric": shown_name(metric), "folds": self.fold_count, "rows": self.tuned_on, "families": families}
