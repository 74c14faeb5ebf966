"""A forest from sums on rows that are in memory: the proof of one that was grown elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ...certificates import Guarantee
from ...engine import Stopwatch
from ...estimators import check_same_rows, class_weights
from ...tree import checked_columns, checked_target, checked_weights, confirm_or_refute, first_difference, refuted
from ._forest import SummedRows, SumsOverRows, grow_forest
from ._growth import Asked
from ._histograms import Question, histograms_of
from ._rows import CodedRows, Ranges, RawRows, Scales, Survey, code_rows
from ._search import Splits, best_splits


class WholeRows:
    """Rows in memory, as one part."""

    def __init__(self, raw: RawRows) -> None:
        self.raw = raw
        self.n, self.d = raw.X.shape

    def survey(self) -> Survey:
        return Survey.of(self.raw, self.n)[0]

    def coded(self, edges: np.ndarray, bins: np.ndarray, scales: Scales) -> tuple[SumsOverRows, Ranges]:
        rows, ranges = code_rows(self.raw, edges, bins, scales)
        return _WholeSums(rows), ranges


class _WholeSums:
    def __init__(self, rows: CodedRows) -> None:
        self.rows = rows

    def total(self, name: str, function: Callable[..., tuple], *shared: Any) -> tuple:
        return function(self.rows, *shared)

    def splits(self, question: Question, about: Asked) -> Splits:
        found = histograms_of(self.rows, question)
        return best_splits(found, 0, len(question.wanted), question.columns, question.wanted, *about)


def grown_again(model: Any, X: Any, y: Any, sample_weight: Any) -> Guarantee:
    """The guarantee of a forest, which is grown again on rows in memory and compared."""
    again = clone(model).set_params(n_estimators=max(1, len(model.estimators_)))
    X = checked_columns(again, X, reset=True)
    target = checked_target(again, X, y, reset=True)
    check_same_rows(model._n_samples, len(target))
    weight = None if sample_weight is None else checked_weights(sample_weight, X)
    if again._classes_count:
        sums = np.bincount(target, weight, minlength=again._classes_count).astype(np.float64)
        by_class = class_weights(again.class_weight, again.classes_, np.arange(again._classes_count), sums)
        if again.class_weight is not None:
            weight = by_class[target] if weight is None else weight * by_class[target]
    return regrown(model, again, WholeRows(RawRows(X, target, weight, 0)))


def regrown(model: Any, again: Any, rows: SummedRows) -> Guarantee:
    """The guarantee of a forest beside that of one that is grown on these rows by the same seeds."""
    watch = Stopwatch()
    try:
        seeds = np.array([int(member.random_state) for member in model.estimators_], dtype=np.int64)
        grow_forest(again, rows, seeds, lambda words: None)
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        where = f"the record of how a tree was grown ({type(error).__name__})"
        return replace(refuted(model.certificate_, where), seconds=watch.seconds())
    proof = confirm_or_refute(model.certificate_, again.certificate_, first_difference(model, again))
    return replace(proof, seconds=watch.seconds(), _recompute=model._recertify)
