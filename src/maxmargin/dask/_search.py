"""The search for C and gamma on a cluster: rows are in memory, what is trained is spread over the workers.

It is here and not a parameter of `maxmargin.svm.SVCCV`, because that room knows nothing of clusters: this one is above.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import dask
from sklearn.metrics import check_scoring

from .. import svm
from ..engine import Stopwatch, thread_count
from ..messages import InputError
from ..search import SearchData, SearchState
from ._cluster import Cluster
from ._estimator import OnCluster
from ._partitions import is_collection

Part = tuple[list[int], list[int]]


@dataclass(kw_only=True, eq=False, repr=False)
class SVCCV(OnCluster, svm.SVCCV):
    """`maxmargin.svm.SVCCV` whose machines are trained by the workers of a cluster.

    X and y are in memory, and each worker has a copy of them and one kernel matrix at a time. A task is a run of gammas
    in some folds, along which machines start from their neighbours; the winner is a task, too. Results are to the last
    bit those of `maxmargin.svm.SVCCV` with the same `n_jobs`, which says how runs are divided: None is the number of
    threads of the cluster. Takes ``race=False`` and ``n_landmarks=None``.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.dask import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVCCV(Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1]).fit(X, y)
    >>> search.best_params_
    {'C': 1.0, 'gamma': 0.1}

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Find the best candidate, and train it on all rows; returns the fitted `maxmargin.svm.SVCCV`."""
        for name, value in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            if is_collection(value):
                raise InputError(
                    f"{name} is a dask collection: a search for kernel machines takes rows in memory, of which each "
                    f"worker has a copy. Type {name}.compute(), or train a LargeSVC or LinearSVC.",
                    argument=name,
                )
        return self._fit_ordinary(svm.SVCCV, _fit_search, X, y, sample_weight, groups)


def _fit_search(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
    """Search on a cluster, and leave in the model what was found."""
    if model.race or model.n_landmarks is not None:
        parameter = "race" if model.race else "n_landmarks"
        raise InputError(
            f"maxmargin.dask.SVCCV does not take {parameter}={getattr(model, parameter)!r}: leave it out, or use the "
            f"SVCCV of one machine.",
            argument=parameter,
        )
    search: Any = _SpreadSearch(**model.get_params(deep=False))
    search.cluster = cluster
    vars(search).update({name: value for name, value in vars(model).items() if name in ("_kept",)})
    try:
        search.fit(X, y, sample_weight, groups)
    finally:  # after Ctrl-C a table of what is finished
        params = set(model.get_params(deep=False))
        found = {name: value for name, value in vars(search).items() if name not in params}
        found.pop("cluster")
        vars(model).update(found)
        if "scorer_" in found:
            model.scorer_ = check_scoring(model, model.scoring)


class _SpreadSearch(svm.SVCCV):
    """The search of one machine, of which tasks train the parts."""

    cluster: Cluster

    def _train(self, state: SearchState, data: SearchData, exact: bool = False) -> None:
        threads = self.cluster.threads() if self.n_jobs is None else thread_count(self.n_jobs)
        parts = [part for part in self._parts(state, data, threads) if _is_open(self, state, part)]
        self.storage_ = f"stored by workers: {len(parts)} parts, each with a kernel matrix at a time"
        task = dask.delayed((_plain(self), state, data), traverse=False)
        pairs = [dask.delayed(part, traverse=False) for part in parts]
        for found in self.cluster.each("train-candidates", _train_part, pairs, task, threads, exact):
            state.take_in(*found)

    def _train_winner(self, data: SearchData) -> None:
        winner = self._machine(**self.best_params_)
        if self.trace:
            winner.set_params(trace=True)
        task = dask.delayed(winner, traverse=False)
        ((self.best_estimator_, self.refit_time_),) = self.cluster.each("train-winner", _fitted, [task], data)
        if hasattr(self, "feature_names_in_"):
            self.best_estimator_.feature_names_in_ = self.feature_names_in_


def _is_open(search: Any, state: SearchState, part: Part) -> bool:
    gammas, folds = part
    several = len(state.grid.names) == 2
    candidates = [state.grid.index(c, g) if several else c for c in range(len(state.grid.values[0])) for g in gammas]
    return any(state.open(candidate, fold) for candidate in candidates for fold in folds)


def _plain(search: Any) -> svm.SVCCV:
    """The search of one machine, without what it has found."""
    return svm.SVCCV(**{**search.get_params(deep=False), "verbose": False})


def _train_part(part: Part, shared: tuple[svm.SVCCV, SearchState, SearchData], threads: int, exact: bool) -> tuple:
    search, state, data = shared
    mine = copy.copy(state)  # of one process: the other parts have copies of their own
    mine.record = copy.deepcopy(state.record)
    search._train_part(mine, data, part, threads, exact)
    return mine.record, mine.failures


def _fitted(machine: svm.SVC, data: SearchData) -> tuple[svm.SVC, float]:
    watch = Stopwatch()
    return copy.copy(machine).fit(data.X, data.y, sample_weight=data.weights), watch.seconds()
