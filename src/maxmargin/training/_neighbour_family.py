"""Nearest neighbours: how many, and what each counts. The neighbours of a fold are found once for all candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..neighbors import KNeighborsClassifier, KNeighborsRegressor
from ._search import Job, SearchResult, search_together

_COUNTS = (101, 65, 41, 25, 15, 9, 5, 3, 1)  # the smoothest first


def search_neighbours(job: Job) -> SearchResult:
    """The number of neighbours and their weights."""
    most = max(1, min(len(train) for train, _ in job.folds) // 2)
    counts = [k for k in _COUNTS if k <= most]
    weights = ["inverse_class_size"] if job.balanced else ["uniform", "distance"]
    candidates = [{"n_neighbors": k, "weights": w} for w in weights for k in counts]

    def scores_of(train: np.ndarray, test: np.ndarray) -> list[float]:
        index = make_neighbours(job, {"n_neighbors": counts[0]}).fit(job.X[train], job.y[train])
        distances, places = index.kneighbors(job.X[test])
        scores = []
        for candidate in candidates:
            k = candidate["n_neighbors"]
            predictions = index.set_params(**candidate).predict_by(distances[:, :k], places[:, :k])
            scores.append(job.score(job.y[test], predictions))
        return scores

    return search_together(job, candidates, scores_of, f"{len(candidates)} candidates on {len(job.y)} rows")


def make_neighbours(job: Job, params: dict[str, Any]) -> Any:
    """The estimator of a candidate."""
    kind = KNeighborsClassifier if job.classes else KNeighborsRegressor
    return kind(n_jobs=job.n_jobs, **params)
