"""The fit of k-means on a cluster: starts, steps, and the proof that it has come to rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..certificates import Guarantee
from ..cluster import Course, LloydRun, Look, descend, fixed_point_of, given, middle, same_clusters
from ..engine import Stopwatch
from ..estimators import keep_trace
from ..messages import InputError
from ..solvers import Trace
from ._cluster import Cluster
from ._kmeans_start import parallel_plus_plus, random_rows
from ._kmeans_steps import DistributedAssignment, Spread, spread_of
from ._kmeans_tasks import look_at, masses_of
from ._linear_fit import note_features
from ._partitions import Partitions, partitions_of


def fit_kmeans(model: Any, cluster: Cluster, X: Any, sample_weight: Any) -> None:
    """Find the clusters of rows on a cluster; `model` is a `KMeans` of the library."""
    watch = Stopwatch()
    if callable(model.init):
        raise InputError(
            "init must not be a function on a cluster, which would have to be given all rows. Call it with rows that "
            "fit into memory, and give the centres that it returns: init=init(rows, n_clusters, random_state=...).",
            argument="init",
        )
    samples = partitions_of(cluster, X, None, sample_weight, "none")
    starts = model._starts(samples.n)
    spread = spread_of(samples)
    random_state, size = check_random_state(model.random_state), (spread.square, spread.mass, _eps(samples))
    best: tuple[LloydRun, DistributedAssignment] | None = None
    trace = Trace() if model.trace else None
    for number in range(starts):
        start = _start(model, samples, spread, random_state)
        if model.verbose:
            print("Initialization complete")
        assignment, times = DistributedAssignment(samples, spread.origin, len(start)), list[float]()
        run = descend(
            assignment,
            size,
            start,
            model.max_iter,
            model.tol * spread.variance,
            bool(model.verbose),
            _noting(watch, times) if model.trace else None,
        )
        if trace is not None:
            trace.extend(f"start {number + 1}" if starts > 1 else "", times[1:], {"inertia": run.history})
        if best is None or (run.inertia < best[0].inertia and not same_clusters(run.labels, best[0].labels)):
            best = run, assignment
    assert best is not None
    _keep(model, samples, spread, *best)
    keep_trace(model, trace)
    model.certificate_ = replace(model.certificate_, seconds=watch.seconds(), _recompute=model._recertify)
    model._warn(best[0])


def _start(model: Any, samples: Partitions, spread: Spread, random_state: np.random.RandomState) -> np.ndarray:
    """Centres about the origin, by the rule `init`."""
    if isinstance(model.init, str):
        rule = parallel_plus_plus if model.init == "k-means++" else random_rows
        return rule(samples, spread.origin, model.n_clusters, random_state)
    return given(model.init, model.n_clusters, samples.dtype, spread.origin)


def _keep(model: Any, samples: Partitions, spread: Spread, run: LloydRun, assignment: DistributedAssignment) -> None:
    centres = (run.centres + spread.origin).astype(samples.dtype)
    course = Course(model.tol, run.history, run.status, run.steps)
    pairs = [(samples.parts, assignment.label_tasks)]
    guarantee, masses = proven(samples, pairs, centres, course)
    note_features(model, samples)
    model._keep(spread.origin, masses, run, centres)
    model.certificate_ = guarantee


def proven(
    samples: Partitions, pairs: Sequence[tuple[Sequence[Any], Sequence[Any]]], centres: np.ndarray, course: Course
) -> tuple[Guarantee, np.ndarray]:
    """The guarantee of centres and labels, and the weights of the clusters.

    Partitions and the tasks that have their labels come in groups, one after the other.
    """
    cluster, k = samples.cluster, len(centres)
    masses = np.zeros(k)
    for parts, labels in pairs:
        tasks = cluster.paired("k-means-masses", masses_of, parts, labels, k)
        masses = masses + cluster.summed("k-means-masses", tasks)[0]
    origin = np.zeros(samples.d) if samples.sparse else middle(masses, centres)
    origin = origin.astype(samples.dtype).astype(np.float64)
    found: list[Look] = []
    for parts, labels in pairs:
        tasks = cluster.paired("k-means-proof", look_at, parts, labels, centres, origin)
        found.extend(cluster.summed("k-means-proof", tasks))
    total = found[0]
    for look in found[1:]:
        total = total + look
    return fixed_point_of(total, centres, origin, _eps(samples), course), masses


def _eps(samples: Partitions) -> float:
    return float(np.finfo(samples.dtype).eps)


def _noting(watch: Stopwatch, times: list[float]) -> Callable[[np.ndarray], None]:
    """Notes when each step was made."""
    return lambda centres: times.append(watch.seconds())
