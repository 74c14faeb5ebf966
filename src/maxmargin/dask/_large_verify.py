"""The certificate of a `LargeSVC`, recomputed on rows that are on a cluster."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ..certificates import Certificate
from ..estimators import check_same_rows
from ..svm import RemoteProblems, audit_remote
from ._cluster import Cluster
from ._large_fit import kernel_of, stated_gamma, vectors_of
from ._large_tasks import values_of
from ._partitions import partitions_of
from ._remote_gram import RemoteGram, RemoteRows


def large_again(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> list[Certificate]:
    """Both bounds of each problem beside the claimed ones."""
    samples = partitions_of(cluster, X, y, sample_weight, "labels")
    check_same_rows(model.shape_fit_[0], samples.n)
    if samples.d != model.n_features_in_:
        raise ValueError(f"X has {samples.d} features, but LargeSVC is expecting {model.n_features_in_} features.")
    rows = RemoteRows(samples)

    def known(scheme: Any) -> RemoteProblems:
        label, weight = vectors_of(samples)
        gram = RemoteGram.of(rows, kernel_of(model, float(model._gamma)))
        assert samples.classes is not None
        by_class = np.asarray(model.class_weight_)
        return RemoteProblems.of(model, gram, rows, samples.classes, label, weight, by_class, scheme)

    def own() -> np.ndarray:
        light = copy(model)
        for name in ("multipliers_", "certificate_"):
            vars(light).pop(name, None)
        light.n_jobs = 1
        return np.concatenate(cluster.each("large-svc-values", values_of, samples.parts, light))

    return audit_remote(model, stated_gamma(model, samples), known, own)
