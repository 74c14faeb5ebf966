"""The fit and the proof of a forest on a cluster: partitions as codes, and histograms that are added up by workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import dask
import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..certificates import Guarantee
from ..engine import Stopwatch
from ..ensemble import (
    Asked,
    CodedRows,
    Question,
    RawRows,
    Scales,
    Splits,
    SumsOverRows,
    Survey,
    best_splits,
    code_rows,
    grow_forest,
    histograms_of,
    merged,
    refuse_unsummed,
    regrown,
)
from ..estimators import check_every_class, check_same_rows
from ..messages import InputError
from ..tree import refuse_monotonic
from ._cluster import Cluster
from ._linear_fit import note_features
from ._part import Part
from ._partitions import Partitions, partitions_of

_SEEDS = np.iinfo(np.int32).max


def fit_forest(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> None:
    """Grow a forest of the library."""
    watch = Stopwatch()
    refuse_monotonic(model.monotonic_cst)
    refuse_unsummed(model, 1 if isinstance(model.max_samples, float) else _SEEDS)  # before anything is looked at
    rows = _rows_of(model, cluster, X, y, sample_weight)
    seeds = check_random_state(model.random_state).randint(_SEEDS, size=model.n_estimators)
    grow_forest(model, rows, seeds, print if model.verbose else lambda words: None)
    model.certificate_ = replace(model.certificate_, seconds=watch.seconds(), _recompute=model._recertify)


def forest_again(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> Guarantee:
    """The guarantee of a forest that is grown again on a cluster, and compared."""
    again = clone(model).set_params(n_estimators=max(1, len(model.estimators_)))
    rows = _rows_of(again, cluster, X, y, sample_weight)
    check_same_rows(model._n_samples, rows.n)
    return regrown(model, again, rows)


def _rows_of(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> _PartedRows:
    """The rows of a cluster; what they tell of classes and columns is noted in the model."""
    categories = [name for name, kind in getattr(X, "dtypes", {}).items() if str(kind) == "category"]
    if categories:
        raise InputError(
            f"column {categories[0]!r} of X holds categories, which maxmargin.dask.{type(model).__name__} does not "
            f"take: give numbers, such as columns of 0 and 1.",
            argument="X",
        )
    labelled = hasattr(model, "class_weight")
    samples = partitions_of(cluster, X, y, sample_weight, "labels" if labelled else "targets")
    if any(fact.targets > 1 for fact in samples.facts):
        raise InputError("y must have one target a row; it has several columns.", argument="y")
    note_features(model, samples)
    by_class = None
    if labelled:
        assert samples.classes is not None
        if samples.weighted:
            check_every_class(samples.classes, np.arange(len(samples.classes)), samples.label_sums("label_weights"))
        model.classes_ = samples.classes
        model.n_classes_ = model._classes_count = len(samples.classes)
        by_class = None if model.class_weight is None else samples.class_weight(model.class_weight)
    return _PartedRows(samples, by_class)


class _PartedRows:
    """Rows in partitions."""

    def __init__(self, samples: Partitions, by_class: np.ndarray | None) -> None:
        self.samples, self.n, self.d = samples, samples.n, samples.d
        task = dask.delayed(_raw, pure=True, traverse=False)
        shared = dask.delayed((samples.classes, by_class), traverse=False)
        self.raw = [task(part, start, shared) for part, start in zip(samples.parts, samples.starts, strict=True)]

    def survey(self) -> Survey:
        (found,) = self.samples.cluster.total("look-at-bins", Survey.of, self.raw, self.n)
        assert isinstance(found, Survey)
        return found

    def coded(self, edges: np.ndarray, bins: np.ndarray, scales: Scales) -> tuple[SumsOverRows, Any]:
        cluster = self.samples.cluster
        pairs = cluster.mapped("bin-partition", code_rows, self.raw, edges, bins, scales)
        pairs = cluster.kept(pairs, float(self.n) * (self.d + 40))
        (ranges,) = cluster.total("ranges-of-bins", _ranges, pairs)
        return _PartedSums(cluster, pairs), ranges


class _PartedSums:
    """Coded rows in partitions; `pairs` are those and the ranges of their bins."""

    def __init__(self, cluster: Cluster, pairs: list[Any]) -> None:
        self.cluster, self.pairs = cluster, pairs

    def total(self, name: str, function: Callable[..., tuple], *shared: Any) -> tuple:
        found = self.cluster.total(name, _of_rows, self.pairs, function, shared)
        assert isinstance(found, tuple)
        return found

    def splits(self, question: Question, about: Asked) -> Splits:
        """Trees are divided into groups, whose histograms are added up and searched by other tasks."""
        first, m = question.first, len(question.seeds)
        groups = min(self.cluster.threads(), m)
        ends = first[np.linspace(0, m, groups + 1).astype(int)].tolist()
        found = self.cluster.reduced(
            "grow-trees", _histograms, _merged, _searched, self.pairs, groups, (question, ends), (question, ends, about)
        )
        return Splits(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _raw(part: Part, start: int, shared: tuple) -> RawRows:
    """A partition whose labels are numbers of classes, with the weights of these in its weights."""
    classes, by_class = shared
    assert part.y is not None
    if classes is None:
        return RawRows(part.X, part.y.reshape(len(part.y)), part.weight, start)
    target, weight = np.searchsorted(classes, part.y).astype(np.int32), part.weight
    if by_class is not None:
        weight = by_class[target] if weight is None else weight * by_class[target]
    return RawRows(part.X, target, weight, start)


def _ranges(pair: tuple) -> tuple:
    return (pair[1],)


def _of_rows(pair: tuple, function: Callable[..., tuple], shared: tuple) -> tuple:
    rows: CodedRows = pair[0]
    return function(rows, *shared)


def _histograms(pair: tuple, shared: tuple[Question, list[int]]) -> list[Any]:
    """The histograms of a partition, group by group of trees."""
    question, ends = shared
    found = histograms_of(pair[0], question)
    size = question.columns.shape[1] * 256 * question.classes
    cuts = np.searchsorted(found.keys, np.array(ends) * size)
    return [type(found)(found.keys[a:b].copy(), found.sums[a:b].copy()) for a, b in pairwise(cuts)]


def _merged(parts: list[Any]) -> Any:
    return merged(parts)


def _searched(found: Any, group: int, shared: tuple[Question, list[int], Asked]) -> Splits:
    question, ends, about = shared
    return best_splits(found, ends[group], ends[group + 1], question.columns, question.wanted, *about)
