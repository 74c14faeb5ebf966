"""Gradient boosting: settings race over the folds, and the rounds of one boost are those of all shorter ones.

Every setting is boosted on the first fold, until the loss of the fold's test rows falls no more; the better half goes
on to the next fold, and the best two have scores on all. How many rounds there are is chosen with the rest, by the mean
over the folds. More rows bear more rounds and larger trees: on more rows both are tried, and of a final fit on more
rows than were tuned on, the rounds are found by a tenth of them that is held back.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from ._metrics import kind_of
from ._search import Job, OutOfTimeError, SearchResult, best_of, table_row, tell_candidate
from ._split import hold_out
from ._table import draw_rows

_SETTINGS: tuple[dict[str, Any], ...] = (
    {"learning_rate": 0.1, "max_leaf_nodes": 31, "min_samples_leaf": 20},
    {"learning_rate": 0.1, "max_leaf_nodes": 7, "min_samples_leaf": 10},
    {"learning_rate": 0.05, "max_leaf_nodes": 31, "min_samples_leaf": 5, "max_features": 0.5, "l2_regularization": 1.0},
    {"learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 20, "max_features": 0.3},
    {"learning_rate": 0.1, "max_leaf_nodes": 15, "min_samples_leaf": 5, "max_features": 0.7, "l2_regularization": 5.0},
    {
        "learning_rate": 0.05,
        "max_leaf_nodes": 63,
        "min_samples_leaf": 10,
        "max_features": 0.7,
        "l2_regularization": 10.0,
    },
)
_MANY_CLASSES, _OF_MANY = 10, (0, 2, 4)  # settings that are tried of more classes
_ROUNDS = (1, 3, 10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400)
_MOST_ROUNDS, _MOST_TREES, _LEAST_ROUNDS, _MANY_ROUNDS = 800, 4000, 60, 200
_PATIENCE = 40
# Cells that all trees of a fit look at, at most: seconds for one that is tuned, minutes for the final one.
_TUNED_WORK, _WORK = 4e9, 8e10
_LARGEST = 255
_FEW, _OF_FEW, _ROUNDS_OF_FEW = 1000, (0, 1, 4), 200  # rows up to which few settings are tried, each on all folds
_HELD, _MOST_HELD, _STREAM = 0.1, 50_000, 5
_GROWN = 1.3


def search_boosting(job: Job) -> SearchResult:
    """Size of the trees, learning rate and rounds."""
    K = 1 if job.codes is None else int(job.codes.max()) + 1
    few = len(job.y) <= _FEW
    most = _most_rounds(job, _ROUNDS_OF_FEW if few else _MOST_ROUNDS, _TUNED_WORK)
    many = K > _MANY_CLASSES or most < _MANY_ROUNDS
    chosen = _OF_FEW if few else _OF_MANY if many else range(len(_SETTINGS))
    return _race(job, [_SETTINGS[k] for k in chosen], most)


def boost_again(job: Job, found: SearchResult) -> SearchResult:
    """The best setting on more rows, with larger trees and more rounds beside it."""
    best = {name: value for name, value in found.params.items() if name != "max_iter"}
    settings = [best]
    for factor in (2, 4):
        leaves = min(_LARGEST, factor * best["max_leaf_nodes"])
        if leaves > settings[-1]["max_leaf_nodes"]:
            settings.append({**best, "max_leaf_nodes": leaves})
    new = _race(job, settings, _most_rounds(job, max(_MOST_ROUNDS, 2 * found.params["max_iter"]), _WORK / 5))
    return replace(new, table=[*new.table, *found.table], note=f"{found.note}; then {new.note}")


def make_boosting(job: Job, params: dict[str, Any]) -> Any:
    """The boost of a candidate; its loss is the metric, where there is such a loss."""
    common = {"early_stopping": False, "random_state": job.seed, **params}
    if job.classes:
        return HistGradientBoostingClassifier(class_weight=job.class_weight, **common)
    kind = kind_of(job.metric)
    if kind == "pinball":
        return HistGradientBoostingRegressor("quantile", quantile=float(job.metric.partition(":")[2]), **common)
    return HistGradientBoostingRegressor("absolute_error" if kind == "MAE" else "squared_error", **common)


def more_rounds(job: Job, params: dict[str, Any], tuned_on: int) -> dict[str, Any]:
    """The parameters of a fit on more rows than were tuned on: rounds by rows that are held back for it."""
    n = len(job.y)
    if n < _GROWN * tuned_on:
        return params
    held = _held_back(job)
    if held is None:
        return params
    begin = time.perf_counter()
    most = _most_rounds(job, max(_ROUNDS), _WORK)
    scores = _staged(job, {**params, "max_iter": most}, ~held, held)
    rounds = max(scores, key=lambda t: scores[t])
    row = table_row(
        {**params, "max_iter": rounds}, np.array([scores[rounds]]), time.perf_counter() - begin, "held back"
    )
    tell_candidate(job, row, 1, 1)
    return {**params, "max_iter": rounds}


def _held_back(job: Job) -> np.ndarray | None:
    n = len(job.y)
    share = min(_HELD, _MOST_HELD / n)
    if not job.order.plain:
        held = hold_out(job.order, job.codes, share, job.seed)
    else:
        held = np.ones(n, dtype=bool)
        held[draw_rows(job.codes, n, n - round(share * n), 1, job.seed, _STREAM)] = False
    return held if held.any() and not held.all() else None


def _most_rounds(job: Job, wanted: int, work: float) -> int:
    """As many as the work allows: cells of all rows, for each class a tree a round."""
    K = 1 if job.codes is None else int(job.codes.max()) + 1
    trees = K if K > 2 else 1
    cells = float(job.X.shape[0]) * job.X.shape[1] * trees
    by_work = min(_MOST_TREES // trees, int(work / cells))
    return max(_LEAST_ROUNDS, min(wanted, by_work))


def _race(job: Job, settings: Sequence[dict[str, Any]], most: int) -> SearchResult:
    """Settings on the folds, of which the better half goes on; the rounds of each by its mean scores."""
    alive, told = list(range(len(settings))), 0
    scores: dict[int, list[dict[int, float]]] = {k: [] for k in alive}
    seconds = dict.fromkeys(alive, 0.0)
    for f, (train, test) in enumerate(job.folds):
        for k in alive:
            if job.reporter.out_of_time:
                raise OutOfTimeError
            begin = time.perf_counter()
            scores[k].append(_staged(job, {**settings[k], "max_iter": most}, train, test))
            seconds[k] += time.perf_counter() - begin
        last = f + 1 == len(job.folds)
        if len(job.y) > _FEW and not last and len(alive) > 2:
            alive = sorted(alive, key=lambda k: -max(_means(scores[k]).values()))[: max(2, (len(alive) + 1) // 2)]
    rows = []
    for k in alive:
        told += 1
        means = _means(scores[k])
        rounds = sorted(means, key=lambda t: -means[t])[:3]
        for t in rounds:
            of_folds = np.array([fold[t] for fold in scores[k]])
            rows.append(table_row({**settings[k], "max_iter": t}, of_folds, seconds[k] / len(rounds), ""))
        tell_candidate(job, rows[-len(rounds)], told, len(alive))
    note = f"{len(settings)} settings on {len(job.y)} rows"
    if len(alive) < len(settings):
        note += f", {len(alive)} of them on all folds"
    return best_of(rows, note)


def _means(folds: Sequence[dict[int, float]]) -> dict[int, float]:
    """The mean over the folds for each number of rounds that all of them came to."""
    rounds = set(folds[0]).intersection(*folds[1:])
    return {t: float(np.mean([fold[t] for fold in folds])) for t in sorted(rounds)}


def _staged(job: Job, params: dict[str, Any], train: np.ndarray, test: np.ndarray) -> dict[int, float]:
    """Scores on the test rows after some of the rounds; it ends where their loss falls no more."""
    model = make_boosting(job, params)
    X, y = job.X[test], job.y[test]
    known = np.isin(y, np.unique(job.y[train])) if job.classes else np.ones(len(y), dtype=bool)
    if known.any():
        model.set_params(early_stopping=True, n_iter_no_change=_PATIENCE)
        model.fit(job.X[train], job.y[train], X_val=X[known], y_val=y[known])
    else:
        model.fit(job.X[train], job.y[train])
    last, scores = model.n_iter_, {}
    for t, said in enumerate(_stages(model, X), 1):
        if t in _ROUNDS or t == last == params["max_iter"]:
            scores[t] = job.judge(said, X, y)
    return scores


def _stages(model: Any, X: np.ndarray) -> Iterator[_Said]:
    if hasattr(model, "classes_"):
        for raw in model.staged_decision_function(X):
            yield _Said(raw, model.classes_)
    else:
        for values in model.staged_predict(X):
            yield _Said(values)


class _Said:
    """What a boost says of rows after some rounds, asked as a model is."""

    def __init__(self, raw: np.ndarray, classes: np.ndarray | None = None) -> None:
        self._raw = raw
        if classes is not None:
            self.classes_ = classes

    def predict(self, X: Any) -> np.ndarray:
        """Classes or numbers."""
        if not hasattr(self, "classes_"):
            return self._raw
        places = (self._raw > 0).astype(np.int64) if self._raw.ndim == 1 else self._raw.argmax(axis=1)
        return np.asarray(self.classes_[places])

    def decision_function(self, X: Any) -> np.ndarray:
        """Sums of the trees."""
        return self._raw

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes."""
        raw = np.column_stack([np.zeros(len(self._raw)), self._raw]) if self._raw.ndim == 1 else self._raw
        grown = np.exp(raw - raw.max(axis=1, keepdims=True))
        return np.asarray(grown / grown.sum(axis=1, keepdims=True))
