"""The guarantee of a `KMeans`, recomputed on rows that are on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import dask
import numpy as np

from ..certificates import Guarantee
from ..cluster import answers_by_centres, centres_are_whole, refuted
from ..engine import Stopwatch
from ..estimators import check_same_rows
from ._cluster import Cluster
from ._kmeans_fit import proven
from ._part import Part
from ._partitions import Partitions, partitions_of

# Bytes of labels that one graph of tasks carries to the workers; more go there one after the other.
_AT_ONCE = 2**22


def kmeans_again(model: Any, cluster: Cluster, X: Any, sample_weight: Any) -> Guarantee:
    """Every figure of the guarantee beside the claimed ones."""
    watch, claim = Stopwatch(), model.certificate_
    if not centres_are_whole(model):
        return refuted(claim, "centres, labels and columns do not fit together")
    samples = partitions_of(cluster, X, None, sample_weight, "none")
    if samples.d != model.n_features_in_:
        raise ValueError(f"X has {samples.d} features, but KMeans is expecting {model.n_features_in_} features.")
    if model._streamed:  # nothing was claimed, and nothing else may be
        return replace(claim) if not claim.holds else refuted(claim, "nothing is proven of mini-batches")
    check_same_rows(len(model.labels_), samples.n)
    found, masses = proven(samples, _with_labels(samples, model.labels_), model.cluster_centers_, model._course())
    answers = cluster.each("k-means-answers", _answers, samples.parts, _light(model))
    confirmed = model._confirmed(found, all(answers), float(masses.sum()))
    return replace(confirmed, seconds=watch.seconds(), _recompute=claim._recompute)


def _with_labels(samples: Partitions, labels: np.ndarray) -> list[tuple[Sequence[Any], Sequence[Any]]]:
    """Partitions and their labels, in groups that do not make a graph of tasks too large."""
    labels = labels.astype(np.min_scalar_type(int(labels.max())))
    groups: list[tuple[list[Any], list[Any]]] = [([], [])]
    size = 0
    for part, piece in zip(samples.parts, np.split(labels, samples.starts[1:]), strict=True):
        if size + piece.nbytes > _AT_ONCE and groups[-1][0]:
            groups.append(([], []))
            size = 0
        groups[-1][0].append(part)
        groups[-1][1].append(dask.delayed(piece, traverse=False))
        size += piece.nbytes
    return list(groups)


def _light(model: Any) -> Any:
    """What a model answers by, without the labels of the rows that it was fitted to."""
    light = copy(model)
    for name in ("labels_", "certificate_", "inertia_history_"):
        vars(light).pop(name, None)
    return light


def _answers(part: Part, model: Any) -> bool:
    return answers_by_centres(model, part.X)
